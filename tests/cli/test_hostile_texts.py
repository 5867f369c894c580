"""Names, outputs and notes that would steer a terminal, run in a spreadsheet or leave a comment."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ESCAPE = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e\x7f"
NAME = f"a{ESCAPE}"
SUITE = f"""\
suite: small
langpair: en-pt
items:
  - id: "i{ESCAPE.encode("unicode_escape").decode()}"
    category: "c\\x1b[31m"
    phenomenon: "p\\u202e"
    source: "Yes\\x1b[31m."
    note: "n\\x9b"
    positive_regex: [Sim]
  - id: j
    category: "c\\x1b[31m"
    phenomenon: q
    source: "No."
    positive_regex: [Não]
    negative_regex: [Sim]
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "source.txt").write_text("Yes.\nNo, 3 times.\n", encoding="utf-8")
    (tmp_path / "ref.txt").write_text("Sim.\nNão, 3 vezes.\n", encoding="utf-8")
    (tmp_path / "out.txt").write_text(f"Sim{ESCAPE}.\nNão{ESCAPE}, 4 vezes.\n", encoding="utf-8")
    (tmp_path / "documents.txt").write_text(f"d\tx{ESCAPE}\nd\ty\n", encoding="utf-8")
    for year in ("old", "new"):
        (tmp_path / year).mkdir()
        (tmp_path / year / f"{NAME}.txt").write_text(f"Sim{ESCAPE}.\nNão.\n", encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return tmp_path


TEXTS = ["-s", "source.txt", "-r", "ref.txt", "-l", "en-pt"]
SCORE = ["score", *TEXTS, "-t", f"{NAME}=out.txt", "-t", "b=ref.txt"]
RUN = ["suite", "run", "suite.yaml", "-t", f"{NAME}=out.txt", "-t", "b=ref.txt"]
FORMATS = ["text", "md", "latex", "tsv", "json"]


def steers(text: str) -> set[str]:
    """Characters that a terminal would obey, or that hide something."""
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\t"}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "command",
    [
        [*SCORE, "--by", "document", "--documents", "documents.txt"],
        [*SCORE, "--examples", "2"],
        RUN,
        [*RUN, "--phenomena"],
        ["suite", "check", "suite.yaml"],
        ["suite", "list", "suite.yaml"],
        ["translate", "-l", "en-pt", "-t", f"{NAME}=fake:upper", "out.txt", "-o", "x.jsonl"],
    ],
    ids=lambda words: " ".join(words[:2]) if isinstance(words, list) else words,
)
def test_nothing_steers_the_terminal(run: Run, files: Path, command: list[str], form: str) -> None:
    done = run(*command, *([] if command[0] == "translate" else ["-f", form]))
    if form == "tsv" and "--examples" in command:
        return  # which is refused
    assert done.returncode in (0, 1), done.stderr
    assert not steers(done.stdout)
    assert not steers(done.stderr)
    if form == "json" and done.stdout:
        json.loads(done.stdout)


@pytest.mark.parametrize(
    "command",
    [
        ["runs", "show", "last", "--findings"],
        ["runs", "list"],
        ["runs", "export", "last"],
        ["runs", "export", "last", "--what", "findings"],
        ["explain", "1"],
        ["explain", "j"],
        ["review", "next", "--list"],
        ["review", "export"],
        ["history", "a=last", "b=last"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("made", [SCORE, RUN], ids=["score", "suite"])
def test_nothing_saved_steers_the_terminal(
    run: Run, files: Path, made: list[str], command: list[str]
) -> None:
    run(*made, "-q")
    done = run(*command)
    assert done.returncode in (0, 1, 2)
    assert not steers(done.stdout)
    assert not steers(done.stderr)


def test_a_line_break_does_not_leave_a_latex_comment(run: Run, files: Path) -> None:
    suite = SUITE
    for place in ("suite: ", "phenomenon: "):
        suite = suite.replace(f"{place}small", f'{place}"s\\n\\\\input{{secret}}"')
        suite = suite.replace(f"{place}q", f'{place}"q\\n\\\\input{{secret}}"')
    (files / "suite.yaml").write_text(suite, encoding="utf-8")
    done = run(*RUN, "--phenomena", "-f", "latex")
    assert done.stdout
    for line in done.stdout.splitlines():
        assert "\\input" not in line.partition("%")[0]


def test_markdown_keeps_no_links_and_no_images(run: Run, files: Path) -> None:
    name = "[x](javascript:alert(1))![y](//evil.example/p.png)<script>"
    done = run("score", "-r", "ref.txt", "-t", f"{name}=out.txt", "-t", "b=ref.txt", "-f", "md")
    assert "](" not in done.stdout.replace("\\](", "")
    assert "<script" not in done.stdout


def test_no_cell_is_a_formula(run: Run, files: Path) -> None:
    (files / "systems").mkdir()
    (files / "systems" / "=1+cmd.txt").write_text("Sim.\nNão.\n", encoding="utf-8")
    done = run("score", "-r", "ref.txt", "-t", "systems", "-f", "tsv")
    cells = [cell for line in done.stdout.splitlines() for cell in line.split("\t")]
    assert "'=1+cmd" in cells
    assert not any(cell.startswith(("=", "@")) for cell in cells)


@pytest.mark.parametrize("name", ["../x", "a/b", "..", ".hidden", "C:x"])
def test_a_system_writes_nowhere_but_into_the_folder(run: Run, files: Path, name: str) -> None:
    before = {path for path in files.parent.rglob("*") if "workspace" not in path.name}
    done = run("translate", "-l", "en-pt", "-t", f"{name}=fake:upper", "source.txt", "-o", "outputs/")
    assert done.returncode == 2
    assert "cannot name a file" in done.stderr
    after = {path for path in files.parent.rglob("*") if "workspace" not in path.name}
    assert after - before <= {files / "outputs", files / ".mtassay"}


def test_a_file_whose_name_is_not_utf8_is_a_system_that_can_be_kept(run: Run, files: Path) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    for path in (files / name, files / "set" / name):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes((files / "ref.txt").read_bytes())
    for system in (name, "set"):
        done = run("score", "-r", name, "-t", system, "--format", "json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["scores"][0]["system"] == r"caf\xe9"
