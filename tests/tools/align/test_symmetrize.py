"""Both directions together, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.nlp.links import grow_diag_final_and

LINKS = st.frozensets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)

# Worked through by hand with the rules of fast_align's atools: what is waiting is visited by source, then
# target; a link enters beside or diagonal to one that is in, if one of its words is free; "final and" takes
# what is left between two free words, those of the first direction before those of the second.
BY_HAND = {
    "nothing in common, nothing to grow from": (
        {(0, 0)}, {(2, 2)}, {(0, 0), (2, 2)},
    ),
    "a neighbour with a free word enters": (
        {(0, 0), (0, 1)}, {(0, 0)}, {(0, 0), (0, 1)},
    ),
    "a neighbour of two taken words stays out": (
        {(0, 0), (1, 1), (0, 1)}, {(0, 0), (1, 1)}, {(0, 0), (1, 1)},
    ),
    "growing goes on from what has grown": (
        {(0, 0), (1, 1), (2, 2)}, {(0, 0)}, {(0, 0), (1, 1), (2, 2)},
    ),
    "what comes back before its neighbour waits for the next round": (
        {(2, 2), (1, 1), (0, 0)}, {(2, 2)}, {(0, 0), (1, 1), (2, 2)},
    ),
    "of two rivals for one free word the earlier enters": (
        {(1, 1), (0, 1)}, {(1, 1), (0, 2)}, {(1, 1), (0, 1), (0, 2)},
    ),
    "of two rivals far away the first direction's enters": (
        {(0, 0), (3, 4)}, {(0, 0), (3, 3)}, {(0, 0), (3, 4)},
    ),
    "far away with one free word stays out": (
        {(0, 0), (0, 3)}, {(0, 0)}, {(0, 0)},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("forward", "backward", "links"), BY_HAND.values(), ids=BY_HAND)
def test_growing_is_as_worked_out_by_hand(forward, backward, links):
    assert grow_diag_final_and(frozenset(forward), frozenset(backward)) == links


@given(LINKS, LINKS)
def test_what_has_grown_lies_between_the_intersection_and_the_union(forward, backward):
    assert forward & backward <= grow_diag_final_and(forward, backward) <= forward | backward


@given(LINKS)
def test_two_equal_directions_stay_as_they_are(links):
    assert grow_diag_final_and(links, links) == links
