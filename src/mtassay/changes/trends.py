"""Scores of a system over its saved runs, each compared with the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np

from mtassay.data.method import view_of
from mtassay.data.nouns import Run, Score
from mtassay.methods.headlines import unranked
from mtassay.methods.paired_scores import PairedScores, ScoreChange, Snapshot
from mtassay.stats import family


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A score in one run, and its change since the run before, on the units that both have.

    `unanswered` is the number of texts without an answer; with any, the system has no rank there.
    """

    run: str
    system: str
    started: str
    score: Score
    change: ScoreChange | None = None
    unanswered: int = 0


@dataclass(frozen=True, slots=True)
class ScoreTrend:
    """One score of a system over its runs of one method on one test set, oldest first."""

    method: str
    test_set: str
    name: str
    group: str
    points: Sequence[TrendPoint]

    @property
    def places(self) -> list[str]:
        """The labels of the points: versions if they all differ, else the day, then the run."""
        for names in ([point.system for point in self.points], [point.started[:10] for point in self.points]):
            if len(set(names)) == len(names):
                return names
        return [point.run for point in self.points]


@dataclass(frozen=True)
class History:
    """The trends of a system; all changes from run to run are tested together."""

    systems: Sequence[str]
    trends: Sequence[ScoreTrend]
    alpha: float = 0.05

    @classmethod
    def of(
        cls,
        runs: Sequence[Run],
        systems: Sequence[str],
        *,
        names: Sequence[str] = (),
        groups: Sequence[str] = (),
        alpha: float = 0.05,
        trials: int = 10000,
        samples: int = 1000,
        seed: int | None = 12345,
    ) -> Self:
        """Compute trends from whole runs, oldest first, for scores of these names and groups.

        By default the groups with the most units are used: the total, or averages over all units.
        """
        lines: dict[tuple[str, str], list[Snapshot]] = {}
        for run in runs:
            for system in run.systems:
                if system in systems:
                    key = (run.method, view_of(run).test_set())
                    lines.setdefault(key, []).append(Snapshot.of(run, system))
        trends: list[ScoreTrend] = []
        tests: list[_Tests] = []
        for (method, test_set), line in lines.items():
            wanted = _wanted(line, names, groups)
            own = [_Tests.of(old, new, wanted) for old, new in pairwise(line)]
            tests += own
            for name, group in wanted:
                points = [
                    TrendPoint(s.run, s.system, s.started, score, unanswered=left)
                    for s in line
                    for left in [unranked(s.record.result).get(s.system, 0) if s.record else 0]
                    for score in s.scores
                    if (score.name, score.group) == (name, group)
                ]
                trends.append(ScoreTrend(method, test_set, name, group, points))
        tested = _tested(tests, trials=trials, samples=samples, seed=seed)
        return cls(
            systems, [replace(c, points=[_moved(p, c, tested) for p in c.points]) for c in trends], alpha
        )

    def record(self) -> dict[str, Any]:
        """The JSON shape."""
        return {
            "systems": list(self.systems),
            "alpha": self.alpha,
            "trends": [asdict(trend) for trend in self.trends],
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Tests:
    """Two consecutive runs, and the rows of their comparison that are shown."""

    key: tuple[str, str]
    paired: PairedScores
    rows: Sequence[int]

    @classmethod
    def of(cls, old: Snapshot, new: Snapshot, wanted: Sequence[tuple[str, str]]) -> Self:
        paired = PairedScores(old, new)
        rows = [place for place, c in enumerate(paired.changes) if (c.name, c.group) in wanted]
        return cls((new.run, new.system), paired, rows)


def _wanted(line: Sequence[Snapshot], names: Sequence[str], groups: Sequence[str]) -> list[tuple[str, str]]:
    """The scores to show, by name and group."""
    newest = line[-1].scores
    chosen: dict[tuple[str, str], None] = {}
    for score in newest:
        most = max(other.n for other in newest if other.name == score.name)
        if (not names or _is_named(score, names)) and (score.group in groups if groups else score.n == most):
            chosen[score.name, score.group] = None
    if not names and not groups:
        details = {ledger.name for ledger in line[-1].ledgers if ledger.is_detail}
        chosen = {key: None for key in chosen if key[0] not in details}
    return list(chosen)


def _is_named(score: Score, names: Sequence[str]) -> bool:
    return any(name.lower() in (score.name.lower(), score.label.lower()) for name in names)


def _tested(
    tests: Sequence[_Tests], *, trials: int, samples: int, seed: int | None
) -> dict[tuple[str, str, str, str], ScoreChange]:
    """Return each change with its interval, and its p-value corrected for all changes."""
    rows = [(test, place) for test in tests for place in test.rows]
    if not rows:
        return {}
    tables = [test.paired.trials(trials=trials, seed=seed)[:, list(test.rows)] for test in tests if test.rows]
    observed = np.array([test.paired.changes[place].delta for test, place in rows], dtype=np.float64)
    p = family.family_of(observed, np.concatenate(tables, axis=1)).p.tolist()
    tested = {}
    for (test, place), value in zip(rows, p, strict=True):
        change = test.paired.changes[place]
        ends = test.paired.interval(change, test.paired.rows[place], samples=samples, seed=seed)
        tested[(*test.key, change.name, change.group)] = test.paired.with_test(change, value, ends)
    return tested


def _moved(
    point: TrendPoint, trend: ScoreTrend, tested: dict[tuple[str, str, str, str], ScoreChange]
) -> TrendPoint:
    return replace(point, change=tested.get((point.run, point.system, trend.name, trend.group)))
