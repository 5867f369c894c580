"""Proves that a system ignored an edit: what was there before is still in its translation.

It never takes silence for proof, since an edit that is not found may have been said in other words. Nor does
an old word prove anything where the edit may be a synonym, as those of language models often are.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mtassay.core import Edit
from mtassay.methods.behavior.infill.base import Distinct
from mtassay.methods.behavior.tracing import are_forms, count_in_a_row, is_unspaced, words_of
from mtassay.metrics.nee.texts import Normaliser
from mtassay.texts.numbers import NumbersOf, read_numbers

__all__ = ["EditedPair", "is_ignored"]

LEAST_LETTERS, LEAST_CHARACTERS = 3, 2
"""Shorter words, and single characters of a script without spaces, prove nothing."""


class EditedPair(NamedTuple):
    """What was edited: the changes of the source and of the reference, and both references.

    `distinct` says whether the new words are known to mean something else than the old. `source` and `target`
    are codes of languages.
    """

    changes: Sequence[Edit]
    reference_changes: Sequence[Edit]
    references: tuple[str, str]
    distinct: Distinct = Distinct(False, False)
    source: str = ""
    target: str = ""


def is_ignored(edit: EditedPair, output: str, edited_output: str) -> bool:
    """Whether the translation of the edited source provably lacks the edit.

    The outputs are the translations of both sources. It does where they have the same words, or where the old
    number, name or word is still there as often as before and the new one is not.

    >>> changes, references = [Edit(4, 7, "cat", "dog")], ("O gato dorme", "O cão dorme")
    >>> edit = EditedPair(changes, [Edit(2, 6, "gato", "cão")], references, Distinct(True, True))
    >>> [is_ignored(edit, "O gato dormia", text) for text in ("Um gato dormia", "O cachorro dormia")]
    [True, False]
    """
    first, second = words_of(output), words_of(edited_output)
    if not first or not second:
        return False
    if first == second and words_of(edit.references[0]) != words_of(edit.references[1]):
        return edit.distinct.some or any(
            _changes_value(change, edit.source) or _is_copied(change, edit.reference_changes)
            for change in edit.changes
        )
    for change in edit.reference_changes:
        if _keeps_value(change, edit, output, edited_output):
            return True
        is_known = edit.distinct.all or _is_copied(change, edit.changes)
        if is_known and _keeps_words(change, words_of(edit.references[1]), first, second):
            return True
    return False


def _changes_value(change: Edit, language: str) -> bool:
    old, new = _values(change.before, language), _values(change.after, language)
    return bool(old - new and new - old)


def _is_copied(change: Edit, others: Sequence[Edit]) -> bool:
    """Whether a name comes in on the other side as it is, so that no other words for it can be right."""
    words = words_of(change.after)
    if not any(character.isupper() for character in change.after) or words == words_of(change.before):
        return False
    return any(words == words_of(other.after) for other in others)


def _keeps_value(change: Edit, edit: EditedPair, output: str, edited_output: str) -> bool:
    """Whether an old number or currency sign is still there and a new one is not, in any usual form."""
    old, new = _values(change.before, edit.target), _values(change.after, edit.target)
    gone, come = old - new, new - old
    if not gone or not come:
        return False
    first, second = _values(output, edit.target), _values(edited_output, edit.target)
    expected = _values(edit.references[1], edit.target)
    if not any(second[value] >= first[value] > 0 and second[value] > expected[value] for value in gone):
        return False
    have, source = NumbersOf(edited_output), NumbersOf(change.after)
    return any(not _has_value(value, second, have, source) for value in come)


def _has_value(value: str, values: Counter[str], text: NumbersOf, source: NumbersOf) -> bool:
    numbers = read_numbers(value)
    return value in values or (bool(numbers) and all(text.has(n, source=source) for n in numbers))


def _keeps_words(change: Edit, expected: Sequence[str], first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether the old words still stand as often as before, and no form of a new one does."""
    old, new = _differing(words_of(change.before), words_of(change.after))
    if not old or not new or not _is_telling(old):
        return False
    times = _times(old, second)
    if not times >= _times(old, first) > 0 or times <= _times(old, expected):
        return False
    return not any(word in second or any(are_forms(word, other) for other in second) for word in new)


@lru_cache(maxsize=1 << 14)
def _values(text: str, language: str) -> Counter[str]:
    """Numbers, those in words as digits where the language's are known, and signs of currencies."""
    words = _normaliser(language).words(text)
    return Counter(word for word in words if word[0].isdecimal() or unicodedata.category(word[0]) == "Sc")


@lru_cache
def _normaliser(language: str) -> Normaliser:
    return Normaliser(language=language)


def _differing(old: Sequence[str], new: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Both without the words that they begin or end with alike.

    >>> _differing(["a", "casa", "grande"], ["a", "rua", "grande"])
    (['casa'], ['rua'])
    """
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end], new[start : len(new) - end]


def _is_telling(words: Sequence[str]) -> bool:
    if any(map(is_unspaced, words)):
        return len(words) >= LEAST_CHARACTERS
    return max(map(len, words)) >= LEAST_LETTERS


def _times(words: Sequence[str], text: Sequence[str]) -> int:
    """How often the words stand there; a single one in any of its forms."""
    if len(words) == 1 and not is_unspaced(words[0]):
        return sum(word == words[0] or are_forms(word, words[0]) for word in text)
    return count_in_a_row(words, text)
