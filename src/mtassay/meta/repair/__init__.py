"""From confirmed errors to corrections, and from corrections to a better model."""
