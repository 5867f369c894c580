"""`mtassay meta blindspots`, `calibrate` and `judges` as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SOURCE = [f"Im Jahr 19{n} kaufte die Stadt {n} Busse für die alte Linie." for n in range(40, 70)]
REFERENCE = [f"In 19{n}, the town bought {n} buses for the old line." for n in range(40, 70)]
OUTPUT = [f"In 19{n} the city bought {n} buses for its old line, they say." for n in range(40, 70)]


@pytest.fixture
def texts(tmp_path: Path) -> list[object]:
    for name, lines in {"s.txt": SOURCE, "r.txt": REFERENCE, "o.txt": OUTPUT}.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["-s", "s.txt", "-r", "r.txt", "-l", "de-en"]


def test_metrics_by_kinds_of_errors_fit_eighty_columns(run: Run, texts: list[object]) -> None:
    done = run(
        "meta", "blindspots", *texts, "-t", "nmt=o.txt", "-m", "bleu,chrf,ter", "--error", "number,omission"
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "de-en · errors put into the output of nmt · 30 texts, 60 corruptions"
    assert lines[3].split() == ["Error", "n", "BLEU", "chrF2", "TER"]
    assert [line.split()[:2] for line in lines if line.startswith("number")] == [["number", "30"]] * 3
    assert all(len(line) <= 80 for line in lines)


def test_a_second_reference_is_the_good_text_and_a_single_one_is_its_own(
    run: Run, texts: list[object]
) -> None:
    common = ["-m", "chrf", "--error", "number"]
    second = run("meta", "blindspots", *texts, "-r", "o.txt", *common)
    assert "errors put into reference 2 ·" in second.stdout
    assert "held against themselves" not in second.stdout
    single = run("meta", "blindspots", *texts, *common)
    assert "errors put into the reference itself ·" in single.stdout
    assert "Texts are held against themselves" in single.stdout


def test_what_was_corrupted_is_a_challenge_set(run: Run, texts: list[object], tmp_path: Path) -> None:
    common = ["-m", "chrf", "--error", "number,doubled word"]
    done = run("meta", "blindspots", *texts, "-t", "nmt=o.txt", *common, "--write", "c.jsonl", "-f", "json")
    scores = json.loads(done.stdout)["scores"]
    pairs = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(pairs) == 60
    assert {pair["category"] for pair in pairs} == {"number", "doubled word"}
    again = json.loads(run("meta", "challenge", "c.jsonl", "-m", "chrf", "-f", "json").stdout)["scores"]
    lower = {s["group"]: s["value"] for s in scores if s["name"] == "lower"}
    accuracy = {s["group"]: s["value"] for s in again if s["name"] == "accuracy:reference-based"}
    ties = {s["group"]: s["value"] for s in scores if s["name"] == "ties"}
    for kind in lower:
        assert accuracy[kind] == pytest.approx(lower[kind] - ties[kind] / 2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--error", "grammar"], "No kind of error 'grammar'. Available: negation, number"),
        (["-t", "a=o.txt", "-t", "b=o.txt"], "Errors are put into one output: choose one of a, b."),
        (["-m", "blue"], "No metric 'blue'"),
    ],
)
def test_a_slip_is_told_in_one_line(run: Run, texts: list[object], more: list[str], message: str) -> None:
    done = run("meta", "blindspots", *texts, *more)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
