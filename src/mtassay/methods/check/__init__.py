"""Checks without references: placeholders, numbers, terms, style, conduct of every translated text."""
