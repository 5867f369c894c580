"""Checks beside every score that tell a person when an output file is broken in ways a score hides."""

from __future__ import annotations

from mtassay.metrics.guards.hits import KINDS, Guards, find_guard_hits

__all__ = ["KINDS", "Guards", "find_guard_hits"]
