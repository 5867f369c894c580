"""Word closures: the words of two sources and their two outputs that belong together.

Xie, Jin, Chen, Cheung 2024, "Word Closure-Based Metamorphic Testing for Machine Translation". Words of a
source and its output are linked by a word aligner, words of the two sources where they are the same word in
the same place; all that is linked, however indirectly, is one closure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mtassay.core import Edit
from mtassay.methods.invariance.structures.groups import Groups
from mtassay.methods.invariance.structures.words import Words
from mtassay.tools.align.nouns import Links

__all__ = ["Closure", "Linked", "find_closures"]

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
