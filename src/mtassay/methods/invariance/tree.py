"""The ordered dependency tree, and how far two of them are apart.

Zhang and Shasha 1989, "Simple fast algorithms for the editing distance between trees and related problems".
A label has two parts. To add or drop a node costs 1; to relabel it, a half for each part that differs.

What the trees share is taken away first, which leaves little of two translations that are much alike. Where
both roots have the same label, some cheapest way keeps them, so only what is below them counts; and where two
rows of trees begin, or end, with equal trees, some cheapest way keeps these. (A way that does otherwise uses
at most as many nodes of one of the two trees as there are in it, and keeping all of them costs nothing.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from mtassay.methods.invariance.places_of_edits import (
    SideBySide,
    compare_words,
    gone_and_new,
    head_name,
    universal,
)
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.methods.invariance.structures import Structure
from mtassay.nlp.annotation import Layer, Token, Words

Label = tuple[str, str]
_WHOLE = 2
"""What adding or dropping a node costs, in halves."""


class Node(NamedTuple):
    """One node of a tree that is given as its nodes, each after all below it; the last one is the root.

    `children` are the numbers of the nodes below it, from left to right.
    """

    label: Label
    children: tuple[int, ...] = ()


def tree_distance(tree: Sequence[Node], other: Sequence[Node]) -> float:
    """The distance of two trees with at least one node each.

    >>> small = [Node(("det", "DET")), Node(("nsubj", "NOUN"), (0,))]
    >>> tree_distance(small, [Node(("nsubj", "NOUN"))]), tree_distance(small, [Node(("obj", "NOUN"))])
    (1.0, 1.5)
    """
    shapes: dict[tuple[Label, tuple[int, ...]], int] = {}
    ids, other_ids = _shape_ids(tree, shapes), _shape_ids(other, shapes)
    if ids[-1] == other_ids[-1]:
        return 0.0
    row: Sequence[int] = (len(tree) - 1,)
    other_row: Sequence[int] = (len(other) - 1,)
    while row and other_row:
        if ids[row[0]] == other_ids[other_row[0]]:
            row, other_row = row[1:], other_row[1:]
        elif ids[row[-1]] == other_ids[other_row[-1]]:
            row, other_row = row[:-1], other_row[:-1]
        elif len(row) == len(other_row) == 1 and tree[row[0]].label == other[other_row[0]].label:
            row, other_row = tree[row[0]].children, other[other_row[0]].children
        else:
            break
    # The mirrored trees are as far apart, and trees that branch to the right are much faster that way.
    plain = _flatten(tree, row), _flatten(other, other_row)
    mirrored = _flatten(tree, row, mirrored=True), _flatten(other, other_row, mirrored=True)
    return _flat_distance(*min(plain, mirrored, key=lambda pair: pair[0].work * pair[1].work)) / _WHOLE


class _Flat(NamedTuple):
    """A row of trees under a root of their own: labels, each node after all below it, and leftmost leaves.

    `keys` are, of the nodes that share their leftmost leaf, the last ones, in order.
    """

    labels: Sequence[Label]
    leftmost: Sequence[int]
    keys: Sequence[int]

    @property
    def work(self) -> int:
        """How many nodes there are below all key nodes, themselves included."""
        return sum(key - self.leftmost[key] + 1 for key in self.keys)


def _shape_ids(tree: Sequence[Node], shapes: dict[tuple[Label, tuple[int, ...]], int]) -> list[int]:
    """A number for each node; nodes with equal trees below them have equal ones."""
    ids: list[int] = []
    for node in tree:
        shape = node.label, tuple(ids[child] for child in node.children)
        ids.append(shapes.setdefault(shape, len(shapes)))
    return ids


def _flatten(tree: Sequence[Node], row: Sequence[int], *, mirrored: bool = False) -> _Flat:
    labels: list[Label] = []
    leftmost: list[int] = []
    step = -1 if mirrored else 1
    for root in row[::step]:
        # A node and the number of its children that are done; the first leaf below it comes next in order.
        waiting = [(root, 0, len(labels))]
        while waiting:
            number, done, first = waiting.pop()
            children = tree[number].children[::step]
            if done < len(children):
                waiting.append((number, done + 1, first))
                waiting.append((children[done], 0, len(labels)))
            else:
                labels.append(tree[number].label)
                leftmost.append(first)
    labels.append(("", ""))
    leftmost.append(0)
    keys = sorted({first: number for number, first in enumerate(leftmost)}.values())
    return _Flat(labels, leftmost, keys)


def _flat_distance(one: _Flat, other: _Flat) -> int:
    """In halves. The distances of all pairs of subtrees, the small ones first; a key pair fills several."""
    costs = [[(a != c) + (b != d) for c, d in other.labels] for a, b in one.labels]
    trees = [[0] * len(other.labels) for _ in one.labels]
    for key in one.keys:
        for other_key in other.keys:
            _fill(trees, costs, one.leftmost, key, other.leftmost, other_key)
    return trees[-1][-1]


def _fill(
    trees: list[list[int]],
    costs: Sequence[Sequence[int]],
    leftmost: Sequence[int],
    key: int,
    other_leftmost: Sequence[int],
    other_key: int,
) -> None:
    """Distances between what is left of two subtrees when their last nodes are taken away one by one.

    Those where a whole subtree is left on either side go into `trees`.
    """
    first, other_first = leftmost[key], other_leftmost[other_key]
    above = list(range(0, _WHOLE * (other_key - other_first + 2), _WHOLE))
    table = [above]
    columns = [(column, other_leftmost[column] - other_first) for column in range(other_first, other_key + 1)]
    for node in range(first, key + 1):
        row = [above[0] + _WHOLE]
        distances, cost = trees[node], costs[node]
        before = leftmost[node] - first
        apart = table[before]
        best = row[0]
        for place, (column, other_before) in enumerate(columns):
            best = min(best, above[place + 1]) + _WHOLE
            if before or other_before:
                rest = apart[other_before] + distances[column]
                if rest < best:
                    best = rest
            else:
                both = above[place] + cost[column]
                if both < best:
                    best = both
                distances[column] = best
            row.append(best)
        table.append(row)
        above = row


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

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """The cost of the cheapest way from one tree to the other, for each pair, in order."""
        return [_distance(pair) for pair in compared]

    def differences(self, compared: ComparedPair) -> list[str]:
        """Words that do other work or hang elsewhere, then what is gone, then what is new."""
        both = compare_words(compared)
        if both.alike:
            return []
        text, other_text = compared.original.output.text, compared.variant.output.text
        gone = [number for stretch in both.elsewhere for number in stretch.original]
        new = [number for stretch in both.elsewhere for number in stretch.variant]
        return _relabelled(both) + gone_and_new(text, both.original, gone, other_text, both.variant, new)


def _distance(compared: ComparedPair) -> float:
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
    node_numbers: dict[int, int] = {}
    # Each word twice: first to look at what is below it, then to make its node.
    waiting = [(-1, False)]
    while waiting:
        number, ready = waiting.pop()
        children = below.get(number, [])
        if not ready:
            waiting.append((number, True))
            waiting.extend((child, False) for child in reversed(children))
            continue
        node_numbers[number] = len(nodes)
        nodes.append(Node(_label(words, place, number), tuple(node_numbers[child] for child in children)))
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
