"""The report as one self-contained page."""
