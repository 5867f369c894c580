"""Corrections in files: what is read, what is refused, and what comes back after writing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.languages import parse_pair
from mtassay.meta.corrections import Correction, WrongOutput, export, format_of, read_corrections, write_sheet

PAIR = parse_pair("en-pt")
VASE = Correction("7", "A blue vase.", "Um vaso.", "Um vaso azul.", "anna", "under")
GOAT = Correction("8", "A goat & a hat <b>", "Um bode", "Um bode e um chapéu <b>", "engine nmt", "several")


@pytest.mark.parametrize("name", ["fixes.jsonl", "fixes.tsv", "fixes.jsonl.gz"])
def test_corrections_come_back_as_they_were_written(tmp_path: Path, name: str) -> None:
    export(tmp_path / name, [VASE, GOAT], format_of(name))
    assert read_corrections(tmp_path / name) == [VASE, GOAT]


def test_a_translation_memory_is_read_as_source_and_reference(tmp_path: Path) -> None:
    export(tmp_path / "fixes.tmx", [VASE, GOAT], "tmx", pair=PAIR)
    segments = read_test_set(tmp_path / "fixes.tmx", pair=PAIR).segments
    assert [(s.id, s.source, s.references) for s in segments] == [
        (c.id, c.source, (c.correction,)) for c in (VASE, GOAT)
    ]
    assert '<prop type="x-by">engine nmt</prop>' in (tmp_path / "fixes.tmx").read_text(encoding="utf-8")


def test_what_xml_cannot_hold_becomes_a_space(tmp_path: Path) -> None:
    bell = Correction("1", "a\x07b", "", "c\x00d", "anna")
    export(tmp_path / "fixes.tmx", [bell], "tmx", pair=PAIR)
    (segment,) = read_test_set(tmp_path / "fixes.tmx", pair=PAIR).segments
    assert (segment.source, segment.references) == ("a b", ("c d",))


def test_a_translation_memory_needs_the_pair(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="add `langpair='SRC-TGT'`"):
        export(tmp_path / "fixes", [VASE], "tmx")


def test_an_ending_without_a_format_is_refused() -> None:
    with pytest.raises(UsageError, match=r"fixes\.xlsx: its ending does not name a format"):
        format_of("fixes.xlsx")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "source\tcorrection\nx\ty\n", "a.tsv line 1: there is no column 'by'"),
        ("a.tsv", "source\tcorrection\tby\nx\ty\n", "a.tsv line 2: 2 columns, expected 3"),
        ("a.tsv", "source\tcorrection\tby\nx\ty\t\n", "a.tsv line 2: 'by' is empty: write who corrected it"),
        ("a.tsv", "source\tcorrection\tby\n\ty\tz\n", "a.tsv line 2: no 'source'"),
        ("a.tsv", "source\tcorrection\tby\nx\t\tz\n", "a.tsv: it holds no correction"),
        ("a.tsv", "id\tsource\tcorrection\tby\n1\ta\tb\tc\n1\td\te\tf\n", "line 3: duplicate id '1'"),
        ("a.jsonl", "{\n", "a.jsonl line 1: this is not JSON"),
        ("a.jsonl", "[]\n", "a.jsonl line 1: not a JSON object"),
        ("a.jsonl", '{"source": 1, "correction": "b", "by": "c"}\n', "line 1: 'source' must be a text"),
        ("a.txt", "x\n", "a file of corrections ends in .jsonl or .tsv"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises((InputError, UsageError)) as caught:
        read_corrections(tmp_path / name)
    assert message in str(caught.value)


def test_rows_that_nobody_has_corrected_yet_are_left_out(tmp_path: Path) -> None:
    rows = ["id\tsource\tcorrection\tby", "1\ta\t\t", "2\tb\tc\tanna"]
    (tmp_path / "sheet.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert read_corrections(tmp_path / "sheet.tsv") == [Correction("2", "b", "", "c", "anna")]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")).filter(str.strip)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=4))
def test_jsonl_keeps_every_character(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]
) -> None:
    path = tmp_path_factory.mktemp("fixes") / "fixes.jsonl"
    corrections = [Correction(str(i), s, "", c, by) for i, (s, c, by) in enumerate(rows)]
    export(path, corrections, "jsonl")
    assert read_corrections(path) == corrections


HOSTILE = ('=HYPERLINK("http://x")', "+1", "-2", "@SUM(A1)", "two\nlines\tand a tab", "C:\\new", "00012")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_of_a_sheet_is_a_formula_and_every_text_comes_back(text: str, tmp_path: Path) -> None:
    correction = Correction("1", text, text, f"{text}!", "anna")
    export(tmp_path / "fixes.tsv", [correction], "tsv")
    header, row = (tmp_path / "fixes.tsv").read_text(encoding="utf-8").splitlines()
    cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert all(cells[key][:1] not in ("=", "+", "-", "@") for key in ("source", "output", "correction"))
    assert read_corrections(tmp_path / "fixes.tsv") == [correction]


def test_a_sheet_to_fill_in_holds_no_formula_and_is_read_back(tmp_path: Path) -> None:
    wrong = WrongOutput("1", "=1+1", "@x", "logic")
    write_sheet(tmp_path / "sheet.tsv", [wrong])
    text = (tmp_path / "sheet.tsv").read_text(encoding="utf-8")
    assert text.splitlines()[1] == "1\t\\=1+1\t\\@x\t\t\tlogic"
    filled = text.replace("\t\t\tlogic", "\t=2\tanna\tlogic")
    (tmp_path / "sheet.tsv").write_text(filled, encoding="utf-8")
    assert read_corrections(tmp_path / "sheet.tsv") == [Correction("1", "=1+1", "@x", "=2", "anna", "logic")]
