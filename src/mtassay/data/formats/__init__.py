"""Reading test sets and outputs in the formats of the field, and writing ours: see `docs/formats.md`."""
