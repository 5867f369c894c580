"""Files of flagged pairs and of labels, with a header or without, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.evaluation_files import FlagRow, LabelRow, is_review_file, read_flags, read_labels

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def put(text: str) -> Path:
        path = tmp_path / ("a.jsonl" if text.startswith("{") else "a.tsv")
        path.write_text(text, encoding="utf-8")
        return path

    return put


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id\n7\n", FlagRow("7", "", None, None, 2)),
        ("7\n", FlagRow("7", "", None, None, 1)),
        ("7\t0.5\n", FlagRow("7", "", 0.5, None, 1)),
        ("score\tid\tsystem\tflagged\n-1\t7\tnmt\t0\n", FlagRow("7", "nmt", -1.0, False, 2)),
        ('{"id": 7, "score": 2, "flagged": true}\n', FlagRow("7", "", 2.0, True, 1)),
    ],
)
def test_flagged_pairs_are_read(write: Write, text: str, expected: FlagRow) -> None:
    assert read_flags(write(text)) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id\tlabel\n7\tERR\n", LabelRow("7", "", "ERR", 2)),
        ("7\tA source.\tEin Satz.\t[0, 1, 1]\tERR\n", LabelRow("7", "", "ERR", 1)),
        ('{"id": "7", "label": true, "system": "nmt"}\n', LabelRow("7", "nmt", "1", 1)),
    ],
)
def test_labels_are_read(write: Write, text: str, expected: LabelRow) -> None:
    assert read_labels(write(text)) == [expected]


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_flags, "id\tscore\n7\thigh\n", "a.tsv line 2: the score 'high' is no number"),
        (read_flags, "id\tscore\n7\tnan\n", "the score 'nan' is no number"),
        (read_flags, "id\tflagged\n7\tmaybe\n", "line 2: 'flagged' is 'maybe'. Write 1 or 0"),
        (read_flags, "7\n8\n7\n", "line 3: '7' is on line 1 already"),
        (read_flags, "id\tscore\n7\n", "line 2: 1 columns, expected 2"),
        (read_flags, '{"score": 1}\n', "line 1: there is no 'id'"),
        (read_flags, '{"id": 1}\n[]\n', "line 2: this is no JSON object"),
        (read_labels, "id\n7\n", "line 2: there is no 'label'"),
    ],
)
def test_a_bad_row_is_named(write: Write, read: Callable[[Path], Any], text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(write(text))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("answer\tcase_id\tsource\toutput\n", True),
        ('{"answer": "1", "case_id": "7"}\n', True),
        ("id\tlabel\n", False),
        ('{"id": "7"}\n', False),
        ("{broken\n", False),
    ],
)
def test_reviews_are_told_from_labels(write: Write, text: str, expected: bool) -> None:
    assert is_review_file(write(text)) is expected
