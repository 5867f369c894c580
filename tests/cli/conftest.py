"""Running mtassay as a person does, in an empty folder.

`run` calls the command in this process, which is ten times as fast; `run_process` gives it one of its own,
for what only a process has: signals, a closed pipe, a traceback.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mtassay.app.cli.interruption import BUG
from mtassay.app.cli.main import main
from mtassay.methods.behavior.translation_quality import ENCODER

MAIN = [sys.executable, "-m", "mtassay"]
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]
SURROUNDINGS = {"COLUMNS": "80", "PYTHONUTF8": "1"}


@pytest.fixture(autouse=True)
def defaults_without_comet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where COMET is installed its weights need not be there, so behaviour takes the encoder by default."""
    monkeypatch.setattr("mtassay.methods.behavior.recipe.default_filter", lambda: ENCODER)
    monkeypatch.setattr("mtassay.methods.behavior.behavior_method.best_quality", lambda: "use")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Calls mtassay with these words; keyword arguments are environment variables."""

    def call(*arguments: object, **environment: str) -> Done:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            for name, value in {**SURROUNDINGS, **environment}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["mtassay", *map(str, arguments)])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            patch.setattr("mtassay.app.cli.main.tell_bug", _fail)
            with pytest.raises(SystemExit) as stop:
                main()
        texts = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]  # type: ignore[attr-defined]
        return Done(sys.argv, stop.value.code, *texts)  # type: ignore[arg-type]

    return call


@pytest.fixture
def run_process(tmp_path: Path) -> Run:
    """Runs mtassay in a process of its own."""

    def call(*arguments: object, **environment: str) -> Done:
        done = subprocess.run(
            [*MAIN, *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, **SURROUNDINGS, **environment},
            check=False,
        )
        assert done.returncode != BUG, done.stderr
        return done

    return call


def _fail(error: BaseException) -> int:
    """A bug fails the test, with its traceback."""
    raise error
