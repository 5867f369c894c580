"""Metrics, checks and judges: everything that assesses an output."""
