"""Reads test sets and outputs in the field's formats, and writes ours: see `docs/formats.md`."""
