"""Test sets by one name, sacreBLEU's among them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mtassay.data.errors import InputError, MtassayError, UsageError
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.languages import parse_pair
from tests.formats.conftest import Write

SHOW = """
import sys
from mtassay.data.errors import MtassayError
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.languages import parse_pair
try:
    for segment in read_test_set(sys.argv[1], pair=parse_pair(sys.argv[2])).segments:
        print(tuple(segment))
except MtassayError as error:
    print(f"{type(error).__name__}: {error}")
"""


def show(name: str, pair: str, cache: Path) -> str:
    """What a fresh process reads: sacreBLEU looks for its folder once, when it is imported."""
    nowhere = "http://127.0.0.1:9"
    environment = os.environ | {"SACREBLEU": str(cache), "https_proxy": nowhere, "http_proxy": nowhere}
    command = [sys.executable, "-c", SHOW, name, pair]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, encoding="utf-8"
    )
    return done.stdout


def test_a_sacrebleu_set_is_read_with_documents_and_origin(write: Write, tmp_path: Path) -> None:
    columns = {
        "src": "one\ntwo\n",
        "ref": "eins\nzwei\n",
        "docid": "d\nd\n",
        "genre": "\n\n",
        "origlang": "en\nde\n",
    }
    for name, content in columns.items():
        write(f"wmt17/wmt17.en-de.{name}", content)
    assert show("wmt17", "en-de", tmp_path).splitlines() == [
        "('1', 'one', ('eins',), 'd', {'origlang': 'en'})",
        "('2', 'two', ('zwei',), 'd', {'origlang': 'de'})",
    ]


def test_without_network_a_set_is_one_line(tmp_path: Path) -> None:
    lines = show("wmt17", "en-de", tmp_path).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("ServiceError: sacreBLEU cannot give wmt17 en-de (")
    assert lines[0].endswith("Go online once, or give the files.")


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"No file or folder 'wmt99', nor .* Those: .*wmt22, .*"):
        read_test_set("wmt99", pair=parse_pair("en-de"))
    with pytest.raises(UsageError, match=r"wmt22 has no en-fr. Available: cs-en, "):
        read_test_set("wmt22", pair=parse_pair("en-fr"))


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "a\nb", ""])
def test_a_name_that_cannot_be_a_path_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(MtassayError) as caught:
        read_test_set(name, pair=parse_pair("en-de"))
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_of_the_shell_is_a_file_and_a_named_one_is_not(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b'{"src": "one"}\n')
    os.close(writing)
    assert read_test_set(f"/dev/fd/{reading}").segments[0].source == "one"
    os.close(reading)
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(InputError, match="this is a named pipe"):
        read_test_set(tmp_path / "pipe.jsonl")


def test_a_set_of_many_pairs_needs_the_pair(tmp_path: Path) -> None:
    for where in ("wmt22", tmp_path):
        with pytest.raises(UsageError, match="give the language pair too, for example en-de"):
            read_test_set(where)


def test_plain_lines_are_no_test_set(write: Write) -> None:
    with pytest.raises(InputError, match="plain lines are not a whole test set"):
        read_test_set(write("a.txt", "one\n"))


def test_outputs_alone_are_no_test_set(write: Write) -> None:
    with pytest.raises(InputError, match="it holds outputs only, neither source nor reference"):
        read_test_set(write("a.tsv", "id\toutput\n1\ta\n"))
