"""What every structure keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

import pytest

from mtassay.data.registry import find, names
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.methods.invariance.structures import Structure, open_structure
from mtassay.nlp.annotation import LAYERS
from tests.methods.invariance.structures.build import compared, parsed

EXAMPLES = {
    "raw": 16,
    "tokens": 3,
    "constituency": 2,
    "dependency": 2,
}
"""How far the two outputs of `moved` are apart, by each structure."""


@pytest.fixture(params=names("structure"))
def structure(request: pytest.FixtureRequest) -> Structure:
    return open_structure(str(request.param))


@pytest.fixture
def still() -> ComparedPair:
    """A big dog sleeps, a small dog sleeps: the adjective differs, and nothing else."""
    return _pair(
        "grande/grande/ADJ/2/amod dorme/dormir/VERB/0/root",
        "pequeno/pequeno/ADJ/2/amod dorme/dormir/VERB/0/root",
    )


@pytest.fixture
def moved() -> ComparedPair:
    """The same, but the small dog does not sleep now."""
    return _pair(
        "grande/grande/ADJ/2/amod dorme/dormir/VERB/0/root",
        "pequeno/pequeno/ADJ/2/amod não/não/ADV/6/advmod agora/agora/ADV/6/advmod dorme/dormir/VERB/0/root",
    )


def _pair(original: str, variant: str) -> ComparedPair:
    before = "um/um/DET/2/det cão/cão/NOUN/{root}/nsubj {rest}"
    size = [len(rest.split()) + 2 for rest in (original, variant)]
    return compared(
        *(
            parsed(before.format(root=root, rest=rest))
            for root, rest in zip(size, (original, variant), strict=True)
        ),
        source="a big dog sleeps",
    )


def test_every_registered_structure_is_checked() -> None:
    assert EXAMPLES.keys() >= set(names("structure"))


def test_it_says_what_it_is(structure: Structure) -> None:
    assert find("structure", structure.name) is type(structure)
    assert structure.about
    assert "\n" not in structure.about
    assert structure.thresholds.keys() == {"wide", "sure"}
    assert 0 <= structure.thresholds["wide"] < structure.thresholds["sure"]
    assert structure.needs <= set(LAYERS)


def test_a_signature_stays_and_says_which_structure_it_is(structure: Structure) -> None:
    assert structure.signature == structure.signature
    assert structure.signature.startswith(structure.name)


def test_what_moved_is_farther_than_what_did_not_and_says_why(
    structure: Structure, still: ComparedPair, moved: ComparedPair
) -> None:
    same = compared(still.original.output, still.original.output)
    nothing, near, far = structure.distances([same, still, moved])
    assert nothing == 0 <= near < far == EXAMPLES[structure.name]
    assert structure.differences(moved)
    assert structure.distances([]) == []


def test_a_pair_is_as_far_alone_as_among_others(
    structure: Structure, still: ComparedPair, moved: ComparedPair
) -> None:
    assert structure.distances([still, moved]) == [structure.distances([pair])[0] for pair in (still, moved)]
