"""A method of another package is listed, run, saved, shown, explained and reviewed like one of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

CODE = '''\
"""A toy: flags outputs that are much shorter than their sources."""

from dataclasses import dataclass, field
from typing import ClassVar

from mtassay.data.nouns import Case, Finding, Judgement, Question, Result, Score
from mtassay.data.method import Method
from mtassay.data.settings import option
from mtassay.stats.proportions import wilson


@dataclass(frozen=True)
class Lengths(Method):
    """Flags outputs that are much shorter than their sources."""

    name: ClassVar[str] = "lengths"
    asks: ClassVar = (Question("lengths", "Is something missing?", {"m": "missing", "c": "complete"}),)

    ratio: float = field(default=0.5, metadata=option("Shorter than this share is too short.", least=0))
    by_words: bool = False

    def cases(self, segments, tools):
        return [Case(s.id, s.id, (s.source,)) for s in segments]

    def judge(self, cases, outputs, tools):
        findings, counts = [], {}
        for system, answers in outputs.items():
            for case, answer in zip(cases, answers, strict=True):
                share = self.size(answer.text) / max(self.size(case.sources[0]), 1)
                verdict = "fail" if share < self.ratio else "pass"
                why = f"{share:.2f} of the source"
                findings.append(Finding(case.id, system, "lengths", verdict, 1 - share, {"why": why}))
            failed = sum(f.verdict == "fail" for f in findings if f.system == system)
            counts[system] = {"cases": len(cases), "short": failed}
        return Judgement(findings, counts=counts)

    def score(self, judgement, tools):
        scores = []
        for system, n in judgement.counts.items():
            low, high = wilson(n["short"], n["cases"])
            share = 100 * n["short"] / n["cases"]
            scores.append(Score("short", system, "all", share, n["cases"], 100 * low, 100 * high))
        return Result(scores, counts=judgement.counts, notes=["A toy."])

    def size(self, text):
        return len(text.split() if self.by_words else text)
'''
SOURCES = "One two three four.\nFive six seven eight.\n"
OUTPUTS = "Um dois três quatro.\nCinco.\n"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment of its own, which has what this one has and the foreign package."""
    folder = tmp_path_factory.mktemp("environment")
    wheel = folder / "toy_lengths-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("toy_lengths.py", CODE)
        about = "toy_lengths-1.0.dist-info"
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: toy-lengths\nVersion: 1.0\n")
        archive.writestr(f"{about}/entry_points.txt", "[mtassay.method]\nlengths = toy_lengths:Lengths\n")
    scratch = folder / "scratch"
    venv.create(scratch, with_pip=False, symlinks=True)
    (site,) = scratch.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)  # which is all that installing a wheel of one module does
    source = Path(__file__).resolve().parent.parent / "src"
    (site / "ours.pth").write_text(f"{source}\n{sysconfig.get_paths()['purelib']}\n")
    return scratch / "bin" / "python"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "source.txt").write_text(SOURCES)
    (tmp_path / "nmt.txt").write_text(OUTPUTS, encoding="utf-8")
    return tmp_path


def call(python: Path, place: Path, *words: str) -> str:
    environment = {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1"}
    done = subprocess.run(
        [python, *words], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_listed(python: Path, place: Path) -> None:
    listed = call(python, place, "-m", "mtassay", "doctor")
    assert "lengths                   Flags outputs that are much shorter" in listed


def test_the_library_runs_it_with_its_parameters(python: Path, place: Path) -> None:
    code = (
        "import mtassay as mt\n"
        "run = mt.run('lengths', ['One two three.'], {'nmt': ['Um.']}, ratio=0.9)\n"
        "print(run.records()[0]['value'], run.parameters['ratio'], run.notes)\n"
    )
    assert call(python, place, "-c", code) == "100.0 0.9 ['A toy.']\n"


def test_the_command_has_its_fields_as_options_and_everything_else_follows(python: Path, place: Path) -> None:
    mtassay = (python, place, "-m", "mtassay")
    shown = call(*mtassay, "method", "run", "lengths", "--help-all")
    assert "--ratio" in shown
    assert "Shorter than this share is too short." in shown
    assert "--by-words" in shown
    printed = call(*mtassay, "method", "run", "lengths", "source.txt", "-t", "nmt=nmt.txt", "--by-words")
    assert "nmt     short     50" in printed
    assert "A toy." in printed
    assert "nmt     short     50" in call(*mtassay, "runs", "show", "last")
    told = call(*mtassay, "explain", "2")
    assert "fail: lengths · nmt · subject " in told
    assert "lengths 0.75: 0.25 of the source" in told
    waiting = json.loads(call(*mtassay, "review", "next", "-f", "json"))
    assert [(row["case_id"], row["outputs"]) for row in waiting] == [("2", ["Cinco."])]
    decided = call(*mtassay, "review", "decide", "last", "2", "nmt", "missing", "--reviewer", "anna")
    assert "is now missing" in decided
    assert "missing by reviewers (the run said fail: lengths)" in call(*mtassay, "explain", "2")
    assert "lengths" in call(*mtassay, "meta", "judges", "last", "--error", "missing")


def test_a_plan_runs_it_by_name(python: Path, place: Path) -> None:
    plan = "systems: {nmt: nmt.txt}\ntest_sets: {news: {source: source.txt}}\n"
    plan += "steps: {lengths: {by_words: yes}}\n"
    (place / "mtassay.yaml").write_text(plan, encoding="utf-8")
    mtassay = (python, place, "-m", "mtassay")
    assert "1 step" in call(*mtassay, "run", "--check")
    assert "nmt     short     50" in call(*mtassay, "run")
    assert "lengths · news · unchanged" in call(*mtassay, "run")


def test_its_runs_can_be_seen_where_it_is_not_installed(python: Path, place: Path) -> None:
    words = ("method", "run", "lengths", "source.txt", "-t", "nmt=nmt.txt", "--by-words")
    call(python, place, "-m", "mtassay", *words)
    shown = call(Path(sys.executable), place, "-m", "mtassay", "runs", "show", "last")
    assert "nmt     short     50" in shown
