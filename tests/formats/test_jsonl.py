"""JSON Lines, ours and those of COMET and MetricX."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError
from mtassay.data.formats.jsonl import segment_record, write_jsonl
from mtassay.data.formats.segment_files import read_references, read_stream
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.nouns import Segment
from tests.formats.conftest import Write


@pytest.mark.parametrize(
    "record",
    [
        '{"src": "one", "mt": "ein", "ref": "eins"}',
        '{"source": "one", "hypothesis": "ein", "reference": "eins"}',
        '{"id": 7, "source": "one", "output": "ein", "references": ["eins"]}',
        '{"id": "7", "SRC": "one", "translation": "ein", "refs": ["eins"], "score": 0.5}',
    ],
)
def test_the_records_of_several_tools_are_read(write: Write, record: str) -> None:
    path = write("a.jsonl", record + "\n")
    assert read_stream(path, role="source").texts == ["one"]
    assert read_stream(path, role="output").texts == ["ein"]
    assert [stream.texts for stream in read_references(path)] == [["eins"]]


def test_null_is_missing_and_an_empty_string_is_not(write: Write) -> None:
    path = write("a.jsonl", '{"id": 1, "output": null}\n{"id": 2, "output": ""}\n{"id": 3}\n')
    stream = read_stream(path, role="output")
    assert (stream.texts, stream.ids) == ([None, "", None], ["1", "2", "3"])


def test_a_reference_list_may_differ_in_length(write: Write) -> None:
    path = write("a.jsonl", '{"references": ["a", null, "c"]}\n{"references": ["d"]}\n{"references": []}\n')
    streams = read_references(path)
    assert [stream.texts for stream in streams] == [["a", "d", None], [None, None, None], ["c", None, None]]


def test_unknown_keys_and_tags_describe_the_segment(write: Write) -> None:
    record = '{"id": "a", "source": "x", "document": "d", "domain": "news", "tags": {"length": 1}}'
    segment = read_test_set(write("a.jsonl", record)).segments[0]
    assert segment == Segment("a", "x", (), "d", {"domain": "news", "length": 1})


def test_one_record_per_system_or_one_for_all(write: Write) -> None:
    apart = write(
        "apart.jsonl",
        '{"id": 1, "src": "a", "system": "A", "mt": "x"}\n{"id": 1, "src": "a", "system": "B", "mt": "y"}\n',
    )
    together = write("together.jsonl", '{"id": 1, "src": "a", "outputs": {"A": "x", "B": "y", "C": null}}\n')
    assert read_test_set(apart).outputs == {"A": ["x"], "B": ["y"]}
    assert read_test_set(together).outputs == {"A": ["x"], "B": ["y"], "C": [None]}


def test_an_output_without_system_is_called_output(write: Write) -> None:
    assert read_test_set(write("a.jsonl", '{"src": "a", "mt": "x"}')).outputs == {"output": ["x"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"mt": "a"}\n{"mt"\n', "line 2: not JSON: Expecting ':' delimiter (column 6)"),
        ("[]\n", "line 1: not a JSON object"),
        ('{"mt": 3}\n', "line 1: 'mt' must hold a string or null"),
        ('{"references": "a"}\n', "line 1: 'references' must be a list"),
        ('{"references": [1]}\n', "line 1: 'references' must hold a string or null"),
        ('{"outputs": []}\n', "line 1: 'outputs' must be an object"),
        ('{"mt": "a", "tags": 1}\n', "line 1: 'tags' must be an object"),
        ('{"mt": "a", "doc": []}\n', "line 1: 'doc' must be a string or a whole number"),
        ('{"id": 1.5, "mt": "a"}\n', "line 1: 'id' must be a string or a whole number"),
        ('{"id": true, "mt": "a"}\n', "line 1: 'id' must be a string or a whole number"),
        ('{"id": 1, "mt": "a"}\n\n{"id": "1", "mt": "b"}\n', "line 3: duplicate id '1' (first on line 1)"),
        ('{"id": 1, "mt": "a"}\n{"mt": "b"}\n', "line 2: all records must have an id, or none"),
        ('{"mt": "a"}\n{"id": 1, "mt": "b"}\n', "line 2: all records must have an id, or none"),
        ('{"score": 1}\n', "no record has a text. Known keys: id, source"),
        (" \n", "no records"),
        ('{"mt": "\\ud800"}\n', "line 1: not text: half a surrogate pair"),
        ('{"mt": "a\\u0000"}\n', "line 1: not usable JSON: it holds a NUL character"),
        ('{"mt": "a", "x": NaN}\n', "line 1: not usable JSON: NaN is no JSON value"),
        ('{"mt": "a", "x": ' + "9" * 5000 + "}\n", "line 1: not usable JSON"),
        ('{"x": ' + "[" * 100_000, "line 1: not JSON: nested too deeply"),
        ('{"mt": "a", "hyp": "b"}\n', "duplicate id '1': its output is on line 1 already"),
    ],
)
def test_a_wrong_record_is_refused_with_its_line(write: Write, content: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_stream(write("a.jsonl", content), role="output")
    assert message in str(caught.value)


def test_a_file_without_known_ending_is_recognised_by_its_first_record(write: Write) -> None:
    assert read_stream(write("scored", '{"mt": "a"}\n'), role="output").texts == ["a"]


def test_a_long_escape_is_text(write: Write) -> None:
    assert read_stream(write("a.jsonl", '{"mt": "\\ud83d\\ude00 \\\\u0000"}\n'), role="output").texts == [
        "\U0001f600 \\u0000"
    ]


text = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
segments = st.lists(
    st.builds(
        Segment,
        id=text.filter(bool),
        source=text,
        references=st.tuples(text, text | st.none()),
        document=text.filter(bool) | st.none(),
        tags=st.dictionaries(text, text, max_size=2),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda segment: segment.id,
)


@given(segments)
def test_segments_that_were_written_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, segments: list[Segment]
) -> None:
    path: Path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    write_jsonl(path, segments)
    assert read_test_set(path).segments == segments


def test_outputs_that_were_written_are_read_back(tmp_path: Path) -> None:
    segment = Segment("1", "one", ("eins",))
    write_jsonl(tmp_path / "a.jsonl.gz", [segment_record(segment, outputs={"A": "ein", "B": None})])
    assert read_test_set(tmp_path / "a.jsonl.gz").outputs == {"A": ["ein"], "B": [None]}


def test_records_go_to_a_handle_as_they_are() -> None:
    handle = io.StringIO()
    write_jsonl(handle, [{"b": "ä", "a": None}])
    assert handle.getvalue() == '{"b": "ä", "a": null}\n'


def test_a_number_that_json_lacks_is_null() -> None:
    handle = io.StringIO()
    write_jsonl(handle, [{"a": float("nan"), "b": [1.5, float("inf")], "c": {"d": float("nan")}}])
    assert handle.getvalue() == '{"a": null, "b": [1.5, null], "c": {"d": null}}\n'


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write: No such file or directory$"):
        write_jsonl(tmp_path / "none" / "a.jsonl", [])
