"""Two versions of one system, item by item: what was fixed, what broke, what is open or missing now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mtassay.core import Case, Finding
from mtassay.methods.suite.evidence import status_of
from mtassay.stats import exact_test, holm

__all__ = ["GateResult", "Kind", "Step", "gate", "steps"]

Kind = Literal[
    "fixed",
    "broken",
    "still right",
    "still wrong",
    "newly settled",
    "newly open",
    "still open",
    "lost",
    "found",
]
"""What became of an item. Lost: there is no output any more; found: there was none before."""

_SETTLED = {"correct": "right", "incorrect": "wrong"}
_OPEN = ("undecided", "conflict")


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one item from the old version to the new one."""

    case: Case
    kind: Kind
    old: Finding
    new: Finding

    @property
    def statuses(self) -> tuple[str, str]:
        """What both outputs were judged to be."""
        return status_of(self.old), status_of(self.new)


@dataclass(frozen=True, slots=True)
class GateResult:
    """Whether a new version may pass, and if not, why."""

    passed: bool
    why: str


def steps(cases: Sequence[Case], old: Sequence[Finding], new: Sequence[Finding]) -> list[Step]:
    """One step for each case, in order; each version has one finding for each of them."""
    before, after = ({finding.case_id: finding for finding in findings} for findings in (old, new))
    return [
        Step(
            case,
            _kind(status_of(before[case.id]), status_of(after[case.id])),
            before[case.id],
            after[case.id],
        )
        for case in cases
    ]


def _kind(old: str, new: str) -> Kind:
    had, has = (status in _SETTLED or status in _OPEN for status in (old, new))
    if had and not has:
        return "lost"
    if has and not had:
        return "found"
    if old in _SETTLED and new in _SETTLED:
        if old == new:
            return "still right" if old == "correct" else "still wrong"
        return "fixed" if new == "correct" else "broken"
    if old in _SETTLED:
        return "newly open"
    return "newly settled" if new in _SETTLED else "still open"


def gate(found: Sequence[Step], kind: Literal["any", "significant"], *, alpha: float = 0.05) -> GateResult:
    """Whether the new version may pass.

    It does not if `any` item broke, or if there are `significant`ly more broken than fixed ones, overall or
    in a category (one-tailed exact test, corrected by Holm's method). What was correct and has no output any
    more counts as broken, the reverse as fixed; what is only open counts as neither.
    """
    worse = [step for step in found if step.statuses[0] == "correct" and _has_failed(step.statuses[1])]
    better = [step for step in found if _has_failed(step.statuses[0]) and step.statuses[1] == "correct"]
    if kind == "any":
        lost = sum(step.kind == "lost" for step in worse)
        why = f"{len(worse) - lost:,} broken" + (
            f", {lost:,} correct before without an output" if lost else ""
        )
        return GateResult(not worse, why if worse else "")
    minus, plus = (Counter(step.case.tags["category"] for step in part) for part in (worse, better))
    tests = [("all items", len(worse), len(better)), *((name, minus[name], plus[name]) for name in minus)]
    p = holm([float(exact_test(lost, won)) for _, lost, won in tests])
    failed = [test for test, value in zip(tests, p, strict=True) if value is not None and value < alpha]
    why = "; ".join(f"{name}: {lost} broken, {won} fixed" for name, lost, won in failed)
    return GateResult(not failed, f"significantly worse ({why})" if failed else "")


def _has_failed(status: str) -> bool:
    return status in ("incorrect", "skipped", "error")
