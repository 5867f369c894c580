"""Files of every format, spoilt at random, are read or refused in one line, in bounded time and memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.__main__ import fuzz
from tests.fuzz.readers import CORPUS, READERS, Reader, lay_out


def test_every_file_of_the_corpus_has_a_reader() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(READERS)


@pytest.mark.parametrize("name", sorted(READERS))
def test_the_corpus_itself_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert [reader(name) for reader in READERS[name]] == [0] * len(READERS[name])


def bug(name: str) -> int:
    return {}[name]


def hang(name: str) -> int:
    while True:
        pass


def hoard(name: str) -> int:
    return len(bytearray(2**30))


@pytest.mark.parametrize(
    ("reader", "what"), [(bug, "KeyError"), (hang, "ended by SIGVTALRM"), (hoard, "MemoryError")]
)
def test_what_must_not_happen_is_found_and_kept(tmp_path: Path, reader: Reader, what: str) -> None:
    tally = fuzz(2, seed=1, keep=tmp_path, readers={"source.txt": [reader]}, seconds=1)
    assert len(tally.findings) == tally.files == 2
    assert all(what in finding for finding in tally.findings)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["spoilt-0-source.txt", "spoilt-1-source.txt"]


def test_no_spoilt_file_is_a_bug_a_hang_or_too_much_memory(tmp_path: Path) -> None:
    tally = fuzz(200, seed=20, keep=tmp_path)
    assert tally.findings == []
    assert tally.files == 200
    assert min(tally.codes) == 0
