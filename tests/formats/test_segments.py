"""Joining files into segments, and outputs to segments."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import read_outputs, read_segments
from mtassay.data.nouns import Segment
from tests.formats.conftest import Write


def references(write: Write, *contents: str, name: str = "ref{}.txt") -> list[tuple[str | None, ...]]:
    paths = [write(name.format(i), content) for i, content in enumerate(contents)]
    return [segment.references for segment in read_segments(None, paths)]


def test_lines_get_their_numbers_as_ids(write: Write) -> None:
    segments = read_segments(write("s.txt", "one\ntwo\n"), [write("r.txt", "eins\nzwei\n")])
    assert segments == [Segment("1", "one", ("eins",)), Segment("2", "two", ("zwei",))]


def test_a_source_is_enough_and_so_is_a_reference(write: Write) -> None:
    assert read_segments(write("s.txt", "one\n"), []) == [Segment("1", "one")]
    assert read_segments(None, [write("r.txt", "eins\n")]) == [Segment("1", None, ("eins",))]
    with pytest.raises(UsageError, match="Give a source file, a reference file or both"):
        read_segments(None, [])


def test_an_empty_line_beside_a_full_one_is_a_missing_reference(write: Write) -> None:
    assert references(write, "a\n\n\n", "b\nc\n\n") == [("a", "b"), (None, "c"), ("", "")]


def test_an_empty_line_of_the_only_reference_is_an_empty_reference(write: Write) -> None:
    assert references(write, "a\n\n") == [("a",), ("",)]


def test_an_empty_cell_beside_a_full_one_is_a_missing_reference(write: Write) -> None:
    assert references(write, "refA\trefB\na\t\n\t\n", name="{}.tsv") == [("a", None), ("", "")]


def test_a_format_that_can_say_missing_means_its_empty_strings(write: Write) -> None:
    content = '{"references": ["a", "", null]}\n'
    assert references(write, content, name="{}.jsonl") == [("a", "", None)]
    paths = [write("a.jsonl", '{"ref": ""}\n'), write("b.txt", "b\n"), write("c.txt", "\n")]
    assert read_segments(None, paths)[0].references == ("", "b", None)


def test_files_with_ids_are_joined_by_id(write: Write) -> None:
    source = write("s.tsv", "id\tsource\nx\tone\ny\ttwo\n")
    reference = write("r.tsv", "id\tref\ny\tzwei\n")
    assert read_segments(source, [reference]) == [
        Segment("x", "one", (None,)),
        Segment("y", "two", ("zwei",)),
    ]


def test_lines_are_joined_to_ids_by_position(write: Write) -> None:
    source, reference = write("s.txt", "one\ntwo\n"), write("r.tsv", "id\tref\nx\teins\ny\tzwei\n")
    assert [(s.id, s.source, s.references) for s in read_segments(source, [reference])] == [
        ("x", "one", ("eins",)),
        ("y", "two", ("zwei",)),
    ]


def test_files_of_unequal_length_are_refused_with_both_counts(write: Write) -> None:
    source, reference = write("s.txt", "one\ntwo\n"), write("r.txt", "eins\n")
    with pytest.raises(InputError) as caught:
        read_segments(source, [reference])
    assert (
        str(caught.value) == f"{reference}: 1 segments, but {source} has 2. Both need the same lines in order"
    )


@pytest.mark.parametrize(
    ("source", "reference", "output", "message"),
    [
        ("a\nb\n", "a\nb\n", "a\nb\n\n", "o.txt: 3 segments, but the test set has 2. Its last line is blank"),
        (
            "a\nb\n",
            "a\nb\n \n\n",
            "a\nb\n",
            "r.txt: 4 segments, but others have 2. Its last 2 lines are blank",
        ),
        ("a\nb\n\n", "a\nb\n", "a\nb\n", "s.txt: 3 segments, but others have 2. Its last line is blank"),
        (
            "a\nb\n\n",
            "a\nb\n\n",
            "a\nb\n",
            "o.txt: 2 segments, but the test set has 3. The last line is blank",
        ),
        (
            "a\nb\n",
            "a\nb\n",
            "output:A\toutput:B\na\ta\nb\tb\n",
            "Its first line names columns: call the file .tsv",
        ),
        ("a\nb\n", "a\nb\n", "a\nb\nc\n", "Both need the same lines in order"),
    ],
)
def test_a_file_that_is_too_long_by_blank_lines_is_told_so(
    write: Write, source: str, reference: str, output: str, message: str
) -> None:
    texts = {"s.txt": source, "r.txt": reference, "o.txt": output}
    paths = [write(name, text) for name, text in texts.items()]
    with pytest.raises(InputError) as caught:
        read_outputs(paths[2], read_segments(paths[0], [paths[1]]))
    assert message in str(caught.value)


def test_an_id_that_the_source_lacks_is_refused(write: Write) -> None:
    source, reference = write("s.tsv", "id\tsource\nx\tone\n"), write("r.tsv", "id\tref\ny\tzwei\n")
    with pytest.raises(InputError, match=r"id 'y' is not in .*s\.tsv, whose first id is 'x'"):
        read_segments(source, [reference])


@pytest.mark.parametrize(
    ("content", "documents", "tags"),
    [
        ("d1\nd1\n\n", ["d1", "d1", None], [{}, {}, {}]),
        (
            "news\td1\nchat\td 2\nchat\td 2\n",
            ["d1", "d 2", "d 2"],
            [{"domain": d} for d in ("news", "chat", "chat")],
        ),
    ],
)
def test_a_documents_file_names_documents_and_domains(
    write: Write, content: str, documents: list[str | None], tags: list[dict[str, str]]
) -> None:
    segments = read_segments(write("s.txt", "a\nb\nc\n"), [], documents=write("a.docs", content))
    assert [segment.document for segment in segments] == documents
    assert [segment.tags for segment in segments] == tags


def test_a_documents_file_adds_to_the_tags_of_the_source(write: Write) -> None:
    source = write("s.tsv", "source\tdoc\tlength\none\told\tshort\n")
    segment = read_segments(source, [], documents=write("a.docs", "news\tnew\n"))[0]
    assert (segment.document, segment.tags) == ("new", {"length": "short", "domain": "news"})


def test_a_documents_file_must_fit(write: Write) -> None:
    with pytest.raises(InputError, match=r"a\.docs: 1 segments, but .*s\.txt has 2"):
        read_segments(write("s.txt", "a\nb\n"), [], documents=write("a.docs", "d\n"))


SEGMENTS = [Segment("x", "one"), Segment("y", "two")]


def test_outputs_by_line_need_one_line_per_segment(write: Write) -> None:
    assert read_outputs(write("o.txt", "eins\n\n"), SEGMENTS) == ["eins", ""]
    with pytest.raises(InputError, match=r"o\.txt: 3 segments, but the test set has 2\."):
        read_outputs(write("o.txt", "a\nb\nc\n"), SEGMENTS)


def test_outputs_by_id_may_be_missing_but_not_unknown(write: Write) -> None:
    assert read_outputs(write("o.tsv", "id\toutput\ny\tzwei\n"), SEGMENTS) == [None, "zwei"]
    with pytest.raises(InputError, match="id 'z' is not in the test set, whose first id is 'x'"):
        read_outputs(write("o.tsv", "id\toutput\ny\tzwei\nz\tdrei\n"), SEGMENTS)


def test_the_only_output_is_taken_whatever_the_system_is_called(write: Write) -> None:
    path = write("o.jsonl", '{"id": "x", "system": "theirs", "output": "eins"}\n')
    assert read_outputs(path, SEGMENTS, system="mine") == ["eins", None]


def test_of_several_outputs_the_named_one_is_taken(write: Write) -> None:
    path = write("o.tsv", "id\toutput:A\toutput:B\nx\ta\tb\n")
    assert read_outputs(path, SEGMENTS, system="B") == ["b", None]


def test_real_outputs_are_read_line_by_line(data_folder: Path) -> None:
    folder = data_folder / "wmt22" / "de-en"
    segments = read_segments(folder / "source.txt", sorted((folder / "references").glob("*.txt")))
    assert len(segments) == 1984
    for path in (folder / "outputs").glob("*.txt"):
        assert len(read_outputs(path, segments)) == 1984


def test_real_suite_outputs_are_read_by_id(data_folder: Path) -> None:
    path = next((data_folder / "dfki" / "de-en" / "outputs" / "wmt22").glob("*.tsv"))
    rows = path.read_text("utf-8").split("\n")
    segments = [Segment(row.split("\t")[0]) for row in rows[1:-1]]
    assert None not in read_outputs(path, segments)
