"""Checks of every translated text without references: placeholders, numbers, terms, style, conduct."""
