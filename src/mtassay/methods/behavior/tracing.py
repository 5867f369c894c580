"""Finds the edit again: is the translation of the edited segment in the translation of the edited source?

Answers are yes, no, or unknown: what cannot be found may have been said in other words. The sentence encoder
can look for the stretch that is nearest to it in meaning.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mtassay.core import Edit
from mtassay.texts.numbers import NumbersOf, read_numbers
from mtassay.tools.encoder import Encoder, Vectors, is_installed, open_encoder, unit

__all__ = [
    "FOUND",
    "NOT_FOUND",
    "Sought",
    "are_forms",
    "count_in_a_row",
    "find_by_meaning",
    "find_edit",
    "is_unspaced",
    "nearest",
    "words_of",
]

# Characters of scripts without spaces are words of their own.
_UNSPACED = "⺀-鿿豈-﫿぀-ヿ฀-๿"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_UNSPACED_WORD = re.compile(f"[{_UNSPACED}]")
_GROUPED = re.compile(r"(?<=\d)，(?=\d{3}(?!\d))")  # 3，789 by systems that write Chinese marks everywhere
_PARTICLES = frozenset("的了着地得们個个是在")
STEM = 4
"""Two words of at least this many equal first letters can be forms of one word."""
SHARE = 0.7
"""How much of the shorter word these must be."""
ENDING = 4
"""How many letters longer one of the two may be."""
SMALL = 2
"""Numbers of at most this many digits are often written as words."""
CHARACTERS = 2 / 3
"""In a script without spaces: this share of the characters, close together, is the same segment."""


def find_edit(changes: Sequence[Edit], pseudo_reference: str, output: str) -> bool | None:
    """Whether an output has the edit; `changes` are those of the reference. `None`: nobody can say.

    Numbers count in every usual form, words in every form of the same stem. Of a segment that was deleted,
    nothing may be left.

    >>> edit = [Edit(2, 6, "gato", "cachorro")]
    >>> [find_edit(edit, "O cachorro dorme", text) for text in ("Dormem os cachorros", "O cão dorme")]
    [True, None]
    >>> find_edit([Edit(0, 1, "3", "1500")], "1500 casas", "Há 150 casas")
    False
    """
    found = [_find(change, pseudo_reference, output) for change in changes]
    if False in found:
        return False
    return None if None in found or not found else True


def words_of(text: str) -> list[str]:
    """The words in lower case, without marks; characters of scripts without spaces one by one.

    >>> words_of("Ａ Casa-Grande 很大")
    ['a', 'casa', 'grande', '很', '大']
    """
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def is_unspaced(word: str) -> bool:
    """Whether a word is a character of a script that puts no spaces between words."""
    return _UNSPACED_WORD.fullmatch(word) is not None


def _find(change: Edit, pseudo_reference: str, output: str) -> bool | None:
    wanted, given = words_of(change.after), words_of(output)
    if not wanted:
        gone = words_of(change.before)
        left = count_in_a_row(gone, given) > count_in_a_row(gone, words_of(pseudo_reference))
        return None if not gone else not left
    if read_numbers(change.after):
        return _find_numbers(change.after, pseudo_reference, output)
    elsewhere = count_in_a_row(wanted, words_of(pseudo_reference)) - 1
    times = count_in_a_row(wanted, given)
    if times > max(elsewhere, 0):
        return True
    if times:  # It may be another one of the same words.
        return None
    return True if _has_forms(wanted, given) else None


def _find_numbers(after: str, pseudo_reference: str, output: str) -> bool | None:
    """A small number may stand there as a word, unless there is another number in its place."""
    output = _GROUPED.sub(",", output)
    have, expected = NumbersOf(output), NumbersOf(pseudo_reference)
    gone = [n for n in read_numbers(after) if not have.has(n, source=NumbersOf(after))]
    if not gone:
        return True
    is_large = any(len(number.digits) > SMALL for number in gone)
    return False if is_large or not all(map(expected.has, read_numbers(output))) else None


def count_in_a_row(wanted: Sequence[str], words: Sequence[str]) -> int:
    """How often these words stand in a row."""
    size, row = len(wanted), list(wanted)
    return sum(words[i : i + size] == row for i in range(len(words) - size + 1)) if size else 0


def _has_forms(wanted: Sequence[str], given: Sequence[str]) -> bool:
    characters = [word for word in wanted if is_unspaced(word)]
    if characters:
        return _has_characters([c for c in characters if c not in _PARTICLES], given)
    content = [word for word in wanted if len(word) >= STEM]
    return bool(content) and all(any(are_forms(word, other) for other in given) for word in content)


def _has_characters(wanted: Sequence[str], given: Sequence[str]) -> bool:
    """Whether most of these characters stand close together."""
    if len(wanted) < 2:
        return False
    need, size = Counter(wanted), len(wanted) + 2
    enough = CHARACTERS * len(wanted)
    return any(
        (need & Counter(given[i : i + size])).total() >= enough for i in range(max(1, len(given) - size + 1))
    )


def are_forms(word: str, other: str) -> bool:
    """Whether two words can be forms of one, by their first letters.

    >>> are_forms("gato", "gatos"), are_forms("gato", "galo")
    (True, False)
    """
    shorter = min(len(word), len(other))
    same = 0
    while same < shorter and word[same] == other[same]:
        same += 1
    return same >= max(STEM, SHARE * shorter) and max(len(word), len(other)) - same <= ENDING


FOUND, NOT_FOUND = 0.75, 0.4
"""From this cosine on a stretch means the same as the edit; below the other, nothing does."""
_WIDER = (0, 1)
"""How many words more than the edit a stretch may have."""


class Sought(NamedTuple):
    """The changes of a reference, to be found in an output."""

    changes: Sequence[Edit]
    output: str


def find_by_meaning(sought: Sequence[Sought], *, encoder: Encoder | None = None) -> list[bool | None]:
    """For each, whether the output says what every change says; `None` where nobody can tell.

    All unknown without the encoder's package. Deleted segments cannot be found.
    """
    if encoder is None:
        if not is_installed():
            return [None] * len(sought)
        encoder = open_encoder()
    return [_answer(values) for values in nearest(sought, encoder)]


def nearest(sought: Sequence[Sought], encoder: Encoder) -> list[list[float]]:
    """For each change, the cosine of the stretch of the output that is nearest to it; none for a deletion."""
    rows = [
        [(change.after.strip(), _stretches(change.after, each.output)) for change in each.changes]
        for each in sought
    ]
    texts = list(dict.fromkeys(t for row in rows for after, places in row if after for t in (after, *places)))
    vectors = _Vectors(texts, encoder)
    return [[vectors.nearest(after, places) for after, places in row if after] for row in rows]


class _Vectors:
    def __init__(self, texts: Sequence[str], encoder: Encoder) -> None:
        self._row = {text: number for number, text in enumerate(texts)}
        self._vectors: Vectors = unit(encoder(texts)) if texts else np.empty((0, 1), np.float32)

    def nearest(self, text: str, others: Sequence[str]) -> float:
        if not others:
            return 0.0
        places = self._vectors[[self._row[other] for other in others]]
        return float((places @ self._vectors[self._row[text]]).max())


def _stretches(wanted: str, output: str) -> list[str]:
    """All stretches of the output that have as many words as the edit, or one more."""
    words = words_of(output)
    count = len(words_of(wanted))
    mark = "" if any(is_unspaced(word) for word in words) else " "
    sizes = {min(count + wider, len(words)) for wider in _WIDER} - {0}
    return list(
        dict.fromkeys(mark.join(words[i : i + size]) for size in sizes for i in range(len(words) - size + 1))
    )


def _answer(values: Sequence[float]) -> bool | None:
    if not values:
        return None
    if min(values) < NOT_FOUND:
        return False
    return True if min(values) >= FOUND else None
