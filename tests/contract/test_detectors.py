"""What every companion detector keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Case, Edit
from mtassay.data.registry import find, names
from mtassay.measures.detector import (
    AnnotatedAnswer,
    AnsweredCase,
    ComparedPair,
    Detector,
    PairDetector,
    PhraseDetector,
    RelationDetector,
    find_suspicions,
    open_detectors,
)
from mtassay.nlp.annotation import LAYERS
from mtassay.nlp.fake_annotator import FakeAnnotator

PAIR = parse_pair("en-pt")
POS = {"a": "DET", "um": "DET", "uma": "DET", "350": "NUM", "sees": "VERB", "vê": "VERB", "rio": "PROPN"}
READ = FakeAnnotator("en", pos=POS, entities={"Rio": "LOC"})
SOURCE, VARIANT = "A dog sees 350 houses in Rio.", "A cow sees 350 houses in Rio."
GOOD, GOOD_VARIANT = "Um cão vê 350 casas no Rio.", "Uma vaca vê 350 casas no Rio."
EXAMPLES = {
    "under-translation": ("", GOOD_VARIANT, "1"),
    "over-translation": (f"{GOOD} {GOOD} {GOOD}", GOOD_VARIANT, "1"),
    "repetition": ("Um cão vê vê 350 casas no Rio.", GOOD_VARIANT, "1"),
    "untranslated": ("Um dog sees houses no Rio, 350.", GOOD_VARIANT, "1"),
    "unknown-words": ("Um cão vê 350 casurras no Rio.", GOOD_VARIANT, "1"),
    "added-figures": ("Um cão vê 350 casas no Rio. (3500)", GOOD_VARIANT, "1"),
    "markup": ("Um cão vê <b>350</b> casas no Rio.", GOOD_VARIANT, "1"),
    "polarity": ("Um cão não vê 350 casas no Rio.", GOOD_VARIANT, "1"),
    "numbers": ("Um cão vê 4700 casas no Rio.", GOOD_VARIANT, "1"),
    "entities": ("Um cão vê 350 casas.", GOOD_VARIANT, "1"),
    "no-trace": (GOOD, "Um vê 350 casas no Rio.", "1/cow"),
    "same-output": (GOOD, GOOD, "1/cow"),
    "untranslated-variant": (GOOD, "Uma cow vê 350 casas no Rio.", "1/cow"),
    "growth": (GOOD, f"{GOOD_VARIANT} {GOOD_VARIANT}", "1/cow"),
    "referential": ("Um cão vê algo ali.", GOOD_VARIANT, "1"),
}
"""An output and its variant's in which it finds an error, and the id of the answer that has it."""


@pytest.fixture(params=names("detector"))
def detector(request: pytest.FixtureRequest) -> Detector:
    try:
        (opened,) = open_detectors([str(request.param)], PAIR)
    except UsageError as error:
        pytest.skip(str(error))
    if not opened.is_ready():
        pytest.skip("what it needs is not installed")
    return opened


def answer(key: str, source: str, output: str) -> AnnotatedAnswer:
    source_read, output_read = READ.annotate([source, output])
    return AnnotatedAnswer(key, source_read, output_read)


def answered(output: str, variant: str) -> AnsweredCase:
    original = answer("1", SOURCE, output)
    pair = ComparedPair(original, answer("1/cow", VARIANT, variant), Edit(2, 5, "dog", "cow", "NOUN"))
    phrase = answer("1/np", "350 houses", "350 casas no Rio")
    return AnsweredCase(Case("1", "1", (SOURCE,)), original, [pair], [phrase])


def test_every_registered_detector_is_checked() -> None:
    assert EXAMPLES.keys() >= set(names("detector"))


@pytest.mark.parametrize("name", names("detector"))
def test_it_says_what_it_is(name: str) -> None:
    detector = find("detector", name)
    assert detector.name == name
    assert detector.about
    assert "\n" not in detector.about
    assert detector.needs | detector.needs_source <= set(LAYERS)
    assert sum(issubclass(detector, kind) for kind in (PairDetector, RelationDetector, PhraseDetector)) == 1


def test_nothing_is_suspected_where_nothing_was_answered(detector: Detector) -> None:
    assert find_suspicions(detector, []) == []


def test_a_good_translation_is_not_suspected(detector: Detector) -> None:
    assert find_suspicions(detector, [answered(GOOD, GOOD_VARIANT)]) == []


def test_its_error_is_found_and_told(detector: Detector) -> None:
    output, variant, wrong = EXAMPLES[detector.name]
    (found,) = find_suspicions(detector, [answered(output, variant)])
    assert found.id == wrong
    assert found.why
    assert "\n" not in found.why
    assert found.value > 0
