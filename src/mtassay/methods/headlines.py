"""The first sentences about a run: which system is better, how certain this is, and weaknesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mtassay.data.display import Headline, Leaderboard, Standing, Table
from mtassay.data.marks import p_stated, plural, signed
from mtassay.data.nouns import Comparison, Result, Run, Score

FEW = 30
"""Resampling is unreliable with fewer units."""
FEW_NOTE = f"With fewer than {FEW} sentences or cases, intervals and p-values say little."
_SOME = 4  # worse systems named in a sentence
_EVEN = 12  # possibly best systems named in a sentence
_MANY = 40  # systems with a sentence of their own


def may_be_best(
    result: Result, name: str, group: str, *, alpha: float = 0.05, higher_is_better: bool = True
) -> list[str]:
    """The systems that may be the best by one score, since no system is significantly better.

    Every statement about the best system uses this function. Systems without a rank are not included.

    >>> pair = Comparison("bleu", "all", "a", "b", 2.0, 0.01, better="a")
    >>> scores = [Score("bleu", system, "all", value, 9) for system, value in (("a", 3.0), ("b", 1.0))]
    >>> may_be_best(Result(scores, [pair]), "bleu", "all")
    ['a']
    """
    of, incomplete = (name, group), unranked(result)
    scored = [s.system for s in result.scores if (s.name, s.group) == of and s.comparable is not None]
    ranked = [system for c in result.clusters if (c.name, c.group) == of for system in c.systems]
    if not ranked and any(s.common_n is not None for s in result.scores if (s.name, s.group) == of):
        return []  # systems that are rated on different segments
    lost, tested = set(), set()
    for c in result.comparisons:
        if (c.name, c.group) != of:
            continue
        tested |= {c.a, c.b}
        better = _better(c, alpha, higher_is_better)
        lost |= {c.a, c.b} - {better} if better else set()
    left = ranked or [system for system in scored if system in tested and system not in incomplete]
    return [system for system in left if system not in lost]


def unranked(result: Result) -> Mapping[str, int]:
    """Systems without a rank because they left texts without an answer, with the number of these texts."""
    about: Mapping[str, Any] = result.basis.get("unanswered", {})
    return {} if about.get("ranked") else about.get("systems", {})


def _better(c: Comparison, alpha: float, higher_is_better: bool) -> str:
    """The system that is significantly better; empty if neither is."""
    if c.better or c.p is None or c.p >= alpha or not c.delta:
        return c.better
    # This method gives only p; derive the better system from the difference.
    return c.a if (c.delta > 0) == higher_is_better else c.b


@dataclass(frozen=True)
class Contest:
    """The systems of a run by one score; `label` is its display name, `unit` the unit that it counts.

    If differences do not use the whole run, `part` is the part they use, for example the items that are
    settled for all systems. `suffix` follows values, for example %.
    """

    run: Run
    name: str
    group: str
    label: str
    unit: str
    alpha: float = 0.05
    higher_is_better: bool = True
    suffix: str = ""
    part: Run | None = None
    is_people: bool = False

    @property
    def scores(self) -> list[Score]:
        """The score of each system that has one, the best first."""
        chosen = [
            score
            for score in self.run.result.scores
            if (score.name, score.group) == (self.name, self.group) and score.comparable is not None
        ]
        return sorted(chosen, key=lambda score: -(score.comparable or 0.0) * self._sign)

    def headlines(self) -> list[Headline]:
        """Which system is better, by how much, and how certain that is; empty without scores."""
        scores = self.scores
        if not scores:
            return []
        if len(scores) == 1:
            return [Headline(f"{scores[0].system}: {self.label} {self._told(scores[0])}.")]
        if not self._best and (why := self._no_ranks(scores)):
            text = f"By {self.label} no system has a rank, since {why}."
            return [Headline(text, board=self._board(scores))]
        text = self._two(*scores) if len(scores) == 2 else self._many(scores)
        return [Headline(text, board=self._board(scores))]

    def _no_ranks(self, scores: Sequence[Score]) -> str:
        if scores[0].common_n is not None:
            return "systems are rated on different segments"
        if any(score.system not in self._unranked for score in scores):
            return ""
        named = [f"{system} {n:,}" for system, n in self._unranked.items()]
        return f"all left texts without an answer: {_listed(named[:_SOME], len(named))}"

    @property
    def _sign(self) -> int:
        return 1 if self.higher_is_better else -1

    def _board(self, scores: Sequence[Score]) -> Leaderboard:
        best = self._best
        others = [score for score in scores if score.system != scores[0].system]
        tested = [self._compared(scores[0].system, other.system) for other in others]
        standings = [
            Standing(s.system, f"{self._shown(s)}{_ends(s)}", s.n, s.system in best, s.comparable)
            for s in scores
        ]
        pairs = [replace(c, better=_better(c, self.alpha, self.higher_is_better)) for c in self._comparisons]
        is_tested = all(c and c.p is not None for c in tested)
        return Leaderboard(self.label, self.unit, standings, is_tested, pairs, self.is_people)

    @property
    def _comparisons(self) -> list[Comparison]:
        return [c for c in self.run.result.comparisons if (c.name, c.group) == (self.name, self.group)]

    @cached_property
    def _best(self) -> list[str]:
        """The systems that may be the best."""
        return may_be_best(
            self.run.result, self.name, self.group, alpha=self.alpha, higher_is_better=self.higher_is_better
        )

    @property
    def _unranked(self) -> Mapping[str, int]:
        return unranked(self.run.result)

    def _two(self, best: Score, other: Score) -> str:
        # If the two are scored on different units, use those that both have.
        best, other = (
            s if s.common_n is None else replace(s, value=s.common, n=s.common_n) for s in (best, other)
        )
        values = f"{self._value(best)} against {self._value(other)}"
        compared, n = self._compared(best.system, other.system), f"n = {plural(best.n, self.unit)}"
        if best.system in self._unranked:
            left = plural(self._unranked[best.system], "text")
            return (
                f"{best.system} left {left} without an answer and has no rank. Its {self.label} with empty "
                f"outputs for these: {values} of {other.system} ({n})."
            )
        if best.value == other.value:
            return f"{best.system} and {other.system} have the same {self.label}: {self._value(best)} ({n})."
        if compared is None or compared.p is None:
            return f"{best.system} has the better {self.label}: {values} ({n}); nothing was tested."
        how = f"{self._difference(best, other)}, {p_stated(compared.p)}, {n}"
        if other.system not in self._best:
            return f"{best.system} is better than {other.system} by {self.label}: {values}, {how}."
        shows = (
            ""
            if not compared.detectable or best.n < FEW
            else f" A difference of {compared.detectable:.1f}{self._points} or more would show."
        )
        return (
            f"{best.system} and {other.system} do not differ significantly by {self.label}: {values}, {how}."
            f"{shows}"
        )

    def _many(self, scores: Sequence[Score]) -> str:
        ranked = [score for score in scores if score.system not in self._unranked] or list(scores)
        best, *others = ranked
        told = [f"{best.system} has the best {self.label} of {len(scores)}: {self._told(best)}."]
        if any(self._compared(best.system, other.system) for other in others):
            if even := [s.system for s in others if s.system in self._best]:
                told.append(f"May be the best too: {_listed(even[:_EVEN], len(even))}.")
            behind = [s for s in others if s.system not in self._best]
            if behind:
                named = [f"{s.system} {self._difference(best, s, short=True)}" for s in behind[::-1][:_SOME]]
                told.append(f"Not the best: {_listed(named, len(behind))}.")
        if unranked := [f"{s} ({n:,} texts without an answer)" for s, n in self._unranked.items()]:
            told.append(f"No rank: {_listed(unranked[:_SOME], len(unranked))}.")
        return " ".join(told)

    def _compared(self, a: str, b: str) -> Comparison | None:
        return next((c for c in self._comparisons if {c.a, c.b} == {a, b}), None)

    def _difference(self, best: Score, other: Score, *, short: bool = False) -> str:
        """The difference best minus other, or other minus best with `short`, with its interval.

        It is measured on the units that both systems have, which may be fewer than the units of a score.
        """
        first, second = (other, best) if short else (best, other)
        run = self.part or self.run
        from mtassay.methods.paired_scores import (
            PairedScores,  # only pages need this
            Snapshot,
        )

        paired = PairedScores(Snapshot.of(run, second.system), Snapshot.of(run, first.system))
        for change, row in zip(paired.changes, paired.rows, strict=True):
            if (change.name, change.group) == (self.name, self.group):
                ends = [signed(end, best.decimals) for end in paired.interval(change, row)]
                same = f" on the same {change.n:,}" if change.n != best.n else ""
                return f"{signed(change.delta, best.decimals)}{self._points} [{ends[0]} to {ends[1]}]{same}"
        return f"{signed((first.value or 0.0) - (second.value or 0.0), best.decimals)}{self._points}"

    @property
    def _points(self) -> str:
        """The unit of differences between percentages."""
        return " points" if "%" in self.suffix else ""

    def _value(self, score: Score) -> str:
        return f"{score.value:.{score.decimals}f}{self.suffix}"

    def _shown(self, score: Score) -> str:
        """The value, in parentheses if the system left texts without an answer."""
        return f"({self._value(score)})" if score.system in self._unranked else self._value(score)

    def _told(self, score: Score) -> str:
        return f"{self._value(score)}{_ends(score)}, n = {plural(score.n, self.unit)}"


def weakest(
    scores: Iterable[Score],
    tell: Callable[[Score, str, str], str],
    *,
    group_of: Callable[[Score], str] = lambda score: score.group,
    higher_is_better: bool = True,
) -> list[Headline]:
    """For each system, the group that is most certainly weak: its interval ends at the worst value.

    So a small group is not the worst group by chance. `tell` writes the sentence from the score, its value,
    and its interval with n. Groups without a fault are left out.
    """
    by_system: dict[str, list[Score]] = {}
    for score in scores:
        if score.value is not None and score.low is not None and score.high is not None:
            by_system.setdefault(score.system, []).append(score)
    told = []
    for system, groups in list(by_system.items())[:_MANY]:
        faulty = (
            [s for s in groups if (s.value or 0.0) < 100]
            if higher_is_better
            else [s for s in groups if s.value]
        )
        if not faulty:
            continue
        worst = (
            min(faulty, key=lambda s: (s.high or 0.0, s.value or 0.0))
            if higher_is_better
            else max(faulty, key=lambda s: (s.low or 0.0, s.value or 0.0))
        )
        text = tell(worst, f"{worst.value:.1f}", f"{_ends(worst).strip()}, n = {worst.n:,}")
        told.append(Headline(text, "weak", system, group_of(worst), n=worst.n))
    return told


def matrix_table(board: Leaderboard, systems: Sequence[str] = ()) -> Table | None:
    """A table of which systems are significantly better than which; `None` for few or many systems."""
    names = [name for name in systems or [s.system for s in board.standings] if board.standing(name)]
    if not _FEWEST <= len(names) <= _MOST:
        return None
    rows = [
        [f"{place} {name}", *(_sign(board, name, other) for other in names)]
        for place, name in enumerate(names, 1)
    ]
    note = "▲: the system of the row is significantly better than that of the column; ▼: worse; =: neither."
    title = f"Who is significantly better by {board.label}"
    return Table(["System", *map(str, range(1, len(names) + 1))], rows, title, [note])


_FEWEST, _MOST = 3, 24  # systems in a matrix


def _sign(board: Leaderboard, a: str, b: str) -> str:
    pair = None if a == b else board.pair(a, b)
    if pair is None or pair.p is None:
        return "–" if a != b else ""
    return "=" if not pair.better else "▲" if pair.better == a else "▼"


def _ends(score: Score) -> str:
    if score.low is None or score.high is None:
        return ""
    dash = " to " if score.low < 0 else "–"
    return f" [{score.low:.{score.decimals}f}{dash}{score.high:.{score.decimals}f}]"


def _listed(names: Sequence[str], total: int) -> str:
    more = f" and {total - len(names)} more" if total > len(names) else ""
    return f"{', '.join(names)}{more}"


COLUMNS = {
    "±": "half of the 95 % bootstrap interval",
    "#": "rank. Rank 1 and bold: may be the best, because no other system is significantly better when all "
    "are compared at once. Other ranks: 1 + the number of significantly better systems. With --ranks "
    "wmt-clusters: all systems of a rank differ significantly from all below",
    "n": "how many outputs have a score; in a comparison, the number of segments that both systems have",
    "same": "the score on the segments that all systems have",
    "answered": "the score on the segments that all systems answered",
    "Δ": "the score of the system minus that of the baseline",
    "p": "how likely such a difference is by chance; * is below the level of significance",
    "detectable": "the smallest Δ that this test set shows with 80 % power",
    "more needed": "how many more segments would make a Δ of this size significant",
    "people": "how often people preferred the same system after such a difference, at WMT22–24. "
    "Details: mtassay explain BLEU",
}
"""The meaning of the columns in tables of `score`."""


def columns_table() -> Table:
    """A table of the columns of a run of `score` and their meaning."""
    return Table(["Column", "meaning"], [list(row) for row in COLUMNS.items()])
