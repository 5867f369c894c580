"""Where the edit shows, which words are the same, and what a discount leaves."""

from __future__ import annotations

import pytest

from mtassay.methods.invariance.places_of_edits import compare_words, word_keys
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.methods.invariance.structures import Constituency, Dependency, Raw, Tokens, remainders
from tests.methods.invariance.structures.build import compared, parsed, plain

# "the pretty boy was seen", "the pretty girl was seen".
BOY = (
    "o/o/DET/2/det/Masc menino/menino/NOUN/5/nsubj/Masc belo/belo/ADJ/2/amod/Masc foi/ser/AUX/5/aux"
    " visto/ver/VERB/0/root/Masc"
)
GIRL = (
    "a/o/DET/2/det/Fem menina/menina/NOUN/5/nsubj/Fem bela/belo/ADJ/2/amod/Fem foi/ser/AUX/5/aux"
    " vista/vistar/VERB/0/root/Fem"
)


def noun_edit(original: str, variant: str) -> ComparedPair:
    """The edited noun is the last of three words."""
    return compared(parsed(original), parsed(variant), source="it is gold", after="wood", at=6, pos="NOUN")


def place(pair: ComparedPair) -> tuple[list[str], list[str]]:
    both = compare_words(pair)
    return [both.original[n].text for n in both.place.original], [
        both.variant[n].text for n in both.place.variant
    ]


def test_words_that_agree_with_another_noun_are_the_same_words() -> None:
    # The lemma of "vista" is wrong on purpose; its ending and its gender tell.
    keys, other_keys = word_keys(parsed(BOY).tokens, parsed(GIRL).tokens)
    assert [a == b for a, b in zip(keys, other_keys, strict=True)] == [True, False, True, True, True]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("no/em_o/ADP/0/case", "em/em/ADP/0/case", True),  # a contraction with and without its article
        ("que/que/PRON/0/obj", "que/que/SCONJ/0/mark", True),  # one form, tagged in two ways
        ("caro/caro/ADJ/0/root/Masc", "cara/caro/ADJ/0/root/Fem", True),
        ("raro/raro/ADJ/0/root/Masc", "rasa/raso/ADJ/0/root/Fem", False),  # half of it is too little
        ("gato/gato/NOUN/0/root/Masc", "gata/gata/NOUN/0/root/Fem", False),  # nouns do not agree
        ("a/a/ADP/0/case", "o/o/DET/0/det", False),
    ],
)
def test_two_words_are_the_same_or_not(one: str, other: str, same: bool) -> None:
    [key], [other_key] = word_keys(parsed(one).tokens, parsed(other).tokens)
    assert (key == other_key) is same


@pytest.mark.parametrize(
    ("original", "variant", "expected"),
    [
        # The noun alone: its article and adjective have agreed.
        (BOY, GIRL, (["menino"], ["menina"])),
        # A preposition beside it is not the edit's.
        (
            "na/em_o/ADP/2/case casa/casa/NOUN/0/root",
            "não/não/ADV/2/advmod carro/carro/NOUN/0/root",
            (["casa"], ["carro"]),
        ),
        # One word by two.
        (
            "de/de/ADP/2/case ouro/ouro/NOUN/0/root",
            "de/de/ADP/2/case produtos/produto/NOUN/0/root químicos/químico/ADJ/2/amod",
            (["ouro"], ["produtos", "químicos"]),
        ),
        # Of two nouns that differ, the one that stands where the edit does: at the end.
        (
            "lua/lua/NOUN/2/nsubj tem/ter/VERB/0/root ouro/ouro/NOUN/2/obj",
            "sol/sol/NOUN/2/nsubj tem/ter/VERB/0/root pau/pau/NOUN/2/obj",
            (["ouro"], ["pau"]),
        ),
        # Another auxiliary is no translation of a noun.
        ("tinha/ter/AUX/2/aux ido/ir/VERB/0/root", "havia/haver/AUX/2/aux ido/ir/VERB/0/root", ([], [])),
        # Of a long stretch only the noun.
        (
            "ele/ele/PRON/2/nsubj viu/ver/VERB/0/root muito/muito/ADV/2/advmod ouro/ouro/NOUN/2/obj",
            "nós/nós/PRON/3/nsubj já/já/ADV/3/advmod temos/ter/VERB/0/root pau/pau/NOUN/3/obj",
            (["ouro"], ["pau"]),
        ),
        # A word that leaves no trace has no place, and so it counts as a difference.
        ("bom/bom/ADJ/2/amod ouro/ouro/NOUN/0/root", "bom/bom/ADJ/0/root", ([], [])),
        # An adverb beside the noun is not a part of its translation.
        (
            "ouro/ouro/NOUN/0/root",
            "já/já/ADV/2/advmod pau/pau/NOUN/0/root aqui/aqui/ADV/2/advmod",
            (["ouro"], ["pau"]),
        ),
    ],
)
def test_the_edit_shows_in_one_place(
    original: str, variant: str, expected: tuple[list[str], list[str]]
) -> None:
    assert place(noun_edit(original, variant)) == expected


def test_an_adjective_that_changes_sides_is_one_place() -> None:
    pair = compared(
        parsed("velho/velho/ADJ/2/amod carro/carro/NOUN/0/root"),
        parsed("carro/carro/NOUN/0/root novo/novo/ADJ/1/amod"),
    )
    assert place(pair) == (["velho"], ["novo"])


def test_outputs_without_annotation_have_a_place_too() -> None:
    assert place(plain("um cão grande", "um cão pequeno")) == (["grande"], ["pequeno"])


def test_a_discount_leaves_out_the_place_and_what_agrees_with_it() -> None:
    pair = noun_edit(BOY, GIRL)
    one, other = remainders(pair)
    assert one == other
    assert one.text == "o belo foi visto"
    # By hand: o-a, menino-menina, belo-bela, visto-vista, one letter each.
    assert Raw().distances([pair]) == [4]
    assert Raw(discount=True).distances([pair]) == [0]
    assert Tokens().distances([pair]) == [4]
    assert Tokens(discount=True).distances([pair]) == [0]
    assert Tokens(discount=True).differences(pair) == []


def test_a_discount_keeps_what_differs_elsewhere() -> None:
    pair = noun_edit(
        "lua/lua/NOUN/2/nsubj tem/ter/VERB/0/root ouro/ouro/NOUN/2/obj",
        "sol/sol/NOUN/2/nsubj tem/ter/VERB/0/root pau/pau/NOUN/2/obj",
    )
    assert Tokens(discount=True).distances([pair]) == [1]
    assert Raw(discount=True).distances([pair]) == [3]  # "lua tem", "sol tem"
    assert Tokens(discount=True).differences(pair) == ['"lua" became "sol"']


def test_a_discount_leaves_out_relations_and_phrases_within_the_place() -> None:
    # "produtos químicos" has an amod and an AP more than "ouro".
    pair = noun_edit(
        "vê/ver/VERB/0/root ouro/ouro/NOUN/1/obj",
        "vê/ver/VERB/0/root produtos/produto/NOUN/1/obj químicos/químico/ADJ/2/amod",
    )
    assert Dependency().distances([pair]) == [1]
    assert Dependency(discount=True).distances([pair]) == [0]
    assert Constituency().distances([pair]) == [1]
    assert Constituency(discount=True).distances([pair]) == [0]
    assert Dependency(discount=True).signature == "dependency|discount"
