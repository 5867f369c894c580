"""The basic records, and modules that depend on nothing else: errors, languages, settings, files."""
