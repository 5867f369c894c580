"""Development over years: the best system of each, what changed, and systems that stayed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.formats import read_stream
from mtassay.formats.suite import read_suite
from mtassay.methods.suite.accuracy import Grades
from mtassay.methods.suite.judge import Judge
from mtassay.methods.suite.method import case_of
from mtassay.methods.suite.system_names import SystemInGroup, join_names
from mtassay.methods.suite.years import BestBy, Comparing, best_of_groups, compare_best, courses, pick
from tests.methods.suite.test_movement import grades

WAYS: list[BestBy] = ["pairs", "fair", "settled"]


def entries(*names: str) -> list[SystemInGroup]:
    """Entries as "group/name"; the system has the name."""
    return [SystemInGroup(*name.split("/"), name.split("/")[1]) for name in names]


@pytest.mark.parametrize("by", WAYS)
def test_the_best_has_the_best_macro_average_not_the_most_items(by: BestBy) -> None:
    # x: 3 of 4 and 0 of 1, macro 37.5. y: 1 of 4 and 1 of 1, macro 62.5.
    found = grades([("A", "++"), ("A", "+-"), ("A", "+-"), ("A", "--"), ("B", "-+")], "x", "y")
    assert best_of_groups(found, entries("1/x", "1/y"), by=by)["1"].entry.name == "y"


def test_a_system_gains_nothing_by_leaving_items_open() -> None:
    # x has 3 of 4 right; y has 2 of 2, and left open what x has right and wrong. On both's items they are
    # equal, and x is first; by its own items y is best.
    rows = [("A", "++"), ("A", "++"), ("A", "+?"), ("A", "-?")]
    systems = entries("1/x", "1/y")
    found = {by: best_of_groups(grades(rows, "x", "y"), systems, by=by)["1"].entry.name for by in WAYS}
    assert found == {"pairs": "x", "fair": "x", "settled": "y"}


def test_in_pairs_one_that_leaves_much_open_does_not_shrink_the_rest() -> None:
    # Fair is the first item only, where x and y are equal and x is first; in pairs y wins by two items.
    rows = [("A", "++-"), ("A", "-+?"), ("A", "-+?")]
    systems = entries("1/x", "1/y", "1/z")
    found = {by: best_of_groups(grades(rows, "x", "y", "z"), systems, by=by)["1"].entry.name for by in WAYS}
    assert found == {"pairs": "y", "fair": "x", "settled": "y"}


def test_close_are_those_not_significantly_worse() -> None:
    # y differs from x on one item (p = 0.5), z on eight (p = 1/256).
    rows = [("A", "+--")] + [("A", "++-")] * 7 + [("A", "---")]
    best = best_of_groups(grades(rows, "x", "y", "z"), entries("1/x", "1/y", "1/z"))["1"]
    assert (best.entry.name, best.close) == ("x", ("y",))


@given(st.lists(st.tuples(st.sampled_from("AB"), st.text("+-", min_size=4, max_size=4)), min_size=1))
def test_if_everything_is_settled_all_ways_choose_the_same(rows: list[tuple[str, str]]) -> None:
    found = grades(rows, *"wxyz")
    systems = entries("1/w", "1/x", "1/y", "1/z")
    chosen = [best_of_groups(found, systems, by=by, comparing=Comparing(test="z"))["1"].entry for by in WAYS]
    assert chosen[0] == chosen[1] == chosen[2]


YEARS = entries("1/a", "1/b", "2/a", "2/c")
GRADES = grades(
    [("A", "+--+"), ("A", "+-++"), ("A", "--+?"), ("B", "++-+"), ("B", "-+?+")], "0", "1", "2", "3"
)


def test_the_best_of_all_groups_are_compared_on_the_same_items() -> None:
    best = best_of_groups(GRADES, YEARS, by="settled")
    assert [one.entry.name for one in best.values()] == ["a", "c"]
    result, changes = compare_best(GRADES, best, YEARS, Comparing())
    macro = {score.system: (score.value, score.n) for score in result.scores if score.group == "macro"}
    # Both have settled four items: a has 2 of 2 and 1 of 2, c all.
    assert macro == {"1": (75.0, 4), "2": (100.0, 4)}
    assert [(c.group, c.n, c.delta) for c in changes] == [
        ("A", 2, 0.0),
        ("B", 2, 50.0),
        ("micro", 4, 25.0),
        ("macro", 4, 25.0),
    ]


def test_a_course_has_one_value_for_each_group_on_the_same_items() -> None:
    (course,) = courses(GRADES, YEARS, Comparing())
    assert (course.system, course.n) == ("a", 4)
    # Items 1 to 4: 2 of 3 and 1 of 1, then 2 of 3 and 0 of 1.
    assert [(p.group, p.system, p.n) for p in course.points] == [("1", "a", 4), ("2", "a", 4)]
    assert [p.value for p in course.points] == pytest.approx([100 * (2 / 3 + 1) / 2, 100 * (2 / 3) / 2])
    assert course.change.delta == pytest.approx(-50.0)
    assert (course.change.fixed, course.change.broken) == (1, 2)


def test_fair_courses_share_their_items_and_settled_ones_have_their_own() -> None:
    rows = [("A", "++++"), ("A", "+-?+"), ("A", "-+++")]
    found, systems = grades(rows, *"0123"), entries("1/a", "2/a", "1/b", "2/b")
    assert {c.system: c.n for c in courses(found, systems, Comparing())} == {"a": 2, "b": 2}
    assert {c.system: c.n for c in courses(found, systems, Comparing(items="settled"))} == {"a": 3, "b": 2}


def test_only_the_systems_asked_for_are_followed() -> None:
    assert courses(GRADES, YEARS, Comparing(), systems=["c"]) == []
    assert [c.system for c in courses(GRADES, YEARS, Comparing(), systems=["a"])] == ["a"]


def test_columns_are_picked_in_order() -> None:
    assert pick(GRADES, [3, 0]).systems == ["3", "0"]
    assert pick(GRADES, [3, 0], names=["x", "y"]).values.tolist()[0] == [1, 1]


def test_the_best_system_of_2021_is_the_one_of_the_paper(data_folder: Path) -> None:
    folder = data_folder / "dfki" / "de-en"
    suite = read_suite(folder / "items.json")
    judge = Judge(suite)
    files = sorted((folder / "outputs" / "wmt21").glob("*.tsv"))
    values = np.full((len(suite.items), len(files)), -1, dtype=np.int8)
    for column, file in enumerate(files):
        stream = read_stream(file, role="output")
        texts = dict(zip(stream.ids or (), stream.texts, strict=True))
        for row, item in enumerate(suite.items):
            text = texts.get(item.id)
            status = "" if text is None else judge.judge(item, text).status
            values[row, column] = {"correct": 1, "incorrect": 0}.get(status, -1)
    names = [file.stem for file in files]
    found = Grades([case_of(item) for item in suite.items], names, values)
    for by in WAYS:
        best = best_of_groups(found, join_names({"wmt21": names}), by=by)["wmt21"]
        assert best.entry.name == "Online-W"  # Macketanz et al. 2022, table 1
