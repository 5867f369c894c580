"""No file, however broken, gives a traceback: reading succeeds, or fails with one line."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mtassay.data.errors import MtassayError
from mtassay.data.formats.segment_files import read_outputs, read_references, read_segments, read_stream
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.languages import parse_pair
from tests.formats import test_mtme, test_sgm, test_tmx, test_wmt_xml, test_xliff

PAIR = parse_pair("en-de")
TABLE = "id\tdoc\tsystem\tsrc\trefA\trefB\tmt\tdomain\n1\td\tA\tone\teins\t\tein\tnews\n2\t\tA\tb\tc\t\t\t\n"
RECORDS = (
    '{"id": 1, "source": "one", "references": ["eins", null], "outputs": {"A": "ein"}, "document": "d"}\n'
    '{"id": "2", "src": "two", "references": [], "tags": {"domain": "news"}, "x": [1.5, {"y": "\\u00e4"}]}\n'
)
SAMPLES = {
    "a.txt": "one\ntwo\n\nvier\n",
    "a": "one\n",
    "a.tsv": TABLE,
    "a.jsonl": RECORDS,
    "a.xml": test_wmt_xml.DATASET,
    "a.sgm": test_sgm.SOURCE + test_sgm.REFERENCE + test_sgm.OUTPUT,
    "a.tmx": test_tmx.MEMORY,
    "a.xlf": test_xliff.ONE,
    "a.xliff": test_xliff.TWO,
}
# Pieces that mean something to one of the readers, so that mutations get past its front door.
TOKENS = [
    b"\n",
    b"\r\n",
    b"\t",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"<",
    b">",
    b"</seg>",
    b"<seg id='1'>",
    b"&",
    b"&#0;",
]
TOKENS += [
    b"&x;",
    b"<!--",
    b"]]>",
    b"<![CDATA[",
    b"<?x?>",
    b"{",
    b"}",
    b"[",
    b'"',
    b"null",
    b"1",
    b"-",
    b",",
    b":",
    b"None",
]
TOKENS += [
    b"\\ud800",
    b"\\u0000",
    b'"id": 1',
    b"NaN",
    b"1e999",
    b"<!DOCTYPE x [<!ENTITY x 'y'>]>",
    "é😀\u2028".encode(),
]

pieces = st.sampled_from(TOKENS) | st.binary(max_size=4)
edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), pieces), max_size=6)
shared_folder = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)


def mutate(data: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    """Each change replaces some bytes (none to 40) at a relative place by a piece."""
    for place, length, piece in changes:
        at = round(place * len(data))
        data = data[:at] + piece + data[at + length :]
    return data


def attempt(read: Callable[[], object]) -> None:
    """Anything but success or one of our own one-line errors escapes, and fails the test."""
    message = ""
    try:
        read()
    except MtassayError as error:
        message = str(error)
    assert "\n" not in message


def read_in_every_way(path: Path) -> None:
    for pair in (None, PAIR):
        for role in ("source", "reference", "output"):
            attempt(lambda role=role, pair=pair: read_stream(path, role=role, pair=pair, system="A"))
        attempt(lambda pair=pair: read_references(path, pair=pair))
        attempt(lambda pair=pair: read_test_set(path, pair=pair))
        attempt(lambda pair=pair: read_segments(path, [path], documents=path, pair=pair))
        attempt(lambda pair=pair: read_outputs(path, read_segments(path, [], pair=pair), pair=pair))


@pytest.mark.parametrize("name", SAMPLES)
@shared_folder
@given(changes=edits)
def test_a_mutated_file_is_read_or_refused_in_one_line(
    tmp_path: Path, name: str, changes: list[tuple[float, int, bytes]]
) -> None:
    (tmp_path / name).write_bytes(mutate(SAMPLES[name].encode(), changes))
    read_in_every_way(tmp_path / name)


@pytest.mark.parametrize("name", [*SAMPLES, "a.gz"])
@shared_folder
@given(data=st.binary(max_size=60) | st.lists(pieces, max_size=12).map(b"".join))
def test_random_bytes_are_read_or_refused_in_one_line(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    read_in_every_way(tmp_path / name)


@shared_folder
@given(changes=edits)
def test_a_mutated_gz_file_is_read_or_refused_in_one_line(
    tmp_path: Path, changes: list[tuple[float, int, bytes]]
) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(mutate(gzip.compress(RECORDS.encode(), mtime=0), changes))
    read_in_every_way(tmp_path / "a.jsonl.gz")


@shared_folder
@given(name=st.sampled_from([name for name in test_mtme.FILES if "en-de" in name]), changes=edits)
def test_a_mutated_folder_is_read_or_refused_in_one_line(
    tmp_path: Path, name: str, changes: list[tuple[float, int, bytes]]
) -> None:
    for other, content in test_mtme.FILES.items():
        path = tmp_path / other
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode()
        path.write_bytes(mutate(data, changes) if other == name else data)
    attempt(lambda: test_mtme.read_everything(tmp_path))
    attempt(lambda: read_test_set(tmp_path, pair=PAIR))
