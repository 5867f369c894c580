"""Reading texts: annotators, aligners, encoders, language models, numbers and names."""
