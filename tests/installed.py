"""Installs a wheel or sdist into an environment of its own and uses it from an empty folder.

usage: python tests/installed.py dist/mtassay-VERSION-py3-none-any.whl
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

SCORE = """\
import mtassay as mt
run = mt.score({"a": ["One cat."], "b": ["A cat."]}, [["One cat."]], metrics="bleu,chrf", samples=100)
assert str(run).startswith("1 segments")
run = mt.suite("en-pt", {"copy": "fake:copy"}, workspace="w.db", quiet=True)
assert sum(run.result.counts["copy"].values()) == len(run.segments) > 400
"""


def main() -> None:
    package = Path(sys.argv[1]).resolve()
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
        assert "en-pt" in call("-m", "mtassay", "suite", "list", "en-pt")
        call("-c", SCORE)
        print(f"{package.name}: {version} installs, scores and judges")


if __name__ == "__main__":
    main()
