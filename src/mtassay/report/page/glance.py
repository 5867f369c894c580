"""All systems by all measures of a page at a glance: one table, and one sentence that says who is best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mtassay.display import Cell, Leaderboard, Standing, Table
from mtassay.texts.marks import plural

__all__ = ["Glance"]

_NAMED = 12  # systems that the sentence names


@dataclass(frozen=True)
class Glance:
    """The leaderboards of a page, each by one measure."""

    boards: Sequence[Leaderboard]

    @property
    def systems(self) -> list[str]:
        """Those that are most often best, or not told apart from the best, first; then by their places."""
        names = dict.fromkeys(s.system for board in self.boards for s in board.standings)
        return sorted(names, key=lambda name: (-self._times_best(name), self._mean_place(name)))

    @property
    def table(self) -> Table:
        """A row for each system, a column for each measure; strong where a system is best or may be."""
        rows: list[list[Cell | str]] = [
            [name, *(_cell(_standing(board, name)) for board in self.boards)] for name in self.systems
        ]
        counted = ", ".join(f"{board.label} {_counted(board)}" for board in self.boards)
        notes = ["Bold: the best of its column, or not told apart from it.", f"n: {counted}."]
        untested = [board.label for board in self.boards if not board.tested]
        if untested:
            notes.append(f"Not every difference from the best was tested: {', '.join(untested)}.")
        header = ["System", *(board.label for board in self.boards)]
        return Table(header, rows, "At a glance", notes)

    @property
    def sentence(self) -> str:
        """Who is best or not told apart from the best by all measures, or that measures disagree.

        Nothing for a single measure, of which a headline says as much.
        """
        measures = len(self.boards)
        if measures < 2:
            return ""
        systems = self.systems
        most = self._times_best(systems[0])
        leaders = [name for name in systems if self._times_best(name) == most]
        if len(leaders) == len(systems) and most == measures:
            return f"None of the {measures} measures tells any of the {len(systems)} systems from the best."
        return f"{self._leaders(leaders, most)}{self._last()}."

    def _leaders(self, leaders: Sequence[str], most: int) -> str:
        measures = len(self.boards)
        if most < measures:
            first = "no system is best or not told apart from the best in all"
            verb = "is" if len(leaders) == 1 else "are"
            return f"The {measures} measures disagree: {first}; {_joined(leaders)} {verb} in {most}"
        every = "both" if measures == 2 else f"all {measures}"
        if len(leaders) > 1:
            return f"{_joined(leaders)} are best or not told apart from the best in {every} measures"
        alone = all(sum(s.is_best for s in board.standings) == 1 for board in self.boards)
        if alone:
            return f"{leaders[0]} is the best in {every} measures"
        return f"{leaders[0]} is the only one best or not told apart from the best in {every} measures"

    def _last(self) -> str:
        """Who is last by all measures, and told apart from the best by all."""
        last = {board.standings[-1] for board in self.boards}
        names = {standing.system for standing in last}
        is_last = len(names) == 1 and not any(standing.is_best for standing in last)
        return f"; {names.pop()} is last in all" if is_last and len(self.systems) > 2 else ""

    def _times_best(self, system: str) -> int:
        return sum(s.is_best for board in self.boards for s in board.standings if s.system == system)

    def _mean_place(self, system: str) -> float:
        places = [
            place
            for board in self.boards
            for place, standing in enumerate(board.standings)
            if standing.system == system
        ]
        return sum(places) / len(places)


def _standing(board: Leaderboard, system: str) -> Standing | None:
    return next((standing for standing in board.standings if standing.system == system), None)


def _cell(standing: Standing | None) -> Cell:
    return Cell("–") if standing is None else Cell(standing.text, standing.is_best)


def _counted(board: Leaderboard) -> str:
    """On how many units: one number, or from the fewest to the most."""
    counts = [standing.n for standing in board.standings]
    fewest = "" if min(counts) == max(counts) else f"{min(counts):,} to "
    return f"{fewest}{plural(max(counts), board.unit)}"


def _joined(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
