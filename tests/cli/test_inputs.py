"""What is no file, or nested without end, is refused at once, in every command that reads it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.textfiles import MAX_DEPTH, check_file, check_text, load_json, read_bytes
from tests.cli.conftest import Run

REFUSED = "this is a named pipe: save the text in a file, and give that"
PLAN = """pair: en-pt
test_sets:
  news:
    source: lines.txt
    references: [pipe.txt]
systems:
  nmt: lines.txt
steps:
  score:
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for ending in ("txt", "yaml", "jsonl", "json", "tsv", "csv"):
        os.mkfifo(tmp_path / f"pipe.{ending}")
    (tmp_path / "lines.txt").write_text("Um dia.\nDois dias.\n")
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


LINES = ("-t", "lines.txt", "-r", "lines.txt")


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "-t", "lines.txt", "-r", "pipe.txt"),
        ("score", "-t", "pipe.txt", "-r", "lines.txt"),
        ("score", *LINES, "-s", "pipe.txt", "--stream"),
        ("score", *LINES, "-m", "scores:pipe.tsv"),
        ("score", *LINES, "--documents", "pipe.txt"),
        ("score", *LINES, "--entities", "pipe.txt", "-m", "nee"),
        ("score", "-t", "nmt=http:pipe.json", "-r", "lines.txt", "-s", "lines.txt", "-l", "en-pt"),
        ("score", "--test-set", "pipe.tsv", "-t", "lines.txt"),
        ("run", "--check", "pipe.yaml"),
        ("run", "pipe.yaml"),
        ("suite", "check", "pipe.yaml"),
        ("suite", "run", "pipe.yaml", "-t", "lines.txt"),
        ("review", "import", "pipe.csv", "--reviewer", "me"),
        ("review", "import", "pipe.jsonl", "--reviewer", "me"),
        ("invariance", "run", "pipe.txt", "-l", "en-pt", "-t", "lines.txt"),
        ("translate", "pipe.txt", "-l", "en-pt", "-t", "nmt=command:cat"),
    ],
    ids=" ".join,
)
def test_a_pipe_that_nobody_writes_to_does_not_hang(
    run: Run, folder: Path, arguments: tuple[str, ...]
) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert f"{REFUSED}\n" in done.stderr


def test_a_pipe_in_a_plan_or_folder_does_not_hang(run: Run, folder: Path) -> None:
    for arguments in (
        ("run", "--check", "plan.yaml"),
        ("run", "plan.yaml", "--dry-run"),
        ("run", "plan.yaml"),
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert REFUSED in done.stdout + done.stderr
    assert run("init", ".", "--dry-run").returncode in (0, 2)


def test_devices_and_sockets_are_refused(tmp_path: Path) -> None:
    for read in (read_bytes, check_text):
        with pytest.raises(InputError, match="/dev/zero: this is a device"):
            read("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        with pytest.raises(InputError, match="this is a socket"):
            check_file(tmp_path / "s")
    with pytest.raises(InputError, match="the file is empty"):
        read_bytes(os.devnull)


def test_what_the_shell_opened_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Um dia.\n")
    command = f"{sys.executable} -m mtassay score -r <(cat a.txt) -t a=<(cat a.txt) -m chrf --checks none -q"
    done = subprocess.run(
        ["bash", "-c", f"{command} && {command} --stream"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "100.0" in done.stdout
    assert "--stream reads twice" in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 700, 100_000])
@pytest.mark.parametrize("shape", ["[", '{"a":'])
def test_json_nested_too_deeply_is_an_ordinary_error(depth: int, shape: str) -> None:
    text = shape * depth + "1" + ("]" if shape == "[" else "}") * depth
    with pytest.raises(json.JSONDecodeError, match="nested too deeply"):
        load_json(text)


def test_json_of_the_largest_depth_is_read() -> None:
    assert load_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert load_json(json.dumps([{"a": []}] * 1000))


DEEP = ("[" * 700 + "]" * 700, "[" * 100_000)


@pytest.mark.parametrize("deep", DEEP, ids=["700", "100000"])
@pytest.mark.parametrize(
    ("name", "content", "arguments"),
    [
        ("x.json", '{{"a.txt": {}}}', ("score", *LINES, "-m", "scores:x.json")),
        ("x.jsonl", '{{"system": "lines", "id": 1, "s": {}}}', ("score", *LINES, "-m", "scores:x.jsonl")),
        ("x.jsonl", '{{"id": 1, "reference": {}}}', ("score", "-t", "lines.txt", "-r", "x.jsonl")),
        ("x.rating", "lines\t{}", ("score", *LINES, "-m", "scores:x.rating")),
        ("x.json", '{{"url": "http://x", "answer": {}}}', ("doctor", "-t", "http:x.json", "-l", "en-pt")),
        ("x.json", '{{"items": {}}}', ("suite", "check", "x.json")),
        ("x.jsonl", '{{"id": "a", "source": {}}}', ("suite", "check", "x.jsonl")),
        ("x.yaml", "items: {}", ("suite", "check", "x.yaml")),
        ("x.yaml", "pair: {}", ("run", "--check", "x.yaml")),
        ("x.json", '{{"kind": {}}}', ("compare", "x.json", "x.json")),
        ("x.json", "{}", ("review", "import", "x.json", "--reviewer", "me")),
        ("x.jsonl", '{{"answer": {}}}', ("review", "import", "x.jsonl", "--reviewer", "me")),
        ("x.json", '{{"kind": {}}}', ("meta", "judges", "x.json")),
    ],
)
def test_a_file_nested_too_deeply_is_one_line(
    run: Run, folder: Path, deep: str, name: str, content: str, arguments: tuple[str, ...]
) -> None:
    (folder / name).write_text(content.format(deep) + "\n")
    done = run(*arguments)
    assert done.returncode in (1, 2), done.stderr
    assert "bug of ours" not in done.stderr
    assert len((done.stderr + done.stdout).splitlines()) < 30


def test_init_passes_over_deep_json(run: Run, folder: Path) -> None:
    (folder / "x.json").write_text('{"url": ' + "[" * 100_000)
    assert "bug of ours" not in run("init", ".", "--dry-run").stderr
