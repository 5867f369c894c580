"""Two systems of a run side by side: fresh and saved, in every format, and one segment explained."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mtassay as mt
from mtassay.data.display import Block, Line, Look
from mtassay.data.errors import UsageError
from mtassay.measures.bleu import BLEU
from mtassay.report.run_text import block_markdown, render_html

REFERENCES = ["the cat sat on the mat", "a dog barked", "two birds sang", "it rains"]
SOURCES = ["s one", "s two", "s three", "s four"]
OUTPUTS = {
    "old": ["the cat sat on a mat", "a dog barked", "birds", "it rains"],
    "new": ["the cat sat on the mat", "the dog slept", "two birds sang", "it rains"],
    "bad": ["x", "y", "z", "w"],
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> mt.Run:
    monkeypatch.chdir(tmp_path)
    return mt.score(OUTPUTS, [REFERENCES], SOURCES, metrics="chrf,ter", samples=100, trials=100, save=True)


def test_the_baseline_and_the_best_other_system_are_compared(run: mt.Run) -> None:
    found = run.differences(examples=5)
    assert (found["systems"], found["metric"]) == (["old", "new"], "chrf")
    assert (found["wins"], found["ties"]) == ({"old": 1, "new": 2}, 1)
    by_id = {segment["id"]: segment for segment in found["segments"]}
    assert {id_: segment["better"] for id_, segment in by_id.items()} == {"1": "new", "2": "old", "3": "new"}
    assert by_id["2"]["scores"]["chrf"]["old"] == 100
    # 'a dog barked' for 'the dog slept': two of three words are others.
    assert by_id["2"]["scores"]["ter"] == {"old": 0, "new": pytest.approx(200 / 3)}
    assert by_id["3"]["outputs"] == {"old": "birds", "new": "two birds sang"}


def test_a_saved_run_tells_the_same(run: mt.Run) -> None:
    again = mt.load("last")
    assert again.differences(examples=3) == run.differences(examples=3)
    assert again.render(examples=3) == run.render(examples=3)


def test_systems_and_metric_can_be_chosen(run: mt.Run) -> None:
    found = run.differences("bad", "old", metric="ter")
    assert (found["systems"], found["metric"], found["wins"]) == (["bad", "old"], "ter", {"bad": 0, "old": 4})


@pytest.mark.parametrize(
    ("systems", "view", "message"),
    [
        (["old"], {}, "Give two systems to compare side by side, as A,B. Available: old, new, bad."),
        (["old", "old"], {}, "Give two systems"),
        (["old", "x"], {}, "No system 'x' to compare with another. Available: old, new, bad."),
        ([], {"metric": "bleu"}, "No metric 'bleu' scores the segments of run"),
    ],
)
def test_what_cannot_be_is_said(run: mt.Run, systems: list[str], view: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run.differences(*systems, **view)


def test_one_system_has_nothing_beside_it() -> None:
    run = mt.score({"old": ["a"]}, [["a"]], metrics="chrf", samples=100)
    with pytest.raises(UsageError, match="Differences are between two systems, and there is one: old"):
        run.differences()


def test_a_metric_that_counts_documents_says_nothing_of_segments(tmp_path: Path) -> None:
    entities, documents = tmp_path / "marked.txt", tmp_path / "documents.txt"
    entities.write_text("<PER>Ana</PER> sang\n", encoding="utf-8")
    documents.write_text("d1\n", encoding="utf-8")
    outputs = {"one": ["x"], "two": ["y"], "best": ["Ana sang"]}
    how = {"metrics": "nee", "samples": 100, "trials": 100}
    run = mt.score(outputs, [["Ana sang"]], entities=entities, documents=documents, **how)
    found = run.differences()
    assert (found["systems"], found["metric"], found["segments"]) == (["one", "best"], None, [])
    assert "No metric of this run scores segments" in run.render(examples=1)


def test_a_metric_that_is_not_what_its_name_says_is_not_taken_for_it() -> None:
    how = {"samples": 100, "trials": 100}
    run = mt.score({"a": ["x y"], "b": ["x"]}, [["x y"]], metrics={"bleu": BLEU(order=2)}, **how)
    assert run.differences()["metric"] is None
    same = mt.score({"a": ["x y"], "b": ["x"]}, [["x y"]], metrics={"bleu:order=2": BLEU(order=2)}, **how)
    assert same.differences()["metric"] == "bleu:order=2"


def test_text_shows_tables_then_segments_with_what_differs_marked(run: mt.Run) -> None:
    shown = run.render(examples=5, between=("old", "new"))
    assert "chrF2, segment by segment: new is better in 2 segments, old in 1; 1 score the\n  same." in shown
    assert "Segments where new is better: 2 of 2 shown; scores of old → new" in shown
    assert "  old        the cat sat on [[a]] mat\n  new        the cat sat on [[the]] mat" in shown
    assert " · TER 66.7 → 0.0" in shown
    assert shown.index("Against old") < shown.index("Segments where new is better")


def test_other_formats_show_the_same(run: mt.Run) -> None:
    markdown = run.render("md", examples=1)
    assert "- new: **two** birds **sang**" in markdown
    assert "% Segments where new is better" in run.render("latex", examples=1)
    record = json.loads(run.render("json", examples=1))
    assert record["differences"] == run.differences(examples=1)
    assert "differences" not in json.loads(run.render("json"))
    page = render_html(run.record, look=Look(examples=1))
    assert "<dd><mark>two</mark> birds <mark>sang</mark></dd>" in page
    with pytest.raises(UsageError, match="Choose text, md, latex or json"):
        run.render("tsv", examples=1)


def test_markdown_takes_nothing_of_a_text_for_its_own() -> None:
    block = Block([Line("a_b", "*x* <i> [y](z)", [(0, 3)])], "1 | 2")
    assert block_markdown(block) == "**1 \\| 2**\n\n- a_b: **\\*x\\*** &lt;i> [y\\](z)"


def test_explain_shows_outputs_against_the_reference_and_all_scores(run: mt.Run) -> None:
    (old, new, bad) = run.blocks("3")
    assert old.lines == [
        Line("output", "birds", []),
        Line("missing", "two … sang"),
        Line("scores", old.lines[2].text),
    ]
    assert old.lines[2].text.endswith(" · TER 66.7")
    assert new.lines == [Line("output", "two birds sang", []), Line("scores", "chrF2 100.0 · TER 0.0")]
    assert bad.lines[0] == Line("output", "z", [(0, 1)])


def test_the_nearest_reference_is_the_one_that_an_output_is_held_against() -> None:
    run = mt.score({"a": ["one dog"]}, [["a black cat"], ["one cat"]], metrics="chrf", samples=100)
    (block,) = run.blocks("1")
    assert block.lines[:2] == [Line("output", "one dog", [(4, 7)]), Line("missing", "cat")]


def test_other_methods_say_that_they_have_none() -> None:
    run = mt.suite("en-pt", {"nmt": ["Ambos os pais são médicos."]}, item="false-friends-nouns-1")
    assert run.differences() == {}
    with pytest.raises(UsageError, match="is of 'suite', which has no examples of differences"):
        run.render(examples=1)
