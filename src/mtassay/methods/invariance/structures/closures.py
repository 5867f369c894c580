"""Word closures: the words of two sources and their two outputs that belong together.

Xie, Jin, Chen, Cheung 2024, "Word Closure-Based Metamorphic Testing for Machine Translation". Words of a
source and its output are linked by a word aligner, words of the two sources where they are the same word in
the same place; all that is linked, however indirectly, is one closure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mtassay.core import Edit
from mtassay.methods.invariance.structures.place import Groups, SideBySide
from mtassay.methods.invariance.structures.words import Words
from mtassay.tools.align.aligner import Links

__all__ = ["Closure", "Difference", "Linked", "content_differences", "find_closures"]


_EDIT = -1


class Linked(NamedTuple):
    """One source and its output: the words of the source, how many the output has, and their links."""

    source: Words
    size: int
    links: Links


@dataclass(slots=True)
class Closure:
    """The numbers of the output words, in order. `edited` if the edited word belongs to it.

    The words that no link reaches are together in one closure, which is `loose`.
    """

    original: list[int] = field(default_factory=list)
    variant: list[int] = field(default_factory=list)
    edited: bool = False
    loose: bool = False


def find_closures(original: Linked, variant: Linked, edit: Edit) -> list[Closure]:
    """All closures with output words, in the order of these; those of the original first."""
    names = _names(original.source, edit.start, edit.end, 0)
    moved = len(edit.after) - len(edit.before)
    other_names = _names(variant.source, edit.start, edit.start + len(edit.after), moved)
    shared = set(names) & set(other_names)
    groups = Groups()
    linked: set[tuple[str, int]] = set()
    for side, source_names, links in (
        ("original", names, original.links),
        ("variant", other_names, variant.links),
    ):
        for source, target in sorted(links):
            name = source_names[source] if source_names[source] in shared else _EDIT
            groups.join(("source", name), (side, target))
            linked.add((side, target))
    edited = groups.find(("source", _EDIT))
    closures: dict[object, Closure] = {}
    for side, size in (("original", original.size), ("variant", variant.size)):
        for number in range(size):
            loose = (side, number) not in linked
            group = None if loose else groups.find((side, number))
            closure = closures.setdefault(group, Closure(edited=group == edited, loose=loose))
            (closure.original if side == "original" else closure.variant).append(number)
    return list(closures.values())


def _names(words: Words, start: int, end: int, moved: int) -> list[int]:
    """Where each source word begins in the original; the edited ones share a name.

    A word behind the edit begins `moved` characters later in this source than in the original.
    """
    names = []
    for word in words:
        if word.end <= start:
            names.append(word.start)
        elif word.start >= end:
            names.append(word.start - moved)
        else:
            names.append(_EDIT)
    return names


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
