"""Which content words of two outputs have no counterpart in the closure they belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from mtassay.methods.invariance.structures.closures import Closure
from mtassay.methods.invariance.structures.place import SideBySide
from mtassay.methods.invariance.structures.words import Words

__all__ = ["Difference", "content_differences"]

# Function words follow from those they belong to, and aligners place them badly.
_FUNCTION = {"ADP", "AUX", "CCONJ", "DET", "PART", "PUNCT", "SCONJ"}


class Difference(NamedTuple):
    """Words of one closure: the numbers of those that are gone, and of those that are new."""

    gone: Sequence[int]
    new: Sequence[int]

    @property
    def size(self) -> int:
        """How many words these are."""
        return len(self.gone) + len(self.new)

    @property
    def replaced(self) -> bool:
        """Whether something new stands for what is gone."""
        return bool(self.gone and self.new)


class _Left(NamedTuple):
    """A word without a counterpart in its closure."""

    key: Hashable
    number: int
    closure: int


def content_differences(closures: Sequence[Closure], both: SideBySide) -> list[Difference]:
    """The differences of the closures, in order, but for those with the edited word.

    A word that an aligner links in one output and not in the other, or links to the edited word, is gone from
    its closure and new elsewhere; such a word is no difference. Nor is an unlinked word in the place of the
    edit, unless the edited word is linked to another place.
    """
    gone: list[_Left] = []
    new: list[_Left] = []
    for index, closure in enumerate(closures):
        here = [_Left(both.keys[number], number, index) for number in closure.original]
        there = [_Left(both.other_keys[number], number, index) for number in closure.variant]
        gone += _without(here, there)
        new += _without(there, here)
    soft = {index for index, closure in enumerate(closures) if closure.edited or closure.loose}
    for left in list(gone):
        match = next((n for n in new if n.key == left.key and {n.closure, left.closure} & soft), None)
        if match:
            gone.remove(left)
            new.remove(match)
    edited = next((closure for closure in closures if closure.edited), Closure())
    place = _unless_elsewhere(both.place.original, edited.original)
    other_place = _unless_elsewhere(both.place.variant, edited.variant)
    found = []
    for index, closure in enumerate(closures):
        numbers = _counted(gone, index, closure, both.original, place)
        others = _counted(new, index, closure, both.variant, other_place)
        if numbers or others:
            found.append(Difference(numbers, others))
    return found


def _unless_elsewhere(place: range, linked: Sequence[int]) -> range:
    """The place, unless the edited word is linked to other words alone."""
    return range(0) if linked and not any(number in place for number in linked) else place


def _counted(left: Sequence[_Left], index: int, closure: Closure, words: Words, place: range) -> list[int]:
    """The numbers of the content words left over in a closure, but for those of the edit."""
    if closure.edited:
        return []
    numbers = [word.number for word in left if word.closure == index]
    return [n for n in numbers if words[n].pos not in _FUNCTION and not (closure.loose and n in place)]


def _without(these: Sequence[_Left], others: Sequence[_Left]) -> list[_Left]:
    """Those that have no counterpart among the others."""
    matches = Counter(other.key for other in others)
    left = []
    for word in these:
        matches[word.key] -= 1
        if matches[word.key] < 0:
            left.append(word)
    return left
