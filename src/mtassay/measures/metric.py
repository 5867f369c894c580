"""The contract of a metric: statistics per unit, and an aggregate that turns sums into a score.

All comparisons of systems (intervals, significance, clusters, correlation) use sums of these statistics, so
they work for any metric that follows the contract.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.display import Table
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
    """The default number of decimals."""
    cacheable: ClassVar[bool] = True
    """Whether the statistics depend only on signature, segments and outputs."""

    finds: ClassVar[str] = ""
    """What its findings are called, if it has any: entity misses."""

    asks_models: ClassVar[bool] = False
    """Whether it asks live models, whose answers cost money and must be stored."""

    reads_ids: ClassVar[bool] = False
    """Whether ids of segments and names of systems, besides the texts, affect the score."""

    is_given: ClassVar[bool] = False
    """Whether the user gives the scores; then a segment without a score is unrated, not badly translated."""

    counts_empty_references: ClassVar[bool] = False
    """Whether an empty reference beside another reference counts, as in sacreBLEU; else it is missing."""

    batch: ClassVar[int] = 0
    """How many segments can be measured separately with the same statistics; 0 means only all together."""

    shared: ClassVar[bool] = False
    """Whether processes on this machine can measure parts of the segments separately with `measure`.

    It has no effect if a subclass prepares data, asks models, or is not cacheable."""

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
        """The display name, for example `chrF2++`."""
        return self.name

    def prepare(self, segments: Sequence[Segment], context: RunContext) -> Sequence[Segment]:
        """Add slowly computed data to the segments, from the cache if possible.

        The other methods get the result, but must also work without this data.
        """
        return segments

    def require(self, segments: Sequence[Segment], context: RunContext) -> None:
        """Open everything needed to measure, so that a missing part is an error before any request."""
        self.signature(self.prepare(segments, context))

    @abstractmethod
    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        """All settings that change the number, as `key:value|…`.

        `extra` has additions by the caller: `bs` or `ar` (resamples), `seed`, `test`, `lang`.
        """

    @abstractmethod
    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        """Return statistics for each system of `outputs`, in order; all have the same ids and columns.

        `outputs[system][i]` translates `segments[i]`. One call has all systems, to prepare references once.
        """

    def measure_with(
        self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]], context: RunContext
    ) -> list[Statistics]:
        """Measure with a live model through `context`, which stores answers and notes."""
        return self.measure(segments, outputs)

    @abstractmethod
    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """Turn summed statistics (…, columns) into scores (…), for any number of leading axes."""

    def unit_scores(self, values: NDArray[Any]) -> Floats:
        """Turn statistics (units, columns) into unit scores, with sentence-level settings if they differ."""
        return self.aggregate(values)

    def quality(self, scores: Floats) -> Floats:
        """Return unit scores on a scale whose best is 1, or 0 if lower is better; by default unchanged."""
        return scores

    def groups(self, columns: Sequence[str]) -> dict[str, list[int]]:
        """Named parts of the score besides the whole, with the columns that `aggregate` uses for each."""
        return {}

    def size(self, sums: NDArray[Any], units: int) -> int:
        """The `n` to print with a score: the number of units or entities in these sums."""
        return units

    def caution(self, language: str) -> str:
        """A problem of these settings with texts in a language, and its fix; empty if there is none."""
        return ""

    def findings(self, segments: Sequence[Segment], system: str, outputs: Sequence[str]) -> Iterable[Finding]:
        """Segments to show people, with evidence; empty by default."""
        return ()


COLUMNS = ("score", "count")
"""The statistics of a mean: the sum of the scores of some units, and the number of these units."""


class MeanMetric(Metric):
    """A metric that is the mean of its scores of units."""

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """The mean score; nan without scores."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1], dtype=np.float64)


CHUNK = 16384
"""The number of segments to measure at once; bounds the memory without costing time."""
Measure = Callable[[Sequence[Segment], Mapping[str, Sequence[str]]], Mapping[str, NDArray[Any]]]


def measure_in_chunks(
    metric: Metric,
    columns: Sequence[str],
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str]],
    measure: Measure,
) -> list[Statistics]:
    """Implement `Metric.measure` for a metric that can measure segments and systems separately.

    `measure` returns the values of each system for some of the segments.
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

    The order is: number of references, additions by the caller, fields, our version.
    """
    from mtassay import __version__

    parts: dict[str, object] = {"nrefs": reference_count(segments)} if "references" in metric.needs else {}
    parts.update(extra or {})
    parts.update((field.name, getattr(metric, field.name)) for field in fields(metric))
    shown = (f"{key}:{_show(value)}" for key, value in parts.items() if value is not None)
    return "|".join([*shown, f"version:mtassay-{__version__}"])


def reference_count(segments: Sequence[Segment]) -> int | str:
    """The number of references per segment, or "var" if it varies.

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
"""Our metrics with a scale that ends at 100."""


def as_qualities(metric: Metric, scores: Floats) -> Floats:
    """Turn a metric's scores into qualities: percentages become shares, and error rates 1 minus the rate.

    >>> from mtassay.measures.ter import TER
    >>> as_qualities(TER(), np.array([40.0])).tolist()
    [0.6]
    """
    shares = metric.quality(scores) / (100 if metric.name in PERCENT else 1)
    return shares if metric.higher_is_better else 1 - shares


# What a difference means to people --------------------------------------------------------------------------

# At WMT22–24: `bench/worth.py` counts pairs of systems by the size of the metric's difference, and whether
# people significantly preferred the same system, the other one, or neither.
TABLE = Path(__file__).with_name("data") / "worth.json"
_LEAST_SETS = 3  # fewest test sets for a number


@dataclass(frozen=True, slots=True)
class Worth:
    """People's preferences for pairs of systems that differ by `least` to `most` points.

    `low` and `high` are the 95 % interval of the share that agreed, from resampling whole test sets.
    """

    least: float
    most: float | None
    same: int
    undecided: int
    opposite: int
    sets: int
    low: float
    high: float

    @property
    def n(self) -> int:
        """The number of pairs."""
        return self.same + self.undecided + self.opposite

    @property
    def short(self) -> str:
        """The number of cases out of ten in which people agreed, for a table cell.

        >>> Worth(1, 2, 45, 20, 10, 6, 0.4, 0.8).short
        '6 of 10'
        """
        return f"{round(10 * self.same / self.n)} of 10"


def worth_of(label: str, delta: float | None) -> Worth | None:
    """Return people's preferences for differences of this size; `None` with fewer than three test sets.

    >>> worth_of("no such metric", 1.0) is None
    True
    """
    if not delta:
        return None
    fitting = [w for w in _rows(label) if w.least <= abs(delta) and (w.most is None or abs(delta) < w.most)]
    return fitting[0] if fitting and fitting[0].sets >= _LEAST_SETS else None


def worth_table(label: str) -> Table | None:
    """A table of all sizes of a metric's differences, given its label; `None` for an unknown metric."""
    names = {name.lower(): name for name in _figures()["metrics"]}
    name = names.get(label.lower(), label)
    rows = [
        [
            f"{w.least:g} to {w.most:g}" if w.most is not None else f"{w.least:g} and more",
            f"{w.n:,}",
            *(f"{count:,} ({100 * count / w.n:.0f} %)" for count in (w.same, w.undecided, w.opposite)),
            f"{100 * w.low:.0f}–{100 * w.high:.0f} %",
            str(w.sets),
        ]
        for w in _rows(name)
        if w.sets >= _LEAST_SETS
    ]
    if not rows:
        return None
    header = ["Difference", "pairs", "people agreed", "undecided", "disagreed", "agreed, 95 %", "test sets"]
    notes = [
        f"Pairs of systems at {_figures()['source']}. People agreed: they significantly preferred the system "
        "with the better score. The interval draws whole test sets.",
    ]
    return Table(header, rows, f"What a difference of {name} is worth to people", notes)


@cache
def _figures() -> dict[str, Any]:
    figures: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return figures


@cache
def _rows(label: str) -> list[Worth]:
    entries = _figures()["metrics"].get(label, [])
    ends = [*(entry["from"] for entry in entries[1:]), None]
    return [
        Worth(e["from"], most, e["same"], e["undecided"], e["opposite"], e["sets"], e["low"], e["high"])
        for e, most in zip(entries, ends, strict=bool(entries))
    ]
