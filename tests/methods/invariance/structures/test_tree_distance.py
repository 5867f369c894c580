"""The tree edit distance against its definition, and its properties as a metric."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.methods.invariance.tree import Node, tree_distance

LABELS = st.tuples(st.sampled_from("ab"), st.sampled_from("XY"))
NESTED = st.recursive(
    st.tuples(LABELS, st.just(())),
    lambda below: st.tuples(LABELS, st.lists(below, max_size=3).map(tuple)),
    max_leaves=5,
)


def flat(nested: Any) -> list[Node]:
    nodes: list[Node] = []

    def add(tree: Any) -> int:
        label, below = tree
        children = tuple([add(child) for child in below])
        nodes.append(Node(label, children))
        return len(nodes) - 1

    add(nested)
    return nodes


@cache
def naive(one: Any, other: Any) -> float:
    """The definition, on rows of trees: the last roots are matched, or one of them is dropped."""
    if not one and not other:
        return 0
    if not one:
        return 1 + naive(one, other[:-1] + other[-1][1])
    if not other:
        return 1 + naive(one[:-1] + one[-1][1], other)
    (label, below), (other_label, other_below) = one[-1], other[-1]
    relabel = sum(a != b for a, b in zip(label, other_label, strict=True)) / 2
    return min(
        1 + naive(one[:-1] + below, other),
        1 + naive(one, other[:-1] + other_below),
        naive(one[:-1], other[:-1]) + naive(below, other_below) + relabel,
    )


@given(NESTED, NESTED)
def test_the_distance_is_that_of_the_definition(one: Any, other: Any) -> None:
    assert tree_distance(flat(one), flat(other)) == naive((one,), (other,))


@settings(deadline=None)
@given(NESTED, NESTED, NESTED)
def test_the_distance_is_a_metric(one: Any, other: Any, third: Any) -> None:
    a, b, c = flat(one), flat(other), flat(third)
    assert tree_distance(a, a) == 0
    assert tree_distance(a, b) == tree_distance(b, a)
    assert (tree_distance(a, b) == 0) == (one == other)
    assert tree_distance(a, c) <= tree_distance(a, b) + tree_distance(b, c)


def leaf(name: str) -> Any:
    return (name, ""), ()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        # Zhang and Shasha's own example, f(d(a c(b)) e) and f(c(d(a b)) e): move c, two operations.
        (
            (("f", ""), ((("d", ""), (leaf("a"), (("c", ""), (leaf("b"),)))), leaf("e"))),
            (("f", ""), ((("c", ""), ((("d", ""), (leaf("a"), leaf("b"))),)), leaf("e"))),
            2,
        ),
        # By hand: swap two leaves, which is one dropped and one added, or both relabelled by a half.
        ((("r", ""), (leaf("a"), leaf("b"))), (("r", ""), (leaf("b"), leaf("a"))), 1),
        # One part of a label differs, then both.
        ((("a", "X"), ()), (("a", "Y"), ()), 0.5),
        ((("a", "X"), ()), (("b", "Y"), ()), 1),
    ],
)
def test_distances_by_hand(one: Any, other: Any, expected: float) -> None:
    assert tree_distance(flat(one), flat(other)) == expected


def test_a_chain_deeper_than_the_stack_is_measured() -> None:
    chain = [Node(("a", ""), (number - 1,) if number else ()) for number in range(3000)]
    changed = [*chain[:-1], Node(("b", ""), (2998,))]
    assert tree_distance(chain, changed[:-1]) == 1
    assert tree_distance(chain[:200], [Node(("b", "")), *chain[1:200]]) == 0.5
