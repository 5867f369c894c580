"""Likelihoods become links; the order of the words decides between equals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.nlp.links import AlignmentEvidence, Order, decode

LOW = 1e-6


def evidence(rows):
    likely = np.array(rows, float)
    return AlignmentEvidence(likely, likely, np.full(likely.shape[1], 1e-3), np.full(likely.shape[0], 1e-3))


def test_what_is_likely_is_linked_and_what_is_not_has_no_link():
    forward, backward = decode(evidence([[0.9, LOW], [LOW, LOW]]), Order())
    assert forward == backward == {(0, 0)}


def test_of_equals_the_one_on_the_diagonal_is_linked():
    # "the sea and the rain" and "o mar e a chuva", with only "the" and "o/a" known
    rows = np.full((5, 5), LOW)
    rows[np.ix_([0, 3], [0, 3])] = 0.4
    forward, backward = decode(evidence(rows), Order(pull=0))
    assert forward == backward == {(0, 0), (3, 3)}


def test_a_small_word_goes_where_its_neighbour_went():
    # "the sea is cold" and "o frio é o mar": the nouns and verbs are sure, and "the" could be either "o". The
    # diagonal says the first; its neighbour went to the end and takes it along.
    rows = np.full((4, 5), LOW)
    rows[0, [0, 3]] = 0.4
    rows[1, 4] = rows[2, 2] = rows[3, 1] = 0.9
    assert decode(evidence(rows), Order(tension=1, pull=0))[1] == {(0, 0), (1, 4), (2, 2), (3, 1)}
    assert decode(evidence(rows), Order(tension=1, pull=1, sure=0.7))[1] == {(0, 3), (1, 4), (2, 2), (3, 1)}


def test_a_word_that_is_likelier_without_a_partner_has_none():
    rows = np.array([[0.01]])
    alone = AlignmentEvidence(rows, rows, np.array([0.9]), np.array([0.9]))
    assert decode(alone, Order(none=0.5)) == (frozenset(), frozenset())
    assert decode(alone, Order(none=0.001)) == ({(0, 0)}, {(0, 0)})


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 300), (300, 1), (300, 280)])
def test_long_sentences_do_not_run_out_of_numbers(n, m):
    with np.errstate(all="raise", under="ignore"):
        forward, _ = decode(evidence(np.full((n, m), 0.5) + np.eye(n, m) * 0.4), Order())
    assert forward


@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_each_direction_links_a_word_once_at_most(n, m, random):
    rows = [[random.choice([LOW, 0.01, 0.3, 0.9]) for _ in range(m)] for _ in range(n)]
    forward, backward = decode(evidence(rows), Order())
    assert len({j for _, j in forward}) == len(forward)
    assert len({i for i, _ in backward}) == len(backward)
