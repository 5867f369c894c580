"""Translation systems, and the client that asks them: once, in batches, within limits, resumable."""
