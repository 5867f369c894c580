"""Detectors by name, and what all of them keep to."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.registry import names
from mtassay.measures.coverage import Counterparts, OverTranslation, UnderTranslation
from mtassay.measures.detector import (
    AnnotatedAnswer,
    PairDetector,
    PhraseDetector,
    RelationDetector,
    default_detectors,
    open_detectors,
)
from mtassay.measures.detector_records import (
    FEWEST,
    PATH,
    DetectorRecord,
    is_proven,
    read_records,
    record_of,
    write_records,
)
from mtassay.nlp.annotation import Annotation
from tests.detectors.build import answer, encoder_of

PAIR = parse_pair("en-pt")


def test_every_detector_opens_under_its_own_name_and_is_of_one_kind() -> None:
    opened = open_detectors(names("detector"), PAIR)
    assert [detector.name for detector in opened] == names("detector")
    kinds = (PairDetector, RelationDetector, PhraseDetector)
    assert all(sum(isinstance(detector, kind) for kind in kinds) == 1 for detector in opened)


def test_each_language_pair_has_the_detectors_that_proved_good_for_it() -> None:
    assert default_detectors(PAIR) == ("untranslated", "markup", "polarity")
    assert default_detectors(parse_pair("en-zh")) == ("same-output",)
    assert default_detectors(parse_pair("zh-en")) == ()
    assert default_detectors(parse_pair("en-nl")) == ()


def test_what_is_on_fires_three_times_as_often_on_wrong_outputs_by_more_than_chance() -> None:
    pairs = sorted({record.pair for record in read_records()} | {"en-nl"})
    on = [record_of(name, pair) for pair in pairs for name in default_detectors(parse_pair(pair))]
    assert on
    for record in on:
        assert record is not None
        assert record.wrong_fired / record.wrong >= 3 * record.right_fired / record.right, record
        assert record.fired >= FEWEST, record


def record(pair: str, *counts: int, origin: str = "people: x") -> DetectorRecord:
    return DetectorRecord(pair, "numbers", origin, *counts)


@pytest.mark.parametrize(
    ("records", "pair", "decides", "is_good"),
    [
        ([record("en-pt", 30, 100, 10, 100)], "en-pt", "en-pt", True),
        ([record("en-pt", 29, 100, 10, 100)], "en-pt", "en-pt", False),  # not three times as often
        ([record("en-pt", 7, 100, 0, 100)], "en-pt", "all pairs", False),  # too few
        ([record("en-pt", 6, 100, 2, 100)], "en-pt", "en-pt", False),  # may be chance
        ([record("en-pt", 3, 100, 0, 100), record("en-de", 9, 100, 0, 100)], "en-pt", "all pairs", True),
        ([record("en-de", 20, 100, 0, 100)], "en-nl", "all pairs", True),
        ([record("en-de", 20, 100, 0, 100, origin="language models: x")], "en-nl", None, False),
        ([], "en-nl", None, False),
    ],
)
def test_a_pair_decides_where_it_says_enough_and_else_all_pairs_that_people_labelled(
    records: list[DetectorRecord], pair: str, decides: str | None, is_good: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("mtassay.measures.detector_records.read_records", lambda: tuple(records))
    found = record_of("numbers", pair)
    assert (found.pair if found else None) == decides
    assert is_proven("numbers", pair) is is_good


def test_the_table_has_counts_and_no_sentences(tmp_path: Path) -> None:
    write_records(read_records(), tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_text("utf-8") == PATH.read_text("utf-8")
    assert all(0 <= r.wrong_fired <= r.wrong and 0 <= r.right_fired <= r.right for r in read_records())
    assert {r.detector for r in read_records()} <= set(names("detector"))


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
