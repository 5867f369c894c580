"""A misspelt or wrongly typed argument of the library is an error in mypy and in pyright."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import copy

import pytest

HERE = Path(__file__).resolve().parent
CALLS = HERE / "calls.py"
SOURCE = HERE.parent.parent / "src"
WRONG = {
    n for n, line in enumerate(CALLS.read_text("utf-8").splitlines(), start=1) if line.endswith("# WRONG")
}


def checked(*command: str, folder: Path) -> str:
    """What a type checker prints."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.slow
def test_mypy_reports_every_wrong_call_and_no_right_one(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "mypy.ini").write_text(
        f"[mypy]\nstrict = true\nmypy_path = {SOURCE}\n"
        "follow_imports = silent\nignore_missing_imports = true\n"
    )
    printed = checked("mypy", "--no-error-summary", "--hide-error-context", str(CALLS), folder=tmp_path)
    lines = re.findall(r"^.*calls\.py:(\d+): error", printed, re.MULTILINE)
    assert {int(line) for line in lines} == WRONG, printed


@pytest.mark.slow
def test_pyright_reports_every_wrong_call_and_no_right_one(tmp_path: Path) -> None:
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    copy(CALLS, tmp_path)
    settings = {"include": [CALLS.name], "extraPaths": [str(SOURCE)], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    printed = checked("pyright", "--outputjson", "--pythonpath", sys.executable, folder=tmp_path)
    found = json.loads(printed)["generalDiagnostics"]
    errors = [entry for entry in found if entry["severity"] == "error"]
    assert {entry["range"]["start"]["line"] + 1 for entry in errors} == WRONG, errors
