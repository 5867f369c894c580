"""Files of human scores in all their shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.score_files import ScoreColumn, chosen, match_systems, merged, read_score_file

IDS = ["1", "2"]


def read(tmp_path: Path, name: str, text: str, **options: object) -> list[ScoreColumn]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_score_file(str(path), ids=IDS, **options)  # type: ignore[arg-type]


BY_SEGMENT = {"A": {"1": 3.0, "2": None}, "B": {"1": 1.5, "2": 2.0}}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("en-de.mqm.sys.score", "A\t-1.5\nB\tNone\n", ScoreColumn("mqm", {"A": -1.5, "B": None})),
        ("da.txt", "A 1\nB 2\n", ScoreColumn("da", {"A": 1.0, "B": 2.0})),
        ("en-de.mqm.seg.score", "A\t3\nA\tNone\nB\t1.5\nB\t2\n", ScoreColumn("mqm", {}, BY_SEGMENT)),
        ("x.tsv", "system\tid\tDA\nA\t1\t3\nA\t2\t\nB\t1\t1.5\nB\t2\t2\n", ScoreColumn("DA", {}, BY_SEGMENT)),
        ("x.csv", 'sys,segment,DA\nA,1,3\nA,2,NA\n"B",1,1.5\nB,2,2\n', ScoreColumn("DA", {}, BY_SEGMENT)),
        (
            "seg-scores.csv",
            "SYS SID Z.SCR N \nA 1 3 4 \nB 1 1.5 1 \nB 2 2 1 \n",
            ScoreColumn("Z.SCR", {}, {"A": {"1": 3.0}, "B": {"1": 1.5, "2": 2.0}}),
        ),
        ("sys-scores.csv", "Z.SCR N SYS N.ALL \n.5 9 A 12 \n", ScoreColumn("Z.SCR", {"A": 0.5})),
        (
            "x.jsonl",
            '{"system": "A", "id": 1, "DA": 3}\n\n{"system": "A", "id": 2, "DA": null}\n'
            '{"system": "B", "id": 1, "scores": {"DA": 1.5}}\n{"system": "B", "id": "2", "DA": 2}\n',
            ScoreColumn("DA", {}, BY_SEGMENT),
        ),
        (
            "en-de.mqm.seg.rating",
            'A\t{"errors": [{"start": 0, "end": 1, "category": "x", "severity": "major"}]}\nA\tNone\n'
            'B\t{"errors": []}\nB\t{"errors": [{"start": 0, "end": 1, "category": "x", "severity": "minor", '
            '"score": 2}]}\n',
            ScoreColumn("mqm", {}, {"A": {"1": -5.0, "2": None}, "B": {"1": 0.0, "2": -2.0}}),
        ),
        (
            "mqm.jsonl",
            '{"system": "A", "id": 1, "errors": [{"start": 3, "end": 9, "severity": "major"}]}\n'
            '{"system": "A", "id": 2, "errors": null}\n',
            ScoreColumn("mqm", {}, {"A": {"1": -5.0, "2": None}}),
        ),
        (
            "esa.jsonl",
            '{"system": "A", "id": 1, "score": 80, "errors": [{"start": 3, "end": 9, "severity": "major"}]}\n'
            '{"system": "A", "id": 2, "score": null, "errors": []}\n',
            ScoreColumn("esa", {}, {"A": {"1": 80.0, "2": None}}),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value and "\n" not in value else "",
)
def test_every_shape_is_read(tmp_path: Path, name: str, text: str, expected: ScoreColumn) -> None:
    assert read(tmp_path, name, text) == [expected]


def test_every_score_column_is_one_human_score(tmp_path: Path) -> None:
    text = "system,adequacy,fluency,informativeness,note\nA,4,3,5,good\nB,2,1,,\n"
    columns = read(tmp_path, "darpa.csv", text)
    assert [column.name for column in columns] == ["adequacy", "fluency", "informativeness"]
    assert columns[2].by_system == {"A": 5.0, "B": None}


def test_several_ratings_of_one_translation_are_averaged(tmp_path: Path) -> None:
    [column] = read(tmp_path, "x.tsv", "system\tid\trater\tDA\nA\t1\t7\t70\nA\t1\t8\t81\nA\t1\t9\tNone\n")
    assert column.by_segment == {"A": {"1": 75.5}}


def test_a_bookkeeping_column_is_a_score_only_on_request(tmp_path: Path) -> None:
    text = "system\tn\tz\nA\t12\t0.5\n"
    assert [column.name for column in read(tmp_path, "x.tsv", text)] == ["z"]
    assert [column.name for column in read(tmp_path, "x.tsv", text, wanted=["N"])] == ["n", "z"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.tsv", "name\tscore\nA\t1\n", "x.tsv line 1: the first line must name the columns"),
        (
            "x.tsv",
            "system\tid\tDA\nA\t1\t3\nA\t2\t8O\n",
            "x.tsv line 3: 'DA' is \"8O\", neither a number nor",
        ),
        ("x.csv", "system,id,DA\nA,1\n", "x.csv line 2: 2 cells, expected 3"),
        ("x.csv", "system,DA\nA,1\nA,2\n", "2 rows for system 'A', but no column 'id'"),
        ("x.tsv", "system\tid\tDA\nA\t1\t3\nA\t2\t4\nA\t1\t9\n", "line 4: segment '1' of system 'A' has a"),
        (
            "x.csv",
            "system,id,DA\nA,1,3\nA,1,3\n",
            "x.csv line 3: segment '1' of system 'A' has a score in line 2",
        ),
        ("x.jsonl", '{"system": "A", "id": 1, "DA": 2}\n' * 2, "x.jsonl line 2: segment '1' of system 'A'"),
        ("x.csv", "system,DA\n", "no scores in it"),
        ("x.csv", "system,note\nA,fine\n", "no column holds numbers"),
        ("x.csv", "system,id,DA\n,1,2\n", "x.csv line 2: the system or the id is empty"),
        ("x.score", "A\t1\nA\t2\nA\t3\n", "3 lines for system 'A', expected 2"),
        ("x.score", "A\t1\nB\tx\n", "x.score line 2: 'x' is neither a number nor None"),
        ("x.jsonl", '{"system": "A"\n', "x.jsonl line 1: this is not JSON"),
        ("x.jsonl", '{"id": 1, "DA": 2}\n', "x.jsonl line 1: the record names no system"),
        (
            "x.jsonl",
            '{"system": "A", "id": 1, "DA": 2}\n{"system": "A", "DA": 2}\n',
            "line 2: this record has no id",
        ),
        ("x.jsonl", '{"system": "A", "id": 1, "errors": 3}\n', "'errors' must be a list"),
        (
            "x.jsonl",
            '{"system": "A", "id": 1, "errors": [{"severity": "awful"}]}\n',
            "x.jsonl line 1: an error of severity 'awful' has no weight",
        ),
        ("x.seg.rating", 'A\t{"errors": [{}]}\nA\tNone\n', "x.seg.rating line 1: not a rating"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, name, text)
    assert message in str(caught.value)


def test_without_a_test_set_positions_are_the_ids(tmp_path: Path) -> None:
    path = tmp_path / "x.score"
    path.write_text("A\t1\nA\t2\nA\t3\n")
    assert read_score_file(str(path), ids=[])[0].by_segment == {"A": {"1": 1.0, "2": 2.0, "3": 3.0}}


def test_an_exact_name_wins_over_one_without_its_number() -> None:
    assert match_systems(["X.1", "X"], ["X"]) == {"X": "X"}
    with pytest.raises(UsageError, match=r"Both 'X\.1' and 'X\.2' could be the system 'X'"):
        match_systems(["X.1", "X.2"], ["X"])


def test_scores_of_systems_and_of_segments_come_together_from_two_files() -> None:
    both = merged([ScoreColumn("z", {"A": 1.0}), ScoreColumn("z", {}, {"A": {"1": 1.0}})])
    assert both == [ScoreColumn("z", {"A": 1.0}, {"A": {"1": 1.0}})]
    with pytest.raises(UsageError, match="Two files have scores called 'z'"):
        merged([ScoreColumn("z", {"A": 1.0}), ScoreColumn("z", {"A": 2.0})])


def test_human_scores_are_chosen_by_name_without_regard_to_case() -> None:
    columns = [ScoreColumn("RAW.SCR"), ScoreColumn("Z.SCR")]
    assert [column.name for column in chosen(columns, ["z"], what="human score")] == ["Z.SCR"]
    assert [column.name for column in chosen(columns, [], what="human score")] == ["RAW.SCR", "Z.SCR"]
    with pytest.raises(UsageError, match=r"No human score called 'mqm'. Available: RAW.SCR, Z.SCR."):
        chosen(columns, ["mqm"], what="human score")
