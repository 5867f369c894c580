"""Files of any length through live engines: the same as all at once, in memory that does not grow."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from mtassay.app import translation as file_translation
from mtassay.app.translation import FileTranslation, translate_file
from mtassay.data.errors import InputError
from mtassay.data.formats.textfiles import check_text, read_lines, text_blocks

CONTENTS = [
    b"one\ntwo\nthree\n",
    b"one\r\ntwo\r\n\r\nfour",
    b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n",
    "one\u2028still one\x85and on\ntwo\rstill two\n\n\n".encode(),
    b"\n",
    b"last without end",
]


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_lines_in_blocks_are_the_lines_of_the_file(tmp_path: Path, content: bytes, size: int) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    assert [line for block in text_blocks(path, size) for line in block] == read_lines(path)
    assert check_text(path) == len(read_lines(path))


@pytest.mark.parametrize("content", [b"", b"fine\nb\xe9d\n", b"fine\nno\0\n"])
def test_what_is_no_text_is_refused_before_anything_is_asked(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as whole:
        read_lines(path)
    with pytest.raises(InputError) as in_blocks:
        translate_file(path, ["fake:upper"], tmp_path / "out.txt", langpair="en-pt", workspace=":memory:")
    assert str(in_blocks.value) == str(whole.value)


@pytest.mark.parametrize("target", ["out.jsonl", "out.tsv", "folder"])
def test_blocks_give_what_all_at_once_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    source = tmp_path / "source.txt"
    source.write_text("".join(f"line {n % 5}\n" for n in range(11)) + "\n", encoding="utf-8")
    systems = {"up": "fake:upper", "back": "fake:reverse"}
    how = {"langpair": "en-pt", "workspace": tmp_path / "workspace.db"}
    (tmp_path / "whole").mkdir()
    translate_file(source, systems, tmp_path / "whole" / target, **how)
    monkeypatch.setattr(file_translation, "BLOCK", 3)
    done = translate_file(source, systems, tmp_path / target, **how)
    files = [p.relative_to(tmp_path / "whole") for p in (tmp_path / "whole").rglob("*") if p.is_file()]
    assert files
    for name in files:
        assert (tmp_path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert [(d.engine, d.n, d.failed) for d in done] == [("up", 12, 0), ("back", 12, 0)]


def test_after_its_budget_an_engine_is_not_asked_and_what_is_known_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_translation, "BLOCK", 2)
    source = tmp_path / "source.txt"
    how = {"langpair": "en-pt", "workspace": tmp_path / "workspace.db"}
    source.write_text("g\nh\n", encoding="utf-8")
    translate_file(source, ["up=fake:upper?batch=1"], tmp_path / "out.txt", **how)
    source.write_text("a\nb\nc\nd\ne\nf\ng\nh\n", encoding="utf-8")
    target = tmp_path / "out.jsonl"
    (done,) = translate_file(source, ["up=fake:upper?batch=1"], target, max_calls=3, **how)
    records = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    assert [record["output"] for record in records] == ["A", "B", "C", None, None, None, "G", "H"]
    assert done == FileTranslation("up", 8, 3, "the budget of 3 calls is used up")
    (again,) = translate_file(source, ["up=fake:upper?batch=1"], tmp_path / "out.txt", **how)
    assert again.failed == 0
    assert (tmp_path / "out.txt").read_text("utf-8") == "A\nB\nC\nD\nE\nF\nG\nH\n"


def test_the_time_of_a_file_is_that_of_all_its_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_translation, "BLOCK", 1)
    source = tmp_path / "source.txt"
    source.write_text("".join(f"line {n}\n" for n in range(200)), encoding="utf-8")
    how = {"langpair": "en-pt", "workspace": tmp_path / "workspace.db"}
    engine = "up=fake:upper?delay=0.05"
    (done,) = translate_file(source, [engine], tmp_path / "out.txt", max_seconds=0.5, **how)
    assert 0 < done.failed < 200
    assert len((tmp_path / "out.txt").read_text("utf-8").splitlines()) == 200


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_translation, "BLOCK", 1000)
    peaks = []
    for count in (3000, 12000):
        source = tmp_path / f"{count}.txt"
        source.write_text("".join(f"sentence number {n}\n" for n in range(count)), encoding="utf-8")
        workspace = tmp_path / f"{count}.db"
        tracemalloc.start()
        translate_file(
            source, ["fake:upper?batch=100"], tmp_path / "out.txt", langpair="en-pt", workspace=workspace
        )
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]  # of four times as many lines
