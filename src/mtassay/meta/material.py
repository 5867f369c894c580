"""What an analysis is made of: a test set with outputs, what people said, and scores of other metrics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mtassay.core import Segment
from mtassay.errors import InputError, UsageError
from mtassay.meta.columns import ScoreColumn, match_systems, renamed
from mtassay.meta.rater import Frame


@dataclass(frozen=True, slots=True)
class Material:
    """Everything under our names for systems. `outputs` may lack systems that only scores know of.

    `notes` say what was left out, and `facts` what was looked at.
    """

    systems: Sequence[str]
    segments: Sequence[Segment]
    outputs: dict[str, list[str | None]]
    humans: Sequence[ScoreColumn]
    metrics: Sequence[ScoreColumn] = ()
    notes: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def frame(self) -> Frame:
        """Systems and segments in order; without a test set, the segments that scores know of."""
        documents = {segment.id: segment.document for segment in self.segments}
        ids = list(documents) or list(
            dict.fromkeys(
                segment_id
                for column in (*self.humans, *self.metrics)
                for row in column.by_segment.values()
                for segment_id in row
            )
        )
        return Frame(self.systems, ids, documents)


def select(available: Sequence[str], wanted: Sequence[str], unwanted: Sequence[str]) -> list[str]:
    """The wanted systems, or all, without the unwanted; a name that is not available is an error."""
    for name in (*wanted, *unwanted):
        if name not in available:
            raise UsageError(f"No system called {name!r}. Available: {', '.join(available) or 'none'}.")
    return [name for name in wanted or available if name not in unwanted]


def matched(
    columns: Iterable[ScoreColumn], systems: Sequence[str], *, known: Sequence[str] = ()
) -> tuple[list[ScoreColumn], list[str]]:
    """The columns with our names, and notes on names that fit no system. `known` ones need no note."""
    result = []
    strangers: dict[str, list[str]] = {}
    unrated: dict[str, list[str]] = {}
    for column in columns:
        names = match_systems(column.systems, [*systems, *known])
        ours = renamed(column, {theirs: mine for theirs, mine in names.items() if mine in systems})
        if not ours.systems:
            first = ", ".join(column.systems[:3])
            raise UsageError(
                f"{column.name} rates none of these systems: {_few(systems)}. Its names begin with: {first}."
            )
        strangers.setdefault(_few([name for name in column.systems if name not in names]), []).append(
            column.name
        )
        unrated.setdefault(_few([name for name in systems if name not in ours.systems]), []).append(
            column.name
        )
        result.append(ours)
    notes = [f"Also in {', '.join(who)}, but not here: {what}." for what, who in strangers.items() if what]
    notes += [f"Without scores in {', '.join(who)}: {what}." for what, who in unrated.items() if what]
    return result, notes


def check_ids(column: ScoreColumn, ids: Sequence[str], *, path: str) -> list[str]:
    """A note on segments that are not in the test set; an error where none of them is."""
    known = set(ids)
    theirs = dict.fromkeys(segment_id for row in column.by_segment.values() for segment_id in row)
    if not known or not theirs:
        return []
    strangers = [segment_id for segment_id in theirs if segment_id not in known]
    if len(strangers) == len(theirs):
        raise InputError(
            f"none of its ids, such as {strangers[0]!r}, is in the test set, whose first is {ids[0]!r}",
            path=path,
        )
    if not strangers:
        return []
    return [f"{path} rates {len(strangers):,} segments that are not in the test set."]


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
