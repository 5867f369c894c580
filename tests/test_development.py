"""Systems over groups of runs: which names are one, the best of each group, what changed, who stayed."""

from __future__ import annotations

from pathlib import Path

import pytest

import mtassay as mt
from mtassay.app.history import development
from mtassay.changes.change_tables import render_development
from mtassay.changes.development import Development
from mtassay.changes.system_names import join_names
from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_items import Item, Rule, Suite
from mtassay.report.plots import draw


def systems(groups: dict[str, list[str]], **settings: object) -> list[str]:
    return [entry.system for entry in join_names(groups, **settings)]  # type: ignore[arg-type]


def test_spelling_does_not_count_and_the_newest_name_is_kept() -> None:
    groups = {"21": ["Online-A", "x y"], "22": ["ONLINE_A"], "23": ["online a", "X-Y"]}
    assert systems(groups) == ["online a", "X-Y", "online a", "online a", "X-Y"]


def test_spelling_counts_where_one_group_has_both() -> None:
    groups = {"21": ["Online-A", "online_a"], "22": ["Online-A", "B"]}
    assert systems(groups) == ["Online-A", "online_a", "Online-A", "B"]


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


def test_aliases_never_make_two_systems_of_one_group_one() -> None:
    with pytest.raises(UsageError, match="21: the aliases make A and B one system"):
        join_names({"21": ["A", "B"]}, aliases={"A": "B"})


def developed(rows: list[tuple[str, str]], *columns: str, **how: object) -> Development:
    """Rows of a category and a mark for each column: + correct, - incorrect, ? open, as "group/system"."""
    items = [
        Item(f"i{n}", "pt-en", category, category, f"Frase {n}.",
             positive_regex=(Rule("right"),), negative_regex=(Rule("wrong"),))
        for n, (category, _) in enumerate(rows)
    ]  # fmt: skip
    texts = {"+": "right", "-": "wrong", "?": "what"}
    groups: dict[str, dict[str, list[str]]] = {}
    for place, column in enumerate(columns):
        group, name = column.split("/")
        groups.setdefault(group, {})[name] = [texts[marks[place]] for _, marks in rows]
    suite = Suite(tuple(items), name="Small")
    runs = {group: mt.suite(suite, outputs, trials=100) for group, outputs in groups.items()}
    return development(runs, **how)  # type: ignore[arg-type]


def best(found: Development) -> dict[str, str]:
    return {group: one.entry.name for group, one in found.best.items()}


def test_the_best_has_the_best_macro_average_not_the_most_items() -> None:
    # x: 3 of 4 and 0 of 1, macro 37.5. y: 1 of 4 and 1 of 1, macro 62.5.
    rows = [("A", "+++"), ("A", "+-+"), ("A", "+-+"), ("A", "--+"), ("B", "-++")]
    assert best(developed(rows, "1/x", "1/y", "2/x"))["1"] == "y"


def test_a_system_gains_nothing_by_leaving_items_open() -> None:
    # x has 3 of 4 right; y has 2 of 2, and left open what x has right and wrong. On both's items they are
    # equal, and x is first.
    rows = [("A", "+++"), ("A", "+++"), ("A", "+?+"), ("A", "-?+")]
    assert best(developed(rows, "1/x", "1/y", "2/x"))["1"] == "x"


def test_one_that_leaves_much_open_does_not_shrink_the_rest() -> None:
    # All three settled the first item only, where x and y are equal; in pairs y wins by two items.
    rows = [("A", "++-+"), ("A", "-+?+"), ("A", "-+?+")]
    assert best(developed(rows, "1/x", "1/y", "1/z", "2/x"))["1"] == "y"


def test_close_are_those_not_significantly_worse() -> None:
    # y differs from x on one item (p = 0.5), z on eight (p = 1/256).
    rows = [("A", "+--+")] + [("A", "++-+")] * 7 + [("A", "---+")]
    assert developed(rows, "1/x", "1/y", "1/z", "2/x").best["1"].close == ("y",)


YEARS = ("1/a", "1/b", "2/a", "2/c")
ROWS = [("A", "+--+"), ("A", "+-++"), ("A", "--+?"), ("B", "++-+"), ("B", "-+?+")]


def test_the_best_of_all_groups_are_compared_on_the_same_items() -> None:
    found = developed(ROWS, *YEARS)
    assert best(found) == {"1": "a", "2": "c"}
    macro = {score.system: (score.value, score.n) for score in found.values["macro"]}
    # Both have settled four items: a has 2 of 2 and 1 of 2, c all.
    assert macro == {"1": (75.0, 4), "2": (100.0, 4)}
    assert [(c.group, c.n, c.delta) for c in found.changes] == [
        ("A", 2, 0.0),
        ("B", 2, 50.0),
        ("micro", 4, 25.0),
        ("macro", 4, 25.0),
    ]


def test_a_course_has_one_value_for_each_group_on_the_same_items() -> None:
    (trend,) = developed(ROWS, *YEARS).trends
    assert (trend.system, trend.n) == ("a", 4)
    # Items 1 to 4: 2 of 3 and 1 of 1, then 2 of 3 and 0 of 1.
    assert [(p.group, p.system, p.n) for p in trend.points] == [("1", "a", 4), ("2", "a", 4)]
    assert [p.value for p in trend.points] == pytest.approx([100 * (2 / 3 + 1) / 2, 100 * (2 / 3) / 2])
    assert trend.change.delta == pytest.approx(-50.0)
    assert (trend.change.fixed, trend.change.broken) == (1, 2)


def test_courses_share_their_items() -> None:
    rows = [("A", "++++"), ("A", "+-?+"), ("A", "-+++")]
    found = developed(rows, "1/a", "2/a", "1/b", "2/b")
    assert {trend.system: trend.n for trend in found.trends} == {"a": 2, "b": 2}


def test_only_the_systems_asked_for_are_followed() -> None:
    assert developed(ROWS, *YEARS, systems=["c"]).trends == []
    assert [c.system for c in developed(ROWS, *YEARS, systems=["A"]).trends] == ["a"]
    with pytest.raises(UsageError, match=r"No system 'zz'\. Available: a, b, c\."):
        developed(ROWS, *YEARS, systems=["zz"])


def test_any_method_with_scores_can_be_followed() -> None:
    references = [f"The {n} cats sat on the {n * 7 % 11} mats in house {n}." for n in range(30)]
    worse = [text.replace("sat", "stood") for text in references]
    runs = {
        "v1": mt.score({"a": worse, "b": [*references[:9], *worse[9:]]}, [references], samples=100),
        "v2": mt.score({"a": references}, [references], samples=100),
    }
    found = development(runs, trials=500)
    assert (found.score, found.main, best(found)) == ("bleu", "all", {"v1": "b", "v2": "a"})
    (trend,) = found.trends
    scores = [score.value for run in runs.values() for score in run.result.scores if score.system == "a"]
    assert [point.value for point in trend.points] == pytest.approx([scores[0], scores[-2]])
    assert development(runs, score="chrf", trials=500).label == "chrF2"
    with pytest.raises(UsageError, match=r"has no score 'ter'\. Available: bleu, chrf"):
        development(runs, score="ter")


def test_groups_must_be_two_and_of_one_method() -> None:
    one = mt.score({"a": ["x"]}, [["x"]], samples=100)
    with pytest.raises(UsageError, match="needs two groups at least"):
        development({"1": one})
    item = Item("1", "pt-en", "A", "A", "Frase.", positive_regex=(Rule("x"),))
    with pytest.raises(UsageError, match="only runs of one method"):
        development({"1": one, "2": mt.suite(Suite((item,)), {"a": ["x"]})})


@pytest.mark.parametrize("form", ["text", "md", "latex", "tsv", "json"])
def test_every_format_has_every_group(form: str) -> None:
    found = developed(ROWS, "2021/a", "2021/b", "2022/a", "2022/c")
    text = render_development(found, form)  # type: ignore[arg-type]
    assert "2021" in text
    assert "2022" in text
    if form == "text":
        assert "From 2021 (a) to 2022 (c)" in text
        assert all(len(line) <= 80 for line in text.splitlines())


def test_systems_and_categories_are_drawn_as_lines(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = developed(ROWS, *YEARS)
    for name in ("a.svg", "b.svg"):
        draw(found.figures(), tmp_path / name)
    drawn = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert drawn == (tmp_path / "b.svg").read_text(encoding="utf-8")
    assert all(f">{text}<" in drawn for text in ("a", "A", "B", "macro"))
    assert "Bars: 95 % intervals." in drawn


def test_development_over_three_years_is_that_of_the_paper(data_folder: Path) -> None:
    folder = data_folder / "dfki" / "de-en"
    runs = {
        year: mt.suite(folder / "items.json", [str(folder / "outputs" / year)], trials=100, quiet=True)
        for year in ("wmt21", "wmt22", "wmt23")
    }
    found = development(runs, trials=1000)
    # Macketanz et al. 2022, table 1, has the same best system of 2021.
    assert best(found) == {"wmt21": "Online-W", "wmt22": "Online-B", "wmt23": "ONLINE-W"}
    assert (found.fair, found.total) == (2024, 2767)
    values = {group: [round(s.value or 0, 1) for s in scores] for group, scores in found.values.items()}
    assert values["macro"] == [91.7, 91.3, 93.5]
    assert values["micro"] == [86.1, 81.2, 88.4]
    assert values["False friends"] == [72.2, 55.6, 83.3]
    (verbs,) = [change for change in found.changes if change.group.startswith("Verb tense")]
    assert (verbs.n, verbs.fixed, verbs.broken) == (1630, 79, 38)
    assert [round(x or 0, 1) for x in (verbs.delta, verbs.low, verbs.high)] == [2.5, 1.2, 3.8]
    trends = {trend.system: [round(p.value or 0, 1) for p in trend.points] for trend in found.trends}
    assert trends == {
        "ONLINE-W": [92.9, 92.5, 94.4],
        "ONLINE-A": [92.2, 92.6, 93.9],
        "ONLINE-B": [90.6, 92.8, 92.5],
        "ONLINE-G": [90.2, 91.1, 90.5],
        "ONLINE-Y": [88.6, 89.3, 90.3],
    }
    assert {trend.n for trend in found.trends} == {1613}
