"""Fragments that say the same in other words, told by the sentence encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mtassay.tools.encoder import Encoder, unit

__all__ = ["LANGUAGES", "SIMILAR", "Paraphrase"]

LANGUAGES = frozenset(
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
"""Those that the encoder has learned, as normal codes."""

SIMILAR = 0.75
"""The cosine from which two fragments say the same."""


@dataclass(frozen=True)
class Paraphrase:
    """An encoder, with the name of its release, and the cosine that is enough."""

    encoder: Encoder
    release: str
    similar: float = SIMILAR

    @property
    def signature(self) -> str:
        """Which encoder, and from which cosine on."""
        return f"{self.release}>={self.similar:g}"

    def same(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Whether the two fragments of each pair say the same, in order. Each text is encoded once."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        if not texts:
            return []
        vectors = unit(self.encoder(texts))
        numbers = {text: number for number, text in enumerate(texts)}
        return [float(vectors[numbers[a]] @ vectors[numbers[b]]) >= self.similar for a, b in pairs]
