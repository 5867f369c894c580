"""The questions about a saved run, in a table of the workspace to count, filter and page them.

A run with tens of thousands of findings is read once, to make its table; after that, open outputs come from a
query. The decision on each subject is stored beside it, and follows all reviews.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from sqlite3 import Connection
from threading import Lock
from typing import Any

from mtassay.data.errors import UsageError
from mtassay.data.method import view_of
from mtassay.data.nouns import UNSURE, Finding, Question, Run, Segment
from mtassay.data.questions import find_question
from mtassay.data.subjects import decide
from mtassay.review.campaign_store import counted_reviews, frozen_reviews, sealed
from mtassay.review.campaigns import Pace, pace_of
from mtassay.review.pending import PendingChoice, asked_in, chosen, outputs_in, pairs_in
from mtassay.runtime.workspace import Workspace

_GAPS = 500  # the newest decisions, used for a reviewer's pace
_VALUES = 500  # names that a filter offers
_LARGE = 5000  # outputs
_PREPARING = Lock()
_ELSEWHERE = (
    "import sys; from pathlib import Path; from mtassay.review.queue import _prepare; "
    "from mtassay.runtime.workspace import Workspace; _prepare(Workspace(Path(sys.argv[1])), sys.argv[2])"
)
_OFFERED = {"category": 5, "phenomenon": 6, "found": 9}
"""The columns whose values a filter offers, by their index in a row."""


class AbsentError(UsageError):
    """A run, a question or a subject that does not exist."""


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One output of a run that people can be asked about, with its status and answers.

    `position` is its place in the order of asking. `status` is the reason to ask people, empty if the run has
    no doubt; `found` is the run's finding in a word. `answer` is what reviewers settled, and `mine` this
    reviewer's last answer; both are empty without one.
    """

    position: int
    subject: str
    segment_id: str
    category: str
    phenomenon: str
    systems: tuple[str, ...]
    status: str
    found: str
    source: str
    output: str
    answer: str = ""
    is_disputed: bool = False
    mine: str = ""


@dataclass(frozen=True, slots=True)
class QueueChoice:
    """A filter for entries. An empty field means all.

    `verdict` is the run's finding, `answer` what reviewers settled (or `disputed`, or `open`), `reviewer`
    somebody who answered, and `text` is in the source or in the output. With `whose`, `answer` is this
    person's last answer (or `open`), for reviewers who may not see others' answers.
    """

    category: str = ""
    phenomenon: str = ""
    system: str = ""
    verdict: str = ""
    answer: str = ""
    reviewer: str = ""
    text: str = ""
    segment_id: str = ""
    whose: str = ""

    def condition(self) -> tuple[str, list[object]]:
        """The filter for the database: conditions to append, and their values."""
        plain = (
            ("a.category = ?", self.category),
            ("a.phenomenon = ?", self.phenomenon),
            ("a.found = ?", self.verdict),
            ("a.segment = ?", self.segment_id),
            ("EXISTS (SELECT 1 FROM json_each(a.systems) WHERE value = ?)", self.system),
            (_BY, self.reviewer),
        )
        parts: list[tuple[str, list[object]]] = [(part, [value]) for part, value in plain if value]
        if self.answer and self.whose:
            parts.append(
                (f"NOT {_BY}", [self.whose])
                if self.answer == "open"
                else (f"({_NEWEST}) = ?", [self.whose, self.answer])
            )
        elif self.answer == "open":
            parts.append(("s.answer IS NULL", []))
        elif self.answer == "disputed":
            parts.append(("s.disputed = 1", []))
        elif self.answer:
            parts.append(("s.answer = ?", [self.answer]))
        if self.text:
            pattern = "%" + "".join(f"\\{c}" if c in "\\%_" else c for c in self.text) + "%"
            parts.append(("(a.source LIKE ? ESCAPE '\\' OR a.output LIKE ? ESCAPE '\\')", [pattern, pattern]))
        conditions = "".join(f" AND {condition}" for condition, _ in parts)
        return conditions, [value for _, values in parts for value in values]


@dataclass(frozen=True, slots=True)
class ReviewerPace:
    """Number of outputs that a reviewer answered, and seconds for one, by the newest answers."""

    reviewer: str
    answered: int
    pace: Pace


_BY = (
    "EXISTS (SELECT 1 FROM reviews r WHERE r.subject = a.subject AND r.question = a.question "
    "AND r.reviewer = ?)"
)
# Answers are few compared with all outputs, so read them first (CROSS), then their outputs by name.
_BY_SUBJECT = "INDEXED BY agenda_by_subject"
_NEWEST = (
    "SELECT answer FROM reviews r INDEXED BY reviews_by_question WHERE r.subject = a.subject "
    "AND r.question = a.question AND r.reviewer = ? ORDER BY rowid DESC LIMIT 1"
)
_FROM = (
    "FROM agenda a {} LEFT JOIN standings s ON s.subject = a.subject AND s.question = a.question "
    "WHERE a.run = ? AND a.question = ?"
)
_ALONE = "FROM agenda a WHERE a.run = ? AND a.question = ?"
_COLUMNS = (
    "a.position, a.subject, a.segment, a.category, a.phenomenon, a.systems, a.status, a.found, a.source, "
    f"a.output, s.answer, s.disputed, ({_NEWEST})"
)


@dataclass(frozen=True)
class ReviewQueue:
    """The outputs of one run under one question. Call `prepare` before."""

    workspace: Workspace
    run: str
    question: str
    _totals: tuple[int, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = self.workspace.database.select(
            "SELECT doubted, total FROM agendas WHERE run = ? AND question = ?", self.run, self.question
        )
        if not rows:
            raise AbsentError(f"No question is called '{self.question}' in run {self.run}.")
        object.__setattr__(self, "_totals", rows[0])

    @property
    def total(self) -> int:
        """Count the outputs, equal ones once."""
        return self._totals[1]

    def next_for(
        self, reviewer: str, *, after: int = -1, choice: QueueChoice | None = None, double: bool = False
    ) -> QueueEntry | None:
        """The next open entry for a reviewer after a position, continuing from the start at the end.

        Entries that this reviewer answered are not open, nor those that others settled, unless `double` asks
        for second opinions.
        """
        follow_reviews(self.workspace)
        condition, values = (choice or QueueChoice()).condition()
        settled = "" if double else " AND s.answer IS NULL"
        for begin, end in ((after + 1, None), (0, after)):
            bound = "" if end is None else " AND a.position <= ?"
            rows = self._entries(
                f"AND a.position >= ?{bound} AND (a.status <> '' OR s.disputed = 1){settled} AND NOT {_BY}"
                f"{condition} ORDER BY a.position LIMIT 1",
                [begin, *([] if end is None else [end]), reviewer, *values],
                reviewer,
            )
            if rows:
                return rows[0]
        return None

    def waiting(self, reviewer: str, *, double: bool = False) -> int:
        """Count the open entries for a reviewer from the answers, which are fewer than the outputs."""
        follow_reviews(self.workspace)
        done = f"(r.mine OR {'0' if double else 's.answer IS NOT NULL'})"
        ((settled, disputed),) = self.workspace.database.select(
            "WITH r AS (SELECT subject, MAX(reviewer = ?) AS mine FROM reviews WHERE question = ? "
            "GROUP BY subject) "
            f"SELECT SUM(a.status <> '' AND {done}), SUM(a.status = '' AND s.disputed = 1 AND NOT r.mine) "
            f"FROM r CROSS JOIN agenda a {_BY_SUBJECT} ON a.subject = r.subject AND a.question = ? "
            "AND a.run = ? LEFT JOIN standings s ON s.subject = a.subject AND s.question = a.question",
            *(reviewer, self.question, self.question, self.run),
        )
        return self._totals[0] - (settled or 0) + (disputed or 0)

    def disputed(self) -> int:
        """Count the entries on which reviewers disagree."""
        follow_reviews(self.workspace)
        rows = self.workspace.database.select(
            f"SELECT COUNT(*) FROM standings s CROSS JOIN agenda a {_BY_SUBJECT} ON a.subject = s.subject "
            "AND a.question = s.question AND a.run = ? WHERE s.question = ? AND s.disputed = 1",
            *(self.run, self.question),
        )
        return int(rows[0][0])

    def entry(self, subject: str, *, reviewer: str = "") -> QueueEntry:
        """The entry of a subject; a `UsageError` if the run does not have it."""
        follow_reviews(self.workspace)
        rows = self._entries("AND a.subject = ? LIMIT 1", [subject], reviewer, how=_BY_SUBJECT)
        if not rows:
            raise AbsentError(f"No output '{subject[:40]}' in run {self.run}.")
        return rows[0]

    def page(
        self, choice: QueueChoice, *, reviewer: str = "", offset: int = 0, limit: int = 50
    ) -> list[QueueEntry]:
        """A page of the entries that match, in the order of asking."""
        follow_reviews(self.workspace)
        condition, values = choice.condition()
        return self._entries(
            f"{condition} ORDER BY a.position LIMIT ? OFFSET ?", [*values, limit, offset], reviewer
        )

    def count(self, choice: QueueChoice) -> int:
        """Count the entries that match."""
        if choice == QueueChoice(whose=choice.whose):
            return self.total
        follow_reviews(self.workspace)
        condition, values = choice.condition()
        source = _FROM.format("") if choice.answer else _ALONE
        query = f"SELECT COUNT(*) {source}{condition}"
        return int(self.workspace.database.select(query, self.run, self.question, *values)[0][0])

    def values(self, column: str) -> list[str]:
        """The values of `category`, `phenomenon` or `found` to choose from, by name."""
        rows = self.workspace.database.select(
            "SELECT offers FROM agendas WHERE run = ? AND question = ?", self.run, self.question
        )
        return list(json.loads(rows[0][0])[column])

    def progress(self) -> list[ReviewerPace]:
        """Return everybody who answered any entry, most answers first."""
        rows = self.workspace.database.select(
            "SELECT r.reviewer, COUNT(DISTINCT r.subject) FROM reviews r CROSS JOIN agenda a "
            "ON a.subject = r.subject AND a.question = r.question AND a.run = ? WHERE r.question = ? "
            "GROUP BY r.reviewer ORDER BY 2 DESC, 1",
            *(self.run, self.question),
        )
        found = []
        for reviewer, answered in rows:
            times = self.workspace.database.select(
                "SELECT at FROM reviews WHERE reviewer = ? AND question = ? ORDER BY rowid DESC LIMIT ?",
                *(reviewer, self.question, _GAPS),
            )
            found.append(ReviewerPace(reviewer, answered, pace_of(at for (at,) in times)))
        return found

    def ratings(self) -> dict[str, dict[str, str]]:
        """Return each reviewer's independent answer by subject, where two or more answered.

        `unsure` and sealed answers are left out: a share for one output would reveal the other's answer.
        """
        inside = {
            subject
            for (subject,) in self.workspace.database.select(
                "SELECT DISTINCT r.subject FROM reviews r CROSS JOIN agenda a ON a.subject = r.subject "
                "AND a.question = r.question AND a.run = ? WHERE r.question = ?",
                *(self.run, self.question),
            )
        }
        by_subject: dict[str, dict[str, str]] = {}
        seals = sealed(self.workspace, inside)
        for review in frozen_reviews(self.workspace, self.question, inside).reviews:
            if (review.subject, self.question) not in seals and review.answer != UNSURE:
                by_subject.setdefault(review.subject, {})[review.reviewer] = review.answer
        return {subject: said for subject, said in by_subject.items() if len(said) > 1}

    def latest_of(self, reviewer: str, *, before: str = "") -> str | None:
        """The subject that a reviewer answered last here, or last before the given one."""
        rows = self.workspace.database.select(
            "SELECT r.subject FROM reviews r CROSS JOIN agenda a ON a.subject = r.subject AND a.question = "
            "r.question AND a.run = ? WHERE r.reviewer = ? AND r.question = ? AND (? = '' OR r.rowid < "
            "(SELECT MAX(rowid) FROM reviews WHERE subject = ? AND question = ? AND reviewer = ?)) "
            "AND r.subject <> ? ORDER BY r.rowid DESC LIMIT 1",
            *(self.run, reviewer, self.question, before, before, self.question, reviewer, before),
        )
        return str(rows[0][0]) if rows else None

    def _entries(
        self, rest: str, values: Sequence[object], reviewer: str, *, how: str = ""
    ) -> list[QueueEntry]:
        query = f"SELECT {_COLUMNS} {_FROM.format(how)} {rest}"
        rows = self.workspace.database.select(query, reviewer, self.run, self.question, *values)
        return [_entry(*row) for row in rows]


def _entry(*row: Any) -> QueueEntry:
    *first, systems, status, found, source, output, answer, disputed, mine = row
    names = tuple(json.loads(systems))
    position, subject, segment, category, phenomenon = first
    return QueueEntry(
        *(position, subject, segment, category, phenomenon, names, status, found, source, output),
        answer=answer or "",
        is_disputed=bool(disputed),
        mine=mine or "",
    )


def is_prepared(workspace: Workspace, run: Run) -> bool:
    """Whether all tables of a run exist; this needs no findings."""
    rows = workspace.database.select("SELECT question FROM agendas WHERE run = ?", run.id)
    return {question.name for question in asked_in(run)} <= {name for (name,) in rows}


def prepare_once(workspace: Workspace, run: Run) -> None:
    """Make the tables of a run unless they exist; if several processes ask, the first one makes them."""
    with _PREPARING:
        if not is_prepared(workspace, run):
            prepare(workspace, run.id)


def prepare(workspace: Workspace, run_id: str) -> None:
    """Make the tables of a run: read all of it once, and write in one transaction.

    A large run is read by another process, which gives its memory back.
    """
    ((outputs,),) = workspace.database.select("SELECT COUNT(*) FROM outputs WHERE run = ?", run_id)
    if outputs <= _LARGE:
        _prepare(workspace, run_id)
        return
    command = [sys.executable, "-c", _ELSEWHERE, str(workspace.path), run_id]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        _prepare(workspace, run_id)  # the message says what is wrong


def _prepare(workspace: Workspace, run_id: str) -> None:
    run = workspace.run(run_id)
    queues = {question.name: list(_rows(run, question)) for question in asked_in(run)}
    database = workspace.database
    with database.transaction() as connection:
        for question, rows in queues.items():
            doubted = sum(row[8] != "" for row in rows)
            connection.execute("DELETE FROM agenda WHERE run = ? AND question = ?", (run.id, question))
            offers = {name: _distinct(rows, place) for name, place in _OFFERED.items()}
            connection.execute(
                "INSERT OR REPLACE INTO agendas VALUES (?, ?, ?, ?, ?)",
                (run.id, question, doubted, len(rows), json.dumps(offers)),
            )
            database.insert("agenda", rows)


def _distinct(rows: Sequence[Sequence[Any]], place: int) -> list[str]:
    """The values in a column of the table, each once."""
    return sorted({str(row[place]) for row in rows if row[place]})[:_VALUES]


def _rows(run: Run, question: Question) -> Iterator[tuple[Any, ...]]:
    """Return a row per pair or distinct output: open ones of nearly settled cases first."""
    view = view_of(run)
    findings: dict[tuple[str, str], list[Finding]] = {}
    for finding in run.findings:
        findings.setdefault((finding.case_id, finding.system), []).append(finding)
    if question.is_of_runs:
        outputs = outputs_in(run, question)
        entries = chosen([entry for entry in outputs if entry.status], PendingChoice())
        entries += [entry for entry in outputs if not entry.status]
    else:
        entries = pairs_in(run, question)
    for position, entry in enumerate(entries):
        subject, segment = entry.subject, entry.segment
        found = view.status(findings.get((view.case_of(segment), next(iter(entry.systems), "")), []))
        yield (
            *(run.id, question.name, position, subject.id, segment.id, *_tested(segment)),
            *(json.dumps(entry.systems), entry.status, found),
            *(_text(subject.sources[-1] or ""), _text(subject.outputs[-1])),
        )


def _tested(segment: Segment) -> tuple[str, str]:
    """The category and the phenomenon of a segment."""
    tags = segment.tags
    return str(tags.get("category", "")), str(tags.get("phenomenon") or tags.get("capability") or "")


def _text(text: str) -> str:
    """Replace half characters, which SQLite cannot store."""
    return text.encode("utf-8", "replace").decode()


def follow_reviews(workspace: Workspace) -> None:
    """Update the decisions: for new reviews only, or for all reviews if some were withdrawn."""
    database = workspace.database
    mark, now = _counted(workspace)
    if mark == now or workspace.read_only:
        return
    with database.transaction() as connection:
        # Another process may have done it during the wait.
        mark, (newest, total) = _counted(workspace)
        if mark == (newest, total):
            return
        rows = database.select(
            "SELECT DISTINCT subject, question FROM reviews WHERE rowid > ?", mark[0] if mark else -1
        )
        added = database.select("SELECT COUNT(*) FROM reviews WHERE rowid > ?", mark[0] if mark else -1)[0][0]
        if mark is None or mark[1] + added != total:
            connection.execute("DELETE FROM standings")
            rows = database.select("SELECT DISTINCT subject, question FROM reviews")
        _decide(workspace, connection, {subject for subject, _ in rows})
        connection.execute("DELETE FROM standings_mark")
        connection.execute("INSERT INTO standings_mark VALUES (?, ?)", (newest, total))


def _counted(workspace: Workspace) -> tuple[tuple[int, int] | None, tuple[int, int]]:
    """The newest review and the number of reviews, at the last update and now."""
    ((newest, total),) = workspace.database.select("SELECT MAX(rowid), COUNT(*) FROM reviews")
    marks = workspace.database.select("SELECT newest, total FROM standings_mark")
    return (marks[0] if marks else None), (newest or 0, total)


def _decide(workspace: Workspace, connection: Connection, subjects: set[str]) -> None:
    reviews = counted_reviews(workspace, workspace.reviews_about(subjects))
    decisions = decide(reviews, {name: _rule(name) for name in {review.question for review in reviews}})
    connection.executemany(
        "INSERT OR REPLACE INTO standings VALUES (?, ?, ?, ?)",
        [
            (subject, question, decision.answer, decision.is_disputed)
            for (subject, question), decision in decisions.items()
        ],
    )


def _rule(question: str) -> Any:
    """The rule that combines answers; for a question that is no longer installed, the majority."""
    try:
        return find_question(question).combine
    except UsageError:
        return Question(question, "").combine
