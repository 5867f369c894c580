"""Detectors of one source and its output."""

from __future__ import annotations

import pytest

from mtassay.data.languages import parse_pair
from mtassay.measures.coverage import Counterparts, OverTranslation, UnderTranslation
from mtassay.measures.details import Entities, NumbersDetector, Untranslated, Vocabularies
from mtassay.measures.detector import AnnotatedAnswer
from mtassay.nlp.annotation import Annotation
from tests.detectors.build import answer, encoder_of, english

# No table is for this pair, so that only the encoder and the spelling speak.
NO_TABLE = parse_pair("en-nl")
WORDS = {
    ("gardener", "jardineiro"): 0.9,
    ("cleans", "limpa"): 0.8,
    ("kitchen", "cozinha"): 0.9,
    ("old", "velha"): 0.7,
    ("broom", "vassoura"): 0.9,
    ("towel", "pano"): 0.3,
}


def counterparts() -> Counterparts:
    return Counterparts(NO_TABLE, least=0.55, encoder=encoder_of(WORDS))


SOURCE = "the gardener cleans the old kitchen"


@pytest.mark.parametrize(
    ("output", "missing"),
    [
        ("o jardineiro limpa a cozinha velha", None),
        # 1 of 4 words is left over: a share of 0.25.
        ("o jardineiro limpa a cozinha", ["old"]),
        ("o jardineiro limpa", ["old", "kitchen"]),
        # Something else stands there instead: a mistranslation, but nothing was left out.
        ("o jardineiro limpa a vassoura velha", None),
    ],
)
def test_content_words_without_a_counterpart_are_missing(output: str, missing: list[str] | None) -> None:
    found = UnderTranslation(counterparts(), lost_alone=0.25).suspects([answer(SOURCE, output)])
    assert [suspicion.evidence["missing"] for suspicion in found] == ([] if missing is None else [missing])


def test_the_reason_names_the_words_to_look_for() -> None:
    [found] = UnderTranslation(counterparts()).suspects([answer(SOURCE, "o jardineiro limpa")])
    assert found.why == "look for what translates: old, kitchen"
    assert found.value == pytest.approx(2 / 4)


def test_an_empty_output_lost_everything_and_an_empty_source_nothing() -> None:
    detector = UnderTranslation(counterparts())
    [found] = detector.suspects([answer(SOURCE, " ", key="1"), answer("", "", key="2")])
    assert (found.id, found.why, found.value) == ("1", "the output is empty", 1.0)


def test_words_that_the_output_alone_has_are_added() -> None:
    usual = "o jardineiro limpa a cozinha velha"
    answers = [answer(SOURCE, usual, key=str(n)) for n in range(20)]
    answers.append(answer(SOURCE, f"{usual} com vassoura", key="20"))
    [found] = OverTranslation(counterparts(), added=0.2).suspects(answers)
    # One of the five words jardineiro, limpa, cozinha, velha, vassoura.
    assert (found.id, found.evidence["added"], found.value) == ("20", ["vassoura"], pytest.approx(1 / 5))


def test_fewer_lost_words_are_enough_where_the_output_is_also_short() -> None:
    source = f"{SOURCE} and the gardener cleans the kitchen with a broom"
    usual = "o jardineiro limpa a cozinha velha e o jardineiro limpa a cozinha com vassoura"
    short = "o jardineiro limpa a cozinha velha e o jardineiro limpa a cozinha"
    detector = UnderTranslation(counterparts())
    answers = [*(answer(source, usual, key=str(n)) for n in range(20)), answer(source, short, key="20")]
    # One of eight words, with 65 of 78 characters; without the others nobody knows what is short.
    assert [suspicion.id for suspicion in detector.suspects(answers)] == ["20"]
    assert detector.suspects(answers[20:]) == []


@pytest.mark.parametrize(
    ("source", "output", "repeated"),
    [
        (SOURCE, "o jardineiro limpa a cozinha velha cozinha velha", "cozinha velha"),
        (SOURCE, "o jardineiro jardineiro limpa a cozinha velha", "jardineiro"),
        # The source says it twice, too.
        ("the gardener cleans cleans the old kitchen", "o jardineiro limpa limpa a cozinha velha", None),
    ],
)
def test_what_only_the_output_says_twice_is_added(source: str, output: str, repeated: str | None) -> None:
    found = OverTranslation(counterparts()).suspects([answer(source, output)])
    assert [suspicion.evidence.get("repeated") for suspicion in found] == ([repeated] if repeated else [])


def lengths(last: int) -> list[AnnotatedAnswer]:
    """Twenty outputs as long as their sources of 40 characters, and one of another length."""
    texts = [("x" * 40, "y" * 40)] * 20 + [("x" * 40, "y" * last)]
    return [
        AnnotatedAnswer(str(n), Annotation(source), Annotation(output))
        for n, (source, output) in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("length", "under", "over"),
    [(40, [], []), (19, ["20"], []), (20, [], []), (80, [], []), (81, [], ["20"])],
)
def test_an_output_far_from_the_usual_length_is_suspected(
    length: int, under: list[str], over: list[str]
) -> None:
    answers = lengths(length)
    lost = UnderTranslation(counterparts(), short=0.5).suspects(answers)
    added = OverTranslation(counterparts(), long=2.0).suspects(answers)
    assert ([s.id for s in lost], [s.id for s in added]) == (under, over)


def test_a_few_outputs_do_not_show_what_is_usual() -> None:
    assert UnderTranslation(counterparts(), short=0.5).suspects(lengths(10)[-19:]) == []


@pytest.mark.parametrize(
    ("source", "output", "missing"),
    [
        ("the bill was 4,250 euros", "a conta foi de 4.250 euros", None),
        ("the bill was 4,250 euros", "a conta foi de 4.520 euros", ["4,250"]),
        ("the bill was 4,250 euros", "", None),
        ("the bill was high", "a conta foi alta", None),
    ],
)
def test_a_lost_number_is_suspected(source: str, output: str, missing: list[str] | None) -> None:
    found = NumbersDetector().suspects([answer(source, output)])
    assert [suspicion.evidence["missing"] for suspicion in found] == ([missing] if missing else [])


@pytest.mark.parametrize(
    ("source", "output", "missing"),
    [
        ("she saw Okafor in Rio", "ela viu Okafor em Rio", None),
        ("she saw Okafor in Rio", "ela viu o velho em Rio", ["Okafor"]),
        # Written a little otherwise.
        ("she saw Okafor in Rio", "ela viu Okaforr em Rio", None),
        # Another name stands there, which may be how this language calls it.
        ("she saw Okafor in Rio", "ela viu Ana em Rio", None),
        ("she saw the gardener", "ela viu a cozinha", None),
    ],
)
def test_a_name_that_left_no_name_behind_is_suspected(
    source: str, output: str, missing: list[str] | None
) -> None:
    found = Entities(NO_TABLE, counterparts()).suspects([answer(source, output)])
    assert [suspicion.evidence["missing"] for suspicion in found] == ([missing] if missing else [])


@pytest.mark.parametrize(
    ("pair", "source", "output", "words"),
    [
        # Another script: any small word is foreign, a name or a short one is not.
        ("en-zh", "she saw the gardener", "她看见了gardener", ["gardener"]),
        ("en-zh", "she saw Okafor", "她看见了Okafor", []),
        ("en-zh", "she saw the app", "她看见了app", []),
        # The table knows "kitchen" as English alone, and "hotel" in both languages.
        ("en-pt", "she cleans the kitchen", "ela limpa a kitchen", ["kitchen"]),
        ("en-pt", "she cleans the hotel", "ela limpa o hotel", []),
        # Without a table only several words in a row are telling.
        ("en-nl", "she cleans the kitchen", "ze poetst de kitchen", []),
        ("en-nl", "she cleans the old kitchen", "ze cleans the old keuken", ["cleans the old"]),
    ],
)
def test_copied_words_are_suspected_unless_they_may_be_names_or_loans(
    pair: str, source: str, output: str, words: list[str]
) -> None:
    detector = Untranslated(Vocabularies.of(parse_pair(pair)))
    found = detector.suspects([AnnotatedAnswer("1", english(source), Annotation(output))])
    assert [suspicion.evidence["untranslated"] for suspicion in found] == ([words] if words else [])


@pytest.mark.parametrize(
    ("word", "is_foreign"),
    [
        # Portuguese, or Portuguese by now, though the table has never seen it there.
        ("viral", False),
        ("indoor", False),
        ("workshop", False),
        # No Portuguese word is spelled so.
        ("sketches", True),
        ("seed", True),
        ("rumble", True),
        # The table has it in Portuguese.
        ("capital", False),
        # No word of either language.
        ("zzyzx", True),
    ],
)
def test_a_word_that_may_be_one_of_the_target_language_is_not_foreign(word: str, is_foreign: bool) -> None:
    assert Vocabularies.of(parse_pair("en-pt")).is_foreign(word) is is_foreign
