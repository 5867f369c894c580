"""Prints what became of each item from one version of a system to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mtassay.cli.common import (
    OutputFormat,
    echo,
    plural,
    print_json,
    print_tables,
    shows_bold,
    terminal_width,
)
from mtassay.core import Output
from mtassay.display import Table
from mtassay.methods.suite.method import SuiteMethod
from mtassay.methods.suite.version_tables import (
    StepShown,
    category_table,
    status_matrix,
    step_block,
    step_table,
)
from mtassay.methods.suite.versions import GateResult, Kind, Step
from mtassay.stats import Change

__all__ = ["Versions", "print_versions"]

_LISTED: tuple[Kind, ...] = ("broken", "lost", "fixed", "newly open", "newly settled", "found")
_TITLES = {
    "broken": "Broken (correct before, incorrect now)",
    "lost": "Lost (no output any more)",
    "fixed": "Fixed (incorrect before, correct now)",
    "newly open": "Newly open (settled before)",
    "newly settled": "Newly settled (open before)",
    "found": "Found (no output before)",
}


@dataclass(frozen=True)
class Versions:
    """Two versions by name, what became of each item, what that adds up to, and the outputs."""

    names: tuple[str, str]
    steps: Sequence[Step]
    changes: Sequence[Change]
    outputs: Mapping[str, Sequence[Output]]
    alpha: float
    test: str

    def shown(self, kinds: Sequence[Kind]) -> list[StepShown]:
        """The items of these kinds, in order."""
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
                old_why=SuiteMethod.why(step.old),
                new_why=SuiteMethod.why(step.new),
            )
            for step in self.steps
            if step.kind in kinds
        ]


def print_versions(
    versions: Versions, form: OutputFormat, *, everything: bool, gate: GateResult | None
) -> None:
    """The tables, then the broken items; with `everything` all whose status changed."""
    if form is OutputFormat.json:
        print_json(_record(versions, gate))
        return
    if form is OutputFormat.tsv:
        print_tables([_rows(versions)], form)
        return
    print_tables(_tables(versions), form)
    for kind in _LISTED if everything else _LISTED[:1]:
        _print_kind(versions, kind, form)


def _tables(versions: Versions) -> list[Table]:
    pairs = Counter(step.statuses for step in versions.steps)
    kinds: dict[str, Counter[str]] = {}
    for step in versions.steps:
        kinds.setdefault(step.case.tags["category"], Counter())[step.kind] += 1
    return [
        status_matrix(pairs, versions.names),
        category_table(
            versions.changes, kinds, names=versions.names, alpha=versions.alpha, test=versions.test
        ),
    ]


def _print_kind(versions: Versions, kind: Kind, form: OutputFormat) -> None:
    steps = versions.shown([kind])
    if not steps:
        if kind == "broken":
            echo(("\n% " if form is OutputFormat.latex else "\n") + "No item broke.")
        return
    title = f"{_TITLES[kind]}: {plural(len(steps), 'item')}"
    echo()
    if form is not OutputFormat.text:
        print_tables([step_table(steps, versions.names, title=title)], form)
        return
    echo(title)
    for step in steps:
        echo(f"\n{step_block(step, versions.names, width=terminal_width(), color=shows_bold())}")


def _record(versions: Versions, gate: GateResult | None) -> dict[str, Any]:
    """The JSON shape; `items` are all whose status changed."""
    pairs = Counter(step.statuses for step in versions.steps)
    return {
        "old": versions.names[0],
        "new": versions.names[1],
        "kinds": dict(Counter(step.kind for step in versions.steps)),
        "statuses": [{"old": old, "new": new, "n": n} for (old, new), n in pairs.items()],
        "changes": [asdict(change) for change in versions.changes],
        "items": [asdict(step) for step in versions.shown(_LISTED)],
        "gate": None if gate is None else asdict(gate),
    }


def _rows(versions: Versions) -> Table:
    """One item a row: all whose status changed."""
    header = ["kind", "id", "category", "phenomenon", "old_status", "new_status"]
    texts = ("source", "old", "new", "old_why", "new_why")
    rows = [
        [s.kind, s.id, s.category, s.phenomenon, *s.statuses, *(getattr(s, name) or "" for name in texts)]
        for s in versions.shown(_LISTED)
    ]
    return Table([*header, *texts], rows)
