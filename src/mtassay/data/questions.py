"""Questions for any run with outputs: named entities, error spans and ratings.

Answers are stored as text: a number as such, spans as JSON, in the same form for equal contents:
`{"spans": [{"start": 0, "end": 5, "label": "PER"}]}`, with `severity` and `score` where the question has any.
Offsets count characters, and `end` is exclusive.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from statistics import fmean
from typing import Any, Literal, NamedTuple, cast

from mtassay.data.errors import UsageError
from mtassay.data.formats.textfiles import load_json
from mtassay.data.method import Method
from mtassay.data.nouns import UNSURE, Question
from mtassay.data.registry import each_named, find, is_known

Side = Literal["target", "source"]
_SEVERITIES = ("neutral", "minor", "major", "critical")
_SPAN_KEYS = {"start", "end", "label", "severity", "side"}
_MOST_SPANS = 1000


class AnswerSpan(NamedTuple):
    """A marked span: characters `start` to `end` (exclusive) of the target or the source."""

    start: int
    end: int
    label: str
    severity: str = ""
    side: Side = "target"

    def record(self) -> dict[str, Any]:
        """The span as JSON, without defaults."""
        record: dict[str, Any] = {"start": self.start, "end": self.end, "label": self.label}
        if self.severity:
            record["severity"] = self.severity
        if self.side != "target":
            record["side"] = self.side
        return record


@dataclass(frozen=True, slots=True)
class SpanAnswer:
    """Spans in the order of the text, as an answer; `score` is `None` if the question asks for none.

    >>> str(SpanAnswer((AnswerSpan(0, 5, "PER"),)))
    '{"spans": [{"start": 0, "end": 5, "label": "PER"}]}'
    """

    spans: tuple[AnswerSpan, ...] = ()
    score: float | None = None

    def __str__(self) -> str:
        record: dict[str, Any] = {"spans": [span.record() for span in sorted(self.spans, key=_in_order)]}
        if self.score is not None:
            record["score"] = int(self.score) if self.score == int(self.score) else self.score
        return json.dumps(record, ensure_ascii=False)

    def tell(self, *, source: str, target: str) -> str:
        """The answer as people type it: labels and marked words.

        >>> SpanAnswer((AnswerSpan(0, 5, "PER"),)).tell(source="", target="Maria saiu.")
        'PER: Maria'
        """
        parts = []
        for span in sorted(self.spans, key=_in_order):
            is_source = span.side == "source"
            head = ", ".join(filter(None, (span.label, span.severity, "source" * is_source)))
            parts.append(f"{head}: {(source if is_source else target)[span.start : span.end]}")
        parts += [f"score: {self.score:g}"] if self.score is not None else []
        return "; ".join(parts) or "none"


def _in_order(span: AnswerSpan) -> tuple[bool, int, int, str, str]:
    return span.side == "source", span.start, span.end, span.label, span.severity


def span_answer(answer: str) -> SpanAnswer:
    """Read an answer from stored or imported text; a `ValueError` says what is wrong.

    >>> span_answer('{"spans": [{"start": 0, "end": 5, "label": "PER"}]}').spans
    (AnswerSpan(start=0, end=5, label='PER', severity='', side='target'),)
    """
    try:
        record = load_json(answer, partial(json.loads, parse_constant=_refuse))
    except ValueError:
        raise ValueError(f"{answer[:40]!r} is no answer. {_SHAPE}") from None
    if not isinstance(record, dict) or not isinstance(record.get("spans"), list):
        raise ValueError(f'the answer has no list "spans". {_SHAPE}')
    if strange := sorted(set(record) - {"spans", "score"}):
        raise ValueError(f"the answer has {strange[0]!r}, which is not a key. {_SHAPE}")
    if len(record["spans"]) > _MOST_SPANS:
        raise ValueError(f"{len(record['spans']):,} spans in one answer; at most {_MOST_SPANS:,} are read")
    score = record.get("score")
    if score is not None and not _is_number(score):
        raise ValueError(f'"score" is {json.dumps(score)[:40]}, not a number')
    spans = tuple(map(_span, record["spans"]))
    if len(set(spans)) < len(spans):
        raise ValueError("one span occurs twice. Keep one of them")
    return SpanAnswer(tuple(sorted(spans, key=_in_order)), None if score is None else float(score))


_SHAPE = 'Write {"spans": [{"start": 0, "end": 5, "label": "…"}]}, or none'


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _span(record: Any) -> AnswerSpan:
    if not isinstance(record, dict):
        raise ValueError(f"a span is an object, not {json.dumps(record)[:40]}")
    told = json.dumps(record, ensure_ascii=False)[:80]
    if strange := sorted(set(record) - _SPAN_KEYS):
        raise ValueError(f"span {told} has {strange[0]!r}, which is not allowed")
    start, end = record.get("start"), record.get("end")
    are_counts = all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end))
    if not are_counts or not 0 <= start < end:  # type: ignore[operator]
        raise ValueError(f'span {told} needs whole numbers "start" < "end", counted from 0')
    label, severity, side = record.get("label", ""), record.get("severity", ""), record.get("side", "target")
    if not isinstance(label, str) or not isinstance(severity, str) or side not in ("target", "source"):
        raise ValueError(f'span {told} needs texts as "label" and "severity", and "side" is target or source')
    return AnswerSpan(start, end, label, severity, side)  # type: ignore[arg-type]


# Joining several answers ---------------------------------------------------------------------------------


def mean_answer(answers: Iterable[str]) -> str | None:
    """The mean of numbers; `None` without any.

    >>> mean_answer(["4", "5", "5"])
    '4.66667'
    """
    numbers = [float(answer) for answer in answers]
    return f"{fmean(numbers):.6g}" if numbers else None


def held_spans(answers: Iterable[str]) -> str | None:
    """Keep the characters that more than half of the answers mark alike, and average their scores.

    The severity of a character is the median of those given, the milder of two middle ones. A new span begins
    where most of them begin one.

    >>> one, two = SpanAnswer((AnswerSpan(0, 11, "PER"),)), SpanAnswer((AnswerSpan(6, 11, "PER"),))
    >>> held_spans(map(str, (one, two)))
    '{"spans": [{"start": 6, "end": 11, "label": "PER"}]}'
    """
    read = [span_answer(answer) for answer in answers]
    if not read:
        return None
    kinds = dict.fromkeys((span.side, span.label) for answer in read for span in answer.spans)
    spans = [span for side, label in kinds for span in _held(read, side, label)]
    scores = [answer.score for answer in read if answer.score is not None]
    score = round(fmean(scores), 4) if scores else None
    return str(SpanAnswer(tuple(spans), score))


def _held(answers: Sequence[SpanAnswer], side: Side, label: str) -> Iterator[AnswerSpan]:
    """The majority spans of one label on one side."""
    marks: dict[int, list[str]] = {}
    begins: Counter[int] = Counter()
    for answer in answers:
        severities: dict[int, str] = {}
        for span in answer.spans:
            if (span.side, span.label) == (side, label):
                begins[span.start] += 1
                severities |= dict.fromkeys(range(span.start, span.end), span.severity)
        for place, severity in severities.items():
            marks.setdefault(place, []).append(severity)
    kept = {place: _middle(found) for place, found in marks.items() if 2 * len(found) > len(answers)}
    places = sorted(kept)
    cuts = [
        place
        for before, place in pairwise([-2, *places])
        if place != before + 1 or kept[place] != kept[before] or 2 * begins[place] > len(marks[place])
    ]
    for start, following in pairwise([*cuts, math.inf]):
        end = max(place for place in places if place < following) + 1
        yield AnswerSpan(int(start), end, label, kept[int(start)], side)


def _middle(severities: Sequence[str]) -> str:
    ranks = sorted(severities, key=lambda word: _SEVERITIES.index(word) if word in _SEVERITIES else -1)
    return ranks[(len(ranks) - 1) // 2]


# Kinds of questions ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberQuestion(Question):
    """A question whose answer is a number from `low` to `high`; several answers are averaged.

    Answers differ if they are more than `tolerance` apart.
    """

    kind: Literal["choice", "number", "spans", "text"] = "number"
    combine: Callable[[Iterable[str]], str | None] = mean_answer
    is_blind: bool = True
    is_of_runs: bool = False
    low: float = 0
    high: float = 100
    is_whole: bool = True
    tolerance: float = 0

    @property
    def how(self) -> str:
        """The form of an answer."""
        return f"{'a whole' if self.is_whole else 'a'} number from {self.low:g} to {self.high:g}"

    def read_answer(self, text: str) -> str:
        """Read a typed number, or `unsure`; a `ValueError` says what is expected."""
        word = text.strip().lower()
        if word in ("u", UNSURE):
            return UNSURE
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not self.low <= number <= self.high or (self.is_whole and number != int(number)):
            raise ValueError(f"{text.strip()[:40]!r} is no answer. Write {self.how}, or unsure (u)")
        return f"{number:g}"

    def differ(self, answers: Sequence[str]) -> bool:
        """Whether any two answers are more than the tolerance apart."""
        numbers = [float(answer) for answer in answers]
        return bool(numbers) and max(numbers) - min(numbers) > self.tolerance


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanQuestion(Question):
    """A question whose answer is spans, each with a label, and with a severity if the question has them.

    `labels` and `severities` map keys to words. `marks` is the text to mark: outputs of systems, or
    references. `has_source` allows spans of the source, for omissions; `scored` also asks for a number from 0
    to 100. Of several answers, the characters that most mark alike count.
    """

    kind: Literal["choice", "number", "spans", "text"] = "spans"
    combine: Callable[[Iterable[str]], str | None] = held_spans
    is_blind: bool = True
    is_of_runs: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    severities: Mapping[str, str] = field(default_factory=dict)
    marks: Literal["output", "reference"] = "output"
    has_source: bool = False
    scored: bool = False
    tolerance: float = 10

    def usual_label(self, side: Side) -> str:
        """The label of a span without a chosen one; empty if a label is required.

        Only spans of a question with a score (ESA) need no category: each is an error, or an omission of the
        source.
        """
        labels = tuple(self.labels.values()) if self.scored else ()
        return "" if not labels else labels[-1] if side == "source" else labels[0]

    @property
    def how(self) -> str:
        """The form of an answer typed as a line."""
        severity = ", SEVERITY" if self.severities else ""
        score = "; score: 0 to 100" if self.scored else ""
        kinds = [f"LABEL is {_listed(self.labels)}"]
        kinds += [f"SEVERITY is {_listed(self.severities)}"] if self.severities else []
        source = " Add ', source' where the words are missing in the translation." if self.has_source else ""
        return f"LABEL{severity}: words; …{score}; or none. {'; '.join(kinds)}.{source}"

    def marked_words(self, line: str, *, source: str, target: str) -> str:
        """Convert a typed line, which names words instead of offsets, to an answer.

        Repeated words are taken in their order. JSON, `none` and `unsure` stay unchanged.

        >>> question = COMMON_QUESTIONS["entities"]
        >>> question.marked_words("PER: Maria; l: Lisboa", source="", target="Maria ama Lisboa.")
        '{"spans": [{"start": 0, "end": 5, "label": "PER"}, {"start": 10, "end": 16, "label": "LOC"}]}'
        """
        if line.lstrip().startswith("{") or ":" not in line:
            return line
        spans, score = [], None
        after: dict[tuple[str, str], int] = {}
        for part in filter(str.strip, line.split(";")):
            head, colon, words = (text.strip() for text in part.partition(":"))
            if not colon or not words:
                raise ValueError(f"{part.strip()[:40]!r} names no words. Write {self.how}")
            if head.lower() == "score":
                score = _number(words)
                continue
            label, *more = (word.strip() for word in head.split(","))
            side: Side = "source" if "source" in map(str.lower, more) else "target"
            severity = next((word for word in more if word.lower() != "source"), "")
            text = source if side == "source" else target
            start = text.find(words, after.get((side, words), 0))
            if start < 0:
                again = " again" if (side, words) in after else ""
                raise ValueError(f"{words[:40]!r} is not{again} in the {side}")
            after[side, words] = start + len(words)
            label, severity = self.labels.get(label, label), self.severities.get(severity, severity)
            spans.append(AnswerSpan(start, start + len(words), label, severity, side))
        return str(SpanAnswer(tuple(spans), score))

    def read_answer(self, text: str) -> str:
        """Read a person's spans in the normal form; `none` is no span. A `ValueError` names the error."""
        word = text.strip()
        if word.lower() in ("u", UNSURE):
            return UNSURE
        read = SpanAnswer() if word.lower() == "none" else span_answer(word)
        if self.scored and (read.score is None or not 0 <= read.score <= 100):
            raise ValueError('the answer needs a "score" from 0 to 100')
        if not self.scored and read.score is not None:
            raise ValueError(f'the question {self.name!r} asks for no "score"')
        labelled = (s if s.label else s._replace(label=self.usual_label(s.side)) for s in read.spans)
        spans = tuple(dict.fromkeys(labelled))
        for span in spans:
            if not span.label:
                place = f"the span {span.start}–{span.end} of the {span.side} has no category"
                raise ValueError(f"{place}. Choose one: {', '.join(self.labels.values())}")
            if span.label not in self.labels.values():
                raise ValueError(
                    f"no label {span.label[:40]!r}. Available: {', '.join(self.labels.values())}"
                )
            if span.severity not in (self.severities.values() or ("",)):
                known = ", ".join(self.severities.values()) or "none"
                raise ValueError(f"no severity {span.severity[:40]!r}. Available: {known}")
            if span.side == "source" and not self.has_source:
                raise ValueError(f"the question {self.name!r} marks nothing in the source")
        return str(SpanAnswer(spans, read.score))

    def check_answer(self, answer: str, *, source: str, target: str) -> None:
        """Refuse spans that end after their text."""
        if answer == UNSURE:
            return
        for span in span_answer(answer).spans:
            length = len(target if span.side == "target" else source)
            if span.end > length:
                raise ValueError(
                    f"span {span.start}–{span.end} ends after the {span.side}, which has {length} characters"
                )

    def differ(self, answers: Sequence[str]) -> bool:
        """Whether any character is marked differently, or scores are more than the tolerance apart."""
        read = [span_answer(answer) for answer in answers]
        scores = [answer.score for answer in read if answer.score is not None]
        far = bool(scores) and max(scores) - min(scores) > self.tolerance
        return far or len({frozenset(marked_characters(answer)) for answer in read}) > 1


def _listed(names: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({key})" for key, name in names.items())


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"the score is {text[:40]!r}, not a number") from None


def marked_characters(answer: SpanAnswer) -> Iterator[tuple[Side, int, str, str]]:
    """Side, place, label and severity of each character that is marked."""
    for span in answer.spans:
        for place in range(span.start, span.end):
            yield span.side, place, span.label, span.severity


# The questions -------------------------------------------------------------------------------------------

_MQM_LABELS = {
    "a": "accuracy/addition",
    "o": "accuracy/omission",
    "m": "accuracy/mistranslation",
    "t": "accuracy/untranslated text",
    "p": "fluency/punctuation",
    "l": "fluency/spelling",
    "g": "fluency/grammar",
    "r": "fluency/register",
    "i": "fluency/inconsistency",
    "e": "fluency/character encoding",
    "w": "terminology/inappropriate for context",
    "k": "terminology/inconsistent use",
    "y": "style/awkward",
    "f": "locale convention",
    "x": "other",
    "z": "non-translation",
}
"""The categories of Freitag et al. (2021), table 11, as the files of WMT write them."""
_MQM_SEVERITIES = {"1": "neutral", "2": "minor", "3": "major"}
_ESA_SEVERITIES = {"1": "minor", "2": "major"}
_ON_FIVE = {
    "adequacy": "How completely does the translation give the meaning of the source, adding nothing?",
    "fluency": "How good is the translation as a text, without regard to the source?",
    "informativeness": "How much of the needed information does a reader get from the translation alone?",
}
_ALL: tuple[Question, ...] = (
    SpanQuestion(
        name="entities",
        text="Which named entities are in this reference? Mark each whole name, and say what it is: a "
        "person, a place, an organisation, or something else with its own name.",
        labels={"p": "PER", "l": "LOC", "o": "ORG", "m": "MISC", "d": "DATE", "n": "NUM"},
        marks="reference",
    ),
    SpanQuestion(
        name="mqm",
        text="Which errors does the translation have? Mark as few words as possible for each error, and give "
        "its category and severity. Major: changes what the reader understands or does. Minor: does not.",
        labels=_MQM_LABELS,
        severities=_MQM_SEVERITIES,
        has_source=True,
    ),
    SpanQuestion(
        name="esa",
        text="Which minor and major errors does the translation have, and how good is it as a whole? 0: no "
        "meaning preserved, 33: some, 66: most, with few mistakes in grammar, 100: perfect.",
        labels={"e": "error", "o": "omission"},
        severities=_ESA_SEVERITIES,
        has_source=True,
        scored=True,
    ),
    *(
        NumberQuestion(name=name, text=f"{text} 1 is the worst, 5 the best.", low=1, high=5, tolerance=1)
        for name, text in _ON_FIVE.items()
    ),
    NumberQuestion(
        name="da",
        text="How well does the translation give the meaning of the source? 0: not at all, 100: perfectly.",
        tolerance=25,
    ),
)
COMMON_QUESTIONS: Mapping[str, Question] = {question.name: question for question in _ALL}
"""Questions by name: MQM (Freitag et al. 2021), ESA (Kocmi et al. 2024), DA (Graham et al. 2013)."""


@cache
def all_questions() -> dict[str, Question]:
    """The questions of all methods, in their order, then those for any run. Loads all methods."""
    return {
        **{question.name: question for method in _methods_in_order() for question in method.asks},
        **COMMON_QUESTIONS,
    }


def find_question(name: str) -> Question:
    """The question of this name. Looks first in the method of the same name, to avoid loading all methods.

    >>> find_question("suite").keys
    {'c': 'correct', 'i': 'incorrect'}
    """
    if is_known("method", name):
        for question in cast("type[Method]", find("method", name)).asks:
            if question.name == name:
                return question
    if name in COMMON_QUESTIONS:
        return COMMON_QUESTIONS[name]
    if name not in all_questions():
        raise UsageError(f"No question '{name}'. Available: {', '.join(all_questions())}.")
    return all_questions()[name]


def _methods_in_order() -> list[type[Method]]:
    """The methods, with the suite first because it is reviewed most."""
    methods: Iterable[tuple[str, type[Method]]] = each_named("method")
    return [
        m for _, m in sorted(methods, key=lambda one: (one[0] != "suite", one[0] != "invariance", one[0]))
    ]
