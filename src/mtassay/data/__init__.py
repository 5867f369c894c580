"""The nouns, and what needs nothing else: errors, languages, settings, texts, files."""
