"""The contract of a metric: statistics per unit, and one aggregate from their sums to a score.

All comparisons of systems (intervals, significance, clusters, correlation) use sums of these statistics, so
they work for any metric that keeps the contract.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.nouns import Finding, RunContext, Segment, Statistics

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """A metric whose fields are its parameters.

    A subclass sets the class variables and writes `signature`, `measure` and `aggregate`.
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    decimals: ClassVar[int] = 1
    """The usual number of decimals."""
    cacheable: ClassVar[bool] = True
    """Whether signature, segments and outputs alone decide the statistics."""

    finds: ClassVar[str] = ""
    """The name of its findings, if it has any: entity misses."""

    asks_models: ClassVar[bool] = False
    """Whether it asks live models, whose answers cost money and must be kept."""

    reads_ids: ClassVar[bool] = False
    """Whether the ids of segments and the names of systems change the score, besides the texts."""

    is_given: ClassVar[bool] = False
    """Whether scores come from elsewhere: a segment without one is unrated, not badly translated."""

    counts_empty_references: ClassVar[bool] = False
    """Whether an empty reference beside a non-empty one counts, as in sacreBLEU; else it is missing."""

    batch: ClassVar[int] = 0
    """The number of segments that can be measured anywhere with the same statistics; 0: only all together."""

    shared: ClassVar[bool] = False
    """Whether processes of this machine measure parts of the segments, each on its own, with `measure`.

    Not if a subclass prepares anything, asks through tools, or may not be cached."""

    @property
    def needs(self) -> frozenset[str]:
        """The parts that every measured segment must have: "source", "references" or both."""
        return frozenset({"references"})

    @property
    def reads_references(self) -> bool:
        """Whether references change the score."""
        return "references" in self.needs

    @property
    def label(self) -> str:
        """The name in tables, for example `chrF2++`."""
        return self.name

    def prepare(self, segments: Sequence[Segment], context: RunContext) -> Sequence[Segment]:
        """Add slowly computed data to the segments, from the cache where possible.

        The other methods get the result, but must also work without this data.
        """
        return segments

    def require(self, segments: Sequence[Segment], context: RunContext) -> None:
        """Open everything needed to measure these segments: a missing part is an error before any request."""
        self.signature(self.prepare(segments, context))

    @abstractmethod
    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        """All settings that change the number, as `key:value|…`.

        `extra` holds what the caller adds: `bs` or `ar` (resamples), `seed`, `test`, `lang`.
        """

    @abstractmethod
    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        """Statistics for each system of `outputs`, in its order; all share ids and columns.

        `outputs[system][i]` translates `segments[i]`. All systems come in one call so that
        references are prepared once.
        """

    def measure_with(
        self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]], context: RunContext
    ) -> list[Statistics]:
        """Measure with a live model through `context`, which keeps answers and notes."""
        return self.measure(segments, outputs)

    @abstractmethod
    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """Summed statistics (…, columns) to scores (…). Works on any number of leading axes."""

    def unit_scores(self, values: NDArray[Any]) -> Floats:
        """Statistics (units, columns) to one score per unit; with sentence-level settings if these differ."""
        return self.aggregate(values)

    def quality(self, scores: Floats) -> Floats:
        """Scores of units on a scale whose best is 1, or 0 if less is better; by default unchanged."""
        return scores

    def groups(self, columns: Sequence[str]) -> dict[str, list[int]]:
        """Named parts of the score besides the whole: which columns `aggregate` takes for each."""
        return {}

    def size(self, sums: NDArray[Any], units: int) -> int:
        """The `n` to print beside a score: the number of units, or entities, behind these sums."""
        return units

    def caution(self, language: str) -> str:
        """A problem of these settings with texts in a language, and the fix; empty if they suit."""
        return ""

    def findings(self, segments: Sequence[Segment], system: str, outputs: Sequence[str]) -> Iterable[Finding]:
        """The segments worth showing to a person, with evidence; empty by default."""
        return ()


CHUNK = 16384
"""The number of segments measured at once: bounds the memory at no cost in time."""
Measure = Callable[[Sequence[Segment], Mapping[str, Sequence[str]]], Mapping[str, NDArray[Any]]]


def measure_in_chunks(
    metric: Metric,
    columns: Sequence[str],
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str]],
    measure: Measure,
) -> list[Statistics]:
    """`Metric.measure` for a metric that can measure any segments and any systems separately.

    `measure` gives the values of each system for some of the segments.
    """
    tables = [
        measure(segments[chunk], {system: texts[chunk] for system, texts in outputs.items()})
        for chunk in (slice(start, start + CHUNK) for start in range(0, len(segments), CHUNK))
    ]
    ids = [segment.id for segment in segments]
    return [
        Statistics(metric.name, system, ids, columns, np.concatenate([table[system] for table in tables]))
        for system in outputs
    ]


def settings_signature(
    metric: Metric, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None
) -> str:
    """Build a signature in sacreBLEU's style from the metric's own fields.

    Order: number of references, the caller's additions, the fields, our version.
    """
    from mtassay import __version__

    parts: dict[str, object] = {"nrefs": reference_count(segments)} if "references" in metric.needs else {}
    parts.update(extra or {})
    parts.update((field.name, getattr(metric, field.name)) for field in fields(metric))
    shown = (f"{key}:{_show(value)}" for key, value in parts.items() if value is not None)
    return "|".join([*shown, f"version:mtassay-{__version__}"])


def reference_count(segments: Sequence[Segment]) -> int | str:
    """The number of references per segment, or "var" if that differs.

    >>> reference_count([Segment("1", "a", ("b", "c")), Segment("2", "d", ("e", None))])
    'var'
    """
    counts = {len(segment.references) - segment.references.count(None) for segment in segments}
    return counts.pop() if len(counts) == 1 else "var"


def _show(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return "+".join(map(str, value))
    return str(value)


PERCENT = frozenset({"bleu", "chrf", "ter", "nee"})
"""Our metrics with a scale up to 100."""


def as_qualities(metric: Metric, scores: Floats) -> Floats:
    """Scores on the metric's own scale as qualities: percent become shares, and error rates 1 less.

    >>> from mtassay.measures.ter import TER
    >>> as_qualities(TER(), np.array([40.0])).tolist()
    [0.6]
    """
    shares = metric.quality(scores) / (100 if metric.name in PERCENT else 1)
    return shares if metric.higher_is_better else 1 - shares
