"""Compares systems over groups of runs, such as years: the best of each group, changes, and trends.

A group is a saved run with all of its systems (Macketanz et al. 2022, 'development over years'). This module
works for every method: scores are compared through the ledgers of the runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mtassay.changes.run_changes import check_comparable
from mtassay.changes.system_names import SystemInGroup, find_system, join_names
from mtassay.data.display import Cell, Figure, Point, Series, Table
from mtassay.data.errors import UsageError
from mtassay.data.marks import p_text, signed, signed_ends
from mtassay.data.nouns import Ledger, Run, Score
from mtassay.methods.paired_scores import PairedScores, ScoreChange, Snapshot
from mtassay.stats import family, proportions, resampling
from mtassay.stats.comparisons import defined, holm

_FEW = 6  # lines whose intervals can be seen in a figure


@dataclass(frozen=True, slots=True)
class BestSystem:
    """The best system of a group of `systems`; `close` are the names of those not significantly worse."""

    entry: SystemInGroup
    systems: int
    close: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SystemTrend:
    """One system through its groups: its score in each, over the same `n` units.

    Each of `points` has the group and the system's name in it. `change` is from the first to the last group.
    """

    system: str
    names: tuple[str, ...]
    n: int
    points: tuple[Score, ...]
    change: ScoreChange


@dataclass(frozen=True, eq=False)
class Development:
    """The best systems of groups with their scores, what changed, and systems over time.

    `values` are the scores of the best systems by the group of the score, one for each group of runs. They
    are computed on the `fair` of `total` units, which count for all of these systems.
    """

    score: str
    main: str
    label: str
    decimals: int
    part: str
    best: Mapping[str, BestSystem]
    counts: Mapping[str, Mapping[str, int]]
    values: Mapping[str, Sequence[Score]]
    changes: Sequence[ScoreChange]
    trends: Sequence[SystemTrend]
    entries: Sequence[SystemInGroup]
    fair: int
    total: int
    alpha: float = 0.05

    @classmethod
    def of(
        cls,
        groups: Mapping[str, Run],
        *,
        aliases: Mapping[str, str] | None = None,
        systems: Sequence[str] = (),
        score: str | None = None,
        alpha: float = 0.05,
        trials: int = 10000,
        seed: int | None = 12345,
    ) -> Self:
        """Follow systems over groups.

        The best system of a group wins most pairs, or in a tie by the larger difference. Each pair is
        compared on the units that count for both, so a system gains nothing by leaving units open.

        Args:
            groups: A run of one method for each group, oldest first.
            aliases: Systems that changed their name, as old name and present name.
            systems: The systems to follow; by default all that are in two groups or more.
            score: The score to compare by; by default the first of the newest run.
            alpha: The level of significance.
            trials: Trials of the randomization tests.
            seed: The seed of the tests.

        Raises:
            UsageError: There are fewer than two groups, or they have no such score or nothing in common.
        """
        if len(groups) < 2:
            raise UsageError("Development needs two groups at least: NAME=RUN for each.")
        entries = join_names({name: list(run.systems) for name, run in groups.items()}, aliases=aliases)
        snapshots = [Snapshot.of(groups[entry.group], entry.name) for entry in entries]
        for snapshot in snapshots:
            check_comparable(snapshot, snapshots[-1])
        followed = [find_system(name, entries) for name in systems]
        table = _UnitTable.of(snapshots, score)
        how = _How(alpha, trials, seed)
        best = _best_of_groups(table, entries, how)
        places = [entries.index(winner.entry) for winner in best.values()]
        fair = np.asarray(table.counted[places].all(axis=0))
        if not fair.any():
            raise UsageError(
                "The best systems of the groups have no case in common: nothing can be compared."
            )
        ids = {table.ids[place] for place in np.flatnonzero(fair).tolist()}
        paired = PairedScores(snapshots[places[0]], snapshots[places[-1]], units=ids, names=[table.name])
        values = {
            group: [
                replace(table.score(place, group, fair), system=name)
                for place, name in zip(places, best, strict=True)
            ]
            for group in table.ledger.groups
        }
        look = next((s for s in snapshots[-1].scores if s.name == table.name), None)
        return cls(
            table.name,
            table.main,
            (look.label if look else "") or table.name,
            look.decimals if look else 1,
            table.ledger.part,
            best,
            {group: groups[group].result.counts.get(one.entry.name, {}) for group, one in best.items()},
            {group: scores for group, scores in values.items() if scores[0].n},
            paired.tested(trials=trials, seed=seed),
            _trends(table, entries, followed, how),
            entries,
            int(fair.sum()),
            len(table.ids),
            alpha,
        )

    @property
    def spellings(self) -> dict[str, list[str]]:
        """The names of each system that has several, the oldest first."""
        names: dict[str, dict[str, None]] = {}
        for entry in self.entries:
            names.setdefault(entry.system, {})[entry.name] = None
        return {system: list(several) for system, several in names.items() if len(several) > 1}

    def tables(self, *, mark: str = "") -> list[Table]:
        """The best system of each group, its scores, what changed, and systems over time.

        `mark` follows bold text.
        """
        tables = [self._group_table(), self._best_table(), self._change_table(mark)]
        return [*tables, self._trend_table(mark)] if self.trends else tables

    def _group_table(self) -> Table:
        every = dict.fromkeys(kind for counts in self.counts.values() for kind in counts)
        kinds = [kind for kind in every if any(counts.get(kind) for counts in self.counts.values())]
        rows = [
            [group, str(one.systems), one.entry.name, *(f"{self.counts[group].get(k, 0):,}" for k in kinds)]
            for group, one in self.best.items()
        ]
        notes = [f"Best: wins most pairs by {self._named(self.main)}, on items that count for both systems."]
        close = [f"{group} {', '.join(one.close)}" for group, one in self.best.items() if one.close]
        notes += [f"Not significantly worse than the best: {'; '.join(close)}."] if close else []
        return Table(["Group", "systems", "best", *kinds], rows, notes=notes)

    def _named(self, group: str) -> str:
        return self.label if group == "all" else f"{self.label}, {group}"

    def _best_table(self) -> Table:
        rows: list[list[Cell | str]] = [
            [group, f"{scores[0].n:,}", *(_number(score.value, self.decimals) for score in scores)]
            for group, scores in self.values.items()
        ]
        notes = [f"{self.label} on items that all of these systems have: {self.fair:,} of {self.total:,}."]
        reach = [
            (s.high - s.low) / 2 for s in self.values[self.main] if s.high is not None and s.low is not None
        ]
        if reach:
            notes.append(f"95 % intervals of {self.main} reach up to ±{max(reach):.1f} points.")
        header = [self.part.capitalize(), "n", *self.best]
        return Table(header, rows, "The best system of each group", notes)

    def _change_table(self, mark: str) -> Table:
        """Return the significant changes and the averages over all units."""
        most = max(change.n for change in self.changes)
        shown = [c for c in self.changes if c.n == most or (c.p is not None and c.p < self.alpha)]
        is_share = any(change.fixed is not None for change in shown)
        rows: list[list[Cell | str]] = []
        for change in shown:
            moved = [f"{change.fixed:,}", f"{change.broken:,}"] if is_share else []
            rows.append([change.group, f"{change.n:,}", *_change_cells(change, self, mark), *moved])
        hidden = len(self.changes) - len(shown)
        notes = [
            f"{mark or 'Bold'}: p < {self.alpha:g} (two-sided approximate randomization, corrected for all "
            f"rows){f'; the other {hidden} did not change significantly' if hidden else ''}."
        ]
        if is_share:
            notes.append("fixed: wrong before, right now; broken: right before, wrong now.")
        ends = [f"{group} ({one.entry.name})" for group, one in self.best.items()]
        header = [self.part.capitalize(), "n", "change", "p", "95 %", *(["fixed", "broken"] * is_share)]
        return Table(header, rows, f"From {ends[0]} to {ends[-1]}", notes)

    def _trend_table(self, mark: str) -> Table:
        groups = list(self.best)
        rows: list[list[Cell | str]] = []
        for trend in self.trends:
            values = {point.group: point.value for point in trend.points}
            cells = [_number(values.get(group), self.decimals) for group in groups]
            rows.append([trend.system, *cells, *_change_cells(trend.change, self, mark)])
        notes = [
            f"{self._named(self.main)}, on the items that these systems have in all of their groups: "
            f"{self.trends[0].n:,} of {self.total:,}.",
            f"Change: from its first group to its last. {mark or 'Bold'}: p < {self.alpha:g} (two-sided "
            "approximate randomization, corrected for the number of systems).",
        ]
        return Table(["System", *groups, "change", "p", "95 %"], rows, "Systems over time", notes)

    def figures(self) -> list[Figure]:
        """Systems over the groups, and the best system of each group by category or other groups."""
        groups = list(self.best)
        few = len(self.trends) <= _FEW
        systems = [
            Series(c.system, [_point(score, score.group, bars=few) for score in c.points])
            for c in self.trends
        ]
        parts = [
            Series(group, [_point(score, score.system, bars=False) for score in scores])
            for group, scores in self.values.items()
        ]
        panels = [
            Figure("lines", series, title=title, y_label=self.label, rows=groups)
            for title, series in (("Systems over time", systems), ("The best system of each group", parts))
            if series
        ]
        note = "Bars: 95 % intervals." if few and systems else ""
        return [Figure("panels", title=self._named(self.main), note=note, panels=panels, columns=1)]

    def remarks(self) -> list[str]:
        """Return notes on names that were treated as one system."""
        lines = []
        if several := self.spellings:
            joined = ", ".join(" = ".join(names) for names in several.values())
            lines.append(f"Treated as one system: {joined}.")
        if not self.trends:
            lines.append("No system is in two groups. If names changed, give --alias OLD=NEW.")
        return lines

    def record(self) -> dict[str, Any]:
        """The JSON shape."""
        return {
            "score": self.score,
            "group": self.main,
            "alpha": self.alpha,
            "groups": [
                {
                    "group": group,
                    "systems": one.systems,
                    "best": one.entry.name,
                    "close": list(one.close),
                    "counts": self.counts[group],
                }
                for group, one in self.best.items()
            ],
            "scores": [asdict(score) for scores in self.values.values() for score in scores],
            "changes": [asdict(change) for change in self.changes],
            "systems": [asdict(trend) for trend in self.trends],
            "same_system": self.spellings,
        }


def _number(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:.{decimals}f}"


def _change_cells(change: ScoreChange | None, of: Development, mark: str) -> list[Cell | str]:
    if change is None:
        return ["", "", ""]
    bold = change.p is not None and change.p < of.alpha
    ends = signed_ends(change.low, change.high, of.decimals)
    return [Cell(signed(change.delta, of.decimals) + mark * bold, strong=bold), p_text(change.p), ends]


def _point(score: Score, place: str, *, bars: bool) -> Point:
    return Point(place, score.value, *((score.low, score.high) if bars else (None, None)))


@dataclass(frozen=True, slots=True)
class _How:
    """The settings of the tests."""

    alpha: float
    trials: int
    seed: int | None


@dataclass(frozen=True, eq=False)
class _UnitTable:
    """One score of all systems by unit: `values` (systems, units, columns), and the units that count.

    `main` is the group of the score by which systems are ranked.
    """

    name: str
    main: str
    ids: Sequence[str]
    values: NDArray[Any]
    counted: NDArray[np.bool_]
    ledger: Ledger
    snapshots: Sequence[Snapshot]

    @classmethod
    def of(cls, snapshots: Sequence[Snapshot], score: str | None) -> Self:
        newest = snapshots[-1]
        ledgers = [ledger for ledger in newest.ledgers if not ledger.is_detail]
        labels = {s.name: s.label.lower() for s in newest.scores}
        wanted = [
            e for e in ledgers if score is None or score.lower() in (e.name.lower(), labels.get(e.name))
        ]
        if not wanted:
            available = ", ".join(ledger.name for ledger in ledgers) or "none"
            raise UsageError(f"Run {newest.run} has no score '{score}'. Available: {available}.")
        ledger = wanted[0]
        ids = list(dict.fromkeys(unit for parts in ledger.groups.values() for part in parts for unit in part))
        places = {unit: place for place, unit in enumerate(ids)}
        values = np.zeros((len(snapshots), len(ids), *ledger.values.shape[1:]))
        present = np.zeros((len(snapshots), len(ids)), dtype=bool)
        for number, snapshot in enumerate(snapshots):
            sums = snapshot.sums.get(ledger.name)
            if sums is None or list(sums.column_names) != list(ledger.column_names):
                raise UsageError(f"Run {snapshot.run} has no score '{ledger.name}' that can be compared.")
            own = [
                (place, places[unit])
                for place, unit in enumerate(sums.ids)
                if unit in places and snapshot.digest(unit) == newest.digest(unit)
            ]
            mine, theirs = ([pair[side] for pair in own] for side in (0, 1))
            values[number, theirs] = np.asarray(sums.values)[mine]
            present[number, theirs] = True
        counted = present & resampling.counted_units(values, ledger.aggregate)
        # Of several averages over all units, use the last: for a suite, the average over categories.
        sizes = {group: len({u for part in parts for u in part}) for group, parts in ledger.groups.items()}
        main = [group for group, size in sizes.items() if size == max(sizes.values())][-1]
        return cls(ledger.name, main, ids, values, counted, ledger, snapshots)

    def parts(self, group: str) -> list[NDArray[np.int64]]:
        places = {unit: place for place, unit in enumerate(self.ids)}
        return [np.array([places[u] for u in part], dtype=np.int64) for part in self.ledger.groups[group]]

    def columns(self, group: str) -> Any:
        chosen = self.ledger.columns.get(group)
        return slice(None) if chosen is None else list(chosen)

    def value(
        self, system: int, parts: Sequence[NDArray[np.int64]], units: NDArray[np.bool_], columns: Any
    ) -> float:
        """Return the score of one system on these units: the mean over the parts with such units."""
        used = [part[units[part]] for part in parts if units[part].any()]
        if not used:
            return float("nan")
        sums = np.stack([self.values[system, part].sum(axis=0) for part in used])[..., columns]
        return float(np.mean(self.ledger.aggregate(sums)))

    def score(self, system: int, group: str, units: NDArray[np.bool_]) -> Score:
        """Return `value` as a score; shares have an interval."""
        parts = self.parts(group)
        used = [part[units[part]] for part in parts]
        n = int(sum(map(len, used)))
        value = defined(self.value(system, parts, units, self.columns(group)))
        low = high = None
        if self.ledger.is_share and n:
            correct = np.array([self.values[system, part, 0].sum() for part in used if len(part)])
            sizes = np.array([len(part) for part in used if len(part)])
            if len(sizes) == 1:
                low, high = (100 * float(end) for end in proportions.wilson(int(correct[0]), int(sizes[0])))
            else:
                ends = proportions.macro_interval(correct[None], sizes[None])
                low, high = (defined(100 * float(end[0])) for end in ends)
        return Score(self.name, self.snapshots[system].system, group, value, n, low, high)


def _best_of_groups(table: _UnitTable, entries: Sequence[SystemInGroup], how: _How) -> dict[str, BestSystem]:
    """The best system of each group, and the systems that are not significantly worse."""
    best = {}
    parts, columns = table.parts(table.main), table.columns(table.main)
    good = 1 if table.ledger.higher_is_better else -1
    for group in dict.fromkeys(entry.group for entry in entries):
        own = [place for place, entry in enumerate(entries) if entry.group == group]
        difference = np.zeros((len(own), len(own)))
        for a, b in combinations(range(len(own)), 2):
            both = table.counted[own[a]] & table.counted[own[b]]
            first, second = (table.value(own[side], parts, both, columns) for side in (a, b))
            difference[a, b] = np.round(np.nan_to_num(good * (first - second)), 9)
            difference[b, a] = -difference[a, b]
        wins = (difference > 0).sum(axis=1)
        first_place = int(np.lexsort((np.arange(len(own)), -difference.mean(axis=1), -wins))[0])
        p = _pair_p(table, own, how)
        close = tuple(
            entries[own[other]].name
            for other in range(len(own))
            if other != first_place
            and not (difference[first_place, other] > 0 and p[first_place, other] < how.alpha)
        )
        best[group] = BestSystem(entries[own[first_place]], len(own), close)
    return best


def _pair_p(table: _UnitTable, own: Sequence[int], how: _How) -> NDArray[np.float64]:
    """The p-values of all pairs of systems of a group, tested as one family (systems, systems)."""
    matrix = np.eye(len(own))
    pairs = list(combinations(range(len(own)), 2))
    if not pairs:
        return matrix
    parts = table.parts(table.main)
    if table.ledger.is_share and not table.ledger.clusters:
        outcomes = np.where(table.counted[own], table.values[own, :, 0], np.nan).T
        compared = family.compare_rows(outcomes, [parts], trials=how.trials, seed=how.seed, alpha=how.alpha)
        return compared.p_matrix(0, len(own))
    units = _cluster_numbers(table)
    rows = []
    for a, b in pairs:
        both = table.counted[own[a]] & table.counted[own[b]]
        values = np.stack([table.values[own[a]], table.values[own[b]]], axis=1)
        values = values[:, :, table.columns(table.main)]
        rows.append(
            family.PairedSums(values, [part[both[part]] for part in parts], table.ledger.aggregate, units)
        )
    observed = np.array([np.subtract(*row.scores()) for row in rows])
    p = family.family_of(observed, family.paired_trials(rows, trials=how.trials, seed=how.seed)).p
    for (a, b), value in zip(pairs, p, strict=True):
        matrix[a, b] = matrix[b, a] = value
    return matrix


def _cluster_numbers(table: _UnitTable) -> NDArray[np.int64]:
    numbers: dict[str, int] = {}
    clusters = table.ledger.clusters
    return np.array([numbers.setdefault(clusters.get(u, u), len(numbers)) for u in table.ids], dtype=np.int64)


def _trends(
    table: _UnitTable, entries: Sequence[SystemInGroup], systems: Sequence[str], how: _How
) -> list[SystemTrend]:
    """Return the trends of systems in two or more groups, on their common units; the finally best first."""
    columns: dict[str, list[int]] = {}
    for place, entry in enumerate(entries):
        if not systems or entry.system in systems:
            columns.setdefault(entry.system, []).append(place)
    several = {system: own for system, own in columns.items() if len(own) > 1}
    if not several:
        return []
    fair = np.asarray(table.counted[[place for own in several.values() for place in own]].all(axis=0))
    ids = {table.ids[place] for place in np.flatnonzero(fair).tolist()}
    if not ids:
        return []
    trends = []
    for system, own in several.items():
        points = tuple(
            replace(table.score(place, table.main, fair), group=entries[place].group) for place in own
        )
        ends = (table.snapshots[own[0]], table.snapshots[own[-1]])
        change = PairedScores(*ends, units=ids, names=[table.name]).alone(
            table.main, trials=how.trials, seed=how.seed
        )
        names = tuple(dict.fromkeys(entries[place].name for place in own))
        trends.append(SystemTrend(system, names, points[0].n, points, change))
    p = holm([trend.change.p for trend in trends])
    trends = [replace(c, change=replace(c.change, p=value)) for c, value in zip(trends, p, strict=True)]
    good = 1 if table.ledger.higher_is_better else -1
    return sorted(trends, key=lambda trend: -good * (trend.points[-1].value or 0.0))
