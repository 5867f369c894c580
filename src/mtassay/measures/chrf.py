"""chrF and chrF++ (Popović 2015, 2017): F-score of character n-grams (and word n-grams)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.metric import Floats, Metric, measure_in_chunks
from mtassay.measures.ngrams import LONGEST, Matcher, Symbols, WordNumbers, encode_characters, renumber
from mtassay.measures.tokenizers import SplitTexts, reference_streams, sacre_signature

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(frozen=True, kw_only=True)
class ChrF(Metric):
    """chrF with sacreBLEU's settings; `word_order=2` is chrF++."""

    name: ClassVar[str] = "chrf"
    counts_empty_references: ClassVar[bool] = True
    batch: ClassVar[int] = 2048
    shared: ClassVar[bool] = True

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        if not (1 <= self.char_order <= LONGEST and 0 <= self.word_order <= LONGEST and self.beta >= 1):
            bounds = f"char_order must be from 1 to {LONGEST}, word_order from 0 to {LONGEST}"
            raise UsageError(f"chrF: {bounds}, beta 1 or more.")

    @property
    def label(self) -> str:
        return f"chrF{self.beta}" + "+" * self.word_order

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        settings = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": not self.eps_smoothing,
            "nc": self.char_order,
            "nw": self.word_order,
            "space": self.whitespace,
        }
        return sacre_signature(segments, settings, extra=extra)

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        orders = [f"char{n}" for n in range(1, self.char_order + 1)]
        orders += [f"word{n}" for n in range(1, self.word_order + 1)]
        columns = [f"{kind}_{order}" for order in orders for kind in ("output", "reference", "match")]
        return measure_in_chunks(self, columns, segments, outputs, self._measure_chunk)

    def _measure_chunk(
        self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]
    ) -> dict[str, NDArray[np.int32]]:
        streams = reference_streams(segments)
        references = [self._prepare([text or "" for text in stream]) for stream in streams]
        prepared = {name: self._prepare(texts) for name, texts in outputs.items()}
        tables = self._count_characters(references, prepared)
        if self.word_order:
            words = self._count_words(references, prepared)
            tables = {name: np.concatenate((tables[name], words[name]), axis=2) for name in outputs}
        missing = np.array([[text is None for text in stream] for stream in streams]).T
        return {name: self._best_reference(table, missing) for name, table in tables.items()}

    def _count_characters(
        self, references: list[list[str]], outputs: Mapping[str, list[str]]
    ) -> dict[str, NDArray[np.int64]]:
        """For each system, counts (segments, references, orders, 3): output, reference and common n-grams."""
        encoded = [encode_characters(texts, whitespace=self.whitespace) for texts in references]
        texts = [encode_characters(texts, whitespace=self.whitespace) for texts in outputs.values()]
        numbered = renumber([*encoded, *texts], encoded)
        split = len(encoded)
        return _count(numbered[:split], dict(zip(outputs, numbered[split:], strict=True)), self.char_order)

    def _count_words(
        self, references: list[list[str]], outputs: Mapping[str, list[str]]
    ) -> dict[str, NDArray[np.int64]]:
        """Count word n-grams in the same form."""
        split = [SplitTexts.of(list(map(_split_punctuation, texts))) for texts in references]
        vocabulary = WordNumbers(part.words for part in split)
        encoded = {
            name: vocabulary.encode(*SplitTexts.of(list(map(_split_punctuation, texts))))
            for name, texts in outputs.items()
        }
        return _count([vocabulary.encode(*part) for part in split], encoded, self.word_order)

    def _best_reference(self, table: NDArray[np.int64], missing: NDArray[np.bool_]) -> NDArray[np.int32]:
        """The statistics against each segment's best reference (the first of equals)."""
        flat = table.reshape(*table.shape[:2], -1)
        best = np.where(missing, -1.0, self.aggregate(flat)).argmax(axis=1) if flat.shape[1] > 1 else 0
        chosen: NDArray[np.int32] = flat[np.arange(len(flat)), best].astype(np.int32)
        return chosen

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """The scores (0 to 100), computed in the same steps as in sacreBLEU, so that no digit differs."""
        counts = np.asarray(sums, np.float64)
        counts = counts.reshape(*counts.shape[:-1], -1, 3)
        output, reference, match = counts[..., 0], counts[..., 1], counts[..., 2]
        factor = self.beta**2
        if counts.ndim > 3 and not self.eps_smoothing and output.all() and reference.all():
            # The same without the special cases, for the many resamples that have none.
            orders = counts.shape[-2]
            mean_precision = sum(match[..., n] / output[..., n] for n in range(orders)) / orders
            mean_recall = sum(match[..., n] / reference[..., n] for n in range(orders)) / orders
            score = 100 * (1 + factor) * mean_precision * mean_recall
            return np.array(score / np.maximum(factor * mean_precision + mean_recall, 1e-300))
        precision = np.divide(match, output, out=np.full_like(match, 1e-16), where=output > 0)
        recall = np.divide(match, reference, out=np.full_like(match, 1e-16), where=reference > 0)
        if self.eps_smoothing:
            denominator = factor * precision + recall
            f_scores = np.full_like(match, 1e-16)
            np.divide((1 + factor) * precision * recall, denominator, out=f_scores, where=denominator > 0)
            return np.array(100 * _sum_in_order(f_scores) / output.shape[-1])
        effective = (output > 0) & (reference > 0)
        orders = np.maximum(effective.sum(axis=-1), 1)
        mean_precision = _sum_in_order(np.where(effective, precision, 0.0)) / orders
        mean_recall = _sum_in_order(np.where(effective, recall, 0.0)) / orders
        some = mean_precision + mean_recall > 0
        score = (1 + factor) * mean_precision * mean_recall
        scores = np.zeros_like(score)
        np.divide(score, factor * mean_precision + mean_recall, out=scores, where=some)
        return np.array(100 * scores)

    def _prepare(self, texts: Sequence[str]) -> list[str]:
        return [text.lower() for text in texts] if self.lowercase else list(texts)


def _count(
    references: list[Symbols], outputs: Mapping[str, Symbols], order: int
) -> dict[str, NDArray[np.int64]]:
    matcher = Matcher(references, order=order, pooled=False)
    shorter = np.arange(order)
    in_references = np.stack(
        [np.maximum(reference.lengths[:, None] - shorter, 0) for reference in references], axis=1
    )
    tables = {}
    for name, output in outputs.items():
        in_output = np.maximum(output.lengths[:, None, None] - shorter, 0)
        # If the reference is too short for an order, this order does not count.
        in_output = np.where(in_references > 0, in_output, 0)
        tables[name] = np.stack((in_output, in_references, matcher.count(output)), axis=-1)
    return tables


def _split_punctuation(text: str) -> list[str]:
    """Split one punctuation mark off words, at the end or else at the start, as in chrF++."""
    words: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            words += (word[:-1], word[-1])
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            words += (word[0], word[1:])
        else:
            words.append(word)
    return words


def _sum_in_order(values: Floats) -> Floats:
    """Sum the last axis from left to right, as a loop does."""
    total = np.zeros(values.shape[:-1])
    for i in range(values.shape[-1]):
        total = total + values[..., i]
    return total
