"""A function of one's own as a metric: a number for each segment, and their mean for the system."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.metric import Floats, Metric, measure_in_chunks, settings_signature

SegmentScore = Callable[..., float]
"""A number for one output, more is better: of (output), (output, reference) or (output, reference, source).

Parameters called `reference` (the first one), `references` (a list of all) and `source` get these wherever
they stand."""


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(Metric):
    """The mean of what a function says of each segment.

    >>> def same(output, reference): return float(output == reference)
    >>> FunctionMetric.of(same).needs
    frozenset({'references'})
    """

    name: ClassVar[str] = "function"
    decimals: ClassVar[int] = 3
    cacheable: ClassVar[bool] = False  # nobody knows when the code of a function changes

    function: str
    score: SegmentScore | None = field(default=None, repr=False, compare=False)
    """`None` where a saved run knows no more than the name."""
    takes: tuple[str, ...] = ()
    """What the function gets besides the output, in order."""

    @classmethod
    def of(cls, function: SegmentScore) -> FunctionMetric:
        """The metric that a function is, called by its name."""
        name = getattr(function, "__name__", type(function).__name__)
        if not name.isidentifier():
            raise UsageError(f"A metric needs a name, and {name} is none: define it with def.")
        parameters = [
            p.name
            for p in inspect.signature(function).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
            and (p.default is p.empty or p.name in ("reference", "references", "source"))
        ]
        if not 1 <= len(parameters) <= 4:
            raise UsageError(
                f"metric {name}() takes {len(parameters)} values: write it with (output, reference, source)."
            )
        usual = ("reference", "source", "references")
        takes = [p if p in usual else place for p, place in zip(parameters[1:], usual, strict=False)]
        return cls(function=name, score=function, takes=tuple(takes))

    @classmethod
    def described(cls, text: str) -> FunctionMetric:
        """The same without its function, by what `repr` said of it.

        >>> FunctionMetric.described("FunctionMetric(function='same', takes=('reference',))").takes
        ('reference',)
        """
        names = re.findall(r"'(\w+)'", text)
        return cls(function=names[0], takes=tuple(names[1:]))

    @property
    def needs(self) -> frozenset[str]:
        return frozenset("source" if what == "source" else "references" for what in self.takes)

    @property
    def label(self) -> str:
        return self.function

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        return settings_signature(replace(self, score=None), segments, extra=extra)

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        def values(
            some: Sequence[Segment], texts: Mapping[str, Sequence[str]]
        ) -> dict[str, NDArray[np.float64]]:
            return {
                system: np.array(
                    [(self._value(s, output), 1.0) for s, output in zip(some, own, strict=True)]
                ).reshape(-1, 2)
                for system, own in texts.items()
            }

        return measure_in_chunks(self, ["sum", "count"], segments, outputs, values)

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        count = sums[..., 1]
        return np.asarray(np.divide(sums[..., 0], count, out=np.zeros(count.shape), where=count > 0))

    def _value(self, segment: Segment, output: str) -> float:
        if self.score is None:
            raise UsageError(
                f"metric '{self.function}' is a function, which is not saved: give it again with `metrics`."
            )
        references = [text for text in segment.references if text is not None]
        first = references[0] if references else None
        values = {"reference": first, "references": references, "source": segment.source}
        value = self.score(output, *(values[what] for what in self.takes))
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise UsageError(
                f"metric {self.function}() gave {value!r} for segment {segment.id}: give a number."
            )
        return number
