"""Accuracies by phenomenon and category, averages, fair comparison, significance and clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay import __version__
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Case, Result, Score
from mtassay.methods.suite.accuracy import (
    Costliest,
    Grades,
    accuracies,
    costliest,
    fair_items,
    phenomenon_groups,
)
from mtassay.methods.suite.suite_tables import accuracy_table, system_table
from mtassay.stats.comparisons import rank
from mtassay.stats.proportions import wilson

pytestmark = pytest.mark.filterwarnings("error")

TESTS = ["randomization", "z"]


def item(number: int, category: str, phenomenon: str | None = None) -> Case:
    tags = {"category": category, "phenomenon": phenomenon or category}
    return Case(f"i{number}", f"i{number}", ("…",), tags=tags)


def grades(rows: list[tuple[str, str]], *systems: str) -> Grades:
    """Rows of category and outcomes: + correct, - incorrect, ? not settled."""
    items = [item(i, *category.split("/")) for i, (category, _) in enumerate(rows)]
    values = np.array([["?-+".index(mark) - 1 for mark in marks] for _, marks in rows], dtype=np.int8)
    return Grades(items, systems, values.reshape(len(rows), len(systems)))


def score_of(result: Result, system: str, group: str, name: str = "accuracy") -> Score:
    (score,) = [s for s in result.scores if (s.name, s.system, s.group) == (name, system, group)]
    return score


SMALL = grades(
    [
        ("Negation", "++"),
        ("Verbs/Modal", "+-"),
        ("Verbs/Modal", "+-"),
        ("Negation", "+?"),
        ("Verbs/Tense", "-+"),
        ("Verbs/Tense", "+-"),
    ],
    "A",
    "B",
)


def test_groups_come_in_order_of_appearance_with_averages_last() -> None:
    names = dict.fromkeys((score.name, score.group) for score in accuracies(SMALL).scores)
    assert list(names) == [
        ("accuracy:phenomenon", "Negation"),
        ("accuracy:phenomenon", "Modal"),
        ("accuracy:phenomenon", "Tense"),
        ("accuracy", "Negation"),
        ("accuracy", "Verbs"),
        ("accuracy", "micro"),
        ("accuracy", "macro"),
    ]


@pytest.mark.parametrize(
    ("items", "system", "group", "value", "n"),
    [
        # Item 4 is not settled for B, so that five are fair.
        ("fair", "A", "Negation", 100, 1),
        ("fair", "A", "Verbs", 75, 4),
        ("fair", "A", "micro", 80, 5),
        ("fair", "A", "macro", 87.5, 5),
        ("fair", "B", "micro", 40, 5),
        ("fair", "B", "macro", 62.5, 5),
        ("settled", "A", "Negation", 100, 2),
        ("settled", "A", "micro", 100 * 5 / 6, 6),
        ("settled", "B", "Negation", 100, 1),
        ("settled", "B", "micro", 40, 5),
    ],
)
def test_accuracies_in_percent(items: Any, system: str, group: str, value: float, n: int) -> None:
    score = score_of(accuracies(SMALL, items=items), system, group)
    assert (score.value, score.n) == (pytest.approx(value), n)
    if group != "macro":
        low, high = wilson(round(value * n / 100), n)
        assert (score.low, score.high) == pytest.approx((100 * low, 100 * high))
    else:
        assert score.low is not None
        assert score.high is not None
        assert 0 < score.low < value < score.high <= 100


def test_the_signature_names_what_changes_the_numbers() -> None:
    usual = accuracies(SMALL, seed=7).scores[0].signature
    assert usual == (
        "items:fair|test:randomization|alpha:0.05|correction:max-t|trials:10000|seed:7"
        f"|version:mtassay-{__version__}"
    )
    z = accuracies(SMALL, items="settled", test="z", alpha=0.01).scores[0].signature
    assert z == f"items:settled|test:z|alpha:0.01|version:mtassay-{__version__}"


# Macketanz et al. (2022), table 1: items, and the accuracies of the best system of WMT 2018 to 2021.
TABLE_1 = {
    "Ambiguity": (77, 75.3, 92.2, 81.8, 84.4),
    "Composition": (48, 95.8, 97.9, 97.9, 95.8),
    "Coordination & ellipsis": (74, 86.5, 90.5, 89.2, 91.9),
    "False friends": (36, 75.0, 75.0, 72.2, 86.1),
    "Function word": (65, 78.5, 87.7, 86.2, 90.8),
    "LDD & interrogatives": (154, 81.2, 87.0, 90.9, 87.0),
    "Multiword expressions": (74, 74.3, 82.4, 82.4, 87.8),
    "NE & terminology": (83, 89.2, 86.7, 95.2, 95.2),
    "Negation": (17, 94.1, 100.0, 100.0, 100.0),
    "Non-verbal agreement": (59, 86.4, 91.5, 91.5, 96.6),
    "Punctuation": (57, 75.4, 94.7, 98.2, 98.2),
    "Subordination": (160, 85.0, 91.3, 91.9, 88.1),
    "Verb tense/aspect/mood": (4070, 74.7, 80.2, 85.8, 85.0),
    "Verb valency": (77, 75.3, 81.8, 81.8, 80.5),
}


def test_the_averages_of_the_papers_table_1() -> None:
    items, columns = [], []
    for category, (count, *shares) in TABLE_1.items():
        items += [item(len(items) + i, category) for i in range(count)]
        right = [round(count * share / 100) for share in shares]
        columns.append(np.arange(count)[:, None] < np.array(right))
    systems = ["2018", "2019", "2020", "2021"]
    result = accuracies(Grades(items, systems, np.concatenate(columns).astype(np.int8)), test="z")
    micro, macro = (
        [score_of(result, system, group).value for system in systems] for group in ("micro", "macro")
    )
    # One decimal of 4,070 items leaves two of them open, which is 0.04 of all.
    assert micro == pytest.approx([76.1, 81.9, 86.5, 85.9], abs=0.09)
    assert macro == pytest.approx([81.9, 88.5, 88.9, 90.5], abs=0.051)
    for category, (count, *shares) in TABLE_1.items():
        rows = [score_of(result, system, category) for system in systems]
        assert [row.value for row in rows] == pytest.approx(shares, abs=0.051)
        assert {row.n for row in rows} == {count}
    # 56, 56, 54 and 43 of 57: only 2018 is significantly worse.
    first = ("accuracy", "Punctuation", 1)
    best = [c.systems for c in result.clusters if (c.name, c.group, c.rank) == first]
    assert best == [("2020", "2021", "2019")]


def test_of_equals_the_first_is_best() -> None:
    result = accuracies(grades([("X", "--++"), ("Y", "++--"), ("X", "++++")], "A", "B", "C", "D"))
    assert {c.a for c in result.comparisons if c.group in ("micro", "macro")} == {"A"}
    assert {c.a for c in result.comparisons if c.group == "X"} == {"C"}


def test_a_group_without_fair_items_has_no_value_and_stays() -> None:
    rows = [("X", "+?"), ("Y", "+-"), ("Y", "++")]
    result = accuracies(grades(rows, "A", "B"))
    assert score_of(result, "A", "X") == Score(
        "accuracy", "A", "X", None, 0, signature=result.scores[0].signature
    )
    assert not [c for c in (*result.comparisons, *result.clusters) if c.group == "X"]
    assert score_of(result, "A", "macro").value == 100  # X is not in the mean


@pytest.mark.parametrize("items", ["fair", "settled"])
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    "of",
    [
        grades([], "A", "B"),
        grades([], "A"),
        grades([]),
        grades([("X", "+")], "A"),
        grades([("X", "??"), ("Y", "??")], "A", "B"),
        grades([("X", "?+"), ("Y", "+?")], "A", "B"),
        grades([("X", "++"), ("Y", "++")], "A", "B"),
        grades([("X", "--"), ("X", "--")], "A", "B"),
    ],
)
def test_degenerate_grades_give_a_result(of: Grades, test: Any, items: Any) -> None:
    result = accuracies(of, test=test, items=items, trials=100)
    assert [score.system for score in result.scores if score.group == "macro"] == list(of.systems)
    assert not [c for c in result.comparisons if c.p is not None and c.p < 0.05]
    result.as_dict()


def test_a_phenomenon_of_several_categories_carries_its_category() -> None:
    items = [item(1, "Verbs", "Tense"), item(2, "Nouns", "Case"), item(3, "Nouns", "Tense"), item(4, "Case")]
    groups = {
        "Verbs › Tense": "Verbs",
        "Nouns › Case": "Nouns",
        "Nouns › Tense": "Nouns",
        "Case › Case": "Case",
    }
    assert phenomenon_groups(items) == groups
    result = accuracies(Grades(items, ["A"], np.array([[1], [1], [0], [0]], dtype=np.int8)))
    assert [(s.group, s.value) for s in result.scores[:4]] == list(zip(groups, (100, 100, 0, 0), strict=True))


def test_fair_items_are_settled_for_all() -> None:
    assert fair_items(SMALL).tolist() == [True, True, True, False, True, True]


def test_the_costliest_system_is_the_one_that_items_wait_for() -> None:
    # B alone keeps 2 items from being fair, C alone 1; where both are unsettled, neither helps alone.
    of = grades([("X", "+?+"), ("X", "+?-"), ("X", "++?"), ("X", "+??"), ("X", "+??"), ("X", "+-+")], *"ABC")
    assert costliest(of) == Costliest("B", unsettled=4, fair=1, without=3)


@pytest.mark.parametrize(
    "of", [grades([("X", "?")], "A"), grades([("X", "++")], "A", "B"), grades([("X", "??")], "A", "B")]
)
def test_nobody_is_costly_where_leaving_one_out_gains_nothing(of: Grades) -> None:
    assert costliest(of) is None


@st.composite
def some_grades(draw: st.DrawFn) -> Grades:
    systems = draw(st.integers(1, 5))
    marks = st.text("?-+", min_size=systems, max_size=systems)
    rows = draw(st.lists(st.tuples(st.sampled_from(["X/a", "X/b", "Y/c", "Y/a"]), marks), max_size=30))
    return grades(rows, *"ABCDE"[:systems])


@pytest.mark.parametrize("test", TESTS)
@given(of=some_grades(), items=st.sampled_from(["fair", "settled"]))
def test_every_system_with_a_value_is_in_exactly_one_cluster(test: Any, of: Grades, items: Any) -> None:
    result = accuracies(of, test=test, items=items, trials=100)
    for name, group in {(score.name, score.group) for score in result.scores}:
        scored = {
            s.system: s.value
            for s in result.scores
            if (s.name, s.group) == (name, group) and s.value is not None
        }
        clusters = [c for c in result.clusters if (c.name, c.group) == (name, group)]
        members = [system for cluster in clusters for system in cluster.systems]
        assert sorted(members) == sorted(scored)
        above = 0
        for cluster in clusters:
            assert cluster.rank == above + 1
            above += len(cluster.systems)
            assert scored[cluster.systems[0]] == pytest.approx(max(scored[s] for s in cluster.systems))
        against = [c for c in result.comparisons if (c.name, c.group) == (name, group)]
        assert len(against) == max(len(scored) - 1, 0)
        assert all(c.delta is not None and c.delta >= -1e-6 for c in against)
        if clusters:
            apart = {c.b for c in against if c.p is not None and c.p < 0.05}
            assert apart == set(scored) - set(clusters[0].systems)


@given(of=some_grades())
def test_with_everything_settled_both_choices_of_items_agree(of: Grades) -> None:
    settled = Grades(of.items, of.systems, np.abs(of.values))
    fair, own = (accuracies(settled, items=items, trials=100) for items in ("fair", "settled"))
    assert fair.clusters == own.clusters
    assert [(s.value, s.n, s.low) for s in fair.scores] == [(s.value, s.n, s.low) for s in own.scores]


@pytest.mark.parametrize("test", TESTS)
def test_clear_differences_are_found_and_equal_systems_are_not(test: Any) -> None:
    rng = np.random.default_rng(2)
    easy = rng.random(400)
    outcomes = np.stack([easy < 0.9, easy < 0.7, easy < 0.7], axis=1).astype(np.int8)
    items = [item(i, "XY"[i % 2]) for i in range(400)]
    result = accuracies(Grades(items, ["A", "B", "C"], outcomes), test=test, trials=1000)
    found = {(c.group, c.systems) for c in result.clusters if c.name == "accuracy"}
    assert found == {(g, s) for g in ("X", "Y", "micro", "macro") for s in (("A",), ("B", "C"))}


def test_by_default_p_is_two_sided_and_corrected_for_every_pair_of_every_row() -> None:
    rows = [("X", "+-+")] * 8 + [("X", "++-")] * 2
    alone = accuracies(grades([(category, verdicts[:2]) for category, verdicts in rows], "A", "B"))
    among_three = accuracies(grades(rows, "A", "B", "C"))
    more_rows = accuracies(grades([*rows, *[("Y", "+-+")] * 4, *[("Y", "-+-")] * 3], "A", "B", "C"))

    def p(result: Result) -> float:
        (one,) = [c.p for c in result.comparisons if (c.name, c.group, c.b) == ("accuracy", "X", "B")]
        assert one is not None
        return one

    assert p(alone) == pytest.approx(2 / 256, abs=0.003)
    assert p(alone) <= p(among_three) < p(more_rows)
    assert p(more_rows) < 0.05


def test_a_lower_rank_with_the_higher_accuracy_is_explained() -> None:
    """B is a little worse than A and surely so; C is worse on many items, and better on nearly as many."""
    rows = [("X", "+-+")] * 16 + [("X", "+++")] * 100 + [("X", "++-")] * 100 + [("X", "--+")] * 82
    result = accuracies(grades(rows, "A", "B", "C"))
    ranks = {
        s: c.rank for c in result.clusters if (c.name, c.group) == ("accuracy", "micro") for s in c.systems
    }
    values = {s.system: s.value for s in result.scores if (s.name, s.group) == ("accuracy", "micro")}
    assert (ranks["A"], ranks["C"], ranks["B"]) == (1, 1, 3)
    assert (values["C"] or 0) < (values["B"] or 0) < (values["A"] or 0)
    (note,) = [
        note for note in accuracy_table(result).notes if note.startswith("Ranks depend on significance")
    ]
    assert "C (66.4) has rank 1 and B (67.1) rank 3 in X" in note
    again = [note for note in system_table(result).notes if note.startswith("Ranks depend on significance")]
    assert "in macro-average" in again[0]
    assert not [n for n in accuracy_table(accuracies(SMALL)).notes if n.startswith("Ranks go by")]


def test_an_undefined_comparison_separates_nobody() -> None:
    ranking = rank([0.5, math.nan, 0.7], lambda best, others: np.full(len(others), math.nan), alpha=0.05)
    assert ranking.clusters == [[2, 0]]
    assert ranking.best == 2


def test_wrong_requests_name_the_choices() -> None:
    with pytest.raises(UsageError, match=r"No test 'chi'\. Available: randomization, z\."):
        accuracies(SMALL, test="chi")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Available: fair, settled"):
        accuracies(SMALL, items="all")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shape"):
        Grades(SMALL.items, ["A"], SMALL.values)
