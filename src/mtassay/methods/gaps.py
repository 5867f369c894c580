"""What an output that is not there means, the same in every method: its finding, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mtassay.core import Finding, Output, Result, Verdict

_SOME = 3  # systems in a line


def missing(output: Output, system: str) -> Finding:
    """Why there is nothing to judge: an engine failed, or a file has no such output."""
    verdict: Verdict = "skipped" if output.meta.get("skipped") else "error"
    return Finding(output.id, system, "output", verdict, evidence={"reason": output.error})


def compared_basis(total: int, compared: int, lacking: Mapping[str, int]) -> dict[str, Any]:
    """For the basis of a result: of how many how many are compared, and how many each system lacks.

    Empty where all are compared. Only what every system has can be compared, so one that lacks some takes
    them from all others too.
    """
    if compared == total:
        return {}
    lacks = {system: count for system, count in lacking.items() if count}
    return {"compared": {"n": compared, "of": total, "lacking": lacks}}


def compared_note(result: Result, what: str = "segments", lacks: str = "lacks {}") -> str:
    """How many were compared and because of whom, who lacks most first; empty where all were.

    >>> compared_note(Result(basis=compared_basis(1000, 930, {"A": 0, "B": 12, "Online-X": 60})))
    '930 of 1,000 segments compared: Online-X lacks 60, B 12'
    """
    if not (about := result.basis.get("compared")):
        return ""
    ranked = sorted(about["lacking"].items(), key=lambda entry: -entry[1])
    more = f" and {len(ranked) - _SOME:,} more systems some" if len(ranked) > _SOME else ""
    (first, most), *others = ranked[:_SOME]
    told = lacks.format(f"{most:,}")
    so = ", ".join([f"{first} {told}", *(f"{name} {count:,}" for name, count in others)])
    return f"{about['n']:,} of {about['of']:,} {what} compared: {so}{more}"
