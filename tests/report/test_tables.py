"""Tables in every form: words left, numbers right, and a sentence where there is nothing."""

from __future__ import annotations

import csv
import io

import pytest

from mtassay.data.display import Cell, Table
from mtassay.data.nouns import Cluster, Comparison, Result, Score
from mtassay.report.run_text import render_tables, score_rows, to_latex, to_markdown, to_tsv

MIXED = Table(
    ["System", "metric", "Δ", "p", "95 %", "share", "why"],
    [
        ["new", "BLEU", Cell("+1.2", strong=True), "0.0010*", "[12–77]", "3/7", "2 words lost"],
        ["old", "chrF2", "−0.3", "–", "", "5 (50.0 %)", "all is well"],
        ["odd", "TER", "–", "< 0.001", "[0–3]", "0/9", "nothing"],
    ],
)


def test_markdown_has_words_left_and_numbers_right() -> None:
    aligned = to_markdown(MIXED).splitlines()[1]
    assert aligned == "| :-- | :-- | --: | --: | --: | --: | :-- |"


def test_latex_has_words_left_and_numbers_right() -> None:
    assert "\\begin{tabular}{llrrrrl}" in to_latex(MIXED)


@pytest.mark.parametrize(("form", "shown"), [("text", ""), ("md", ""), ("latex", "% ")])
def test_a_table_without_rows_is_one_sentence(form: str, shown: str) -> None:
    empty = Table(["pair", "system"], [], title="Issues: 0")
    assert render_tables([empty], form) == f"{shown}Issues: none."  # type: ignore[arg-type]


def test_a_program_reads_the_header_of_a_table_without_rows() -> None:
    assert to_tsv(Table(["pair", "system"], [], title="Issues: 0")) == "pair\tsystem"


def test_scores_and_comparisons_are_one_table_for_a_spreadsheet() -> None:
    scores = [Score("bleu", system, "all", value, 9) for system, value in (("a", 30.0), ("b", 28.5))]
    comparisons = [Comparison("bleu", "all", "a", "b", 1.5, 0.04, 2.0, 0)]
    clusters = [Cluster("bleu", "all", 1, ("a",)), Cluster("bleu", "all", 2, ("b",))]
    text = to_tsv(score_rows(Result(scores, comparisons, clusters)))
    rows = list(csv.DictReader(io.StringIO(text), delimiter="\t"))
    assert list(rows[0])[:8] == ["name", "system", "group", "value", "n", "low", "high", "signature"]
    assert [(row["system"], row["value"], row["rank"], row["against"]) for row in rows] == [
        ("a", "30.0", "1", ""),
        ("b", "28.5", "2", ""),
        ("a", "", "", "b"),
    ]
    assert [rows[2][key] for key in ("delta", "p", "detectable", "more")] == ["1.5", "0.04", "2.0", "0"]
