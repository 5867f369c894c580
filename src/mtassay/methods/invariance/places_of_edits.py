"""Which words of two outputs are the same, and where the edit shows in them.

Where a new noun is feminine, its article and adjectives rightly become so (`o belo` to `a bela`). Lemmas
tell, but a lemmatiser errs on rare words; so equal forms, and forms that differ in their ending and in gender
or number alone, are the same word too.

The place of the edit is the one that may differ without any harm. No aligner is asked. The two outputs are
laid side by side, word by word, and of the stretches that differ the one is taken that has a word of the
edited word's part of speech and lies where the edit does.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import product
from typing import NamedTuple

from mtassay.data.words import common_ends
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.nlp.annotation import Token, Words, words_of_both


class Stretch(NamedTuple):
    """Some words of the original's output, and those of the variant's that stand in their place."""

    original: range
    variant: range

    def taken_from(self, other: Stretch) -> list[Stretch]:
        """What remains of another stretch, before and after this one, without it; nothing that is empty.

        >>> for rest in Stretch(range(2, 3), range(2, 3)).taken_from(Stretch(range(1, 3), range(2, 5))):
        ...     print(*rest)
        range(1, 2) range(2, 2)
        range(3, 3) range(3, 5)
        """
        before, after = _take(self.original, other.original), _take(self.variant, other.variant)
        rests = [Stretch(one, two) for one, two in zip(before, after, strict=True)]
        return [rest for rest in rests if rest.original or rest.variant]


def align(
    keys: Sequence[Hashable], other_keys: Sequence[Hashable]
) -> tuple[list[tuple[int, int]], list[Stretch]]:
    """The items that two sequences share, in the same order, as pairs of numbers, and what lies between."""
    start, end = common_ends(keys, other_keys)
    last, other_last = len(keys) - end, len(other_keys) - end
    pairs = [(number, number) for number in range(start)]
    changed = []
    matcher = SequenceMatcher(None, keys[start:last], other_keys[start:other_last], autojunk=False)
    for kind, first, until, other_first, other_until in matcher.get_opcodes():
        one = range(start + first, start + until)
        other = range(start + other_first, start + other_until)
        if kind == "equal":
            pairs.extend(zip(one, other, strict=True))
        else:
            changed.append(Stretch(one, other))
    pairs.extend((last + number, other_last + number) for number in range(end))
    return pairs, changed


def _take(place: range, stretch: range) -> tuple[range, range]:
    """The parts of a stretch before and after a place; all of it is before a place that lies elsewhere."""
    first, last = max(place.start, stretch.start), min(place.stop, stretch.stop)
    if first >= last:
        return stretch, range(stretch.stop, stretch.stop)
    return range(stretch.start, first), range(last, stretch.stop)


def quote(text: str, words: Words, numbers: Sequence[int]) -> str:
    """The text from the first to the last of some words, in quotation marks."""
    return f'"{text[words[numbers[0]].start : words[numbers[-1]].end]}"'


def changed_wording(
    text: str, words: Words, other_text: str, others: Words, changed: Iterable[Stretch]
) -> list[str]:
    """One line for each stretch that differs, longest first.

    >>> from mtassay.nlp.annotation import Token
    >>> here, there = [Token("now", 0, 3)], [Token("then", 0, 4)]
    >>> changed_wording("now", here, "then", there, [Stretch(range(1), range(1))])
    ['"now" became "then"']
    """
    lines = []
    for one, other in sorted(changed, key=lambda stretch: -len(stretch.original) - len(stretch.variant)):
        if not other:
            lines.append(f"gone: {quote(text, words, one)}")
        elif not one:
            lines.append(f"new: {quote(other_text, others, other)}")
        else:
            lines.append(f"{quote(text, words, one)} became {quote(other_text, others, other)}")
    return lines


def gone_and_new(
    text: str, words: Words, gone: Iterable[int], other_text: str, others: Words, new: Iterable[int]
) -> list[str]:
    """One line for each unbroken run of words that are gone, then of those that are new; long ones first."""
    lines = [f"gone: {quote(text, words, run)}" for run in _runs(gone)]
    return lines + [f"new: {quote(other_text, others, run)}" for run in _runs(new)]


def _runs(numbers: Iterable[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return sorted(runs, key=len, reverse=True)


def universal(relation: str) -> str:
    """A relation without its subtype, which parsers give in one sentence and leave out in the next.

    >>> universal("obl:agent")
    'obl'
    """
    return relation.partition(":")[0]


def head_name(words: Words, number: int) -> str:
    """What a word hangs on, in quotation marks."""
    head = words[number].head
    return f'"{words[head].text}"' if head >= 0 else "the root"


_AGREEMENT = ("Gender", "Number")
# Closed classes have homographs (Portuguese `a`: to, the, her) that only the part of speech tells apart.
_CLOSED = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"}
_NOUNS = {"NOUN", "PROPN"}
_LONGEST_ENDING = 3


def word_keys(original: Words, variant: Words) -> tuple[list[Hashable], list[Hashable]]:
    """A key for each word of the original and of the variant; the same word has the same key.

    >>> words = [Token("o", 0, 1, "o", "DET"), Token("gato", 2, 6, "gato", "NOUN")]
    >>> others = [Token("os", 0, 2, "o", "DET"), Token("cães", 3, 7, "cão", "NOUN")]
    >>> keys, other_keys = word_keys(words, others)
    >>> keys[0] == other_keys[0], keys[1] == other_keys[1]
    (True, False)
    """
    groups = Groups()
    for token in (*original, *variant):
        form, kind = _form(token)
        # Of a contraction (`no` = `em o`) the first part tells, so that its article may come and go.
        lemma = token.lemma.lower().split(" ")[0] or form
        groups.join((form, kind), (lemma, kind))
    before = [groups.find(_form(token)) for token in original]
    after = [groups.find(_form(token)) for token in variant]
    original_keys, variant_keys = set(before), set(after)
    gone = [token for token, key in zip(original, before, strict=True) if key not in variant_keys]
    new = [token for token, key in zip(variant, after, strict=True) if key not in original_keys]
    joined = [(one, other) for one in gone for other in new if _related(one, other)]
    for one, other in joined:
        groups.join(_form(one), _form(other))
    if joined:
        before = [groups.find(key) for key in before]
        after = [groups.find(key) for key in after]
    return before, after


def agree(one: Token, other: Token) -> bool:
    """Whether two forms of one word differ in gender or number, and in nothing else."""
    return one.features != other.features and _rest(one) == _rest(other)


def _form(token: Token) -> tuple[str, str]:
    return token.text.lower(), token.pos if token.pos in _CLOSED else ""


def _rest(token: Token) -> dict[str, str]:
    return {name: value for name, value in token.features.items() if name not in _AGREEMENT}


def _related(one: Token, other: Token) -> bool:
    """Whether two words without a counterpart are one; a noun keeps its gender, so two nouns never are."""
    first, second = one.text.lower(), other.text.lower()
    if first == second:  # a homograph, or the tagger's mistake
        return True
    if {one.pos, other.pos} <= _NOUNS or not agree(one, other):
        return False
    shared = common_ends(first, second)[0]
    longest = max(len(first), len(second))
    return 2 * shared > longest and longest - shared <= _LONGEST_ENDING


LONGEST = 3
"""How many words the translation of the edited word has at most, on each side."""

# How little a word is like a translation of the edited one: it has its part of speech, or that of another
# content word, or it is a function word.
_FITS, _ODD, _STRANGE = range(3)
_APART = {"ADV", "INTJ", "NUM"}
_FUNCTION = {"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "PUNCT", "SCONJ"}


class SideBySide(NamedTuple):
    """The words of two outputs.

    `keys` and `other_keys` are equal for the same word. `pairs` are the words that are the same and in the
    same order, as numbers in the original and in the variant; `changed` is what lies between them. `place` is
    where the edit shows; it has words on both sides, or on none where one side has no trace of the edit.
    """

    original: Words
    variant: Words
    keys: Sequence[Hashable]
    other_keys: Sequence[Hashable]
    pairs: Sequence[tuple[int, int]]
    changed: Sequence[Stretch]
    place: Stretch

    @property
    def elsewhere(self) -> list[Stretch]:
        """The stretches that differ, without the place of the edit."""
        return [rest for stretch in self.changed for rest in self.place.taken_from(stretch)]

    @property
    def replaced(self) -> dict[int, int]:
        """For words of the variant the word of the original that each stands for, outside the place.

        Both have the same part of speech, and are in the same stretch and order.
        """
        counterparts = {}
        for one, other in self.elsewhere:
            pairs, _ = align([self.original[n].pos for n in one], [self.variant[n].pos for n in other])
            counterparts.update({other[after]: one[before] for before, after in pairs})
        return counterparts

    @property
    def alike(self) -> bool:
        """Whether all else is the same, word by word.

        The structure is the same then, and what a parser reads otherwise is an error of its own.
        """
        return not self.elsewhere


def compare_words(compared: ComparedPair) -> SideBySide:
    """Lay two outputs side by side."""
    original, variant = words_of_both(compared.original.output, compared.variant.output)
    keys, other_keys = word_keys(original, variant)
    pairs, changed = align(keys, other_keys)
    share = (compared.edit.start + compared.edit.end) / 2 / max(1, len(compared.original.source.text))
    place = _find_place(original, variant, changed, compared.edit.pos, share)
    return SideBySide(original, variant, keys, other_keys, pairs, changed, place)


def _find_place(
    original: Words, variant: Words, changed: Sequence[Stretch], pos: str, share: float
) -> Stretch:
    """The best pair of candidates. An adjective may change sides (`velho carro` to `carro novo`), so its two
    translations need not be of one stretch."""
    before = [candidate for stretch in changed for candidate in _candidates(original, stretch.original, pos)]
    after = [candidate for stretch in changed for candidate in _candidates(variant, stretch.variant, pos)]

    def badness(pair: tuple[_Candidate, _Candidate]) -> tuple[int, float]:
        one, other = pair
        apart = abs(one.share - share) + abs(other.share - share) + 2 * abs(one.share - other.share)
        return one.oddness + other.oddness, apart

    one, other = min(product(before, after), key=badness, default=(_NOWHERE, _NOWHERE))
    if one.oddness + other.oddness > _STRANGE:
        return Stretch(range(0), range(0))
    return _trim(original, variant, Stretch(one.words, other.words), pos)


def _trim(original: Words, variant: Words, place: Stretch, pos: str) -> Stretch:
    """Without words at its ends that are odder than the best, on both sides: of `na casa` and `não carro`,
    only the nouns may differ. An adverb or a number goes even if the other side has nothing of the kind."""
    one, other = place
    odd = {number: _oddness(original[number].pos, pos) for number in one}
    other_odd = {number: _oddness(variant[number].pos, pos) for number in other}
    best, other_best = min(odd.values()), min(other_odd.values())
    for end, rest in ((0, slice(1, None)), (-1, slice(0, -1))):
        while odd[one[end]] > best and other_odd[other[end]] > other_best:
            one, other = one[rest], other[rest]
        while odd[one[end]] > best and original[one[end]].pos in _APART:
            one = one[rest]
        while other_odd[other[end]] > other_best and variant[other[end]].pos in _APART:
            other = other[rest]
    return Stretch(one, other)


class _Candidate(NamedTuple):
    """Words that may be the place on their side; `share` is how much of the text lies before their middle."""

    words: range
    oddness: int
    share: float


_NOWHERE = _Candidate(range(0), _STRANGE, 0)


def _candidates(words: Words, stretch: range, pos: str) -> list[_Candidate]:
    """A short stretch as a whole; of a long one each word that has the right part of speech."""
    if not stretch:
        return []
    short = len(stretch) <= LONGEST
    parts = [stretch] if short else [range(number, number + 1) for number in stretch]
    total = words[-1].end or 1
    candidates = []
    for part in parts:
        oddness = min(_oddness(words[number].pos, pos) for number in part)
        middle = (words[part[0]].start + words[part[-1]].end) / 2
        if short or oddness == _FITS:
            candidates.append(_Candidate(part, oddness, middle / total))
    return candidates


def _oddness(pos: str, wanted: str) -> int:
    if pos == wanted or not wanted or not pos or {pos, wanted} <= _NOUNS:
        return _FITS
    return _STRANGE if pos in _FUNCTION else _ODD


class Groups:
    """Each thing is alone until it is joined with another.

    >>> groups = Groups()
    >>> groups.join("a", "b"), groups.join("c", "b")
    (None, None)
    >>> groups.find("a") == groups.find("c"), groups.find("a") == groups.find("d")
    (True, False)
    """

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def find(self, member: Hashable) -> Hashable:
        """The member that stands for the group of a thing."""
        above = self._above.get(member, member)
        while above != member:
            member, above = above, self._above.get(above, above)
        return member

    def join(self, one: Hashable, other: Hashable) -> None:
        """Make two groups one."""
        one, other = self.find(one), self.find(other)
        if one != other:
            self._above[other] = one
