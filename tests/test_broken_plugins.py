"""Packages whose entry points fail: who needs one is told which, and nobody else is stopped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mtassay.data.errors import PluginError, PluginWarning
from mtassay.data.registry import KINDS, each, find

CODE = '''\
"""What cannot be made."""

from dataclasses import dataclass

from mtassay.data.formats.tables import Format
from mtassay.measures.metric import Metric
from mtassay.measures.chrf import ChrF


@dataclass(frozen=True)
class Unmade(ChrF):
    def __post_init__(self):
        raise KeyError("no such thing")


class Unfinished(Metric):
    name = "unfinished"


class Late(ChrF):
    def measure(self, segments, outputs):
        raise KeyError("not there")


class UnmadeFormat(Format):
    suffixes = (".unmade",)

    def __init__(self):
        raise RuntimeError("no format")
'''
METRICS = "unmade = unmade:Unmade\nunfinished = unmade:Unfinished\nlate = unmade:Late\n"


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with one entry point of each kind that cannot be imported, and some that fail later."""
    folder = tmp_path / "site"
    info = folder / "bad_plugin-1.dist-info"
    info.mkdir(parents=True)
    (folder / "badplug.py").write_text('raise RuntimeError("boom\\nat import")\n')
    (folder / "unmade.py").write_text(CODE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad-plugin\nVersion: 1\n")
    more = {"metric": METRICS, "format": "unmade = unmade:UnmadeFormat\n"}
    points = [f"[mtassay.{kind}]\nbroken = badplug:X\n{more.get(kind, '')}" for kind in KINDS]
    (info / "entry_points.txt").write_text("".join(points))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    for name, text in {"s.txt": "A cat.", "r.txt": "Um gato.", "o.tok": "Um gato."}.items():
        (tmp_path / name).write_text(f"{text}\n")
    return tmp_path


def mtassay(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mtassay", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_imported_is_named_with_its_package(broken: Path, kind: str) -> None:
    told = rf"^{kind} 'broken' of the package bad-plugin cannot be used \(badplug:X\): RuntimeError: boom at"
    with pytest.raises(PluginError, match=told):
        find(kind, "broken")
    with pytest.warns(PluginWarning, match="bad-plugin.*Going on without it"):
        assert list(each(kind))


SCORE = ("score", "-s", "s.txt", "-r", "r.txt", "-l", "en-pt", "-q")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*SCORE, "-t", "x=r.txt", "-m", "broken"), "metric 'broken' of the package bad-plugin cannot be"),
        (
            (*SCORE, "-t", "x=r.txt", "-m", "unmade"),
            "metric 'unmade' of the package bad-plugin cannot be used (unmade:Unmade): KeyError: 'no such th",
        ),
        (
            (*SCORE, "-t", "x=r.txt", "-m", "unfinished"),
            "metric 'unfinished' of the package bad-plugin cannot be used (unmade:Unfinished): TypeError:",
        ),
        (
            (*SCORE, "-t", "x=r.txt", "-m", "late"),
            "metric 'late' of the package bad-plugin failed: KeyError: 'not there'. Tell its authors",
        ),
        (("translate", "s.txt", "-l", "en-pt", "-t", "broken:x"), "system 'broken' of the package bad-plu"),
        (("method", "run", "broken", "-s", "s.txt"), "method 'broken' of the package bad-plugin cannot be"),
    ],
)
def test_who_needs_it_gets_one_line(broken: Path, words: tuple[str, ...], told: str) -> None:
    done = mtassay(broken, *words)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = [line for line in done.stderr.splitlines() if "Going on without it" not in line]
    assert line.startswith(f"mtassay: {told}")


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ((*SCORE, "-t", "x=r.txt", "-m", "chrf"), {"check", "pack"}),
        # The ending says nothing: all formats are looked at.
        ((*SCORE, "-t", "x=o.tok", "-m", "chrf"), {"check", "format", "pack"}),
        (("doctor",), {"method", "metric", "check", "pack"}),
        (("invariance", "--help"), {"substitutes"}),
    ],
)
def test_who_does_not_need_it_goes_on(broken: Path, words: tuple[str, ...], kinds: set[str]) -> None:
    done = mtassay(broken, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    lines = done.stderr.splitlines()
    assert len(lines) == len(set(lines))
    assert {line.split()[1] for line in lines} <= kinds
    for line in lines:
        assert " of the package bad-plugin cannot be used (" in line
        assert line.endswith(" Going on without it.")
