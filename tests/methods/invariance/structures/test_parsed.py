"""`triples` and `tree`: structures that see the parse and leave the edit out."""

from __future__ import annotations

import pytest

from mtassay.methods.invariance.relations import ComparedPair
from mtassay.methods.invariance.structures import Structure, Triples
from mtassay.methods.invariance.tree import Tree
from mtassay.nlp.annotation import Annotation
from tests.methods.invariance.structures.build import compared, parsed
from tests.methods.invariance.structures.test_place import BOY, GIRL

# "Ana said that Rui sold gold there", and what may become of it.
SAID = "Ana/Ana/PROPN/2/nsubj disse/dizer/VERB/0/root que/que/SCONJ/5/mark Rui/Rui/PROPN/5/nsubj"
GOLD = f"{SAID} vendeu/vender/VERB/2/ccomp ouro/ouro/NOUN/5/obj lá/lá/ADV/5/advmod"
WOOD = f"{SAID} vendeu/vender/VERB/2/ccomp pau/pau/NOUN/5/obj lá/lá/ADV/5/advmod"
BOTH = (Triples(), Tree())


def noun_edit(original: str, variant: str) -> ComparedPair:
    return compared(parsed(original), parsed(variant), source="it is gold", after="wood", at=6, pos="NOUN")


@pytest.mark.parametrize("structure", BOTH, ids=lambda s: s.name)
@pytest.mark.parametrize(
    ("original", "variant"),
    [
        (GOLD, GOLD),
        (GOLD, WOOD),
        (BOY, GIRL),
        # Only the edited word differs, so another parse is the parser's doing.
        (GOLD, WOOD.replace("lá/lá/ADV/5/advmod", "lá/lá/ADV/2/advmod")),
    ],
)
def test_the_edit_and_what_agrees_with_it_cost_nothing(
    structure: Structure, original: str, variant: str
) -> None:
    pair = noun_edit(original, variant)
    assert structure.distances([pair]) == [0]
    assert structure.differences(pair) == []


@pytest.mark.parametrize(
    ("variant", "triples", "tree"),
    [
        # Another verb of the same kind: its own triple is gone and new; no word is compared in the tree.
        (WOOD.replace("vendeu/vender", "comprou/comprar"), 2, 0),
        # A word more: one triple, one node.
        (f"{WOOD} hoje/hoje/ADV/5/advmod", 1, 1),
        # A word less.
        (WOOD.removesuffix(" lá/lá/ADV/5/advmod"), 1, 1),
        # Another word that hangs elsewhere: two triples; one node dropped, one added.
        (WOOD.replace("lá/lá/ADV/5/advmod", "aqui/aqui/ADV/2/advmod"), 2, 2),
        # Another word as another part of speech with another relation: the label differs in both parts.
        (WOOD.replace("lá/lá/ADV/5/advmod", "cru/cru/ADJ/5/xcomp"), 2, 1),
        # The edited word has no translation: the triple of the place is gone.
        (SAID + " vendeu/vender/VERB/2/ccomp lá/lá/ADV/5/advmod", 1, 1),
    ],
)
def test_distances_by_hand(variant: str, triples: float, tree: float) -> None:
    pair = noun_edit(GOLD, variant)
    assert Triples().distances([pair]) == [triples]
    assert Tree().distances([pair]) == [tree]


def test_a_phrase_that_moves_costs_triples_nothing_and_the_tree_its_words() -> None:
    front = "lá/lá/ADV/3/advmod Rui/Rui/PROPN/3/nsubj vendeu/vender/VERB/0/root ouro/ouro/NOUN/3/obj"
    back = "Rui/Rui/PROPN/2/nsubj vendeu/vender/VERB/0/root pau/pau/NOUN/2/obj lá/lá/ADV/2/advmod"
    pair = noun_edit(front, back)
    assert Triples().distances([pair]) == [0]
    assert Tree().distances([pair]) == [2]
    assert Tree().differences(pair) == ['gone: "lá"', 'new: "lá"']


def test_subtypes_and_punctuation_do_not_count_as_triples() -> None:
    original = f"{GOLD} aqui/aqui/ADV/5/advmod ./././5/punct".replace("./././5", "././PUNCT/5")
    variant = f"{WOOD} ali/ali/ADV/5/advmod:emph !/!/PUNCT/2/punct"
    # "aqui" became "ali": one gone, one new; no more than that.
    assert Triples().distances([noun_edit(original, variant)]) == [2]


def test_triples_say_what_is_gone_and_new_and_what_moved() -> None:
    original = f"{GOLD} com/com/ADP/9/case ele/ele/PRON/5/obl"
    variant = f"{WOOD.replace('lá/lá/ADV/5/advmod', 'lá/lá/ADV/2/advmod')} bem/bem/ADV/5/advmod"
    assert Triples().differences(noun_edit(original, variant)) == [
        'gone: "com ele"',
        'new: "bem"',
        '"lá" moved under "disse", was under "vendeu"',
    ]


def test_triples_name_another_relation() -> None:
    original = f"{GOLD} hoje/hoje/ADV/5/advmod"
    variant = WOOD.replace("lá/lá/ADV/5/advmod", "lá/lá/ADV/5/obl")
    assert Triples().differences(noun_edit(original, variant)) == [
        'gone: "hoje"',
        '"lá": obl of "vendeu", was advmod',
    ]


def test_the_tree_names_other_work_and_other_heads() -> None:
    original = f"{GOLD} hoje/hoje/ADV/5/advmod"
    variant = WOOD.replace("lá/lá/ADV/5/advmod", "lá/lá/ADV/2/advmod").replace("5/nsubj", "5/obj")
    assert Tree().differences(noun_edit(original, variant)) == [
        '"Rui": obj, was nsubj',
        '"lá" moved under "disse", was under "vendeu"',
        'gone: "hoje"',
    ]


def test_a_place_whose_words_hang_apart_keeps_the_tree_whole() -> None:
    # The place is "b d": b hangs on c, c hangs on d, so that as one node they would hang on each other.
    original = "ouro/ouro/NOUN/2/nsubj c/c/VERB/0/root x/x/ADV/2/advmod"
    variant = "b/b/DET/3/det d/d/NOUN/0/root c/c/VERB/2/acl y/y/ADV/3/advmod w/w/ADV/3/advmod"
    pair = compared(parsed(original), parsed(variant), source="gold", after="wood", at=0, pos="NOUN")
    # By hand, the place as P: root c over nsubj P and advmod x becomes root P over acl c over advmod y and w.
    # Relabel c as P (a half) and P as y (1), add c (1), keep x as w.
    assert Tree().distances([pair]) == [2.5]


@pytest.mark.parametrize("structure", BOTH, ids=lambda s: s.name)
def test_an_empty_output_is_as_far_as_the_other_is_long(structure: Structure) -> None:
    pair = compared(parsed("bom/bom/ADJ/2/amod ouro/ouro/NOUN/0/root"), Annotation(""))
    assert structure.distances([pair])[0] > 0
    assert structure.differences(pair)
