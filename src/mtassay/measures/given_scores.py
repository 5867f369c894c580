"""Scores that the user gives: a file of scores, or a Python function that scores each output."""

from __future__ import annotations

import hashlib
import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.score_files import ScoreColumn, chosen, match_systems, means, read_score_file
from mtassay.data.formats.textfiles import read_bytes
from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.metric import COLUMNS, Floats, MeanMetric, Metric, measure_in_chunks, settings_signature

PEOPLE = ("z.scr", "esa", "da", "mqm", "z", "raw.scr", "human")
"""Columns of human scores, the preferred column first."""
_PEOPLE_FILES = frozenset({"esa", "da", "mqm", "human", "people", "dasqm", "sqm"})


def are_of_people(label: str, file: str) -> bool:
    """Whether people gave the scores, according to the names of the column and the file.

    >>> are_of_people("Z.SCR", "seg-scores.csv"), are_of_people("score", "metricx.jsonl")
    (True, False)
    """
    words = re.split(r"[\W_]+", Path(file).stem.lower())
    return label.lower() in PEOPLE or not _PEOPLE_FILES.isdisjoint(words)


@dataclass(frozen=True, kw_only=True)
class Scores(MeanMetric):
    """The mean of the outputs' scores in a file: `scores:metricx.jsonl:better=lower`.

    A row is found by its source and output if the file has both texts, else by system and id. `column` names
    the column of scores if the file has several; `better` says which end of the scale is good. Outputs
    without a score are left out; the `n` of a score counts the scored outputs.
    """

    name: ClassVar[str] = "scores"
    subject: ClassVar[str] = "file"
    cacheable: ClassVar[bool] = False
    is_given: ClassVar[bool] = True

    file: str = ""
    column: str = ""
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        if not self.file:
            raise UsageError("metric 'scores' needs a file: write scores:FILE.")

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """Whether higher is better, according to `better`."""
        return self.better == "higher"

    @property
    def needs(self) -> frozenset[str]:
        return frozenset()

    @property
    def decimals(self) -> int:  # type: ignore[override]
        """The number of decimals: 1 for 100 points, 2 for error weights, 4 for probabilities."""
        column = self._scores
        values = [
            *column.by_text.values(),
            *chain.from_iterable(c.values() for c in column.by_segment.values()),
        ]
        sizes = [abs(value) for value in values if value is not None]
        mean = sum(sizes) / max(1, len(sizes))
        return 1 if mean >= 20 else 2 if mean >= 2 else 4

    @property
    def label(self) -> str:
        return self._scores.name

    @property
    def reads_ids(self) -> bool:  # type: ignore[override]
        """Whether rows are found by id, since the file has no texts."""
        return not self._scores.by_text

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        digest = hashlib.sha256(read_bytes(self.file)).hexdigest()[:12]
        return settings_signature(self, segments, extra={**(extra or {}), "sha256": digest})

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        """Return columns `score` and `count`; both are 0 for an output without a score."""
        names = {ours: theirs for theirs, ours in match_systems(self._scores.systems, list(outputs)).items()}
        ids = [segment.id for segment in segments]
        # A file without our systems' names rates texts of any system.
        by_text = self._scores.by_text
        if not names:
            by_text = means((("", src, out), value) for (_, src, out), value in by_text.items())
        statistics = []
        for system, texts in outputs.items():
            theirs = names.get(system, system) if names else ""
            by_id = self._scores.by_segment.get(theirs, {})
            if self.reads_ids and len(by_id) == len(ids) and list(by_id) == _positions(len(ids)):
                by_id = dict(zip(ids, by_id.values(), strict=True))
            values = np.zeros((len(segments), len(COLUMNS)))
            for row, (segment, text) in enumerate(zip(segments, texts, strict=True)):
                rated = by_text.get((theirs, segment.source or "", text))
                score = by_id.get(segment.id) if self.reads_ids else rated
                if score is not None:
                    values[row] = score, 1
            statistics.append(Statistics(self.name, system, ids, COLUMNS, values))
        if ids and outputs and not any(entry.values[:, 1].any() for entry in statistics):
            raise InputError(self._nothing(next(iter(outputs)), ids[0]), path=self.file)
        return statistics

    def by_system(self, systems: Sequence[str]) -> dict[str, dict[str, float]]:
        """Scores of rated segments by id, for these systems (default: all systems in the file)."""
        names = match_systems(self._scores.systems, systems) if systems else {}
        return {
            names.get(theirs, theirs): {unit: value for unit, value in own.items() if value is not None}
            for theirs, own in self._scores.by_segment.items()
            if not systems or theirs in names
        }

    def size(self, sums: NDArray[Any], units: int) -> int:
        return int(sums[..., 1])

    @cached_property
    def _scores(self) -> ScoreColumn:
        wanted = [self.column] if self.column else []
        columns = read_score_file(self.file, ids=(), wanted=wanted)
        if len(columns) > 1 and not wanted:
            names = ", ".join(column.name for column in columns)
            raise UsageError(
                f"{self.file} has several scores: {names}. Name one: scores:{self.file}:column=NAME."
            )
        (column,) = chosen(columns, wanted, what="score")
        return column

    def _nothing(self, system: str, first: str) -> str:
        if self._scores.by_text:
            return f"it rates none of the outputs of {system!r}: the texts in it are different"
        if not self._scores.by_segment:
            return "it rates whole systems: give one with a score for each output (system, id, score)"
        rated = ", ".join(self._scores.systems[:4])
        return f"it rates no segment of {system!r}, the first of which is {first!r}. It rates: {rated}"


def _positions(count: int) -> list[str]:
    return [str(position) for position in range(1, count + 1)]


SegmentScore = Callable[..., float]
"""A function of (output), (output, reference) or (output, reference, source); higher is better.

Parameters named `reference` (the first), `references` (a list of all) or `source` may be anywhere.
"""


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(Metric):
    """The mean of a function's scores of the segments.

    >>> def same(output, reference): return float(output == reference)
    >>> FunctionMetric.of(same).needs
    frozenset({'references'})
    """

    name: ClassVar[str] = "function"
    decimals: ClassVar[int] = 3
    cacheable: ClassVar[bool] = False  # changes of a function's code are not noticed

    function: str
    score: SegmentScore | None = field(default=None, repr=False, compare=False)
    """`None` if the saved run has only the name."""
    takes: tuple[str, ...] = ()
    """The function's arguments after the output, in order."""

    @classmethod
    def of(cls, function: SegmentScore) -> FunctionMetric:
        """Make a metric from a function, with its name."""
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
        """Rebuild the metric from its `repr`, without its function.

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
