"""Two versions of one system, item by item: what was fixed, what broke, what is open or missing now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from mtassay.changes import LISTED, ChangeKind, kind_of
from mtassay.core import Case, Finding, Output
from mtassay.display import Table
from mtassay.methods.suite.evidence import VerdictEvidence, status_of
from mtassay.methods.suite.version_tables import StepShown, category_table, status_matrix, step_table
from mtassay.stats import AccuracyChange, exact_test, holm
from mtassay.texts.marks import plural

__all__ = ["Gate", "GateResult", "Step", "Versions", "gate", "steps"]

Gate = Literal["any", "significant"]
"""When a new version may not pass: if any item broke, or only if it is significantly worse."""

_OPENED = [("correct", "undecided"), ("correct", "conflict")]


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one item from the old version to the new one."""

    case: Case
    kind: ChangeKind
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
            kind_of(before[case.id].verdict, after[case.id].verdict),
            before[case.id],
            after[case.id],
        )
        for case in cases
    ]


def gate(item_steps: Sequence[Step], kind: Gate, *, alpha: float = 0.05) -> GateResult:
    """Whether the new version may pass.

    It does not if `any` item broke, or if there are `significant`ly more broken than fixed ones, overall or
    in a category (one-tailed exact test, corrected by Holm's method). What was correct and has no output any
    more counts as broken, the reverse as fixed; what is only open counts as neither.
    """
    worse = [step for step in item_steps if step.statuses[0] == "correct" and _has_failed(step.statuses[1])]
    better = [step for step in item_steps if _has_failed(step.statuses[0]) and step.statuses[1] == "correct"]
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


@dataclass(frozen=True)
class Versions:
    """Two versions by name, what became of each item, what that adds up to, and the outputs.

    `live` are the outputs of live engines among them, `gate` is whether the new version may pass, where that
    was asked.
    """

    names: tuple[str, str]
    steps: Sequence[Step]
    changes: Sequence[AccuracyChange]
    outputs: Mapping[str, Sequence[Output]]
    alpha: float
    test: str
    gate: GateResult | None = None
    live: Mapping[str, Sequence[Output]] = field(default_factory=dict)

    @property
    def opened(self) -> int:
        """How many items were correct before, and now no rule settles their output."""
        return sum(step.statuses in _OPENED for step in self.steps)

    def shown(self, kinds: Sequence[ChangeKind] = tuple(LISTED)) -> list[StepShown]:
        """The items of these kinds, in order; by default all whose status changed."""
        old, new = ({output.id: output.text for output in self.outputs[name]} for name in self.names)
        return [
            StepShown(
                id=step.case.id,
                category=step.case.tags["category"],
                phenomenon=step.case.tags["phenomenon"],
                kind=step.kind,
                source=step.case.sources[0] or "",
                focus=step.case.tags.get("focus", ()),
                statuses=step.statuses,
                old=old.get(step.case.id),
                new=new.get(step.case.id),
                old_why=VerdictEvidence.of(step.old.evidence).reason,
                new_why=VerdictEvidence.of(step.new.evidence).reason,
            )
            for step in self.steps
            if step.kind in kinds
        ]

    def title(self, kind: ChangeKind) -> str:
        """What heads the list of the items of this kind."""
        return f"{LISTED[kind]}: {plural(len(self.shown([kind])), 'item')}"

    def tables(self) -> list[Table]:
        """Which statuses became which, and what that is for each category."""
        pairs = Counter(step.statuses for step in self.steps)
        kinds: dict[str, Counter[str]] = {}
        for step in self.steps:
            kinds.setdefault(step.case.tags["category"], Counter())[step.kind] += 1
        return [
            status_matrix(pairs, self.names),
            category_table(self.changes, kinds, names=self.names, alpha=self.alpha, test=self.test),
        ]

    def items_table(self, kind: ChangeKind) -> Table:
        """The items of this kind with both outputs."""
        return step_table(self.shown([kind]), self.names, title=self.title(kind))

    def rows(self) -> Table:
        """One item a row: all whose status changed."""
        header = ["kind", "id", "category", "phenomenon", "old_status", "new_status"]
        texts = ("source", "old", "new", "old_why", "new_why")
        rows = [
            [s.kind, s.id, s.category, s.phenomenon, *s.statuses, *(getattr(s, name) or "" for name in texts)]
            for s in self.shown()
        ]
        return Table([*header, *texts], rows)

    def record(self) -> dict[str, Any]:
        """The JSON shape; `items` are all whose status changed."""
        pairs = Counter(step.statuses for step in self.steps)
        return {
            "old": self.names[0],
            "new": self.names[1],
            "kinds": dict(Counter(step.kind for step in self.steps)),
            "statuses": [{"old": old, "new": new, "n": n} for (old, new), n in pairs.items()],
            "changes": [asdict(change) for change in self.changes],
            "items": [asdict(step) for step in self.shown()],
            "gate": None if self.gate is None else asdict(self.gate),
        }
