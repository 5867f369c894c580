"""The tables of language packs align what a person would, whatever they are asked with."""

from __future__ import annotations

import pytest
from hypothesis import given

from mtassay.data.errors import UsageError
from mtassay.nlp.table_aligner import TableAligner, likeness, read_lexicon
from tests.tools.align.checks import PAIRS, assert_within


@pytest.fixture(scope="module")
def aligner():
    return TableAligner(read_lexicon("en-pt"))


# Written for this test; the links of every word are those a person would draw, except small words, whose
# links people draw differently.
SENTENCES = [
    ("The fisherman sold three boats .", "O pescador vendeu três barcos .", "1-1 2-2 3-3 4-4 5-5"),
    ("I did n't see the white cat .", "Eu não vi o gato branco .", "0-0 2-1 3-2 5-5 6-4 7-6"),
    ("Okafor paid 4,700 euros to Quinlan .", "Okafor pagou 4.700 euros a Quinlan .", "0-0 1-1 3-3 5-5 6-6"),
    ("On Monday the train left late .", "O trem saiu tarde na segunda-feira .", "1-5 3-1 4-2 5-3 6-6"),
]


@pytest.mark.parametrize(("source", "target", "links"), SENTENCES)
def test_words_a_person_would_link_are_linked_both_ways_round(aligner, source, target, links):
    wanted = {tuple(map(int, link.split("-"))) for link in links.split()}
    pair = (source.split(), target.split())
    assert wanted <= aligner.align([pair])[0]
    back = TableAligner(read_lexicon("en-pt"), reverse=True).align([pair[::-1]])[0]
    assert wanted <= {(i, j) for j, i in back}


def test_chinese_is_linked_too():
    pair = (["我们", "爱", "大海", "。"], ["we", "love", "the", "sea", "."])
    links = TableAligner(read_lexicon("en-zh"), reverse=True).align([pair])[0]
    assert {(0, 0), (1, 1), (2, 3), (3, 4)} <= links


def test_case_does_not_matter(aligner):
    assert aligner.align([(["THE", "SEA"], ["O", "MAR"])]) == aligner.align([(["the", "sea"], ["o", "mar"])])


def test_a_form_that_was_never_seen_is_linked_by_its_first_letters(aligner):
    assert "translating" in aligner.lexicon.sources
    assert "traduzíssemos" not in aligner.lexicon.targets
    links = aligner.align([(["if", "we", "were", "translating", "it"], ["se", "o", "traduzíssemos"])])[0]
    assert (3, 2) in links


def test_names_nobody_knows_are_linked_by_their_looks(aligner):
    pair = (["Zyxwova", "and", "Brqtel"], ["Brqtel", "e", "Zyxwova"])
    assert aligner.align([pair])[0] == {(0, 2), (1, 1), (2, 0)}


def test_an_empty_side_has_no_links(aligner):
    assert aligner.align([([], ["mar"]), (["sea"], []), ([], [])]) == [frozenset()] * 3
    assert aligner.align([]) == []


@given(PAIRS)
def test_links_are_between_words_that_are_there(pairs):
    aligner = TableAligner(read_lexicon("en-pt"))
    assert_within(pairs, aligner.align(pairs))


@given(PAIRS)
def test_the_order_of_the_pairs_does_not_matter(pairs):
    aligner = TableAligner(read_lexicon("en-zh"))
    found = aligner.align(pairs)
    assert aligner.align(pairs[::-1]) == found[::-1]
    assert [aligner.align([pair])[0] for pair in pairs] == found


def test_the_table_is_in_the_signature(aligner):
    assert aligner.lexicon.content in aligner.signature


def test_probabilities_lie_between_0_and_1_and_add_up_to_no_more():
    lexicon = read_lexicon("en-pt")
    assert (lexicon.p >= 0).all()
    assert (lexicon.p <= 1).all()
    words = ["mar", "oceano", "praia", "de", "ver"]
    # Written in steps of e^0.25, a probability is off by an eighth of e at the most.
    assert lexicon.look_up(["sea"], words)[0].sum() <= 1.14


def test_a_pair_without_a_table_is_an_error():
    with pytest.raises(
        UsageError, match=r"No lexicon for en-de\. Available: en-pt, en-zh, and their reverse"
    ):
        read_lexicon("en-de")


@pytest.mark.parametrize(("one", "other"), [("Brasília", "BRASILIA"), ("É", "e"), ("", ""), ("́", "́")])
def test_accents_and_case_make_words_no_less_alike(one, other):
    assert likeness(one, other) == 1.0
