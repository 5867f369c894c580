"""Files of thresholds: what is written is read, and what is broken is told in a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.evaluation_files import FoundThreshold, read_thresholds, write_thresholds


def test_what_is_written_is_read(tmp_path: Path) -> None:
    entry = FoundThreshold("use", 0.8, True, 0.9, {"alpha": 0.8}, "use", "The judge finds all.", "60 labels")
    write_thresholds(tmp_path / "t.json", [entry])
    assert read_thresholds(tmp_path / "t.json") == {"use": entry}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not json", "no file that 'mtassay meta calibrate' wrote"),
        ("[1]", "there are no thresholds in it"),
        ('{"kind": "mtassay thresholds", "thresholds": []}', "there are no thresholds in it"),
        ('{"kind": "mtassay thresholds", "thresholds": [{"judge": "use"}]}', "a threshold lacks judge"),
        (
            '{"kind": "mtassay thresholds", "thresholds": [{"judge": "use", "threshold": NaN, "wished": 1, '
            '"low_is_error": true, "parameters": {}}]}',
            "the threshold of 'use' is no number",
        ),
    ],
)
def test_a_broken_file_is_told_in_a_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_thresholds(tmp_path / "t.json")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_thresholds(tmp_path / "none.json")
