"""The cases behind the numbers of a page, in compressed form, and the selection for each cell of a table."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from mtassay.data.display import AnswerView, Block, CaseView, Cell, Figure, Headline, Line, Table
from mtassay.data.marks import pieces, printable
from mtassay.data.run_view import SEVERITIES
from mtassay.measures.check_run import severity_of_check

_MOST_CHARACTERS = 64_000_000
"""Largest number of characters of sentences in a page, before compression."""
_GROUP, _FOUND, _THEME, _DOCUMENT = range(4)  # kinds of names that select cases
_NAME = 200  # characters of a name
_FAIR_LENGTH = range(15, 240)  # characters of a source that makes a good example
_OUTPUTS = ("output", "edited")  # labels of a system's answer
_SHARED = re.compile(r"(?:same|answered) ([\d,]+)")  # columns of scores on texts that all systems have
NO_COUNTS = ("#", "rank", "p", "value")
"""Columns and rows whose whole numbers are not counts of cases."""
_GRAVEST = ("fail", "error", "undecided", "skipped", "pass", "")


class CaseSelection(NamedTuple):
    """The cases of a number, and their count: of a group, a system, a status or a severity.

    `is_settled` leaves out cases without a pass or fail for every system. `against` is the system that the
    number compares with: the cases in which the two differ most come first. A `measure` leaves out cases
    without its value for both systems, or for all if `against` is `EVERY`. `low` is the least value, and
    `high` the first one above the range.
    """

    group: str = ""
    system: str = ""
    status: str = ""
    second: str = ""
    n: int = 0
    severity: str = ""
    is_settled: bool = False
    against: str = ""
    measure: str = ""
    low: float = -math.inf
    high: float = math.inf


EVERY = "*"
"""In `against`: all systems."""


@dataclass
class PageCases:
    """All cases of a run, with the names that a table may use: systems, groups and statuses."""

    views: Sequence[CaseView]
    left_out: int = 0
    themes: Mapping[tuple[str, str, str], Sequence[str]] = field(default_factory=dict)
    """The themes of a failed output, by system, source and output."""
    systems: list[str] = field(init=False)
    groups: list[str] = field(init=False)
    measures: list[str] = field(init=False)
    statuses: dict[str, str] = field(init=False)
    """The judgements of answers, by the words people use, with the verdict."""
    _counts: Counter[CaseSelection] = field(init=False)
    _values: dict[tuple[str, str], list[tuple[float, int]]] = field(init=False)
    """The values of each measure and system with the places of their cases."""
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
        self._values = {}
        for place, view in enumerate(self.views):
            for answer in view.answers:
                for name, value in answer.values.items():
                    self._values.setdefault((name, answer.system), []).append((round(value, 4), place))
        self.measures = list(dict.fromkeys(name for name, _ in self._values))
        self._kinds = {
            **dict.fromkeys(self.measures, "measure"),
            **dict.fromkeys(SEVERITIES, "severity"),
            **dict.fromkeys(self.statuses, "status"),
            **dict.fromkeys(self.groups, "group"),
            **dict.fromkeys(self.systems, "system"),
        }
        self._counts = Counter()
        for view in self.views:
            # Count cases, so a label that two answers to one case share counts once.
            self._counts.update({key for answer in view.answers for key in self._keys(view, answer)})

    def _keys(self, view: CaseView, answer: AnswerView) -> Iterable[CaseSelection]:
        """Yield all selections that count an answer."""
        names = dict.fromkeys(("", *view.groups, *answer.groups))
        settled = (False, True) if self.is_settled(view) else (False,)
        for system in ("", answer.system):
            for group in names:
                for is_settled in settled:
                    yield CaseSelection(group, system, is_settled=is_settled)
                yield CaseSelection(group, system, answer.status)
            yield CaseSelection(system=system, severity=answer.severity)
        for group in names:
            for second in names:
                yield CaseSelection(group, second=second)

    def is_settled(self, view: CaseView) -> bool:
        """Whether every system has an answer that passes or fails."""
        return len(view.answers) == len(self.systems) and all(
            answer.verdict in ("pass", "fail") for answer in view.answers
        )

    @classmethod
    def of(
        cls,
        views: Iterable[CaseView],
        *,
        most: int = _MOST_CHARACTERS,
        themes: Mapping[tuple[str, str, str], Sequence[str]] | None = None,
        flagged: Mapping[str, Sequence[str]] | None = None,
    ) -> PageCases:
        """Return the cases; if they are too many, those that pass everywhere are left out first.

        `flagged` are outputs in which checks found something without changing a verdict: "CASE (SYSTEM)".
        """
        everything = list(_with_checks(views, flagged or {}))
        if sum(map(_size, everything)) <= most:
            return cls(everything, themes=themes or {})
        ranked = sorted(everything, key=lambda view: all(a.verdict == "pass" for a in view.answers))
        kept, used = [], 0
        for view in ranked:
            used += _size(view)
            if used > most:
                break
            kept.append(view)
        return cls(kept, len(everything) - len(kept), themes or {})

    # Which cases a number means -----------------------------------------------------------------------

    def of_headline(self, headline: Headline) -> CaseSelection | None:
        """Return the cases that prove a headline."""
        if not headline.group and not headline.system:
            if headline.board is None:
                return self._find("", "")
            first, *others = (standing.system for standing in headline.board.standings)
            return self.of_system(first, against="".join(others[:1]), measure=headline.board.label)
        group = headline.group
        if group not in self._kinds:  # some methods leave out the kind of detector
            group = group.removeprefix("check:")
        return self._find(group, headline.system, headline.n)

    def of_system(
        self, system: str, n: int = 0, *, against: str = "", measure: str = ""
    ) -> CaseSelection | None:
        """Return the answers of a system, as compared with another one, that have a value of the measure.

        Without such values, it has all answers, or those of cases settled for all systems if these are `n`.
        """
        found = self._find("", system, n)
        if found is None or against not in ("", EVERY, *self.systems):
            return None
        measured = self._counted(found._replace(against=against, measure=measure))
        return measured if (measure, system) in self._values else found._replace(against=against)

    def of_severity(self, system: str, severity: str) -> CaseSelection:
        """Return a system's answers with an error of this severity; possibly none."""
        return self._counted(CaseSelection(system=system, severity=severity))

    def in_table(self, table: Table, *, has_counts: bool = True) -> list[list[CaseSelection | None]]:
        """Return the cases of each cell of a table, by its row and its column.

        A column that is not one of our names, such as an interval, belongs to the system or the measure
        before it. In a table that `has_counts`, whole numbers count cases, except for ranks.
        """
        columns = [self._named(name) for name in table.header]
        for number, column in enumerate(columns[1:], 1):
            if column is None and (columns[number - 1] or {}).keys() & {"system", "measure"}:
                columns[number] = columns[number - 1]
        known_groups = set(self.groups)
        rival = table.title.removeprefix("Against ").partition(",")[0]
        found: list[list[CaseSelection | None]] = []
        for number, row in enumerate(table.cells()):
            if table.groups:
                group = table.groups[number]
                own = {"group": group} if group in known_groups or not group else None
            else:
                own = self._named(row[0].text) or self._named(row[-1].text)
                own = {"group": ""} if row[0].text in NO_COUNTS else own
            if pair := self._pair(row, rival):
                places = [None, *([pair] * len(row[1:]))]
            else:
                places = [None, *(self._joined(own, column) or self._whole(own) for column in columns[1:])]
            found.append(
                [
                    None
                    if place is None or table.is_text(column) or not any(map(str.isdecimal, cell.text))
                    else self._counting(cell.text, place, head)
                    if has_counts and not {head, row[0].text} & {*NO_COUNTS}
                    else place
                    for column, (cell, place, head) in enumerate(zip(row, places, table.header, strict=False))
                ]
            )
        return found

    def _pair(self, row: Sequence[Cell], rival: str) -> CaseSelection | None:
        """Return the cases of a row about two systems: "a − b", or "a" in a table against the rival."""
        text = row[0].text
        a, _, b = text.partition(" − ") if " − " in text else (text, "", rival)
        if a == b or not {a, b} <= set(self.systems):
            return None
        measure = next((cell.text for cell in row[1:] if self._kinds.get(cell.text) == "measure"), "")
        return self.of_system(a, against=b, measure=measure)

    def _counting(self, text: str, found: CaseSelection, head: str) -> CaseSelection | None:
        """Return the cases that a cell counts; none if it counts other things, such as variants."""
        if shared := _SHARED.fullmatch(head):  # a score on those that all systems have
            found = self._counted(found._replace(against=EVERY))
            return found if f"{found.n:,}" == shared[1] else None
        settled = self._counted(found._replace(is_settled=True))
        fitting = [one for one in (found, settled) if text.strip() == f"{one.n:,}"]
        return next(iter(fitting), None) if text.strip().replace(",", "").isdecimal() else found

    def _whole(self, row: dict[str, str] | None) -> CaseSelection | None:
        """Return all cases of a system or of a group, for other numbers of a table."""
        if row is None or not row.keys() & {"system", "group"}:
            return None
        found = self._counted(CaseSelection(row.get("group", ""), row.get("system", "")))
        return found if found.n else None

    def in_figure(self, figure: Figure) -> list[list[CaseSelection | None]]:
        """Return the same for the rows and series of a figure."""
        found: list[list[CaseSelection | None]] = []
        for number, place in enumerate(figure.places):
            if figure.measure:
                ends = [figure.ends.get(place) or figure.ends[series.label] for series in figure.series]
                own = CaseSelection(system=place if place in self.systems else "", measure=figure.measure)
                found.append([self._counted(own._replace(low=low, high=high)) for low, high in ends])
                continue
            group = figure.groups[number] if figure.groups else place
            known = group in self.groups or (figure.groups and not group)
            systems = [series.system or series.label for series in figure.series]
            found.append([self._find(group, system) if known else None for system in systems])
        return found

    def _named(self, text: str) -> dict[str, str] | None:
        """Return what a name in a table refers to; "all" are all of them."""
        text = text if text in self._kinds else text.removeprefix("check:")
        kind = self._kinds.get(text, "group" if text == "all" else None)
        return None if kind is None else {kind: "" if text == "all" else text}

    def _joined(self, row: dict[str, str] | None, column: dict[str, str] | None) -> CaseSelection | None:
        if row is None or column is None:
            return None
        if column.keys() == {"measure"}:
            is_whole = row.keys() == {"system"}
            return self.of_system(row["system"], measure=column["measure"]) if is_whole else self._whole(row)
        if "group" in row and "group" in column:
            found = self._counted(CaseSelection(row["group"], second=column["group"]))
            return found if found.n else None
        if row.keys() & column.keys():
            return None
        both = {**row, **column}
        group, system, status, severity = (both.get(k, "") for k in ("group", "system", "status", "severity"))
        found = self._counted(CaseSelection(group, system, status, severity=severity))
        return found if found.n else None

    def _find(self, group: str, system: str, n: int = 0) -> CaseSelection | None:
        is_status = group in self.statuses and group not in self.groups
        found = CaseSelection(system=system, status=group) if is_status else CaseSelection(group, system)
        found, settled = self._counted(found), self._counted(found._replace(is_settled=True))
        if n and settled.n == n != found.n:
            return settled
        return found if found.n else None

    def _counted(self, found: CaseSelection) -> CaseSelection:
        if not found.measure:
            return found._replace(n=self._counts[found._replace(against="", n=0)])
        values = {system: self._values.get((found.measure, system), []) for system in self.systems}
        places = {s: {place for v, place in of if found.low <= v < found.high} for s, of in values.items()}
        if not found.system:
            return found._replace(n=len(set().union(*places.values())))
        every = self.systems if found.against == EVERY else {found.system, found.against} - {""}
        return found._replace(n=len(set.intersection(*(places[system] for system in every))))

    def example(
        self, found: CaseSelection, *, with_right: bool = False, shown: Sequence[str] = ()
    ) -> Block | None:
        """Return one of these cases with full texts, if possible a failed one that is short.

        `with_right` adds another system's output, and prefers cases in which one passes. Texts that were
        already `shown` come last. Of all checks, only this one's reason is included.
        """
        fitting = []
        for place, view in enumerate(self.views):
            for answer in view.answers:
                if _fits(view, answer, found) and answer.verdict in ("fail", "undecided", ""):
                    length = sum(len(line.text) for line in view.lines[:1])
                    rank = (
                        _GRAVEST.index(answer.verdict),
                        view.lines[0].text in shown if view.lines else False,
                        0 if length in _FAIR_LENGTH else length,
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
        why = f"{found.group}: "
        meant = [
            Line("why", line.text.removeprefix(why)) for line in answer.lines if line.text.startswith(why)
        ]
        told = sum(line.label == "why" for line in answer.lines)
        lines = [*(line for line in answer.lines if not meant or line.label not in ("why", "")), *meant]
        if meant and told > len(meant):  # marks may be of another check
            lines = [line._replace(marks=()) for line in lines]
        return Block([*view.lines, *lines, *right], " · ".join(filter(None, head)))

    # Packed ------------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """Return the data that the page unpacks: names once, and cases that refer to them by number."""
        statuses = list(self.statuses)
        labels: dict[str, int] = {}
        values = {name: place for place, name in enumerate(self.measures)}
        systems = {name: place for place, name in enumerate(self.systems)}
        kinds = dict.fromkeys(self.groups, _FOUND) | {g: _GROUP for view in self.views for g in view.groups}
        documents = {view.document: _DOCUMENT for view in self.views if view.document}
        kinds |= {name: kind for name, kind in documents.items() if name not in kinds}
        kinds |= {name: _THEME for some in self.themes.values() for name in some if name not in kinds}
        groups = {name: place for place, name in enumerate(kinds)}

        def answer_record(view: CaseView, answer: AnswerView) -> list[Any]:
            of_case = {values[name]: round(value, 4) for name, value in answer.values.items()}
            output = next((line.text for line in answer.lines if line.label in _OUTPUTS), "")
            source = next((line.text for line in view.lines if line.label == "source"), "")
            themes = self.themes.get((answer.system, source, output), ())
            return [
                systems[answer.system],
                statuses.index(answer.status) if answer.status else -1,
                round(answer.order, 4),
                [groups[group] for group in (*answer.groups, *themes)],
                [_line(line, labels) for line in answer.lines],
                SEVERITIES.index(answer.severity) if answer.severity in SEVERITIES else -1,
                [of_case.get(place) for place in range(max(of_case, default=-1) + 1)],
            ]

        cases = [
            [
                _shown(view.id),
                [_line(line, labels) for line in view.lines],
                [groups[group] for group in (*view.groups, view.document) if group],
                [answer_record(view, answer) for answer in view.answers],
            ]
            for view in self.views
        ]
        return {
            "systems": [_shown(name) for name in self.systems],
            "groups": [[_shown(name), kind] for name, kind in kinds.items()],
            "statuses": [[_shown(name), verdict] for name, verdict in self.statuses.items()],
            "labels": [_shown(label) for label in labels],
            "values": list(values),
            "cases": cases,
        }

    def packed(self) -> str:
        """Return the record as compressed JSON, in characters that have no meaning in a page."""
        text = json.dumps(self.record(), ensure_ascii=False, separators=(",", ":"))
        return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode("ascii")

    def address(self, found: CaseSelection) -> str:
        """Return the page's key: numbers of group, system, status and severity, and whether it is settled."""
        severity = [str(SEVERITIES.index(found.severity))] if found.severity else [""]
        against = [str([*self.systems, EVERY].index(found.against))] if found.against else [""]
        statuses = list(self.statuses)
        places = [
            str(names.index(name)) if name else ""
            for names, name in (
                (self.groups, found.group),
                (self.groups, found.second),
                (self.systems, found.system),
                (statuses, found.status),
            )
        ]
        ends = [f"{end:g}" if math.isfinite(end) else "" for end in (found.low, found.high)]
        measured = [found.measure and str(self.measures.index(found.measure)), *ends]
        return ",".join([*places, *severity, "1" if found.is_settled else "", *against, *measured]).rstrip(
            ","
        )


def _with_checks(views: Iterable[CaseView], flagged: Mapping[str, Sequence[str]]) -> Iterable[CaseView]:
    """Return the cases with the checks that flag an answer as its groups."""
    checks: dict[str, dict[str, None]] = {}
    for check, cases in flagged.items():
        for case in cases:
            checks.setdefault(case.replace("/edited (", " ("), {})[check] = None
    for view in views:
        more = [checks.get(f"{view.id} ({answer.system})", {}) for answer in view.answers]
        if any(more):
            answers = [
                replace(answer, groups=[*answer.groups, *names], severity=_gravest(answer.severity, *names))
                for answer, names in zip(view.answers, more, strict=True)
            ]
            view = replace(view, answers=answers)
        yield view


def _gravest(severity: str, *checks: str) -> str:
    known = {severity, *map(severity_of_check, checks)}
    return next((name for name in SEVERITIES if name in known), "")


def _fits(view: CaseView, answer: AnswerView, found: CaseSelection) -> bool:
    names = (*view.groups, *answer.groups)
    return (
        found.system in ("", answer.system)
        and found.status in ("", answer.status)
        and (not found.group or found.group in names)
        and (not found.second or found.second in names)
        and found.severity in ("", answer.severity)
    )


def _right(view: CaseView) -> list[Line]:
    """Return the first system's answer that passes."""
    for answer in view.answers:
        for line in answer.lines:
            if answer.verdict == "pass" and line.label in _OUTPUTS and line.text:
                return [Line("passes", f"{answer.system}: {line.text.strip()}")]
    return []


def _size(view: CaseView) -> int:
    lines = (*view.lines, *(line for answer in view.answers for line in answer.lines))
    return sum(min(len(line.text), 1500) + 20 for line in lines)


def _line(line: Line, labels: dict[str, int]) -> list[Any]:
    """Return the label's number, -1 for none, then the text in turns: plain, marked, plain…"""
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
