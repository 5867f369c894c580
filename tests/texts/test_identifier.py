"""The identifier's model is unpacked once, and ranks languages as py3langid does."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import py3langid
import pytest

from mtassay.nlp.identification import open_identifier

TEXTS = [
    "Der Hund schläft auf dem alten Sofa.",
    "THE DOG SLEEPS ON THE OLD SOFA.",
    "狗在旧沙发上睡觉。",
    "Пёс спит на диване, \udcff",
    "42",
    "",
]


def rankings(folder: Path) -> list[list[tuple[str, float]]]:
    open_identifier.cache_clear()
    return list(map(open_identifier(folder), TEXTS))


@pytest.fixture(autouse=True)
def forget() -> None:
    open_identifier.cache_clear()


def test_a_copy_ranks_languages_as_the_model_does(tmp_path: Path) -> None:
    expected = list(map(py3langid.rank, TEXTS))
    assert rankings(tmp_path / "new") == expected
    [copy] = (tmp_path / "new").iterdir()
    written = {path.name: path.stat().st_mtime_ns for path in copy.iterdir()}
    assert rankings(tmp_path / "new") == expected
    assert {path.name: path.stat().st_mtime_ns for path in copy.iterdir()} == written
    # It is the copy that is read: one whose scores are 0 tells no languages apart.
    np.save(copy / "ptc.npy", np.zeros_like(np.load(copy / "ptc.npy")))
    assert rankings(tmp_path / "new") != expected


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert rankings(tmp_path / "file") == list(map(py3langid.rank, TEXTS))


def test_a_broken_copy_is_not_used(tmp_path: Path) -> None:
    expected = rankings(tmp_path)
    [copy] = tmp_path.iterdir()
    (copy / "ptc.npy").write_bytes(b"")
    assert rankings(tmp_path) == expected
    assert not copy.exists()  # and the next run writes it again
    assert rankings(tmp_path) == expected
    assert copy.exists()


def test_what_a_killed_process_left_is_removed_when_it_is_old(tmp_path: Path) -> None:
    for name, age in (("unpacking-old", 7200), ("unpacking-new", 0)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    rankings(tmp_path)
    assert not (tmp_path / "unpacking-old").exists()
    assert (tmp_path / "unpacking-new").exists()
