"""Pairs are read in order; those that cannot be are left out with their reason."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment
from mtassay.methods.behavior.spans import read_pairs
from mtassay.nlp.links import Links, WordAligner, Words
from tests.fake_annotator import FakeAnnotator

PAIR = parse_pair("en-pt")


class Diagonal(WordAligner):
    """Links each word with the one in the same place, and counts what it was asked for."""

    name = "diagonal"
    signature = "diagonal"

    def __init__(self) -> None:
        self.asked: list[tuple[Words, Words]] = []

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        self.asked += pairs
        return [frozenset((i, i) for i in range(min(map(len, pair)))) for pair in pairs]


def tools(fails_on: str | None = None) -> dict[str, FakeAnnotator]:
    return {
        "source_annotator": FakeAnnotator("en", fails_on=fails_on),
        "reference_annotator": FakeAnnotator("pt", fails_on=fails_on),
    }


@pytest.mark.parametrize(
    ("segment", "reason"),
    [
        (Segment("x", None, ("mar",)), "no source"),
        (Segment("x", " ", ("mar",)), "no source"),
        (Segment("x", "sea"), "no reference"),
        (Segment("x", "sea", (None,)), "no reference"),
        (Segment("x", "sea", ("",)), "no reference"),
        (
            Segment("x", "BAD sea", ("mar",)),
            "the annotator failed on the source: ValueError: the fake fails on 'BAD'",
        ),
        (
            Segment("x", "sea", ("BAD mar",)),
            "the annotator failed on the reference: ValueError: the fake fails on 'BAD'",
        ),
    ],
)
def test_a_pair_that_cannot_be_read_is_left_out_with_its_reason(segment: Segment, reason: str) -> None:
    good = [Segment("1", "a sea", ("um mar",)), Segment("2", "a house", ("uma casa",))]
    found = read_pairs([good[0], segment, good[1]], PAIR, aligner=Diagonal(), **tools("BAD"))
    assert [pair.id for pair in found.pairs] == ["1", "2"]
    assert [pair.source.text for pair in found.pairs] == ["a sea", "a house"]
    assert found.left_out == [("x", reason)]


def test_the_first_reference_that_there_is_counts() -> None:
    segment = Segment("1", "sea", (None, "mar", "oceano"))
    found = read_pairs([segment], PAIR, aligner=Diagonal(), **tools())
    assert found.pairs[0].reference.text == "mar"


def test_segments_with_given_links_are_not_aligned() -> None:
    aligner = Diagonal()
    segments = [Segment("1", "a sea", ("mar um",)), Segment("2", "a house", ("uma casa",))]
    found = read_pairs(segments, PAIR, aligner=aligner, links={"1": frozenset({(0, 1), (1, 0)})}, **tools())
    assert [pair.links for pair in found.pairs] == [{(0, 1), (1, 0)}, {(0, 0), (1, 1)}]
    assert aligner.asked == [(["a", "house"], ["uma", "casa"])]


def test_given_links_between_other_words_are_no_use() -> None:
    found = read_pairs([Segment("1", "sea", ("mar",))], PAIR, links={"1": frozenset({(0, 1)})}, **tools())
    assert found.pairs == []
    assert found.left_out == [("1", "a link leads to a word that is not there: it counts other words")]


def test_nothing_is_opened_for_no_pairs() -> None:
    found = read_pairs([Segment("1")], parse_pair("qaa-qab"))
    assert (found.pairs, found.left_out) == ([], [("1", "no source")])


def test_sources_come_with_phrases() -> None:
    [pair] = read_pairs([Segment("1", "sea", ("mar",))], PAIR, aligner=Diagonal(), **tools()).pairs
    assert pair.source.constituents is not None
