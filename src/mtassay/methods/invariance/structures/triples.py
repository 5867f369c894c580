"""The output as labelled triples: which word hangs on which, by which relation.

The order of words plays no part, so a phrase that moves to another place costs nothing as long as it modifies
the same word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from mtassay.detectors.answers import ComparedPair
from mtassay.methods.invariance.structures.base import Structure
from mtassay.methods.invariance.structures.place import SideBySide, compare_words
from mtassay.methods.invariance.structures.words import gone_and_new, head_name, universal
from mtassay.tools.annotate.annotation import Layer
from mtassay.tools.annotate.words import Words

__all__ = ["Triples"]

_ROOT = "root"
_EDIT = "edit"


class _Triple(NamedTuple):
    head: Hashable
    relation: str
    dependent: Hashable


@dataclass(frozen=True)
class Triples(Structure):
    """How many triples of a head, a relation and a dependent only one of the outputs has.

    Words are compared without gender and number (see `same`), relations without their subtypes; punctuation
    is left out. The words in the place of the edit are one word, the same in both outputs, and what hangs
    together within it is left out; where nothing else differs, the distance is 0. A word that hangs elsewhere
    costs 2, since one triple is gone and one is new. So does a word that another one replaces; but if both
    are of one part of speech, what hangs on them hangs on the same word.
    """

    name: ClassVar[str] = "triples"
    about: ClassVar[str] = "which word hangs on which, by which relation"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 4, "sure": 14}
    needs: ClassVar[frozenset[Layer]] = frozenset(("tokens", "lemma", "pos", "dependencies"))

    @property
    def signature(self) -> str:
        """The name."""
        return "triples"

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """How many triples are in one output alone, for each pair, in order."""
        return [_distance(pair) for pair in compared]

    def differences(self, compared: ComparedPair) -> list[str]:
        """What is gone, then what is new, then words that hang elsewhere or otherwise."""
        both = compare_words(compared)
        before, after = _both_triples(both)
        gone, new = _only(before, after), _only(after, before)
        lines = []
        for number in list(new):
            old = next((n for n in gone if before[n].dependent == after[number].dependent), None)
            if old is not None:
                lines.append(_moved(both.original, old, both.variant, number, before[old], after[number]))
                gone.remove(old)
                new.remove(number)
        text, other_text = compared.original.output.text, compared.variant.output.text
        return gone_and_new(text, both.original, gone, other_text, both.variant, new) + lines


def _distance(compared: ComparedPair) -> float:
    before, after = (Counter(triples.values()) for triples in _both_triples(compare_words(compared)))
    return (before - after).total() + (after - before).total()


def _both_triples(both: SideBySide) -> tuple[dict[int, _Triple], dict[int, _Triple]]:
    """The triples of the original's output and of the variant's, by the number of the dependent."""
    if both.alike:
        return {}, {}
    heads = list(both.other_keys)
    for number, stands_for in both.replaced.items():
        heads[number] = both.keys[stands_for]
    return (
        _triples(both.original, both.keys, both.keys, both.place.original),
        _triples(both.variant, both.other_keys, heads, both.place.variant),
    )


def _triples(
    words: Words, keys: Sequence[Hashable], heads: Sequence[Hashable], place: range
) -> dict[int, _Triple]:
    """`keys` are the names of words as dependents, `heads` those as heads."""

    def name(number: int, names: Sequence[Hashable]) -> Hashable:
        if number < 0:
            return _ROOT
        return _EDIT if number in place else names[number]

    return {
        number: _Triple(name(word.head, heads), universal(word.relation), name(number, keys))
        for number, word in enumerate(words)
        if word.pos != "PUNCT" and not (number in place and word.head in place)
    }


def _only(these: dict[int, _Triple], others: dict[int, _Triple]) -> list[int]:
    """The numbers of those triples that the others lack; of equal ones, the last."""
    left = Counter(these.values()) - Counter(others.values())
    numbers = []
    for number, triple in reversed(these.items()):
        if left[triple] > 0:
            left[triple] -= 1
            numbers.append(number)
    return numbers[::-1]


def _moved(words: Words, old: int, others: Words, new: int, before: _Triple, after: _Triple) -> str:
    name, head, old_head = f'"{others[new].text}"', head_name(others, new), head_name(words, old)
    if before.relation == after.relation:
        return f"{name} moved under {head}, was under {old_head}"
    work = after.relation if after.head == _ROOT else f"{after.relation} of {head}"
    if before.head in (after.head, _ROOT):
        return f"{name}: {work}, was {before.relation}"
    return f"{name}: {work}, was {before.relation} of {old_head}"
