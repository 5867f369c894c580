"""TER (Snover et al. 2006): the share of words to edit, blocks to shift included, to get the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mtassay.core import Segment, Statistics
from mtassay.metrics.base import Floats, Metric
from mtassay.metrics.edits import count_edits, fewest_edits
from mtassay.metrics.sacre import sacre_signature
from mtassay.metrics.workers import map_in_processes, process_count

COLUMNS = ("edits", "reference_length")

ENOUGH_FOR_PROCESSES = 4_000_000
"""Cells of edit distance matrices, about two seconds of one core; less is not worth starting processes."""

Pair = tuple[str, tuple[str, ...]]
"""An output and its references, tokenised, with a space between words."""


@dataclass(frozen=True, kw_only=True)
class TER(Metric):
    """TER with sacreBLEU's settings.

    `normalized` splits off punctuation, `no_punct` removes it, `asian_support` does both for Chinese and
    Japanese characters too, and without `case_sensitive` all is lower-cased first. Against several references
    the fewest edits count, and the mean of their lengths.
    """

    name: ClassVar[str] = "ter"
    higher_is_better: ClassVar[bool] = False

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    @property
    def label(self) -> str:
        return "TER"

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        settings = {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": "tercom",
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
        }
        return sacre_signature(segments, settings, extra=extra)

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        tokenize = self._tokenizer()
        # sacreBLEU tokenises references twice, and with `normalized` the second time can change them again.
        references = [
            tuple(tokenize(tokenize(text)) for text in segment.references if text is not None)
            for segment in segments
        ]
        lengths = [sum(len(text.split()) for text in texts) / len(texts) for texts in references]
        pairs = {
            system: [(tokenize(text), refs) for text, refs in zip(texts, references, strict=True)]
            for system, texts in outputs.items()
        }
        # Systems often agree on a translation, and its edits are then counted once.
        edits = _count_all(list({pair: None for of_system in pairs.values() for pair in of_system}))
        ids = [segment.id for segment in segments]
        return [
            Statistics(self.name, system, ids, COLUMNS, _table([edits[pair] for pair in of_system], lengths))
            for system, of_system in pairs.items()
        ]

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        """Edits per 100 reference words; 100 for words where the reference has none, 0 if both are empty."""
        values = np.asarray(sums, np.float64)
        edits, length = values[..., 0], values[..., 1]
        rates = np.where(edits > 0, 1.0, 0.0)
        np.divide(edits, length, out=rates, where=length > 0)
        return 100 * rates

    def _tokenizer(self) -> Callable[[str], str]:
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        tokenizer = TercomTokenizer(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )
        return lambda text: str(tokenizer(text.rstrip()))


def _table(edits: list[int], lengths: list[float]) -> Floats:
    return np.column_stack((edits, lengths)).astype(np.float64)


def _count_all(pairs: list[Pair]) -> dict[Pair, int]:
    """The edits of each pair; in several processes where there is much to do."""
    work = sum((output.count(" ") + 1) * (text.count(" ") + 1) for output, texts in pairs for text in texts)
    processes = process_count() if work >= ENOUGH_FOR_PROCESSES else 1
    return dict(zip(pairs, map_in_processes(_fewest_edits, pairs, processes=processes), strict=True))


def _fewest_edits(pair: Pair) -> int:
    """The edits against the reference that needs the fewest."""
    output, (first, *others) = pair
    words = output.split()
    fewest = count_edits(words, first.split())
    for text in others:
        reference = text.split()
        if fewest_edits(words, reference) < fewest:
            fewest = min(fewest, count_edits(words, reference))
    return fewest
