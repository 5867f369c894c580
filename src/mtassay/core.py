"""The nouns: what a test set, a case, an answer, a finding and a score are.

Standard library only, no behaviour beyond what a record needs. Data moves one way:
segments become cases, a system answers them, a method turns answers into findings or
statistics, and these add up to scores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "DISPUTED",
    "Case",
    "Cluster",
    "Comparison",
    "Finding",
    "Judgement",
    "Method",
    "Output",
    "Request",
    "Result",
    "Review",
    "Run",
    "Score",
    "Segment",
    "Statistics",
    "System",
    "Tools",
    "Verdict",
]

DISPUTED = "disputed"
"""Stands for the answer where reviewers disagree."""

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
    """One text to translate. Equal texts may get unequal answers, so the id travels along."""

    id: str
    text: str | None
    context: str | None = None


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


@dataclass(frozen=True, slots=True)
class Review:
    """What a person answered to a question about a subject: see `mtassay.reviews` for both.

    Reviews are only ever added; `at` is when, in UTC.
    """

    subject: str
    question: str
    answer: str
    reviewer: str
    note: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """One number over `n` units, with its 95 % interval; `None` where it is undefined."""

    name: str
    system: str
    group: str
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """System `a` minus system `b`.

    `detectable` is the smallest difference this test set would show with 80 % power, and
    `more` how many more units of the same kind would make this difference significant
    (0 when it is already, `None` when nothing can be said).
    """

    name: str
    group: str
    a: str
    b: str
    delta: float | None
    p: float | None
    detectable: float | None = None
    more: int | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """Systems that no significant difference separates; rank 1 is best."""

    name: str
    group: str
    rank: int
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """What a method concludes; every method gives this one shape."""

    scores: Sequence[Score] = ()
    comparisons: Sequence[Comparison] = ()
    clusters: Sequence[Cluster] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The JSON shape, with plain lists and dictionaries."""
        return {
            "scores": [asdict(score) for score in self.scores],
            "comparisons": [asdict(comparison) for comparison in self.comparisons],
            "clusters": [asdict(cluster) for cluster in self.clusters],
            "counts": {system: dict(counts) for system, counts in self.counts.items()},
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a method made of the answers: findings where it judges, statistics where it measures."""

    findings: Sequence[Finding] = ()
    statistics: Sequence[Statistics] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Method(ABC):
    """A way of testing. The fields of a subclass are its parameters, its options and its signature."""

    name: ClassVar[str]

    @abstractmethod
    def cases(self, segments: Iterable[Segment], tools: Tools) -> Iterable[Case]:
        """What to ask. A case that cannot run is given with `skip`, never left out."""

    @abstractmethod
    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> Judgement:
        """What the answers show. `outputs` has, for each system, one output per case and source, in order."""

    @abstractmethod
    def score(self, judgement: Judgement, tools: Tools) -> Result:
        """What it adds up to."""


class Tools(ABC):
    """What the engine lends a method while it runs."""

    @abstractmethod
    def progress(self, step: str, done: int, total: int | None) -> None:
        """Say how far a step is; the engine shows it to a person, or to nobody."""

    @abstractmethod
    def recall(self, key: str) -> bytes | None:
        """What `remember` kept under this key, or `None`."""

    @abstractmethod
    def remember(self, key: str, value: bytes) -> None:
        """Keep a result that is dear to compute. The key must name everything the result depends on."""

    def decisions(self, question: str) -> Mapping[str, str]:
        """What people decided: the answer that holds, by subject; `DISPUTED` where none does."""
        return {}


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a method: what was asked of whom, with which parameters, and what came out."""

    id: str
    method: str
    parameters: Mapping[str, Any]
    systems: Sequence[str]
    started: str
    versions: Mapping[str, str]
    result: Result
    findings: Sequence[Finding] = ()
