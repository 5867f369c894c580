"""What reads language: annotators, aligners, encoders, language models and translation models."""
