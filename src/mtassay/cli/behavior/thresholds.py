"""The thresholds that a saved behaviour run was judged with, and what they make of a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mtassay.core import Run
from mtassay.languages import parse_pair
from mtassay.methods.behavior.judging import TINY
from mtassay.methods.behavior.thresholds import Thresholds, thresholds_for

__all__ = ["compared", "thresholds_of"]


def thresholds_of(run: Run) -> Thresholds:
    """Those that the run was judged with."""
    parameters = run.parameters
    return thresholds_for(
        "+".join(parameters["quality"]),
        target=parse_pair(str(parameters["pair"])).target.code,
        alpha=parameters.get("alpha"),
        beta=parameters.get("beta"),
    )


def compared(run: Run, evidence: Mapping[str, Any]) -> str:
    """How a case's qualities stand to alpha and beta of its run; empty where a quality is missing."""
    quality, edited = evidence.get("quality"), evidence.get("edited_quality")
    if quality is None or edited is None:
        return ""
    limits, signed = thresholds_of(run), bool(run.parameters.get("signed"))
    moved = edited - quality
    original = "below" if quality < limits.alpha - TINY else "at least"
    edit = "beyond" if (-moved if signed else abs(moved)) > limits.beta + TINY else "within"
    # Three decimals: with two, many a quality below the threshold looks equal to it.
    parts = [
        f"the original's quality {quality:.3f} is {original} alpha {limits.alpha:g}",
        f"the edit moves it by {moved:+.3f}, {edit} beta {limits.beta:g}"
        + (" (only a loss counts)" if signed else ""),
    ]
    if evidence.get("edit_found") is False:
        parts.append("the edit was not found in the translation")
    return "; ".join(parts)
