"""Running mtassay as a person does: a process of its own, in an empty folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MAIN = [sys.executable, "-c", "from mtassay.cli.main import main; main()"]
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs mtassay with these words; keyword arguments are environment variables."""

    def call(*arguments: object, **environment: str) -> Done:
        return subprocess.run(
            [*MAIN, *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", **environment},
            check=False,
        )

    return call
