"""Detectors by name, and what all of them keep to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.detectors.answers import AnnotatedAnswer
from mtassay.detectors.base import PairDetector, PhraseDetector, RelationDetector
from mtassay.detectors.companions import default_detectors, open_detectors
from mtassay.detectors.counterparts import Counterparts
from mtassay.detectors.coverage import OverTranslation, UnderTranslation
from mtassay.errors import UsageError
from mtassay.languages import parse_pair
from mtassay.registry import names
from mtassay.tools.annotate.annotation import Annotation
from tests.detectors.build import answer, encoder_of

PAIR = parse_pair("en-pt")


def test_every_detector_opens_under_its_own_name_and_is_of_one_kind() -> None:
    opened = open_detectors(names("detector"), PAIR)
    assert [detector.name for detector in opened] == names("detector")
    kinds = (PairDetector, RelationDetector, PhraseDetector)
    assert all(sum(isinstance(detector, kind) for kind in kinds) == 1 for detector in opened)


def test_each_language_pair_has_the_detectors_that_proved_good_for_it() -> None:
    assert default_detectors(PAIR) == ("untranslated", "unknown-words", "added-figures", "markup", "polarity")
    assert default_detectors(parse_pair("en-zh")) == ("repetition", "same-output")
    assert default_detectors(parse_pair("en-nl")) == ()


def test_an_unknown_detector_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"No detector 'under'\. Available: under-translation, "):
        open_detectors(["under"], PAIR)


texts = st.text(alphabet="ab 7.,\n中文", max_size=40)


@given(st.lists(st.tuples(texts, texts), max_size=4))
def test_any_text_is_taken_and_no_answer_is_suspected_twice(pairs: list[tuple[str, str]]) -> None:
    answers = [
        AnnotatedAnswer(str(n), Annotation(source), Annotation(output))
        for n, (source, output) in enumerate(pairs)
    ]
    tagged = [answer(source, output, key=str(n)) for n, (source, output) in enumerate(pairs)]
    parts = Counterparts(parse_pair("en-nl"), encoder=encoder_of({}))
    detectors = [d for d in open_detectors(["untranslated", "numbers"], PAIR) if isinstance(d, PairDetector)]
    for detector in (*detectors, UnderTranslation(parts), OverTranslation(parts)):
        for some in (answers, tagged):
            ids = [int(suspicion.id) for suspicion in detector.suspects(some)]
            assert ids == sorted(set(ids))
            assert all(suspicion.why for suspicion in detector.suspects(some))
