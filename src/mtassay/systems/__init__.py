"""What translates, and the client that asks it: once, in batches, within limits, resumable."""
