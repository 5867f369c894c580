"""Agreement with people that the field published, recomputed from outputs and human scores."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from mtassay.data.formats.segment_files import read_segments
from mtassay.data.languages import parse_pair
from mtassay.measures.bleu import BLEU
from mtassay.measures.chrf import ChrF
from mtassay.meta.correlate import CorrelationSettings, correlate
from mtassay.meta.measurement import measure_raters
from mtassay.meta.rated_material import Rater, material_from_files, material_from_folder, rater_from_column

METRICS = {"bleu": BLEU(), "chrf": ChrF()}
SETTINGS = CorrelationSettings(samples=100, trials=100)


def wmt23(data_folder: Path) -> tuple[list[Rater], list[Rater], list[Rater], dict[str, float]]:
    """Our metrics, published metrics, people, and Pearson of all with MQM."""
    material = material_from_folder(
        data_folder / "wmt23-mtme", parse_pair("en-de"), humans=["mqm"], metric_scores=["all"]
    )
    frame = material.frame
    ours = measure_raters(
        METRICS, None, material.segments, material.outputs, frame, settings=SETTINGS, labels={}
    ).metrics
    theirs = [rater_from_column(column, frame) for column in material.metrics]
    people = [rater_from_column(column, frame) for column in material.humans]
    found = correlate([*ours, *theirs], people, frame=frame, settings=SETTINGS)
    pearson = {s.name: s.value or math.nan for s in found.result.scores if s.group == "pearson"}
    assert {score.n for score in found.result.scores} == {12, 66}
    assert all(score.value is not None for score in found.result.scores if score.name in METRICS)
    return ours, theirs, people, pearson


def test_wmt23_en_de_agrees_with_mqm_as_published(data_folder: Path) -> None:
    ours, theirs, _, pearson = wmt23(data_folder)
    assert (round(pearson["bleu"], 3), round(pearson["chrf"], 3)) == (0.917, 0.866)
    assert (round(pearson["BLEU-refA"], 3), round(pearson["chrF-refA"], 3)) == (0.917, 0.866)
    published = {rater.name: rater.points.tolist() for rater in theirs}
    assert ours[0].points.tolist() == pytest.approx(published["BLEU-refA"], abs=1e-9)
    # The published chrF is from an older sacreBLEU, which counted white space differently.
    assert ours[1].points.tolist() == pytest.approx(published["chrF-refA"], abs=1e-4)


def test_learned_metrics_draw_segments_and_wmts_corpus_bleu_does_not(data_folder: Path) -> None:
    _, theirs, people, _ = wmt23(data_folder)
    assert {rater.name: rater.units is not None for rater in theirs} == {
        "BLEU-refA": False,
        "BLEURT-20-refA": True,
        "COMET-refA": True,
        "chrF-refA": False,
    }
    assert people[0].units is not None


def test_wmt23_en_de_accuracy_with_calibrated_ties_is_that_of_mt_metrics_eval(data_folder: Path) -> None:
    """Numbers of its procedure (`tau_optimization`, all pairs, by item), followed step by step here."""
    material = material_from_folder(
        data_folder / "wmt23-mtme",
        parse_pair("en-de"),
        humans=["mqm"],
        metric_scores=["all"],
        with_outputs=False,
    )
    frame = material.frame
    metrics = [rater_from_column(column, frame) for column in material.metrics]
    people = [rater_from_column(column, frame) for column in material.humans]
    settings = CorrelationSettings("segment", "item", samples=100, trials=1000, test="wmt")
    found = correlate(metrics, people, frame=frame, settings=settings).result
    values = {score.name: score.value for score in found.scores if score.group == "acc_eq"}
    assert values == pytest.approx(
        {
            "BLEU-refA": 0.5195981554677204,
            "BLEURT-20-refA": 0.5721343873517786,
            "COMET-refA": 0.5740118577075118,
            "chrF-refA": 0.5192358366271412,
        },
        abs=1e-12,
    )
    ranks = {name: c.rank for c in found.clusters if c.group == "acc_eq" for name in c.systems}
    assert ranks == {"COMET-refA": 1, "BLEURT-20-refA": 1, "BLEU-refA": 2, "chrF-refA": 2}


@pytest.mark.parametrize(
    ("digits", "bleu", "chrf"),
    # The published numbers come from z scores rounded to three digits, as WMT22 prints them.
    [(3, 0.496, 0.501), (16, 0.492, 0.497)],
)
def test_wmt22_de_en_agrees_with_direct_assessment(
    data_folder: Path, tmp_path: Path, digits: int, bleu: float, chrf: float
) -> None:
    folder = data_folder / "wmt22" / "de-en"
    segments = read_segments(folder / "source.txt", [folder / "references" / f"{name}.txt" for name in "AB"])
    header, *lines = (folder / "human" / "sys-scores.csv").read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(header.split(), line.split(), strict=True)) for line in lines]
    scores = tmp_path / "z.tsv"
    cells = [f"{row['SYS']}\t{round(float(row['Z.SCR']), digits)}\n" for row in rows]
    scores.write_text("SYS\tZ.SCR\n" + "".join(cells), encoding="utf-8")
    outputs = {path.stem: str(path) for path in sorted((folder / "outputs").iterdir())}
    material = material_from_files(segments, outputs, [str(scores)], humans=["z"])
    assert material.notes == ["Also in Z.SCR, but not here: HUMAN-B."]
    frame = material.frame
    ours = measure_raters(METRICS, None, segments, material.outputs, frame, settings=SETTINGS, labels={})
    people = [rater_from_column(column, frame) for column in material.humans]
    found = correlate(ours.metrics, people, frame=frame, settings=SETTINGS).result.scores
    pearson = {score.name: round(score.value or 0, 3) for score in found if score.group == "pearson"}
    assert pearson == {"bleu": bleu, "chrf": chrf}
    assert {score.n for score in found} == {9, 36, 0}
