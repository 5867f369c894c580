"""Companion detectors: cheap checks of the same translations, each for one kind of error."""
