"""Structures by name, and what all keep to."""

from __future__ import annotations

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.registry import find, names
from mtassay.methods.invariance.structures import open_structure
from tests.methods.invariance.structures.build import compared, parsed


@pytest.mark.parametrize("name", names("structure"))
def test_each_name_opens_the_structure_of_that_name(name: str) -> None:
    structure = open_structure(name)
    assert structure.name == structure.signature == name


@pytest.mark.parametrize("name", names("structure"))
def test_equal_outputs_are_no_distance_apart(name: str) -> None:
    output = parsed("vi/ver/VERB/0/root o/o/DET/3/det mar/mar/NOUN/1/obj")
    structure = open_structure(name)
    pair = compared(output, output)
    assert structure.distances([pair]) == [0]
    assert structure.differences(pair) == []
    assert structure.distances([]) == []


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"No structure 'graph'\. Available: constituency, dependency"):
        open_structure("graph")


def test_presets_are_of_known_structures_and_sure_ones_are_higher() -> None:
    assert find("structure", "dependency").thresholds == {"wide": 4, "sure": 15}  # section 4 of the paper
    for name in names("structure"):
        thresholds = find("structure", name).thresholds
        assert thresholds["wide"] < thresholds["sure"]
