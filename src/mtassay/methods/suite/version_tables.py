"""The tables and the list of two versions of one system: what was fixed, what broke, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mtassay.display import Cell, Table
from mtassay.methods.suite.evidence import STATUSES
from mtassay.methods.suite.tables import AVERAGES, TESTS
from mtassay.methods.suite.year_tables import ABOUT_CHANGE, CHANGE_HEADER, change_cells
from mtassay.stats import AccuracyChange
from mtassay.texts.marks import differing, find_words, marked, wrapped

__all__ = ["StepShown", "category_table", "status_matrix", "step_block", "step_table"]

_KINDS = {
    "still right": "right",
    "still wrong": "wrong",
    "newly open": "opened",
    "newly settled": "settled",
    "still open": "open",
    "lost": "lost",
    "found": "found",
}


@dataclass(frozen=True, slots=True)
class StepShown:
    """One item of two versions: the texts, their statuses, and why the new one has its own."""

    id: str
    category: str
    phenomenon: str
    kind: str
    source: str
    focus: Sequence[str]
    statuses: tuple[str, str]
    old: str | None
    new: str | None
    old_why: str
    new_why: str


def status_matrix(pairs: Mapping[tuple[str, str], int], names: tuple[str, str], *, title: str = "") -> Table:
    """How many items went from which status to which; statuses that neither version has are left out."""
    before, after = (
        [status for status in STATUSES if any(pair[side] == status for pair, n in pairs.items() if n)]
        for side in (0, 1)
    )
    rows = [
        [old, *(f"{pairs.get((old, new), 0):,}" for new in after), _total(pairs, 0, old)] for old in before
    ]
    rows.append(["all", *(_total(pairs, 1, new) for new in after), f"{sum(pairs.values()):,}"])
    return Table([f"{names[0]} \\ {names[1]}", *after, "all"], rows, title)


def category_table(
    changes: Sequence[AccuracyChange],
    kinds: Mapping[str, Mapping[str, int]],
    *,
    names: tuple[str, str],
    alpha: float,
    test: str,
) -> Table:
    """Each category: what changed, and what became of its items; `kinds` counts them by category.

    Kinds that no item has are left out.
    """
    shown = [kind for kind in _KINDS if any(counts.get(kind) for counts in kinds.values())]
    everything = {kind: sum(counts.get(kind, 0) for counts in kinds.values()) for kind in shown}
    rows: list[list[Cell | str]] = []
    for change in changes:
        counts = kinds.get(change.group, everything)
        values = ["" if change.group == "macro" else f"{counts.get(kind, 0):,}" for kind in shown]
        name = AVERAGES.get(change.group, change.group)
        rows.append([name, f"{change.n:,}", *change_cells(change, alpha=alpha), *values])
    macro = "; macro-average: permutation test" if test == "exact" else ""
    corrected = "corrected for all rows" if test == "randomization" else "not corrected for their number"
    notes = [
        f"n: items that both versions have settled. Bold: p < {alpha:g} (two-sided {TESTS[test]}{macro}; "
        f"{corrected}).",
        ABOUT_CHANGE,
        "right, wrong, open: so in both versions. opened: settled before, and now no rule applies or rules "
        "of both kinds do; settled: the reverse.",
    ]
    if "lost" in shown or "found" in shown:
        notes.append("lost: there is no output any more; found: there was none before.")
    title = f"From {names[0]} to {names[1]}"
    return Table(["Category", "n", *CHANGE_HEADER, *(_KINDS[kind] for kind in shown)], rows, title, notes)


def step_block(step: StepShown, names: tuple[str, str], *, width: int, color: bool) -> str:
    """One item for a terminal: source, both outputs with what differs marked, and the rule that applies."""
    wide = max(len("source"), *map(len, names))
    indent = " " * (wide + 4)
    head = f"{step.id} · {step.category} › {step.phenomenon}"
    if step.kind not in ("broken", "fixed"):  # which say it all
        head += f" · {' → '.join(step.statuses)}"
    lines = [wrapped(head, width=width, indent="  ", first="")]
    old, new = differing(step.old or "", step.new or "")
    parts = (
        ("source", step.source, find_words(step.source, step.focus)),
        (names[0], step.old, old),
        (names[1], step.new, new),
    )
    for name, text, spans in parts:
        first = f"  {name:<{wide}}  "
        shown = "(no output)" if text is None else text or "(empty)"
        lines.append(wrapped(shown, spans, width=width, indent=indent, first=first, color=color))
    lines.append(wrapped(step.new_why, width=width, indent=indent, first=f"  {'why':<{wide}}  ", color=color))
    return "\n".join(lines)


def step_table(steps: Sequence[StepShown], names: tuple[str, str], *, title: str) -> Table:
    """The same as a table, one item a row."""
    rows = []
    for step in steps:
        old, new = differing(step.old or "", step.new or "")
        source = marked(step.source, find_words(step.source, step.focus))
        texts = [marked(step.old or "–", old), marked(step.new or "–", new)]
        rows.append([step.id, step.phenomenon, source, *texts, step.new_why])
    return Table(["Item", "phenomenon", "source", *names, f"why ({names[1]})"], rows, title)


def _total(pairs: Mapping[tuple[str, str], int], side: int, status: str) -> str:
    return f"{sum(n for pair, n in pairs.items() if pair[side] == status):,}"
