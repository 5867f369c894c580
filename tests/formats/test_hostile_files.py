"""What files can hold that nobody can take later is told in one line, where it is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from mtassay.data.errors import InputError, MtassayError
from mtassay.data.formats.annotation_files import read_entities
from mtassay.data.formats.review_files import read_reviews
from mtassay.data.formats.score_files import read_score_file
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.nouns import Segment
from mtassay.methods.behavior.case_files import read_cases
from mtassay.systems.chat_translator import read_prompt
from mtassay.systems.http_server import read_template

ITEM = '{"id": "1", "category": "C", "phenomenon": "P", "source": "%s"}'
REVIEW = '{"answer": "correct", "case_id": "1", "sources": ["a"], "outputs": ["%s"], "reviewer": "x"}'
LONG = "1" * 5000


def entities(path: Path) -> object:
    return read_entities(path, [Segment("1", "a", ("b",))])


@pytest.mark.parametrize("bad", [r"\ud800", r"\udfff", r"\u0000"])
@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("s.json", '{"items": [], "%s": 1}', read_suite),
        ("r.jsonl", REVIEW, read_reviews),
        ("e.jsonl", '{"id": "1", "entities": [], "text": "%s"}', entities),
        ("e.json", '[{"id": "1", "entities": [], "text": "%s"}]', entities),
        ("c.jsonl", '{"case_id": "1", "source": "%s"}', read_cases),
    ],
)
def test_half_a_character_and_nul_are_told_with_the_line(
    tmp_path: Path, name: str, text: str, read: Callable[[Path], object], bad: str
) -> None:
    path = tmp_path / name
    path.write_text(text % bad + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"surrogate|NUL|no key of"):
        read(path)


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("s.json", '{"items": %s}', read_suite),
        ("r.jsonl", '{"answer": %s}', read_reviews),
        ("e.json", '[{"id": %s}]', entities),
        ("c.jsonl", '{"case_id": %s}', read_cases),
        ("t.json", '{"url": %s}', lambda path: read_template(str(path))),
    ],
)
def test_a_number_of_thousands_of_digits_is_one_line(
    tmp_path: Path, name: str, text: str, read: Callable[[Path], object]
) -> None:
    path = tmp_path / name
    path.write_text(text % LONG + "\n", encoding="utf-8")
    with pytest.raises(MtassayError) as raised:
        read(path)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300 + len(str(path))


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_review_at_the_ends_of_time_is_told_with_its_line(tmp_path: Path, at: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(f"answer,case_id,source,output,reviewer,at\ncorrect,1,a,b,x,{at}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"r\.csv line 2: '{at[:10]}.*' is no date that can be"):
        read_reviews(path)


@pytest.mark.parametrize(
    "cells", ["a\rb,b", '"a\rb",b', "\r", "a,b\r\rc", '"a"\rb,c', '"a\n\n', "\n\r\n,", '"a""\r\n",b\r']
)
def test_stray_line_breaks_in_csv_are_read_or_told(tmp_path: Path, cells: str) -> None:
    path = tmp_path / "r.csv"
    header = "answer,case_id,source,output,reviewer"
    path.write_bytes(f"{header}\r\ncorrect,1,{cells},x\r\n".encode())
    with suppress(InputError):
        assert read_reviews(path, reviewer="me").rows
    path.write_bytes(f"{cells}\r\n{header}\r\n".encode())
    with pytest.raises(InputError):
        read_reviews(path, reviewer="me")


def test_a_stray_line_break_in_a_csv_of_scores_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(b"system,id,score\nA,1,5\rx,2\n")
    with pytest.raises(InputError, match=r"scores\.csv line 2: not CSV: a line break inside of a cell"):
        read_score_file(str(path), ids=["1", "2"])


def test_a_character_by_a_number_of_thousands_of_digits_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "e.txt"
    path.write_text(f"a <PER>b</PER> &lt; &#{LONG};\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"e\.txt line 1"):
        read_entities(path, [Segment("1", None, ("a b <",))])


def test_a_placeholder_that_goes_over_lines_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    path.write_text("Translate\n${text\n\n} now: ${text}", encoding="utf-8")
    with pytest.raises(InputError, match=r"p\.txt line 2: there is no \$\{text\}\. Available: "):
        read_prompt(str(path))
