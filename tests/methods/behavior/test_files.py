"""Files of behavioural cases and outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError
from mtassay.data.nouns import Edit, apply_edits
from mtassay.methods.behavior.case_files import (
    changes_between,
    read_cases,
    read_outputs,
    write_cases,
)
from mtassay.methods.behavior.pairs import BehaviorCase

CASE = BehaviorCase(
    "1-noun",
    "1",
    "noun",
    "The dog sleeps.",
    "O cão dorme.",
    "The cat sleeps.",
    "O gato dorme.",
    (Edit(4, 7, "dog", "cat"),),
    (Edit(2, 5, "cão", "gato"),),
    {"infiller": "lexicon"},
)
PLAIN = {
    "id": "a",
    "capability": "noun",
    "source": "The dog sleeps.",
    "reference": "O cão dorme.",
    "edited_source": "The cat sleeps.",
    "pseudo_reference": "O gato dorme.",
}


def written(tmp_path: Path, *records: object, name: str = "cases.jsonl") -> Path:
    path = tmp_path / name
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    write_cases(path, [CASE])
    assert read_cases(path) == [CASE]


def test_a_case_without_an_edit_gets_the_differences_of_its_texts(tmp_path: Path) -> None:
    (case,) = read_cases(written(tmp_path, PLAIN))
    assert case.changes == (Edit(4, 7, "dog", "cat"),)
    assert case.reference_changes == (Edit(2, 5, "cão", "gato"),)
    assert case.segment_id == "a"


@pytest.mark.parametrize("edit", ["dog", [["dog", "cão", [[1], [1]]]], {"source": ["dog", "cat"]}, 7])
def test_an_edit_that_others_describe_otherwise_is_told_from_the_texts(tmp_path: Path, edit: object) -> None:
    (plain,) = read_cases(written(tmp_path, PLAIN))
    assert read_cases(written(tmp_path, {**PLAIN, "edit": edit})) == [plain]


def test_the_edit_of_an_adapted_reference_is_not_guessed(tmp_path: Path) -> None:
    adapted = {**PLAIN, "pseudo_reference": "Um gato dorme agora."}
    (case,) = read_cases(written(tmp_path, adapted))
    assert case.reference_changes == ()


def test_a_table_with_the_same_columns_is_read(tmp_path: Path) -> None:
    table = written(tmp_path, "\t".join(PLAIN), "\t".join(PLAIN.values()), name="cases.tsv")
    assert read_cases(table) == read_cases(written(tmp_path, PLAIN))


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([PLAIN, PLAIN], "line 2: two cases have the id 'a'"),
        ([{**PLAIN, "source": None}], "line 1: 'source' must be a text"),
        ([{**PLAIN, "id": "a/edited"}], "line 1: an id may not end in '/edited'"),
        ([{**PLAIN, "edit": {"source": [[4, 7, "cow", "cat"]]}}], "line 1: 'edit' of the source"),
        ([{**PLAIN, "edit": {"source": [[4, 7]]}}], "line 1: 'edit' of the source"),
        ([{**PLAIN, "edit": {"source": [[4, 7, "dog", "pig"]]}}], "does not make 'edited_source'"),
        ([PLAIN, "{"], "line 2: this is no JSON object"),
        (["id\tsource", "1"], "line 2: 1 columns, expected 2"),
        (["Hello"], "line 1: the file must hold JSON records"),
        (["{}"], "line 1: 'id' is missing"),
        (['{"id": 1.5}'], "line 1: 'id' must be a text"),
    ],
)
def test_what_is_wrong_in_a_file_of_cases_is_one_line(
    tmp_path: Path, records: list[object], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_cases(written(tmp_path, *records))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "records",
    [
        [{"id": "1", "output": "x", "edited_output": "y"}],
        [{"id": 1, "output": "x", "edited_output": "y"}],
        [{"id": "1", "output": "x"}, {"id": "1/edited", "output": "y"}],
        ["id\toutput\tedited_output", "1\tx\ty"],
        ["id\toutput", "1\tx", "1/edited\ty"],
    ],
)
def test_outputs_may_come_in_one_record_or_in_two(tmp_path: Path, records: list[object]) -> None:
    assert read_outputs(written(tmp_path, *records)) == {"1": "x", "1/edited": "y"}


def test_an_output_that_is_null_is_none(tmp_path: Path) -> None:
    record = {"id": "1", "output": "", "edited_output": None}
    assert read_outputs(written(tmp_path, record)) == {"1": "", "1/edited": None}


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"id": "1", "text": "x"}], "line 1: there is neither 'output' nor 'edited_output'"),
        ([{"id": "1", "output": "x"}] * 2, "line 2: two outputs have the id '1'"),
        (
            [{"id": "1", "output": "x", "edited_output": "y"}, {"id": "1/edited", "output": "y"}],
            "line 2: two outputs have the id '1/edited'",
        ),
        ([{"id": "1", "output": 3}], "line 1: 'output' must be a text"),
    ],
)
def test_what_is_wrong_in_a_file_of_outputs_is_one_line(
    tmp_path: Path, records: list[object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_outputs(written(tmp_path, *records))


@given(st.text("ab 大小,", max_size=20), st.text("ab 大小,", max_size=20))
def test_the_differences_make_the_second_text_of_the_first(before: str, after: str) -> None:
    assert apply_edits(before, changes_between(before, after)) == after
