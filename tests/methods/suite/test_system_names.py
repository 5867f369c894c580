"""Which names of several groups are one system."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.errors import InputError, UsageError
from mtassay.methods.suite.system_names import join_names, read_aliases, spellings


def systems(groups: dict[str, list[str]], **settings: object) -> list[str]:
    return [entry.system for entry in join_names(groups, **settings)]  # type: ignore[arg-type]


def test_spelling_does_not_count_and_the_newest_name_is_kept() -> None:
    groups = {"21": ["Online-A", "x y"], "22": ["ONLINE_A"], "23": ["online a", "X-Y"]}
    assert systems(groups) == ["online a", "X-Y", "online a", "online a", "X-Y"]
    assert spellings(join_names(groups)) == {
        "online a": ["Online-A", "ONLINE_A", "online a"],
        "X-Y": ["x y", "X-Y"],
    }


def test_spelling_counts_when_asked_for() -> None:
    groups = {"21": ["Online-A"], "22": ["ONLINE-A"]}
    assert systems(groups, fold=False) == ["Online-A", "ONLINE-A"]
    assert spellings(join_names(groups, fold=False)) == {}


@pytest.mark.parametrize(
    ("aliases", "expected"),
    [
        ({"Old": "New"}, ["New", "New", "Third"]),
        ({"old": "NEW"}, ["New", "New", "Third"]),
        ({"Old": "New", "New": "Third"}, ["Third", "Third", "Third"]),
        ({"Nobody": "Third"}, ["Old", "New", "Third"]),
        ({"New": "New"}, ["Old", "New", "Third"]),
    ],
)
def test_an_alias_leads_to_the_name_of_today(aliases: dict[str, str], expected: list[str]) -> None:
    assert systems({"1": ["Old"], "2": ["New"], "3": ["Third"]}, aliases=aliases) == expected


def test_a_circle_of_aliases_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="circle"):
        join_names({"1": ["A"], "2": ["B"]}, aliases={"A": "B", "B": "A"})


def test_two_systems_of_one_group_are_never_made_one() -> None:
    with pytest.raises(UsageError, match="21: Online-A and online_a would be one system"):
        join_names({"21": ["Online-A", "online_a"], "22": ["B"]})
    assert systems({"21": ["Online-A", "online_a"]}, fold=False) == ["Online-A", "online_a"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name\talias\tname\nA\ta\tB\n", "line 1: the column 'name' stands twice: 1 and 3; keep one"),
        ("name\talias\nA\ta\nB\ta\n", "line 3: 'a' is an alias of 'A' already; keep one"),
    ],
)
def test_a_table_of_aliases_says_one_thing(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "aliases.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_aliases(path)
