"""The subject of a review, and the decision after several reviews."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from mtassay.data.display import Line
from mtassay.data.grouping import gathered
from mtassay.data.nouns import UNSURE, Question, Review, Run, Segment, majority
from mtassay.data.questions import COMMON_QUESTIONS, SpanQuestion, span_answer

CORRECT = "correct"
"""The answer that means no error; a question without it is not about errors."""
SHORT = 10
"""Number of characters of an id that people see; any unique beginning is accepted."""
_FIX = re.compile(r"^\s*fix\s*:\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)


def is_model(reviewer: str) -> bool:
    """Whether a reviewer is a language model: its name begins with `model:`.

    >>> is_model("model:reader-1"), is_model("anna")
    (True, False)
    """
    return reviewer.lower().startswith("model:")


def count_reviewers(reviewers: Collection[str]) -> str:
    """The number of reviewers in words, always with the number of language models among them.

    >>> count_reviewers({"anna", "ben"}), count_reviewers({"anna", "model:reader-1"})
    ('2 reviewers', '2 reviewers, 1 of them a language model')
    """
    models = sum(map(is_model, reviewers))
    what = "a language model" if models == 1 else "language models"
    people = f"{len(reviewers):,} reviewer{'s' * (len(reviewers) != 1)}"
    return f"{people}, {models:,} of them {what}" if models else people


def caution_of_models(reviewers: Collection[str], what: str = "Labels") -> str:
    """A caution for numbers that rest on these reviewers; empty if all are people.

    >>> caution_of_models({"anna", "model:reader-1"}), caution_of_models({"anna", "ben"})
    ('Labels by 2 reviewers, 1 of them a language model.', '')
    """
    models = sum(map(is_model, reviewers))
    if not models:
        return ""
    shared = " Two that agree may share a mistake, and are not two people who agree." if models > 1 else ""
    return f"{what} by {count_reviewers(reviewers)}.{shared}"


@dataclass(frozen=True)
class Subject:
    """The subject of a review: a case with its sources and their outputs."""

    case_id: str
    sources: tuple[str | None, ...]
    outputs: tuple[str, ...]

    @cached_property
    def id(self) -> str:
        """The same for equal contents, on any machine."""
        content = json.dumps([self.case_id, self.sources, self.outputs], ensure_ascii=False)
        # Half a character becomes "?", as in the workspace, so that stored subjects get the same id.
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:20]


def subject_from(record: Mapping[str, Any]) -> Subject:
    """Read a subject from a record of the workspace or of a file."""
    return Subject(record["case_id"], tuple(record["sources"]), tuple(record["outputs"]))


Rule = Callable[[Iterable[str]], str | None]
"""Joins several answers to one question; `None` is a dispute."""
_MAJORITY: Mapping[str, Rule] = {}


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision from the reviews of one subject and question; `answer` is `None` while undecided."""

    answer: str | None
    latest: Mapping[str, Review]
    """The newest review of each reviewer, the newest last."""
    adjudications: Mapping[str, Review] = field(default_factory=dict)
    """The newest answer of each adjudicator, who saw the reviewers' answers; these are not ratings."""

    @property
    def ratings(self) -> dict[str, str]:
        """The answer of each reviewer, without those who were unsure."""
        return {name: r.answer for name, r in self.latest.items() if r.answer != UNSURE}

    @property
    def is_disputed(self) -> bool:
        """Whether reviewers answered without reaching a decision."""
        return self.answer is None and bool(self.ratings)

    @property
    def is_adjudicated(self) -> bool:
        """Whether an adjudicator decided."""
        return any(review.answer != UNSURE for review in self.adjudications.values())

    @property
    def voices(self) -> Collection[str]:
        """The people whose answers count: the adjudicators if there are any, else all who rated."""
        if not self.is_adjudicated:
            return self.ratings.keys()
        return [name for name, review in self.adjudications.items() if review.answer != UNSURE]


def decide(
    reviews: Iterable[Review], rules: Mapping[str, Rule] = _MAJORITY
) -> dict[tuple[str, str], Decision]:
    """The current decision by subject and question. Reviews are in order of time, oldest first.

    The newest answer of each reviewer counts, and `unsure` is no answer. The rule of the question, by its
    name, joins the answers; the usual rule is the majority. Without a majority the subject is disputed until
    somebody changes an answer or one more person decides. An adjudication overrides all reviewers, earlier
    or later; the same rule joins several adjudications.
    """
    latest: dict[tuple[str, str], dict[str, Review]] = {}
    adjudicated: dict[tuple[str, str], dict[str, Review]] = {}
    for review in reviews:
        about = (review.subject, review.question)
        mine = latest.setdefault(about, {})
        said = adjudicated.setdefault(about, {}) if review.is_adjudication else mine
        said.pop(review.reviewer, None)
        said[review.reviewer] = review
    decisions = {}
    for about, ratings in latest.items():
        rule = rules.get(about[1]) or _usual_rule(about[1])
        last = adjudicated.get(about, {})
        final = [r.answer for r in last.values() if r.answer != UNSURE]
        answers = final or [r.answer for r in ratings.values() if r.answer != UNSURE]
        decisions[about] = Decision(rule(answers), ratings, last)
    return decisions


def fix_in(note: str) -> str | None:
    r"""The correction in a note, a line `fix: …`, or `None`.

    >>> fix_in("the adjective is lost\nfix: Ela comprou um vaso azul.")
    'Ela comprou um vaso azul.'
    >>> fix_in("I would fix: nothing") is None
    True
    """
    fixes = _FIX.findall(note)
    return fixes[-1] if fixes else None


def _usual_rule(question: str) -> Rule:
    """The rule of a question about any run; questions of methods have another only if it is passed."""
    return COMMON_QUESTIONS[question].combine if question in COMMON_QUESTIONS else majority


def review_now(
    subject: str, question: str, answer: str, reviewer: str, *, note: str = "", is_adjudication: bool = False
) -> Review:
    """A review given now. The time is exact, so that a quick change of mind is a new review."""
    at = datetime.now(UTC).isoformat()
    return Review(subject, question, answer, reviewer, note, at, is_adjudication)


def told_answer(question: Question, answer: str, subject: Subject) -> str:
    """An answer in readable form: for spans, the marked words."""
    if not isinstance(question, SpanQuestion) or answer == UNSURE:
        return answer
    return span_answer(answer).tell(source=(subject.sources or ("",))[-1] or "", target=subject.outputs[-1])


def answer_about(question: Question, text: str, subject: Subject) -> str:
    """Read a person's answer about a subject; a `ValueError` says what is wrong with it."""
    source, target = (subject.sources or ("",))[-1] or "", (subject.outputs or ("",))[-1]
    if isinstance(question, SpanQuestion):
        text = question.marked_words(text, source=source, target=target)
    answer = question.read_answer(text)
    question.check_answer(answer, source=source, target=target)
    return answer


@dataclass(frozen=True)
class Pending:
    """One output to review, with the information that a person needs to judge it.

    `status` is the reason: a doubt of its method, such as `undecided` or `suspicious`, or `disputed` among
    reviewers. `systems` are those that gave exactly this output, `run` is a run that contains it. `evidence`
    is empty if reviewers must not know the run's findings; `lines` are the output and the evidence that helps
    to judge it.
    """

    subject: Subject
    question: Question
    run: str
    systems: tuple[str, ...]
    status: str
    segment: Segment
    evidence: Mapping[str, Any] = field(default_factory=dict)
    lines: Sequence[Line] = ()


def subjects_in(run: Run) -> dict[tuple[str, str], Subject]:
    """All subjects of reviews, by segment and system, without segments that lack an output."""
    sources = {segment.id: (segment.source,) for segment in run.segments}
    subjects = {}
    for system, answers in run.outputs.items():
        texts = gathered((output.id, output.text) for output in answers)
        for segment_id, outputs in texts.items():
            complete = tuple(text for text in outputs if text is not None)
            if segment_id in sources and len(complete) == len(outputs):
                subjects[segment_id, system] = Subject(segment_id, sources[segment_id], complete)
    return subjects
