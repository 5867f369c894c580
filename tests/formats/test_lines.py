"""Plain text files: what a line is, and what is refused."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import NOT_YET, read_stream
from mtassay.data.formats.textfiles import read_lines, write_lines
from tests.formats.conftest import Write


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\n\n", ["a", ""]),
        (b"\n", [""]),
        (b"\r\n", [""]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"a\rb\n", ["a\rb"]),
        (b"a\r\r\n", ["a\r"]),
        ("a\u2028b\u0085c\x0bd\n".encode(), ["a\u2028b\u0085c\x0bd"]),
        (b" a \t\n", [" a \t"]),
    ],
)
def test_only_a_newline_ends_a_line(write: Write, content: bytes, lines: list[str]) -> None:
    assert read_lines(write("a.txt", content)) == lines


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"caf\xe9\n", "line 1: byte 0xE9 (number 4 of the file) is not UTF-8. Convert the file: iconv"),
        (b"ok\nok\n\xff\n", "line 3: byte 0xFF (number 7 of the file)"),
        (b"\xef\xbb\xbfok\n\x80", "line 2: byte 0x80 (number 7 of the file)"),
        ("häß".encode("utf-16"), "this is UTF-16. Convert it: iconv -f UTF-16 -t UTF-8"),
        (b"ok\na\0b\n", "line 2: a NUL byte"),
        ("ab".encode("utf-16-le"), "line 1: a NUL byte"),
    ],
)
def test_what_is_not_utf8_text_is_refused_with_its_place(write: Write, content: bytes, message: str) -> None:
    path = write("a.txt", content)
    with pytest.raises(InputError) as caught:
        read_lines(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_gz_file_is_decompressed(write: Write) -> None:
    assert read_lines(write("a.txt.gz", gzip.compress(b"a\nb\n"))) == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"plain", "not a gzip file"),
        (gzip.compress(b"a\n" * 1000, mtime=0)[:-12], "cut off or damaged"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
    ],
)
def test_a_broken_gz_file_is_refused(write: Write, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_lines(write("a.gz", content))


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: cannot read: No such file or directory$"):
        read_lines(tmp_path / "none.txt")
    with pytest.raises(InputError, match="this is a folder; give a file"):
        read_lines(tmp_path)
    with pytest.raises(InputError, match="cannot read"):
        read_lines("a\0b")


def test_a_hyphen_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("ä\nb\n".encode())))
    assert read_lines("-") == ["ä", "b"]


def test_a_file_of_lines_is_a_stream_without_ids(write: Write) -> None:
    path = write("out.de", "eins\n\nzwei\n")
    stream = read_stream(path, role="output")
    assert (stream.path, stream.texts, stream.ids) == (str(path), ["eins", "", "zwei"], None)


def test_a_txt_file_is_lines_whatever_it_holds(write: Write) -> None:
    assert read_stream(write("a.txt", '{"mt": "x"}\n'), role="output").texts == ['{"mt": "x"}']


@pytest.mark.parametrize("end", ["RESX", "srt.gz", *(suffix[1:] for suffix in NOT_YET)])
def test_a_format_that_is_not_read_is_refused_with_a_way_out(write: Write, end: str) -> None:
    with pytest.raises(
        InputError, match=r"files are not read\. Convert it to one of these, .*: \.tsv, .*\.po,"
    ):
        read_stream(write(f"a.{end}", "x\n"), role="output")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("app.ts", "<!DOCTYPE TS>\n<TS><context/></TS>"),
        ("Info", '<?xml version="1.0"?><plist/>'),
    ],
)
def test_xml_of_programs_is_refused_by_its_root(write: Write, name: str, content: str) -> None:
    with pytest.raises(InputError, match=r"<(TS|plist)> is not read. The root must be"):
        read_stream(write(name, content), role="source")


def test_a_file_in_tsonga_is_lines(write: Write) -> None:
    assert read_stream(write("corpus.ts", "Avuxeni\n"), role="source").texts == ["Avuxeni"]


@given(st.lists(st.text(st.characters(exclude_characters="\0\n", codec="utf-8")), min_size=1))
def test_lines_that_were_written_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    # A final "\r" would be half of a Windows line end, and a first "\ufeff" a byte order mark.
    lines = [line.rstrip("\r").lstrip("\ufeff") for line in lines]
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    write_lines(path, lines)
    assert read_lines(path) == lines


def test_members_and_padding_of_a_gz_file_are_read(write: Write) -> None:
    content = gzip.compress(b"a\n") + gzip.compress(b"") + gzip.compress(b"b\n" * 2**20) + b"\0" * 512
    assert read_lines(write("a.gz", content)) == ["a", *["b"] * 2**20]


def test_a_gz_file_has_a_largest_size_which_a_variable_raises(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("a.gz", gzip.compress(b"a\n" * 2**20))
    monkeypatch.setenv("MTASSAY_MAX_MIB", "1")
    with pytest.raises(InputError, match=r"a.gz: more than 1 MiB when it is decompressed.*MTASSAY_MAX_MIB"):
        read_lines(path)
    monkeypatch.setenv("MTASSAY_MAX_MIB", "2")
    assert len(read_lines(path)) == 2**20


@pytest.mark.parametrize("value", ["0", "-1", "much", "1e3", "9" * 5000])
def test_a_variable_that_is_no_size_is_told(
    write: Write, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MTASSAY_MAX_MIB", value)
    with pytest.raises(UsageError, match=r"MTASSAY_MAX_MIB is .* Write a whole number of MiB"):
        read_lines(write("a.gz", gzip.compress(b"a\n")))


def test_a_bomb_takes_no_more_memory_than_the_largest_size(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTASSAY_MAX_MIB", "8")
    path = write("a.gz", gzip.compress(b" " * 2**27))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more than 8 MiB"):
            read_lines(path)
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz"])
def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, name: str) -> None:
    def lines(*, stop: bool) -> Iterator[str]:
        yield "new"
        if stop:
            raise KeyboardInterrupt

    target = tmp_path / name
    write_lines(target, ["old"])
    target.chmod(0o640)
    with pytest.raises(KeyboardInterrupt):
        write_lines(target, lines(stop=True))
    assert read_lines(target) == ["old"]
    write_lines(target, lines(stop=False))
    assert read_lines(target) == ["new"]
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_link_stays_a_link_when_its_file_is_written(tmp_path: Path) -> None:
    write_lines(tmp_path / "file.txt", ["old"])
    (tmp_path / "link.txt").symlink_to("file.txt")
    write_lines(tmp_path / "link.txt", ["new"])
    assert (tmp_path / "link.txt").is_symlink()
    assert read_lines(tmp_path / "file.txt") == ["new"]
