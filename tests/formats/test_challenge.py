"""Challenge sets as files, and the scores that others give to them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import InputError
from mtassay.data.formats.evaluation_files import (
    ChallengePair,
    read_challenge,
    read_challenge_scores,
    write_challenge,
    write_challenge_lines,
)

A = ChallengePair(
    "i1:1", "i1", "Negation", "Concord", "Ninguém disse.", "No one said.", "Nobody said.", "Said."
)
B = ChallengePair(
    "i2:1", "i2", "Idioms", "Idioms", "Água mole.", None, "Drip, drip.", "Soft\nwater.", "pt-en"
)
PAIRS = [A, B]
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(text=TEXT, reference=st.none() | TEXT)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, text: str, reference: str | None
) -> None:
    path = tmp_path_factory.mktemp("challenge") / "c.jsonl"
    pairs = [
        ChallengePair(
            "1", "i", text, text, text, reference, text, text, origin={"correct": ["token", "output:A"]}
        )
    ]
    write_challenge(path, pairs)
    assert read_challenge(path) == pairs


RECORD = {
    "id": "i1:1",
    "item": "i1",
    "category": "C",
    "phenomenon": "P",
    "source": "s",
    "reference": None,
    "correct": "c",
    "incorrect": "w",
}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{"], "c.jsonl line 1: this is no JSON object"),
        (["[1]"], "line 1: this is no JSON object"),
        ([json.dumps(RECORD), "", json.dumps(RECORD)], "line 3: a second pair has the id 'i1:1'"),
        ([json.dumps({**RECORD, "correct": 3})], "line 1: 'correct' must be a text"),
        ([json.dumps({**RECORD, "reference": 3})], "line 1: 'reference' must be a text or null"),
        ([json.dumps({**RECORD, "origin": {"correct": "token"}})], "line 1: 'origin' must hold a list"),
        ([""], "there is no pair in it"),
    ],
)
def test_a_wrong_record_is_named_with_its_line(tmp_path: Path, lines: list[str], message: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_challenge(path)


def test_lines_have_the_correct_output_first_and_empty_references_where_there_are_none(
    tmp_path: Path,
) -> None:
    write_challenge_lines(tmp_path / "lines", PAIRS)
    files = {p.name: p.read_text("utf-8").split("\n") for p in (tmp_path / "lines").iterdir()}
    assert files == {
        "source.txt": ["Ninguém disse.", "Ninguém disse.", "Água mole.", "Água mole.", ""],
        "output.txt": ["Nobody said.", "Said.", "Drip, drip.", "Soft water.", ""],
        "reference.txt": ["No one said.", "No one said.", "", "", ""],
    }


@pytest.mark.parametrize(
    "text",
    [
        "0.9\n0.1\n\n-3e-1\n",
        "id\tside\tscore\ni2:1\tincorrect\t-0.3\ni1:1\tcorrect\t0.9\ni1:1\tincorrect\t0.1\n",
        "score\tid\tside\n0.1\ti1:1\tincorrect\nnan\ti2:1\tcorrect\n-0.3\ti2:1\tincorrect\n0.9\ti1:1\tcorrect\n",
    ],
    ids=["lines", "table", "table in another order"],
)
def test_scores_are_read_as_lines_or_as_a_table(tmp_path: Path, text: str) -> None:
    (tmp_path / "s").write_text(text, encoding="utf-8")
    scores = read_challenge_scores(tmp_path / "s", PAIRS)
    assert scores.correct[0] == 0.9
    assert math.isnan(scores.correct[1])
    assert scores.incorrect == [0.1, -0.3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n2\n3\n", "3 lines, but 2 pairs need 4: two each, the correct output first"),
        ("1\n2\nx\n4\n", "line 3: 'x' is no number"),
        ("1\n2\ninf\n4\n", "line 3: an infinite score cannot be compared"),
        ("id\tscore\ni1:1\t1\n", "line 1: the columns must be id, side, score"),
        ("id\tside\tscore\ni9\tcorrect\t1\n", "line 2: no pair has the id 'i9'"),
        ("id\tside\tscore\ni1:1\tgood\t1\n", "line 2: the side is 'good', not correct or incorrect"),
        (
            "id\tside\tscore\ni1:1\tcorrect\t1\ni1:1\tcorrect\t1\n",
            "line 3: a second score of 'i1:1', correct",
        ),
        ("id\tside\tscore\ni1:1\tcorrect\n", "line 2: 2 columns, expected 3"),
    ],
)
def test_wrong_scores_are_named_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "s.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_challenge_scores(tmp_path / "s.tsv", PAIRS)
