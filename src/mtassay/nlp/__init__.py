"""What reads a text: annotators, aligners, encoders, language models, numbers and names."""
