"""What every translated text must keep, without references: placeholders, numbers, terms, style, conduct."""
