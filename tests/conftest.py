"""Fixtures that several test modules share."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A slow machine is no reason to fail: how long an example takes is not what is tested.
# `make test` tries a few examples of each property, `make test-all` many (--hypothesis-profile=thorough).
settings.register_profile("quick", deadline=None, max_examples=30)
settings.register_profile("thorough", deadline=None, max_examples=300)
settings.load_profile("quick")

PROJECT = Path(__file__).resolve().parent.parent

# Where no compiled code may be written beside the sources, each of the programs that the tests start would
# compile all that it imports, which takes longer than everything else: it is written elsewhere.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(PROJECT / ".pytest_cache" / "compiled")
    sys.dont_write_bytecode = False

# As the command does. What tests import stays: looking for cycles in it takes time for nothing. And our
# matrices are narrow: two threads wait for each other longer than they compute.
gc.set_threshold(100_000, 20, 20)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Started by nohup or in the background these are ignored, and what the tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def cache_folder() -> Iterator[Path]:
    """What is unpacked once for a user is not unpacked into the folder of anyone who runs the tests."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", folder)
        yield Path(folder)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Public WMT data to check against; it is not part of the project."""
    folder = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("public validation data is not here: set MTASSAY_DATA to its folder")
    return folder


@pytest.fixture(scope="module")  # while it is open, nothing else in this process can run an event loop
def chromium() -> Iterator[Any]:
    """A real browser, driven by playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = Path("/usr/bin/chromium")
    if not program.exists():
        pytest.skip("there is no chromium here")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(program), args=["--no-sandbox"])
        yield opened
        opened.close()
