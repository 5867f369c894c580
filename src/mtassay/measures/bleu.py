"""BLEU (Papineni et al. 2002): clipped n-gram precision times a brevity penalty."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.languages import name_of
from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.metric import Floats, Metric, measure_in_chunks
from mtassay.measures.ngrams import LONGEST, Matcher, WordNumbers
from mtassay.measures.tokenizers import (
    DEFAULTS,
    SPLITTING,
    UNSPACED,
    SplitTexts,
    reference_streams,
    sacre_signature,
    split_texts,
    tokenizer_signature,
)

_SMOOTH_DEFAULTS: dict[str, float | None] = {"none": None, "floor": 0.1, "add-k": 1.0, "exp": None}


@dataclass(frozen=True, kw_only=True)
class BLEU(Metric):
    """BLEU with sacreBLEU's settings, any order and any weights.

    `order` is the length of the longest n-gram. `weights` (one per order) replace the paper's uniform
    weights. `language` chooses the tokeniser if `tokenize` is not given.
    """

    name: ClassVar[str] = "bleu"
    counts_empty_references: ClassVar[bool] = True
    batch: ClassVar[int] = 2048
    shared: ClassVar[bool] = True

    tokenize: str | None = None
    lowercase: bool = False
    smooth: Literal["none", "floor", "add-k", "exp"] = "exp"
    smooth_value: float | None = None
    order: int = 4
    weights: tuple[float, ...] | None = None
    effective_order: bool = False
    language: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.order <= LONGEST:
            raise UsageError(f"BLEU: order is {self.order}; it must be from 1 to {LONGEST}.")
        if self.smooth not in _SMOOTH_DEFAULTS:
            raise UsageError(f"BLEU: no smoothing '{self.smooth}'. Available: {', '.join(_SMOOTH_DEFAULTS)}.")
        if self.weights is not None and (len(self.weights) != self.order or min(self.weights) < 0):
            raise UsageError(f"BLEU: weights must be {self.order} numbers of 0 or more, one per order.")
        if self.weights is not None and not math.isclose(sum(self.weights), 1, abs_tol=1e-6):
            raise UsageError(f"BLEU: weights add up to {sum(self.weights):g}; they must add up to 1.")

    @property
    def label(self) -> str:
        return "BLEU" if self.order == 4 else f"BLEU-{self.order}"

    @property
    def tokenizer(self) -> str:
        """The tokeniser in use."""
        return self.tokenize or DEFAULTS.get(self.language, "13a")

    def caution(self, language: str) -> str:
        own = DEFAULTS.get(language, "")
        if language not in (*UNSPACED, own.partition("-")[0]) or self.tokenizer in (own, *SPLITTING):
            return ""
        what = f"sacreBLEU splits {name_of(language)} with {own}"
        if language in UNSPACED:
            what = f"{name_of(language)} has no spaces between words"
        fix = f"write bleu:tokenize={own}" if own else "write bleu:tokenize=char (or flores200), or take chrf"
        if own and not self.language:
            fix = f"add -l with the pair (…-{language}), or {fix}"
        return (
            f"{self.label} is wrong here: {what}, and tok:{self.tokenizer} looks for spaces. To fix it {fix}"
        )

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        smooth: str = self.smooth
        if _SMOOTH_DEFAULTS[smooth] is not None:
            smooth += f"[{self._smooth_value:.2f}]"
        settings: dict[str, object] = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": self.effective_order,
            "tok": tokenizer_signature(self.tokenizer),
            "smooth": smooth,
            # sacreBLEU's signature omits these two, and sacreBLEU has no weights.
            "order": self.order if self.order != 4 else None,
            "weights": "+".join(map(str, self.weights)) if self.weights else None,
        }
        return sacre_signature(segments, settings, extra=extra)

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        orders = range(1, self.order + 1)
        columns = (
            "length",
            "reference_length",
            *(f"correct{n}" for n in orders),
            *(f"total{n}" for n in orders),
        )
        return measure_in_chunks(self, columns, segments, outputs, self._measure_chunk)

    def _measure_chunk(
        self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]
    ) -> dict[str, NDArray[np.int32]]:
        streams = reference_streams(segments)
        split = [self._split([reference or "" for reference in stream]) for stream in streams]
        vocabulary = WordNumbers(part.words for part in split)
        references = [vocabulary.encode(*part) for part in split]
        lengths = np.array(
            [
                np.where([text is not None for text in stream], reference.lengths, -1)
                for stream, reference in zip(streams, references, strict=True)
            ]
        )
        matcher = Matcher(references, order=self.order, pooled=True)
        measured = {}
        for system, texts in outputs.items():
            output = vocabulary.encode(*self._split(texts))
            correct = matcher.count(output)[:, 0]
            totals = np.maximum(output.lengths[:, None] - np.arange(self.order), 0)
            closest = _closest_length(output.lengths, lengths)
            measured[system] = np.column_stack((output.lengths, closest, correct, totals)).astype(np.int32)
        return measured

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """The scores (0 to 100), computed in the same steps as in sacreBLEU, so that no digit differs."""
        sums = np.asarray(sums, np.float64)
        length, reference_length = sums[..., 0], sums[..., 1]
        correct, total = sums[..., 2 : 2 + self.order], sums[..., 2 + self.order :]
        matched_any = correct.any(axis=-1)
        if self.smooth == "add-k":
            later = (np.arange(self.order) > 0) * self._smooth_value
            correct, total = correct + later, total + later
        if correct.ndim > 2 and self.weights is None and correct.all():
            # The same without the special cases, for the many resamples that have none.
            mean = np.log(100.0 * correct / total).sum(axis=-1) / self.order
            # Adding the penalty's exponent (at most 0) to the mean saves a second exponential.
            return np.asarray(np.exp(mean + np.minimum(1 - reference_length / length, 0.0)))
        precisions, present = self._precisions(correct, total)
        included = present if self.effective_order else np.ones_like(present)
        logs = np.where(included, _log(precisions), 0.0)
        if self.weights is None:
            mean = _sum_rows(logs) / np.maximum(included.sum(axis=-1), 1)
        else:
            weights = np.where(included, self.weights, 0.0)
            mean = _sum_rows(weights * logs) / np.maximum(weights.sum(axis=-1), 1e-300)
        return np.where(matched_any, _brevity_penalty(length, reference_length) * _exp(mean), 0.0)

    def unit_scores(self, values: NDArray[Any]) -> Floats:
        return replace(self, effective_order=True).aggregate(values)

    def _precisions(self, correct: Floats, total: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Each order's smoothed precision in percent, and which orders have n-grams."""
        present = np.logical_and.accumulate(total > 0, axis=-1)
        zero = present & (correct == 0)
        total = np.where(present, total, 1.0)
        precisions = 100.0 * correct / total
        if self.smooth == "exp":
            precisions = np.where(zero, 100.0 / (2.0 ** np.cumsum(zero, axis=-1) * total), precisions)
        elif self.smooth == "floor":
            precisions = np.where(zero, 100.0 * self._smooth_value / total, precisions)
        return np.where(present, precisions, 0.0), present

    @property
    def _smooth_value(self) -> float:
        default = _SMOOTH_DEFAULTS[self.smooth]
        return self.smooth_value if self.smooth_value is not None else (default or 0.0)

    def _split(self, texts: Sequence[str]) -> SplitTexts:
        return split_texts(texts, self.tokenizer, lowercase=self.lowercase)


def _closest_length(lengths: NDArray[np.int64], references: NDArray[np.int64]) -> NDArray[np.int64]:
    """The reference length closest to each output's length (the shorter if tied); -1 without a reference."""
    distance = np.where(references >= 0, np.abs(references - lengths), np.iinfo(np.int64).max)
    tied = np.where(distance == distance.min(axis=0), references, np.iinfo(np.int64).max)
    closest: NDArray[np.int64] = tied.min(axis=0)
    return closest


def _brevity_penalty(length: Floats, reference_length: Floats) -> Floats:
    short = length < reference_length
    ratio = np.divide(reference_length, length, out=np.full_like(length, np.inf), where=length > 0)
    return _exp(np.where(short, 1 - ratio, 0.0))


# NumPy's log, exp and sum may differ from Python's in the last digit. Printed scores use Python's, so that
# they equal sacreBLEU's. The thousands of resamples, where only the order matters, use NumPy's.
_MANY = 10_000


def _log(values: Floats) -> Floats:
    if values.size > _MANY:
        with np.errstate(divide="ignore"):
            return np.maximum(np.log(values), _LOG_OF_ZERO)
    logs = [math.log(value) if value else _LOG_OF_ZERO for value in values.ravel().tolist()]
    return np.array(logs).reshape(values.shape)


_LOG_OF_ZERO = -9999999999.0


def _exp(values: Floats) -> Floats:
    if values.size > _MANY:
        return np.exp(values)
    return np.array([math.exp(value) for value in values.ravel().tolist()]).reshape(values.shape)


def _sum_rows(values: Floats) -> Floats:
    if values.size > _MANY:
        return np.asarray(values.sum(axis=-1))
    rows = values.reshape(-1, values.shape[-1]).tolist()
    return np.array([sum(row) for row in rows]).reshape(values.shape[:-1])
