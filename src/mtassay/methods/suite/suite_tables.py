"""The tables of a linguistic test suite: accuracy by category and phenomenon, averages, and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

from mtassay.data.display import Cell, Figure, Look, Point, Series, Table
from mtassay.data.nouns import Case, Result, Run, Score
from mtassay.methods.basis import compared_note
from mtassay.methods.suite.accuracy import phenomenon_groups

AVERAGES = {"micro": "micro-average", "macro": "macro-average"}
INTERVALS = "95 % intervals: Wilson's; of the macro-average: Price & Bonett's."
MANY = 6
"""With more systems, averages get a table of their own, with one system per line."""
_ALWAYS = ("correct", "incorrect", "undecided")
_NO_OUTPUT = ("skipped", "error")


def accuracy_tables(run: Run, look: Look) -> list[Table]:
    """Accuracies by category, or with `detail` by phenomenon; with many systems, averages come first."""
    both = run.parameters.get("items") == "both"
    tables: list[Table] = []
    for suffix, title in (
        ("", "Items settled for all systems" if both else ""),
        (":settled", "Each its own"),
    ):
        if suffix and not both:
            continue
        if len(run.systems) > MANY:
            tables.append(system_table(run.result, suffix=suffix, title=title))
        tables.append(run_table(run, look, suffix=suffix, title=title, mark=look.mark))
    return tables


def run_table(run: Run, look: Look, *, suffix: str = "", title: str = "", mark: str = "") -> Table:
    """A run's accuracies by category, or with `detail` by phenomenon; see `accuracy_table`."""
    cases = [Case(s.id, s.id, (s.source,), tags=s.tags) for s in run.segments]
    return accuracy_table(
        run.result,
        by="phenomenon" if look.detail else "category",
        categories=phenomenon_groups(cases),
        suffix=suffix,
        title=title,
        mark=mark,
    )


def accuracy_figure(run: Run, look: Look, *, title: str = "") -> Figure:
    """A heat map of accuracies; if a run has two kinds, on the items settled for all systems."""
    shown = _Shown(run.result, "")
    groups = phenomenon_groups([Case(s.id, s.id, (s.source,), tags=s.tags) for s in run.segments])
    rows, heads = {}, []
    cases: list[str] = []
    for name, group, label in shown.rows("phenomenon" if look.detail else "category", groups):
        cases.append(_cases_of(name, group, groups))
        text = label.text if isinstance(label, Cell) else label
        row = rows[name, group] = f"{text}  ({shown.sizes(name, group, shown.systems)})"
        if group in AVERAGES or (isinstance(label, Cell) and label.strong):
            heads.append(row)
    alone = len(shown.systems) == 1
    series = [
        Series(
            f"{system} [95 %]" if alone else system,
            [
                # By number, since two categories may have a phenomenon of the same name.
                Point(row, (s := shown.scores[(*key, system)]).value, s.low, s.high, strong=best)
                for row, key in enumerate(rows)
                for best in [not alone and shown.ranks.get((*key, system)) == 1]
            ],
            system=system,
        )
        for system in shown.systems
    ]
    values = [point.y for column in series for point in column.points if point.y is not None]
    legend = "" if alone else " Bold: the best of the row, and every system that is not significantly worse."
    return Figure(
        "heat",
        series,
        title,
        note=f"{shown.about_items()} In parentheses: items.{legend}",
        rows=list(rows.values()),
        heads=heads,
        limits=(min(min(values, default=0.0) // 10 * 10, 90), 100),
        groups=cases,
    )


def accuracy_table(
    result: Result,
    *,
    by: Literal["category", "phenomenon"] = "category",
    categories: Mapping[str, str] | None = None,
    intervals: bool = False,
    systems: Sequence[str] | None = None,
    most: int | None = None,
    mark: str = "",
    suffix: str = "",
    title: str = "",
) -> Table:
    """Categories by system, in percent with one decimal; averages come last, the best system first.

    By phenomenon, each category is followed by its phenomena; `categories` has the category of each
    phenomenon's group. In each row, systems that do not differ significantly from the best one are bold;
    `mark` follows them where bold cannot be shown. `intervals` adds 95 % intervals, which a single system
    always has. `systems` has the columns in order, `most` limits their number, and `suffix` ends scores'
    names.
    """
    shown = _Shown(result, suffix)
    names = list(shown.systems if systems is None else systems)
    columns = names[:most]
    alone = len(columns) == 1
    rows: list[list[Cell | str]] = []
    groups: list[str] = []
    for name, group, label in shown.rows(by, categories or {}):
        groups.append(_cases_of(name, group, categories or {}))
        row: list[Cell | str] = [label, shown.sizes(name, group, columns)]
        for system in columns:
            score = shown.scores[name, group, system]
            best = len(names) > 1 and shown.ranks.get((name, group, system)) == 1
            text = number(score.value) + (mark if best else " " * len(mark) if len(names) > 1 else "")
            if intervals and not alone:
                # Padded on the right, so that accuracies are aligned.
                text += f" {_interval(score):<8}"
            row.append(Cell(text, strong=best))
            row += [_interval(score)] if alone else []
        rows.append(row)
    header = [by.capitalize(), "n", *(["accuracy", "95 % interval"] if alone else columns)]
    notes = [shown.about_items(), shown.about_gaps(columns)]
    if len(names) > 1:
        bold = f"Bold ({mark})" if mark else "Bold"
        notes.append(f"{bold}: the best of the row, and all not significantly worse ({shown.about_test()}).")
        for kind in dict.fromkeys(name for name, _, _ in shown.rows(by, categories or {})):
            of_kind = [group for name, group, _ in shown.rows(by, categories or {}) if name == kind]
            notes.append(shown.about_order(kind, of_kind))
    if len(columns) < len(names):
        notes.append(f"Shown are the first {len(columns)} of {len(names)} systems.")
    notes.append(INTERVALS if intervals or alone else shown.about_precision(columns))
    return Table(header, rows, title, [note for note in notes if note], groups)


def item_group(category: str, phenomenon: str) -> str:
    """The group name of a phenomenon's cases, since another category may have the same phenomenon.

    >>> item_group("Negation", "Scope"), item_group("Negation", "Negation › Scope")
    ('Negation › Scope', 'Negation › Scope')
    """
    return f"{category} › {phenomenon.removeprefix(f'{category} › ')}"


def _cases_of(name: str, group: str, categories: Mapping[str, str]) -> str:
    """A filter for the cases of a row; empty for an average, which covers all cases."""
    if group in AVERAGES:
        return ""
    return item_group(categories.get(group, ""), group) if name.startswith("accuracy:phenomenon") else group


def system_table(result: Result, *, suffix: str = "", title: str = "") -> Table:
    """The averages of systems with 95 % intervals and ranks, the best macro average first."""
    shown = _Shown(result, suffix)
    ranked = len(shown.systems) > 1
    header = ["System", "n"]
    for label in ("macro", "micro"):
        header += [label, "95 %", "#"] if ranked else [label, "95 %"]
    rows: list[list[Cell | str]] = []
    for system in shown.systems:
        row: list[Cell | str] = [system, shown.sizes(shown.name, "macro", [system])]
        for average in ("macro", "micro"):
            score = shown.scores[shown.name, average, system]
            rank = shown.ranks.get((shown.name, average, system))
            row += [Cell(number(score.value), strong=ranked and rank == 1), _interval(score)]
            row += [str(rank or "–")] if ranked else []
        rows.append(row)
    notes = [shown.about_items(), "macro: each category counts the same; micro: each item does.", INTERVALS]
    if ranked:
        notes.append(
            f"#: rank. A new rank begins with the systems that are significantly worse than the best system "
            f"of the rank above ({shown.about_test()})."
        )
        notes.append(shown.about_order(shown.name, ("macro", "micro")))
    return Table(header, rows, title, [note for note in notes if note])


def status_table(counts: Mapping[str, Mapping[str, int]]) -> Table:
    """Count each system's correct, incorrect, undecided… items, in the order of `counts`.

    The percentage is the share of undecided outputs. Rare verdicts without items are left out.
    """
    found = (kind for row in counts.values() for kind, n in row.items() if n)
    kinds = list(dict.fromkeys([*_ALWAYS, *found]))
    rows: list[list[Cell | str]] = []
    for system, row in counts.items():
        outputs = sum(n for kind, n in row.items() if kind not in _NO_OUTPUT)
        cells = [f"{row.get(kind, 0):,}" for kind in kinds]
        share = f"{100 * row.get('undecided', 0) / outputs:.1f}" if outputs else "–"
        rows.append([system, f"{sum(row.values()):,}", *cells[: len(_ALWAYS)], share, *cells[len(_ALWAYS) :]])
    meanings = {
        "undecided": "Undecided: no rule applies; %: its share of the outputs.",
        "conflict": "Conflict: rules for correct and for incorrect apply.",
        "skipped": "Skipped: no output.",
        "error": "Error: the system failed.",
    }
    notes = [" ".join(meaning for kind, meaning in meanings.items() if kind in kinds)]
    return Table(["System", "items", *_ALWAYS, "%", *kinds[len(_ALWAYS) :]], rows, notes=notes)


@dataclass(frozen=True)
class _Shown:
    """Looks up values for the tables in a result; `suffix` is the end of the scores' names."""

    result: Result
    suffix: str

    @property
    def name(self) -> str:
        return f"accuracy{self.suffix}"

    @cached_property
    def scores(self) -> dict[tuple[str, str, str], Score]:
        return {(score.name, score.group, score.system): score for score in self.result.scores}

    @cached_property
    def ranks(self) -> dict[tuple[str, str, str], int]:
        return {
            (cluster.name, cluster.group, system): cluster.rank
            for cluster in self.result.clusters
            for system in cluster.systems
        }

    @cached_property
    def systems(self) -> list[str]:
        """Systems by macro average, the best first; systems without one come last."""
        macro = [score for score in self.result.scores if (score.name, score.group) == (self.name, "macro")]
        return [s.system for s in sorted(macro, key=lambda s: 1.0 if s.value is None else -s.value)]

    def rows(self, by: str, categories: Mapping[str, str]) -> Iterator[tuple[str, str, str | Cell]]:
        """The score name, the group and the title of each row."""
        phenomena = f"accuracy:phenomenon{self.suffix}"
        for group in self._groups(self.name):
            if group in AVERAGES:
                yield self.name, group, AVERAGES[group]
                continue
            yield self.name, group, Cell(group, strong=by == "phenomenon")
            for part in self._groups(phenomena) if by == "phenomenon" else ():
                if categories.get(part) == group:
                    yield phenomena, part, f"· {part.removeprefix(f'{group} › ')}"

    def sizes(self, name: str, group: str, systems: Sequence[str]) -> str:
        """The number of items, or the smallest and largest number if systems differ."""
        sizes = sorted({self.scores[name, group, system].n for system in systems})
        return "–".join(f"{n:,}" for n in dict.fromkeys((*sizes[:1], *sizes[-1:])))

    def about_items(self) -> str:
        """Which items count, and how many."""
        total = max((sum(counts.values()) for counts in self.result.counts.values()), default=0)
        of = f" of {total:,}" if total else ""
        n = self.sizes(self.name, "macro", self.systems)
        if len(self.systems) < 2:
            return f"Accuracy in percent of the settled items: {n}{of}."
        if self._settings.get("items") == "settled":
            return (
                f"Accuracy in percent. Each system is judged on the items that are settled for it: {n}{of}. "
                "These are not the same items, so compare with care."
            )
        return (
            f"Accuracy in percent. All systems are compared on the same items, "
            f"which are settled for all of them: {n}{of}."
        )

    def about_gaps(self, systems: Sequence[str]) -> str:
        """The categories that are missing from the macro-average."""
        categories = [group for group in self._groups(self.name) if group not in AVERAGES]
        empty = [g for g in categories if any(self.scores[self.name, g, s].value is None for s in systems)]
        if not empty:
            return ""
        return f"Categories without such items are not in the macro-average: {', '.join(empty)}."

    def about_test(self) -> str:
        """Describe the test, its level, its correction and its items."""
        test = self._settings.get("test", "")
        level = f"p < {self._settings.get('alpha', '0.05')}"
        if test == "randomization":
            text = f"randomization, two-sided, corrected for all comparisons of the table, {level}"
            if self._settings.get("items") == "settled":
                text += "; on the items settled for the two systems"
            return text
        how = "z-test, as in Macketanz et al. 2022" if test == "z" else f"{test} test"
        return f"one-tailed {how}, not corrected, {level}"

    def about_order(self, name: str, groups: Sequence[str]) -> str:
        """Explain why a system with a lower rank can have a higher accuracy, if this happens."""
        for group in groups:
            ranked = sorted((rank, s) for (n, g, s), rank in self.ranks.items() if (n, g) == (name, group))
            for (rank, low), (other, high) in combinations(ranked, 2):
                below, above = (self.scores[name, group, system].value or 0.0 for system in (low, high))
                if rank < other and round(below, 9) < round(above, 9):
                    return (
                        f"Ranks depend on significance: {low} ({number(below)}) has rank {rank} and {high} "
                        f"({number(above)}) rank {other} in {AVERAGES.get(group, group)}, because the "
                        f"distance of {low} to the best varies more from item to item."
                    )
        return ""

    def about_precision(self, systems: Sequence[str]) -> str:
        """The largest half-widths of the intervals, for a table without intervals."""
        widths: dict[str, float] = {}
        for score in self.result.scores:
            if score.name == self.name and score.system in systems and score.low is not None:
                half = ((score.high or 0.0) - score.low) / 2
                widths[score.group] = max(half, widths.get(score.group, 0.0))
        if not widths:
            return ""
        worst = max(widths, key=lambda group: widths[group])
        return (
            f"95 % intervals reach up to ±{widths['macro']:.1f} points for the macro-average, "
            f"±{widths[worst]:.1f} for {AVERAGES.get(worst, worst)}."
        )

    @cached_property
    def _settings(self) -> dict[str, str]:
        """The settings in the signature of the scores."""
        signature = next((score.signature for score in self.result.scores if score.name == self.name), "")
        return dict(part.split(":", 1) for part in signature.split("|") if ":" in part)

    def _groups(self, name: str) -> list[str]:
        return list(dict.fromkeys(score.group for score in self.result.scores if score.name == name))


def number(value: float | None) -> str:
    """An accuracy with one decimal, or a dash without a value."""
    return "–" if value is None else f"{value:.1f}"


def _interval(score: Score) -> str:
    """Format both ends in whole points.

    >>> _interval(Score("accuracy", "A", "Negation", 94.1, 17, 73.02, 98.95))
    '[73–99]'
    """
    return "" if score.low is None or score.high is None else f"[{score.low:.0f}–{score.high:.0f}]"


def compared_items(result: Result) -> str:
    """The number of compared items, and the systems that leave items open."""
    return compared_note(result, "items", "leaves {} open")
