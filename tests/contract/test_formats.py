"""What every file format keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from mtassay.data import registry
from mtassay.data.errors import InputError
from mtassay.data.formats.segment_files import read_stream
from mtassay.data.formats.tables import FileTable, Format, TableBuilder
from mtassay.data.formats.xml_files import XmlFormat
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.registry import find, names

PAIR = parse_pair("en-de")
EXAMPLES = {
    "tsv": b"id\tsource\n1\tThe sea.\n",
    "jsonl": b'{"id": "1", "source": "The sea."}\n',
    "wmt": b'<dataset><doc id="d"><src lang="en"><seg id="1">The sea.</seg></src></doc></dataset>',
    "tmx": b'<?xml version="1.0"?><tmx><body><tu><tuv xml:lang="en"><seg>The sea.</seg></tuv></tu></body>'
    b"</tmx>",
    "xliff": b'<xliff><file original="f"><unit id="1"><segment><source>The sea.</source></segment></unit>'
    b"</file></xliff>",
    "po": b'msgid "The sea."\nmsgstr "Das Meer."\n',
    "android": b'<?xml version="1.0"?><resources><string name="a">The sea.</string></resources>',
    "strings": b'"a" = "The sea.";\n',
    "stringsdict": b'<?xml version="1.0"?><plist><dict><key>a</key><dict><key>n</key><dict><key>other</key>'
    b"<string>The sea.</string></dict></dict></dict></plist>",
    "xcstrings": b'{"sourceLanguage": "en", "strings": {"The sea.": {}}}',
    "arb": b'{"@@locale": "en", "a": "The sea."}',
    "json": b'{"a": "The sea."}',
    "properties": b"a = The sea.\n",
    "csv": b"id,source\n1,The sea.\n",
    "sgm": b'<srcset><doc docid="d"><seg id="1">The sea.</seg></doc></srcset>',
}
"""The one source `The sea.` in each format."""
GARBAGE = [
    b"",
    b"\n",
    b"\0",
    b"\xff\xfe",
    b"caf\xe9 \x80",
    b"\t\t\n\t",
    b"{",
    b"[]",
    b'{"id": [',
    b"<",
    b"<seg>",
    b"<html/>",
    b"<!DOCTYPE x [<!ENTITY x 'y'>]><dataset>&x;</dataset>",
    b"plain text",
]


@pytest.fixture(params=names("format"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def reader(name: str) -> Format:
    found: Format = find("format", name)()
    return found


def test_every_registered_format_is_checked() -> None:
    assert EXAMPLES.keys() >= set(names("format"))


def test_its_sample_is_read(name: str, reader: Format) -> None:
    table = reader.read(EXAMPLES[name], "here", PAIR)
    assert reader.name == name
    assert [stream.texts for stream in table.streams("source")] == [["The sea."]]
    assert table.path == "here"


@pytest.mark.parametrize("data", GARBAGE, ids=repr)
def test_garbage_is_refused_in_one_line_that_names_the_file(reader: Format, data: bytes) -> None:
    with pytest.raises(InputError, match=r"^here( line \d+)?: ") as caught:
        reader.read(data, "here", PAIR)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cut", range(1, 10))
def test_a_part_of_its_sample_is_read_or_refused(name: str, reader: Format, cut: int) -> None:
    data = EXAMPLES[name][: len(EXAMPLES[name]) * cut // 10]
    try:
        table = reader.read(data, "here", PAIR)
    except InputError:
        return
    assert len(table.documents) <= 1


def test_its_suffixes_lead_to_it_and_to_no_other(name: str, reader: Format, tmp_path: Path) -> None:
    assert reader.suffixes or reader.roots
    for suffix in reader.suffixes:
        assert suffix == suffix.lower()
        assert suffix.startswith(".")
        assert [other for other in names("format") if suffix in find("format", other).suffixes] == [name]
        path = tmp_path / f"a{suffix}"
        path.write_bytes(EXAMPLES[name])
        assert read_stream(path, role="source", pair=PAIR).texts == ["The sea."]


def test_what_it_recognises_is_read_without_a_suffix(name: str, reader: Format, tmp_path: Path) -> None:
    if not reader.recognises(EXAMPLES[name]):
        pytest.skip(f"{name} is known by its suffix only")
    path = tmp_path / "sources"
    path.write_bytes(b"\xef\xbb\xbf" + EXAMPLES[name])
    assert read_stream(path, role="source", pair=PAIR).texts == ["The sea."]


def test_plain_lines_are_recognised_by_none(reader: Format) -> None:
    for line in (b"The sea.\n", b"<b>The</b> sea.\n", b"{The} sea.\n", b"1\t2\n", b"\n"):
        assert not reader.recognises(line)


class Poems(XmlFormat):
    """One of somebody else's."""

    name = "poems"
    suffixes = (".poems",)
    roots = ("poems",)

    def read_root(self, root: Any, path: str, pair: Pair | None) -> FileTable:
        table = TableBuilder(path, says_missing=False)
        for number, line in enumerate(root, 1):
            table.put(table.row(str(number), line=number), "source", line.text, line=number)
        return table.build()


@pytest.mark.parametrize("file", ["a.poems", "a.xml", "a.tmx", "a"])
def test_a_new_xml_format_is_known_by_its_root(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = EntryPoint("poems", f"{__name__}:Poems", "mtassay.format")
    monkeypatch.setattr(registry, "_entry_points", lambda kind: EntryPoints([point]))
    path = tmp_path / file
    path.write_bytes(b"<poems><line>The sea.</line></poems>")
    assert read_stream(path, role="source").texts == ["The sea."]
    path.write_bytes(b"<?xml version='1.0'?><prose/>")
    with pytest.raises(InputError, match=r"<prose> is not read\. .*, resources \(Android\) or poems$"):
        read_stream(path, role="source")


@pytest.mark.parametrize("suffix", [".txt", ".de", ".tsv", ".jsonl"])
def test_what_is_no_xml_is_read_without_the_parser_of_xml(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(EXAMPLES.get(suffix[1:], b"The sea.\n"))
    code = "import sys\nfrom mtassay.data.formats.segment_files import read_stream\n"
    code += f"print(read_stream({str(path)!r}, role='source').texts, 'lxml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['The sea.'] False\n"
