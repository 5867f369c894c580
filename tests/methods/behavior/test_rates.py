"""Pass rates with intervals, comparisons and clusters."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.nouns import Finding, Verdict
from mtassay.methods.behavior.pass_rates import pass_rates
from mtassay.stats.comparisons import rank_shares
from mtassay.stats.family import compare_rows

COUNTS = {"a": {"cases": 12}, "b": {"cases": 12}}


def findings(system: str, verdicts: str, capability: str = "noun") -> list[Finding]:
    """One finding for each letter: p(ass), f(ail), u(ndecided), s(kipped), e(rror)."""
    words: dict[str, Verdict] = {
        "p": "pass",
        "f": "fail",
        "u": "undecided",
        "s": "skipped",
        "e": "error",
    }
    return [
        Finding(f"{capability}-{i}", system, "behavior", words[letter], evidence={"capability": capability})
        for i, letter in enumerate(verdicts)
    ]


def test_a_rate_is_of_the_settled_cases_with_its_interval() -> None:
    result = pass_rates(findings("a", "ppppppppffuse"), ["a"], {"a": {}})
    by_name = {(score.name, score.group): score for score in result.scores}
    rate = by_name["pass rate", "noun"]
    # 8 of 10: Wilson 49.02 to 94.33.
    assert (rate.value, rate.n) == (80.0, 10)
    assert (rate.low, rate.high) == (pytest.approx(49.016, abs=0.001), pytest.approx(94.332, abs=0.001))
    undecided = by_name["undecided", "noun"]
    assert (undecided.value, undecided.n) == (pytest.approx(100 / 11), 11)
    assert by_name["pass rate", "all"].value == 80.0


def test_systems_are_compared_on_the_cases_that_both_have_settled() -> None:
    found = findings("a", "ppppppppfu") + findings("b", "fffffffppp")
    result = pass_rates(found, ["a", "b"], COUNTS)
    both = {comparison.group: comparison for comparison in result.comparisons}["noun"]
    # Of 9 cases a alone passes 7 and b alone 1: two-sided 2 · (8 + 1) / 2^8.
    assert (both.a, both.b, both.delta) == ("a", "b", pytest.approx(600 / 9))
    assert both.p == pytest.approx(18 / 256, abs=0.01)
    clusters = [(cluster.rank, cluster.systems) for cluster in result.clusters if cluster.group == "noun"]
    assert clusters == [(1, ("a", "b"))]


def test_a_significant_difference_makes_two_clusters() -> None:
    found = findings("b", "f" * 12) + findings("a", "p" * 12)
    result = pass_rates(found, ["b", "a"], COUNTS)
    clusters = [(cluster.rank, cluster.systems) for cluster in result.clusters if cluster.group == "all"]
    assert clusters == [(1, ("a",)), (2, ("b",))]


def test_every_capability_is_a_group_after_all() -> None:
    found = findings("a", "pf") + findings("a", "ppp", "verb")
    result = pass_rates(found, ["a"], {"a": {}})
    assert [(score.group, score.n, score.value) for score in result.scores] == [
        ("all", 5, 80.0),
        ("noun", 2, 50.0),
        ("verb", 3, 100.0),
    ]


def test_a_group_without_a_settled_case_has_no_rate_and_no_comparison() -> None:
    result = pass_rates(findings("a", "ss") + findings("b", "pp"), ["a", "b"], COUNTS)
    rates = {(score.system, score.group): (score.value, score.n) for score in result.scores}
    assert rates["a", "noun"] == (None, 0)
    assert [(c.delta, c.p) for c in result.comparisons] == [(None, None)] * 2
    assert all(cluster.systems == ("b",) for cluster in result.clusters)


outcomes = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=6, max_size=6), min_size=2, max_size=4
)


@given(outcomes)
def test_turning_the_systems_round_turns_the_differences_round(rows: list[list[float]]) -> None:
    table = np.array(rows)
    everything = [[np.arange(table.shape[1])]]
    forward = compare_rows(table.T, everything, trials=200)
    back = compare_rows(table[::-1].T, everything, trials=200)
    pairs = list(combinations(range(len(rows)), 2))
    for number, (a, b) in enumerate(pairs):
        other = pairs.index((len(rows) - 1 - b, len(rows) - 1 - a))
        assert forward.n[0, number] == back.n[0, other]
        assert forward.p[0, number] == pytest.approx(back.p[0, other], nan_ok=True)
        assert forward.delta[0, number] == pytest.approx(-back.delta[0, other], nan_ok=True)


@given(outcomes)
def test_every_system_with_a_settled_case_is_in_one_cluster(rows: list[list[float]]) -> None:
    table = np.array(rows)
    compared = compare_rows(table.T, [[np.arange(table.shape[1])]], trials=200)
    ranked = rank_shares(table, compared.delta[0], compared.p[0])
    members = sorted(number for _, cluster in ranked for number in cluster)
    assert members == [number for number, row in enumerate(table) if not np.isnan(row).all()]


def test_capabilities_are_in_the_usual_order_whatever_comes_first() -> None:
    found = [f for name in ("sarcasm", "ner", "noun") for f in findings("a", "pf", name)]
    assert [score.group for score in pass_rates(found, ["a"], {"a": {}}).scores] == [
        *("all", "noun", "ner", "sarcasm")
    ]
