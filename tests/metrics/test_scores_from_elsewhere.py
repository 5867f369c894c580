"""Scores that other programs or people gave, as a metric."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.data.errors import InputError, UsageError
from mtassay.data.method import view_of
from mtassay.data.nouns import Segment
from mtassay.data.settings import build
from mtassay.measures.given_scores import Scores
from mtassay.methods.behavior.translation_quality import Translated, qualities
from tests.fakes import MemoryContext

SEGMENTS = [Segment("a", "Yes.", ("Sim.",)), Segment("b", "No.", ("Não.",))]
OUTPUTS = {"old": ["Sim.", "Sim."], "new": ["Sim.", "Não."]}


def file(tmp_path: Path, name: str, text: str) -> str:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return str(path)


BY_ID = "system\tid\tMQM\nold\ta\t0\nold\tb\t-5\nnew\ta\t0\nnew\tb\t-1\n"
METRICX = "\n".join(
    json.dumps({"source": source, "hypothesis": output, "prediction": score})
    for source, output, score in [("Yes.", "Sim.", 0.5), ("No.", "Sim.", 9.0), ("No.", "Não.", 1.5)]
)
WMT_MQM = """system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
old\td\t1\t1\tanna\tYes.\tSim.\tNo-error\tNo-error
old\td\t2\t2\tanna\tNo.\t<v>Sim</v>.\tAccuracy/Mistranslation\tMajor
old\td\t2\t2\tanna\tNo.\tSim<v>.</v>\tFluency/Grammar\tMinor
old\td\t2\t2\tben\tNo.\t<v>Sim.</v>\tNon-translation!\tMajor
new\td\t1\t1\tanna\tYes.\tSim.\tNo-error\tNo-error
new\td\t2\t2\tanna\tNo.\tNão<v>.</v>\tFluency/Punctuation\tMinor
"""
RATED = [("Yes.", "Sim.", 0.9), ("No.", "Sim.", 0.1), ("No.", "Não.", 0.8)]
ROWS = [{"src": source, "mt": output, "COMET": score} for source, output, score in RATED]
COMET = json.dumps({"runs/old.txt": ROWS[:2], "runs/new.txt": [ROWS[0], ROWS[2]]}, indent=4)


@pytest.mark.parametrize(
    ("name", "text", "old", "new"),
    [
        ("mqm.tsv", BY_ID, -2.5, -0.5),
        ("wmt-mqm.tsv", WMT_MQM, -7.75, -0.05),
        ("metricx.jsonl", METRICX, 4.75, 1.0),
        ("comet.json", COMET, 0.5, 0.85),
        ("de-en.da.seg.score", "old 1\nold 2\nnew 3\nnew 4\n", 1.5, 3.5),
    ],
)
def test_the_score_is_the_mean_of_what_the_file_says(
    tmp_path: Path, name: str, text: str, old: float, new: float
) -> None:
    metric = build("metric", f"scores:{file(tmp_path, name, text)}")
    scores = [metric.aggregate(s.values.sum(axis=0)) for s in metric.measure(SEGMENTS, OUTPUTS)]
    assert scores == pytest.approx([old, new])


def test_an_unrated_output_is_left_out_and_counted(tmp_path: Path) -> None:
    text = BY_ID.replace("-5", "None").replace("\ta\t", "\t1\t").replace("\tb\t", "\t2\t")
    path = file(tmp_path, "mqm.tsv", text)
    run = mt.score(OUTPUTS, [["Sim.", "Não."]], metrics=[f"scores:{path}"], samples=100)
    values = {score.system: (score.value, score.n) for score in run.result.scores}
    assert values == {
        "old": (0, 1),
        "new": (-0.5, 2),
    }


@pytest.mark.parametrize("texts", [True, False])
def test_a_system_that_nobody_rated_has_no_score_and_the_others_keep_theirs(
    tmp_path: Path, texts: bool
) -> None:
    """Not even that of an equal output: the few that are equal are the easy ones."""
    rows = [
        {"system": system, "id": place, "esa": score}
        | ({"source": segment.source, "output": output} if texts else {})
        for system, scores in {"old": [90, 60], "new": [80, 70]}.items()
        for place, segment, output, score in zip("12", SEGMENTS, OUTPUTS[system], scores, strict=True)
    ]
    path = file(tmp_path, "esa.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    source = [segment.source for segment in SEGMENTS]
    outputs = {**OUTPUTS, "third": ["Sim.", "Nunca."]}
    run = mt.score(outputs, [["Sim.", "Não."]], source=source, metrics=["chrf", f"scores:{path}"])
    people = [s for s in run.result.scores if s.label == "esa"]
    assert [(s.value, s.n, s.common_n) for s in people] == [(75, 2, None), (75, 2, None), (None, 0, None)]
    assert people[0].decimals == 1
    assert "esa has no score of third, so they have no rank." in run.result.notes
    assert all("esa" not in str(row) for row in run.tables()[1].rows if row[0] == "third")
    (said,) = {h.text for h in view_of(run.record).headlines() if "people" in h.text}
    assert "third" not in said


def test_less_may_be_better(tmp_path: Path) -> None:
    path = file(tmp_path, "metricx.jsonl", METRICX)
    assert not build("metric", f"scores:{path}:better=lower").higher_is_better


def test_a_file_with_several_scores_asks_for_one(tmp_path: Path) -> None:
    path = file(tmp_path, "x.tsv", "system\tid\tda\tmqm\nold\ta\t1\t2\nnew\ta\t3\t4\n")
    with pytest.raises(UsageError, match="several scores: da, mqm"):
        Scores(file=path).measure(SEGMENTS, OUTPUTS)
    rated = Scores(file=path, column="mqm").measure(SEGMENTS, OUTPUTS)
    assert [entry.values[0].tolist() for entry in rated] == [[2, 1], [4, 1]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.tsv", "system\tid\tda\nold\tzz\t1\n", "rates no segment of 'old', the first of which is 'a'"),
        ("x.tsv", "system\tda\nold\t1\nnew\t2\n", "rates whole systems"),
        ("x.jsonl", METRICX.replace('"source": "', '"source": "x'), "rates none of the outputs of 'old'"),
        ("x.json", "{", "not JSON"),
        ("x.json", "[]", "no scores in it"),
    ],
)
def test_a_file_that_rates_nothing_here_says_why(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Scores(file=file(tmp_path, name, text)).measure(SEGMENTS, OUTPUTS)


def test_a_metric_without_a_file_says_how_to_give_one() -> None:
    with pytest.raises(UsageError, match="write scores:FILE"):
        build("metric", "scores")


def test_behaviour_finds_scores_by_text_and_refuses_those_by_id(tmp_path: Path) -> None:
    items = [Translated("No.", "Não.", ("Sim.",)), Translated("No.", "Não.", ("Não.",))]
    by_text = Scores(file=file(tmp_path, "m.jsonl", METRICX))
    assert qualities({"m": by_text}, items, ["x"], MemoryContext()).tolist() == [[9.0], [1.5]]
    by_id = Scores(file=file(tmp_path, "m.tsv", BY_ID))
    with pytest.raises(UsageError, match="by text"):
        qualities({"m": by_id}, items, ["x"], MemoryContext())
