"""Finds whether a translation has an edit: it is found, provably ignored, or unknown.

If an edit is not found, nothing is proven, since it may be translated by other words. An old word that is
still there proves nothing either if the edit may be a synonym, as edits by language models often are.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mtassay.data.nouns import Edit
from mtassay.methods.behavior.infiller import Distinct
from mtassay.nlp.normalisation import Normaliser
from mtassay.nlp.numbers import NumbersOf, read_numbers
from mtassay.nlp.numerals import canonical_number

LEAST_LETTERS, LEAST_CHARACTERS = 3, 2
"""Shorter words prove nothing, and neither do single characters of a script without spaces."""


class EditedPair(NamedTuple):
    """An edit: the changes of the source and the reference, and both references.

    `distinct` says whether the new words are known to differ in meaning from the old words. `source` and
    `target` are language codes.
    """

    changes: Sequence[Edit]
    reference_changes: Sequence[Edit]
    references: tuple[str, str]
    distinct: Distinct = Distinct(False, False)
    source: str = ""
    target: str = ""


def is_ignored(edit: EditedPair, output: str, edited_output: str) -> bool:
    """Whether the translation of the edited source provably lacks the edit.

    The outputs are the translations of both sources. The edit is ignored if both outputs have the same words.
    It is also ignored if the old number, name or word is as frequent as before and the new one is missing.

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
    """Whether a name is unchanged in the other language, so that no other words for it can be right."""
    words = words_of(change.after)
    if not any(character.isupper() for character in change.after) or words == words_of(change.before):
        return False
    return any(words == words_of(other.after) for other in others)


def _keeps_value(change: Edit, edit: EditedPair, output: str, edited_output: str) -> bool:
    """Whether an old number or currency sign is still there and the new one is missing in all usual forms."""
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
    """Whether the old words are as frequent as before and no form of a new word is there."""
    old, new = _differing(words_of(change.before), words_of(change.after))
    if not old or not new or not _is_telling(old):
        return False
    times = _times(old, second)
    if not times >= _times(old, first) > 0 or times <= _times(old, expected):
        return False
    # A new word that the translation of the original has equally often translates something else.
    return not any(_times([word], second) > _times([word], first) for word in new)


_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@lru_cache(maxsize=1 << 14)
def _values(text: str, language: str) -> Counter[str]:
    """Numbers and currency signs; number words become digits if we know the number words of the language."""
    values: Counter[str] = Counter()
    for token in _normaliser(language).tokens(text):
        if token.text[0].isdecimal() or unicodedata.category(token.text[0]) == "Sc":
            values[token.text] += 1
            # In "31 mil", only the 31 may have been edited.
            figure = _FIGURE.match(text, token.start, token.end)
            value = canonical_number(figure.group(), language=language) if figure else None
            if value is not None and value != token.text:
                values[value] += 1
    return values


@lru_cache
def _normaliser(language: str) -> Normaliser:
    return Normaliser(language=language)


def _differing(old: Sequence[str], new: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Remove the words that both texts share at the beginning or end.

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
    """Count how often these words occur; a single word counts in any of its forms."""
    if len(words) == 1 and not is_unspaced(words[0]):
        return sum(word == words[0] or are_forms(word, words[0]) for word in text)
    return count_in_a_row(words, text)


# Characters of scripts without spaces are words of their own.
_UNSPACED = "⺀-鿿豈-﫿぀-ヿ฀-๿"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_UNSPACED_WORD = re.compile(f"[{_UNSPACED}]")
_GROUPED = re.compile(r"(?<=\d)，(?=\d{3}(?!\d))")  # 3，789: Chinese punctuation in numbers
_PARTICLES = frozenset("的了着地得们個个是在")
STEM = 4
"""Two words with at least this many equal first letters can be forms of one word."""
SHARE = 0.7
"""The share of the shorter word that the equal first letters must cover."""
ENDING = 4
"""Largest difference in length (letters) between two forms of a word."""
SMALL = 2
"""Numbers of at most this many digits are often written as words."""
CHARACTERS = 2 / 3
"""In a script without spaces, words are found if this share of their characters is close together."""


def find_edit(
    changes: Sequence[Edit], pseudo_reference: str, output: str, *, original_output: str = ""
) -> bool | None:
    """Whether an output has the edit; `changes` are the changes of the reference. `None` if unknown.

    Numbers count in every usual form, and words in every form of the same stem. If words were deleted, none
    of them may be left. A word that is equally frequent in `original_output`, the translation before the
    edit, proves nothing; determiners and prepositions are in most sentences.

    >>> edit = [Edit(2, 6, "gato", "cachorro")]
    >>> [find_edit(edit, "O cachorro dorme", text) for text in ("Dormem os cachorros", "O cão dorme")]
    [True, None]
    >>> find_edit([Edit(0, 1, "3", "1500")], "1500 casas", "Há 150 casas")
    False
    """
    answers = [_find(change, pseudo_reference, output, original_output) for change in changes]
    if False in answers:
        return False
    return None if None in answers or not answers else True


@lru_cache(maxsize=1 << 14)
def words_of(text: str) -> tuple[str, ...]:
    """Split a text into lower-case words, without marks; in unspaced scripts, into single characters.

    >>> words_of("Ａ Casa-Grande 很大")
    ('a', 'casa', 'grande', '很', '大')
    """
    return tuple(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def is_unspaced(word: str) -> bool:
    """Whether a word is a character of a script without spaces between words."""
    return _UNSPACED_WORD.fullmatch(word) is not None


def _find(change: Edit, pseudo_reference: str, output: str, original_output: str) -> bool | None:
    edit_words, output_words, earlier = map(words_of, (change.after, output, original_output))
    if not edit_words:
        gone = words_of(change.before)
        left = count_in_a_row(gone, output_words) > count_in_a_row(gone, words_of(pseudo_reference))
        return None if not gone else not left
    if read_numbers(change.after):
        return _find_numbers(change.after, pseudo_reference, output)
    elsewhere = count_in_a_row(edit_words, words_of(pseudo_reference)) - 1
    times = count_in_a_row(edit_words, output_words)
    if times > max(elsewhere, count_in_a_row(edit_words, earlier), 0):
        return True
    if times or _has_forms(edit_words, earlier):  # It may be another occurrence of the same word.
        return None
    return True if _has_forms(edit_words, output_words) else None


def _find_numbers(after: str, pseudo_reference: str, output: str) -> bool | None:
    """Whether the numbers are there; `None` if a small number may be written as a word."""
    output = _GROUPED.sub(",", output)
    have, expected = NumbersOf(output), NumbersOf(pseudo_reference)
    gone = [n for n in read_numbers(after) if not have.has(n, source=NumbersOf(after))]
    if not gone:
        return True
    is_large = any(len(number.digits) > SMALL for number in gone)
    return False if is_large or not all(map(expected.has, read_numbers(output))) else None


def count_in_a_row(wanted: Sequence[str], words: Sequence[str]) -> int:
    """Count how often these words come in a row."""
    size, row, among = len(wanted), tuple(wanted), tuple(words)
    return sum(among[i : i + size] == row for i in range(len(among) - size + 1)) if size else 0


def _has_forms(edit_words: Sequence[str], output_words: Sequence[str]) -> bool:
    characters = [word for word in edit_words if is_unspaced(word)]
    if characters:
        return _has_characters([c for c in characters if c not in _PARTICLES], output_words)
    content = [word for word in edit_words if len(word) >= STEM]
    return bool(content) and all(any(are_forms(word, other) for other in output_words) for word in content)


def _has_characters(characters: Sequence[str], output_words: Sequence[str]) -> bool:
    """Whether most of these characters are close together."""
    if len(characters) < 2:
        return False
    need, size = Counter(characters), len(characters) + 2
    enough = CHARACTERS * len(characters)
    near: Counter[str] = Counter()  # counts among the last `size` words
    common = 0
    for place, word in enumerate(output_words):
        if word in need:
            near[word] += 1
            common += near[word] <= need[word]
        if place >= size and (gone := output_words[place - size]) in need:
            common -= near[gone] <= need[gone]
            near[gone] -= 1
        if common >= enough:
            return True
    return False


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
