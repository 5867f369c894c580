"""Metrics, detectors and systems compared with people, from Python: on files and in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app.judge_trust import judges
from mtassay.app.metric_agreement import rank
from mtassay.data.errors import InputError, UsageError

OUTPUTS = {"A": ["Ola mundo", "Boa"], "B": ["Olá, mundo!", "Bom dia."], "C": ["Oi", "Ola"]}
REFERENCE = ["Olá, mundo!", "Bom dia."]
PEOPLE = {"A": [60, 50], "B": [95, 90], "C": [20, None]}


def test_files_and_memory_give_the_same_agreement(tmp_path: Path) -> None:
    for name, texts in {**OUTPUTS, "reference": REFERENCE}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    rows = [f"{s}\t{i}\t{x}" for s, row in PEOPLE.items() for i, x in enumerate(row, 1) if x is not None]
    (tmp_path / "da.tsv").write_text("\n".join(["system\tid\tda", *rows]) + "\n", encoding="utf-8")
    files = {name: tmp_path / f"{name}.txt" for name in OUTPUTS}
    how = {"metrics": "chrf", "samples": 100, "trials": 100}
    first = mt.correlate(files, tmp_path / "reference.txt", human_scores=tmp_path / "da.tsv", **how)
    second = mt.correlate(OUTPUTS, [REFERENCE], human_scores={"da": PEOPLE}, **how)
    assert first.records() == second.records()
    assert str(first) == str(second)
    assert "Kendall" in str(first)


def test_a_ranking_prints_itself() -> None:
    found = rank({"A": [90, 80, 95, 85, 99], "B": [10, 20, 30, 25, 15]})
    assert [row[0] for row in found.tables()[0].rows] == ["A", "B"]
    assert found.render("tsv").splitlines()[1].startswith("human\tA\tall\t89.8\t5")


def test_scores_of_whole_systems_cannot_be_ranked() -> None:
    with pytest.raises(UsageError, match="ranking needs scores of segments"):
        rank({"A": 90, "B": 10})


def test_a_score_for_each_segment_is_needed() -> None:
    with pytest.raises(InputError, match="1 scores of A for 2 segments"):
        mt.correlate(OUTPUTS, [REFERENCE], human_scores={"da": {"A": [1]}}, metrics="chrf")


def test_scores_of_a_list_take_a_threshold() -> None:
    labels = {"1": "ERR", "2": "NOT", "3": "ERR", "4": "NOT"}
    found = judges(flagged={"l": {"1": 0.9, "2": 0.4}}, thresholds={"l": 0.5}, labels=labels)
    assert found.result.counts["l"] == {"flagged": 1, "unlabelled": 0, "labelled": 4, "errors": 2}
    with pytest.raises(UsageError, match="label 'perhaps' is not known"):
        judges(flagged={"l": ["1"]}, labels={"1": "perhaps"})


def test_a_run_in_memory_is_judged_like_a_saved_one() -> None:
    run = mt.score({"a": ["Olá.", ""]}, [["Olá.", "Oi."]], metrics="chrf", samples=100)
    found = judges([run], labels={("1", "a"): False, ("2", "a"): True})
    assert "check:empty" in found.result.counts
