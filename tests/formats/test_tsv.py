"""Tab-separated tables."""

from __future__ import annotations

import io

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import read_references, read_stream
from mtassay.data.formats.tables import write_tsv
from mtassay.data.formats.test_sets import read_test_set
from tests.formats.conftest import Write


def test_columns_are_found_by_their_names(write: Write) -> None:
    path = write("a.tsv", "doc\tID\tsrc\tref\tMT\nd1\tx\tone\teins\tein\nd1\ty\ttwo\tzwei\t\n")
    source = read_stream(path, role="source")
    assert (source.texts, source.ids, source.documents) == (["one", "two"], ["x", "y"], ["d1", "d1"])
    assert read_stream(path, role="reference").texts == ["eins", "zwei"]
    assert read_stream(path, role="output").texts == ["ein", ""]


def test_a_table_without_id_column_goes_by_line(write: Write) -> None:
    assert read_stream(write("a.tsv", "output\neins\n\n"), role="output").ids is None


@pytest.mark.parametrize("role", ["source", "reference", "output"])
def test_a_text_column_plays_any_role(write: Write, role: str) -> None:
    assert read_stream(write("a.tsv", "id\ttext\n1\teins\n"), role=role).texts == ["eins"]  # type: ignore[arg-type]


def test_a_target_column_is_no_source(write: Write) -> None:
    path = write("a.tsv", "id\ttarget\n1\teins\n")
    assert read_stream(path, role="reference").texts == read_stream(path, role="output").texts == ["eins"]
    with pytest.raises(InputError, match="it holds no source, only target"):
        read_stream(path, role="source")


def test_several_reference_columns_are_several_references(write: Write) -> None:
    path = write("a.tsv", "refA\treference_B\tref:old one\tref2\na\tb\tc\td\n")
    streams = read_references(path)
    assert [(stream.name, stream.texts) for stream in streams] == [
        ("A", ["a"]),
        ("B", ["b"]),
        ("old one", ["c"]),
        ("2", ["d"]),
    ]


def test_a_system_column_repeats_the_segments(write: Write) -> None:
    rows = ["system\tid\tsource\toutput", "A\t1\tone\teins", "A\t2\ttwo\tzwei", "B\t1\tone\tein"]
    path = write("a.tsv", "\n".join(rows))
    test_set = read_test_set(path)
    assert [segment.source for segment in test_set.segments] == ["one", "two"]
    assert test_set.outputs == {"A": ["eins", "zwei"], "B": ["ein", None]}
    assert read_stream(path, role="output", system="B").texts == ["ein", None]


def test_a_system_column_without_ids_counts_per_system(write: Write) -> None:
    path = write("a.tsv", "system\tsource\toutput\nA\tone\teins\nA\ttwo\tzwei\nB\tone\tein\nB\ttwo\tzwo\n")
    assert read_test_set(path).outputs == {"A": ["eins", "zwei"], "B": ["ein", "zwo"]}


def test_a_column_per_system_is_read_too(write: Write) -> None:
    path = write("set.tsv", "source\tref\toutput:A\toutput:B\tdomain\none\teins\tein\tuno\tnews\n")
    test_set = read_test_set(path)
    assert test_set.outputs == {"A": ["ein"], "B": ["uno"]}
    assert test_set.segments[0].tags == {"domain": "news"}
    assert test_set.name == "set"


def test_of_several_systems_one_must_be_chosen(write: Write) -> None:
    path = write("a.tsv", "output:A\toutput:B\nx\ty\n")
    with pytest.raises(UsageError, match=r"several systems. Choose one of: A, B\.$"):
        read_stream(path, role="output")
    with pytest.raises(
        UsageError, match=r"no system 'C'\. Available: A, B\. Name those you mean: `systems=\['A=\S+', 'B="
    ):
        read_stream(path, role="output", system="C")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\teins\n2\tzwei\n", "line 1: the first line must name the columns, tab-separated: id, source"),
        ("id\toutput\n1\ta\tb\n", "line 2: 3 columns, expected 2"),
        ("id\toutput\n1\ta\n\n", "line 3: 1 column, expected 2"),
        ("id\toutput\n1\ta\n2\tb\n1\tc\n", "line 4: duplicate id '1' (first on line 2)"),
        ("id\toutput\n\ta\n", "line 2: empty id"),
        ("id\toutput\n", "line 1: a header without rows"),
        ("src\tsource\na\tb\n", "columns 'src' and 'source' are the same; keep one"),
        ("source\t\na\tb\n", "line 1: a column has no name"),
        (
            "system\tid\tsource\toutput\nA\t1\tone\tx\nB\t1\tONE\ty\n",
            "line 3: duplicate id '1': its source is on line 2 already",
        ),
        (
            "system\tid\toutput\nA\t1\tx\nA\t1\ty\n",
            "line 3: duplicate id '1': its output 'A' is on line 2 already",
        ),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(write: Write, content: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_stream(write("a.tsv", content), role="output", system="A")
    assert message in str(caught.value)


def test_quotes_are_text(write: Write) -> None:
    assert read_stream(write("a.tsv", 'output\n"eins\n'), role="output").texts == ['"eins']


def test_a_table_is_written_with_its_header() -> None:
    handle = io.StringIO()
    write_tsv(handle, [{"a": 1, "b": None}, {"a": "x\ty\r\nz", "b": float("nan")}])
    assert handle.getvalue() == "a\tb\n1\t\nx y z\t\n"


def test_the_columns_to_write_can_be_chosen() -> None:
    handle = io.StringIO()
    write_tsv(handle, [], columns=["b", "a"])
    assert handle.getvalue() == "b\ta\n"
