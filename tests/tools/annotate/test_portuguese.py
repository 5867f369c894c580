"""The Portuguese pipeline that comes with the project: small, licensed, and as good as its notes say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mtassay.data.language_packs import pack_file
from mtassay.nlp.annotators import open_annotator

PACKED = pack_file("pipelines", "pt")
assert PACKED is not None, "pip install ./packs/pt"
MODEL = PACKED
RECIPE = Path(__file__).resolve().parents[3] / "models" / "pt"


def test_the_pipeline_stays_under_twelve_megabytes():
    assert sum(path.stat().st_size for path in MODEL.rglob("*") if path.is_file()) <= 12_000_000


def test_the_pipeline_says_what_it_is_made_from_and_under_which_licence():
    meta = json.loads((MODEL / "meta.json").read_text(encoding="utf-8"))
    assert meta["license"] == "CC BY-SA 4.0"
    assert {source["license"] for source in meta["sources"]} == {"CC BY-SA 4.0"}
    for name in ("LICENSE", "README.md"):
        assert "CC BY-SA 4.0" in (MODEL / name).read_text(encoding="utf-8")


def test_the_pipeline_knows_no_path_of_the_machine_it_was_trained_on():
    for name in ("config.cfg", "meta.json", "scores.json"):
        text = (MODEL / name).read_text(encoding="utf-8")
        assert "/tmp" not in text
        assert ".spacy" not in text


ROWS = {
    "Words": "words",
    "Part of speech": "pos",
    "Part of speech and morphology": "morphology",
    "Lemma": "lemma",
    "UAS": "uas",
    "LAS": "las",
    "Entities": "entities",
}


@pytest.mark.parametrize(("row", "name"), ROWS.items())
def test_the_notes_show_the_scores_that_were_measured(row, name):
    scores = json.loads((MODEL / "scores.json").read_text(encoding="utf-8"))
    readme = (MODEL / "README.md").read_text(encoding="utf-8")
    cells = [f"{scores[kind][name]['f1']:.1f}" for kind in ("gold words", "plain text")]
    [line] = [line for line in readme.splitlines() if line.startswith(f"| {row} |")]
    assert [cell.split()[0] for cell in line.split("|")[2:4]] == cells


@pytest.fixture(scope="module")
def annotator():
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    return open_annotator("pt", needs=("dependencies", "entities"), name=f"spacy:{MODEL}")


@pytest.mark.slow
def test_a_contraction_is_one_token_and_names_are_found(annotator):
    text = "A filha do médico mora em Lisboa desde 2010."
    [found] = annotator.annotate([text])
    words = {token.text: token for token in found.tokens}
    assert words["do"].pos == "ADP"
    assert words["do"].lemma == "de o"
    assert words["mora"].lemma == "morar"
    assert words["mora"].head == -1
    assert found.tokens[words["filha"].head].text == "mora"
    assert words["filha"].relation == "nsubj"
    assert words["filha"].features["Number"] == "Sing"
    assert [(found.covered(span), span.label) for span in found.entities] == [("Lisboa", "LOC")]


@pytest.mark.slow
def test_the_scores_can_be_measured_again(annotator, data_folder):
    done = subprocess.run(
        [sys.executable, str(RECIPE / "evaluate.py"), str(MODEL), "test"],
        env={"MTASSAY_DATA": str(data_folder), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    measured = json.loads(done.stdout)
    stated = json.loads((MODEL / "scores.json").read_text(encoding="utf-8"))
    for kind in ("gold words", "plain text"):
        for name, score in stated[kind].items():
            assert measured[kind][name]["f1"] == pytest.approx(score["f1"], abs=0.1), (kind, name)
