"""The output as an ordered dependency tree: how many words must be added, dropped or relabelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.methods.invariance.nouns import Compared
from mtassay.methods.invariance.structures.base import Structure
from mtassay.methods.invariance.structures.place import SideBySide, compare_words
from mtassay.methods.invariance.structures.tree_distance import Label, Node, tree_distance
from mtassay.methods.invariance.structures.words import Words, gone_and_new, head_name, universal
from mtassay.tools.annotate.annotation import Layer, Token

__all__ = ["Tree"]


@dataclass(frozen=True)
class Tree(Structure):
    """Tree edit distance. A word's label is its relation, without a subtype, and its part of speech.

    To add or drop a word costs 1, another relation or another part of speech a half. No word is compared, so
    one that is translated otherwise costs nothing as long as it does the same work. The words in the place of
    the edit are one node, whose part of speech does not count; where nothing else differs, the distance is 0.
    """

    name: ClassVar[str] = "tree"
    about: ClassVar[str] = "the ordered dependency tree"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 3, "sure": 8}
    needs: ClassVar[frozenset[Layer]] = frozenset(("tokens", "pos", "dependencies"))

    @property
    def signature(self) -> str:
        """The name."""
        return "tree"

    def distances(self, compared: Sequence[Compared]) -> list[float]:
        """The cost of the cheapest way from one tree to the other, for each pair, in order."""
        return [_distance(one) for one in compared]

    def differences(self, compared: Compared) -> list[str]:
        """Words that do other work or hang elsewhere, then what is gone, then what is new."""
        both = compare_words(compared)
        if both.alike:
            return []
        text, other_text = compared.original.output.text, compared.variant.output.text
        gone = [number for stretch in both.elsewhere for number in stretch.original]
        new = [number for stretch in both.elsewhere for number in stretch.variant]
        return _relabelled(both) + gone_and_new(text, both.original, gone, other_text, both.variant, new)


def _distance(compared: Compared) -> float:
    both = compare_words(compared)
    if both.alike:
        return 0.0
    return tree_distance(_nodes(both.original, both.place.original), _nodes(both.variant, both.place.variant))


def _nodes(words: Words, place: range) -> list[Node]:
    """The tree of an output under a root of its own, with one node for the place."""
    single = place[0] if place else -1
    below: dict[int, list[int]] = {-1: []}
    for number, word in enumerate(words):
        head = single if word.head in place else word.head
        if number in place:
            if number != single:
                continue
            head = _outside(words, place).head
        below.setdefault(head, []).append(number)
    nodes: list[Node] = []
    made: dict[int, int] = {}
    # Each word twice: first to look at what is below it, then to make its node.
    waiting = [(-1, False)]
    while waiting:
        number, ready = waiting.pop()
        children = below.get(number, [])
        if not ready:
            waiting.append((number, True))
            waiting.extend((child, False) for child in reversed(children))
            continue
        made[number] = len(nodes)
        nodes.append(Node(_label(words, place, number), tuple(made[child] for child in children)))
    return nodes


def _outside(words: Words, place: range) -> Token:
    """The word of a place that is nearest to the root: all above it lies outside the place."""
    return words[min(place, key=lambda number: _depth(words, number))]


def _depth(words: Words, number: int) -> int:
    depth = 0
    while words[number].head >= 0 and depth < len(words):
        number = words[number].head
        depth += 1
    return depth


def _label(words: Words, place: range, number: int) -> Label:
    if number < 0:
        return "", ""
    if number in place:
        return universal(_outside(words, place).relation), ""
    return universal(words[number].relation), words[number].pos


def _relabelled(both: SideBySide) -> list[str]:
    lines = []
    replaced = both.replaced
    for one, other in both.pairs:
        before, after = both.original[one], both.variant[other]
        if after.pos == "PUNCT":
            continue
        relation, new_relation = universal(before.relation), universal(after.relation)
        name = f'"{after.text}"'
        if relation != new_relation:
            lines.append(f"{name}: {new_relation}, was {relation}")
        elif before.pos != after.pos:
            lines.append(f"{name}: {after.pos}, was {before.pos}")
        elif not _same_head(both, replaced, before.head, after.head):
            lines.append(
                f"{name} moved under {head_name(both.variant, other)},"
                f" was under {head_name(both.original, one)}"
            )
    return lines


def _same_head(both: SideBySide, replaced: dict[int, int], head: int, other_head: int) -> bool:
    if head < 0 or other_head < 0:
        return head == other_head
    if head in both.place.original or other_head in both.place.variant:
        return head in both.place.original and other_head in both.place.variant
    return both.keys[head] == both.other_keys[other_head] or replaced.get(other_head) == head
