"""Installs a wheel or sdist into an environment of its own and uses it from an empty folder.

First alone, then with language packs. A wheel must be small, and hold nothing but what its licence covers.

usage: python tests/installed.py dist/mtassay-VERSION-py3-none-any.whl [dist/packs/*.whl]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

LARGEST = 3_000_000
PACKED = (".gz", ".npz", ".yaml", "/model")
"""How the names of word lists, tables, networks, suites and pipelines end."""

SCORE = """\
import mtassay as mt
run = mt.score({"a": ["One cat."], "b": ["A cat."]}, [["One cat."]], metrics="bleu,chrf", samples=100)
assert str(run).startswith("1 segments")
"""
SUITE = """\
import mtassay as mt
run = mt.suite("en-pt", {"copy": "fake:copy"}, workspace="w.db", quiet=True)
assert sum(run.result.counts["copy"].values()) == len(run.segments) > 400
"""


def main() -> None:
    package, *packs = [Path(name).resolve() for name in sys.argv[1:]]
    if package.suffix == ".whl":
        check_wheel(package)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "environment", with_pip=True)
        python = folder / "environment" / "bin" / "python"
        (folder / "empty").mkdir()

        def call(*words: str | Path) -> str:
            done = subprocess.run(
                [python, *words], cwd=folder / "empty", check=True, text=True, stdout=subprocess.PIPE
            )
            return done.stdout

        call("-m", "pip", "install", "-q", "--disable-pip-version-check", package)
        version = call("-m", "mtassay", "--version").strip()
        assert "invariance" in call("-m", "mtassay", "--help")
        call("-c", SCORE)
        assert "pip install ./packs/pt" in call("-m", "mtassay", "doctor", "-l", "en-pt")
        if packs:
            call("-m", "pip", "install", "-q", "--no-deps", "--disable-pip-version-check", *packs)
            assert "en-pt" in call("-m", "mtassay", "suite", "list", "en-pt")
            call("-c", SUITE)
        print(f"{package.name}: {version} installs, scores and judges")


def check_wheel(wheel: Path) -> None:
    """Refuse a core that is large, or that holds what is not Apache-2.0 or the 0BSD of htmx."""
    size = wheel.stat().st_size
    assert size <= LARGEST, f"{wheel.name} has {size:,} bytes; at most {LARGEST:,}"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        licence = re.search(r"^License-Expression: (.*)$", archive.read(metadata).decode(), re.MULTILINE)
        texts = [name for name in names if name.endswith((".md", ".txt", "LICENSE"))]
        foreign = [name for name in texts if re.search(rb"CC[ -]BY", archive.read(name))]
    assert licence, f"{wheel.name} names no licence"
    assert licence[1] == "Apache-2.0 AND 0BSD", f"{wheel.name}: {licence[1]}"
    assert not foreign, f"{wheel.name} holds data under another licence: {foreign}"
    packed = [name for name in names if name.endswith(PACKED)]
    assert not packed, f"{wheel.name} holds data that belongs in a pack: {packed}"


if __name__ == "__main__":
    main()
