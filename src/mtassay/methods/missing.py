"""The finding for an output that is not there, the same in every method."""

from __future__ import annotations

from mtassay.core import Finding, Output, Verdict


def missing(output: Output, system: str) -> Finding:
    """Why there is nothing to judge: an engine failed, or a file has no such output."""
    verdict: Verdict = "skipped" if output.meta.get("skipped") else "error"
    return Finding(output.id, system, "output", verdict, evidence={"reason": output.error})
