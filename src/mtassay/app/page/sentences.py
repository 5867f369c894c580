"""The cases behind the numbers of a page, packed small, and which of them a cell of a table stands for."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mtassay.data.display import AnswerView, Block, CaseView, Figure, Headline, Line, Table
from mtassay.data.marks import pieces, printable

_MOST_CHARACTERS = 24_000_000
"""So many characters of sentences are in a page at most, before they are packed."""
_NAME = 200  # characters of a name
_FAIR_LENGTH = range(15, 240)  # characters of a source that makes a good example
_OUTPUTS = ("output", "edited")  # labels of what a system answered
_GRAVEST = ("fail", "error", "undecided", "skipped", "pass", "")


class CaseSelection(NamedTuple):
    """The cases that a number stands for: of a group, of a system, or with a status; `n` is how many."""

    group: str = ""
    system: str = ""
    status: str = ""
    second: str = ""
    n: int = 0


@dataclass
class PageCases:
    """All cases of a run, with what a table may name: systems, groups and statuses."""

    views: Sequence[CaseView]
    left_out: int = 0
    systems: list[str] = field(init=False)
    groups: list[str] = field(init=False)
    statuses: dict[str, str] = field(init=False)
    """What answers are judged to be, by what people call it, with the verdict."""
    _counts: Counter[tuple[str, ...]] = field(init=False)
    _kinds: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        answers = [answer for view in self.views for answer in view.answers]
        self.systems = list(dict.fromkeys(answer.system for answer in answers))
        self.groups = list(
            dict.fromkeys(
                group
                for view in self.views
                for group in (*view.groups, *(g for answer in view.answers for g in answer.groups))
            )
        )
        self.statuses = {answer.status: answer.verdict for answer in answers if answer.status}
        self._kinds = {
            **dict.fromkeys(self.statuses, "status"),
            **dict.fromkeys(self.groups, "group"),
            **dict.fromkeys(self.systems, "system"),
        }
        self._counts = Counter()
        for view in self.views:
            for answer in view.answers:
                names = dict.fromkeys((*view.groups, *answer.groups))
                for group in ("", *names):
                    self._counts[group, answer.system, ""] += 1
                    self._counts[group, "", ""] += 1
                self._counts["", answer.system, answer.status] += 1
                self._counts["", "", answer.status] += 1
                for group in names:
                    for second in names:
                        self._counts[group, second] += 1

    @classmethod
    def of(cls, views: Iterable[CaseView], *, most: int = _MOST_CHARACTERS) -> PageCases:
        """The cases; where they are too many, those that pass everywhere are left out first."""
        everything = list(views)
        if sum(map(_size, everything)) <= most:
            return cls(everything)
        ranked = sorted(everything, key=lambda view: all(a.verdict == "pass" for a in view.answers))
        kept, used = [], 0
        for view in ranked:
            used += _size(view)
            if used > most:
                break
            kept.append(view)
        return cls(kept, len(everything) - len(kept))

    # Which cases a number stands for -----------------------------------------------------------------------

    def of_headline(self, headline: Headline) -> CaseSelection | None:
        """Those that prove a headline."""
        if not headline.group and not headline.system:
            return None
        group = headline.group
        if group not in self._kinds:  # some methods leave out what kind of detector it is
            group = group.removeprefix("check:")
        return self._find(group, headline.system)

    def of_system(self, system: str) -> CaseSelection | None:
        """All that a system answered."""
        return self._find("", system)

    def in_table(self, table: Table) -> list[list[CaseSelection | None]]:
        """What each cell of a table stands for: its row and its column must say it."""
        columns = [self._named(name) for name in table.header]
        known_groups = set(self.groups)
        found: list[list[CaseSelection | None]] = []
        for number, row in enumerate(table.cells()):
            if table.groups:
                group = table.groups[number]
                own = {"group": group} if group in known_groups or not group else None
            else:
                own = self._named(row[0].text)
            found.append([None, *(self._joined(own, column) for column in columns[1:])][: len(row)])
        return found

    def in_figure(self, figure: Figure) -> list[list[CaseSelection | None]]:
        """The same for the rows and series of a figure."""
        found = []
        for number, place in enumerate(figure.places):
            group = figure.groups[number] if figure.groups else place
            known = group in self.groups or (figure.groups and not group)
            systems = [series.system or series.label for series in figure.series]
            found.append([self._find(group, system) if known else None for system in systems])
        return found

    def _named(self, text: str) -> dict[str, str] | None:
        """What a name in a table is the name of."""
        kind = self._kinds.get(text)
        return None if kind is None else {kind: text}

    def _joined(self, row: dict[str, str] | None, column: dict[str, str] | None) -> CaseSelection | None:
        if row is None or column is None:
            return None
        if "group" in row and "group" in column:
            n = self._counts[row["group"], column["group"]]
            return CaseSelection(row["group"], second=column["group"], n=n) if n else None
        if row.keys() & column.keys():
            return None
        both = {**row, **column}
        n = self._counts[both.get("group", ""), both.get("system", ""), both.get("status", "")]
        return CaseSelection(**both, n=n) if n else None

    def _find(self, group: str, system: str) -> CaseSelection | None:
        is_status = group in self.statuses and group not in self.groups
        found = CaseSelection(system=system, status=group) if is_status else CaseSelection(group, system)
        n = self._counts[found.group, system, found.status]
        return found._replace(n=n) if n else None

    def example(self, found: CaseSelection, *, with_right: bool = False) -> Block | None:
        """One of these cases, told whole: a failed one of a length that is read at once, if there is any.

        `with_right` has the output of another system beside it, and prefers cases in which one passes.
        """
        fitting = []
        for place, view in enumerate(self.views):
            for answer in view.answers:
                if _fits(view, answer, found) and answer.verdict in ("fail", "undecided", ""):
                    length = sum(len(line.text) for line in view.lines[:1])
                    rank = (
                        _GRAVEST.index(answer.verdict),
                        length not in _FAIR_LENGTH,
                        with_right and not _right(view),
                        found.group not in answer.groups if found.group not in view.groups else False,
                        answer.order,
                        place,
                    )
                    fitting.append((rank, view, answer))
        if not fitting:
            return None
        _, view, answer = min(fitting, key=lambda entry: entry[0])
        head = [view.id, answer.system, answer.status]
        right = _right(view) if with_right and answer.verdict == "fail" else []
        return Block([*view.lines, *answer.lines, *right], " · ".join(filter(None, head)))

    # Packed ------------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """What the page unpacks: names once, and cases that refer to them by number."""
        statuses = list(self.statuses)
        labels: dict[str, int] = {}
        systems = {name: place for place, name in enumerate(self.systems)}
        groups = {name: place for place, name in enumerate(self.groups)}
        cases = [
            [
                _shown(view.id),
                [_line(line, labels) for line in view.lines],
                [groups[group] for group in view.groups],
                [
                    [
                        systems[answer.system],
                        statuses.index(answer.status) if answer.status else -1,
                        round(answer.order, 4),
                        [groups[group] for group in answer.groups],
                        [_line(line, labels) for line in answer.lines],
                    ]
                    for answer in view.answers
                ],
            ]
            for view in self.views
        ]
        return {
            "systems": [_shown(name) for name in self.systems],
            "groups": [_shown(name) for name in self.groups],
            "statuses": [[_shown(name), verdict] for name, verdict in self.statuses.items()],
            "labels": [_shown(label) for label in labels],
            "cases": cases,
        }

    def packed(self) -> str:
        """The record as JSON, compressed, in letters that no page takes for its own."""
        text = json.dumps(self.record(), ensure_ascii=False, separators=(",", ":"))
        return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode("ascii")

    def address(self, found: CaseSelection) -> str:
        """What the page looks up: the numbers of group, system, status and second group."""
        statuses = list(self.statuses)
        places = [
            str(names.index(name)) if name else ""
            for names, name in (
                (self.groups, found.group),
                (self.systems, found.system),
                (statuses, found.status),
                (self.groups, found.second),
            )
        ]
        return ",".join(places)


def _fits(view: CaseView, answer: AnswerView, found: CaseSelection) -> bool:
    names = (*view.groups, *answer.groups)
    return (
        found.system in ("", answer.system)
        and found.status in ("", answer.status)
        and (not found.group or found.group in names)
        and (not found.second or found.second in names)
    )


def _right(view: CaseView) -> list[Line]:
    """What the first system answered that passes."""
    for answer in view.answers:
        for line in answer.lines:
            if answer.verdict == "pass" and line.label in _OUTPUTS and line.text:
                return [Line("passes", f"{answer.system}: {line.text.strip()}")]
    return []


def _size(view: CaseView) -> int:
    lines = (*view.lines, *(line for answer in view.answers for line in answer.lines))
    return sum(min(len(line.text), 1500) + 20 for line in lines)


def _line(line: Line, labels: dict[str, int]) -> list[Any]:
    """The label's number, -1 for none, then the text in turns: plain, marked, plain…"""
    number = -1 if line.label is None else labels.setdefault(line.label, len(labels))
    turns = [""]
    for text, is_marked in pieces(line.text, line.marks):
        if is_marked == (len(turns) % 2 == 1):
            turns.append(text)
        else:
            turns[-1] += text
    return [number, *turns]


def _shown(name: str) -> str:
    text = printable(name[:_NAME])
    return f"{text}…" if len(name) > _NAME else text
