"""What a system's two translations of one case show: passed, original is bad, or the edit broke it."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from mtassay.core import Verdict

__all__ = [
    "MOVED",
    "STATUSES",
    "Judged",
    "Status",
    "Where",
    "judge_pair",
    "position",
    "reconsider",
]

Status = Literal[
    "passed", "original is bad", "edit broke it", "edit ignored", "edit improved it", "undecided"
]
Where = Literal["at the edit", "elsewhere", "unknown"]

STATUSES: dict[Status, Verdict] = {
    "passed": "pass",
    "original is bad": "fail",
    "edit broke it": "fail",
    "edit ignored": "fail",
    "edit improved it": "fail",
    "undecided": "undecided",
}
"""All that a case can come to, with the verdict."""
MOVED: frozenset[Status] = frozenset(("edit broke it", "edit ignored", "edit improved it"))
"""The statuses of a case that fails by its edit, and not by its original."""

TINY = 1e-9
"""Qualities that differ from a threshold by less are equal to it: 0.9 - 0.85 is not above 0.05."""


class Judged(NamedTuple):
    """The status of a case, and why where it is undecided."""

    status: Status
    why: str = ""


def judge_pair(quality: float, edited: float, *, alpha: float, beta: float, signed: bool = False) -> Judged:
    """Pass if the original is good (at least alpha) and the edit moves the quality by at most beta.

    With `signed` only a loss of quality counts. Without a quality nothing can be said.

    >>> [judge_pair(0.9, edited, alpha=0.8, beta=0.05).status for edited in (0.85, 0.8, 0.97)]
    ['passed', 'edit broke it', 'edit improved it']
    >>> judge_pair(0.9, 0.97, alpha=0.8, beta=0.05, signed=True).status
    'passed'
    """
    if math.isnan(quality) or math.isnan(edited):
        return Judged("undecided", "the quality measure says nothing about it")
    if quality < alpha - TINY:
        return Judged("original is bad")
    if quality - edited > beta + TINY:
        return Judged("edit broke it")
    if edited - quality > beta + TINY and not signed:
        return Judged("edit improved it")
    return Judged("passed")


def reconsider(judged: Judged, edit_found: bool | None) -> Judged:
    """The same for a capability that the quality measure is blind to: finding the edit decides."""
    if judged.status != "passed" or edit_found:
        return judged
    if edit_found is None:
        return Judged("undecided", "the quality measure is blind to it, and the edit was not found")
    return Judged("edit broke it")


def position(edit_found: bool | None) -> Where:
    """Where the error of a failed case is: elsewhere, if the edit itself was translated.

    >>> position(True), position(False), position(None)
    ('elsewhere', 'at the edit', 'unknown')
    """
    if edit_found is None:
        return "unknown"
    return "elsewhere" if edit_found else "at the edit"
