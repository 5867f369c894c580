"""The filter that keeps cases whose two pairs are equally good."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from mtassay.data.errors import UsageError
from mtassay.methods.behavior import translation_quality as quality
from mtassay.methods.behavior.pairs import BehaviorCase
from mtassay.methods.behavior.translation_quality import default_filter, filter_cases, filter_threshold
from tests.methods.behavior.fakes import Memory, Shared

QE = {"shared:against=source": Shared(against="source")}


def case(name: str, pseudo_reference: str, capability: str = "noun") -> BehaviorCase:
    """The measure counts words of the reference that are in the source: 3 of 4 in the original."""
    return BehaviorCase(name, name, capability, "a b c d", "a b c x", "a b c e", pseudo_reference)


CASES = [
    case("same", "a b c x"),  # 3 of 4
    case("near", "a b c e"),  # 4 of 4
    case("far", "a x y z", "verb"),  # 1 of 4
    case("empty", "", "verb"),  # undefined
]


@pytest.mark.parametrize(
    ("filter_beta", "kept", "counts"),
    [
        (0.0, ["same"], {"noun": 1, "verb": 2}),
        (0.25, ["same", "near"], {"verb": 2}),
        (0.5, ["same", "near", "far"], {"verb": 1}),
    ],
)
def test_pairs_that_differ_by_more_are_dropped_and_counted(
    filter_beta: float, kept: list[str], counts: dict[str, int]
) -> None:
    filtered = filter_cases(CASES, QE, Memory(), filter_beta=filter_beta)
    assert [each.id for each in filtered.kept] == kept
    assert filtered.counts == counts
    assert len(filtered.kept) + len(filtered.dropped) == len(CASES)


def test_the_qualities_of_dropped_cases_are_known() -> None:
    filtered = filter_cases(CASES[:3], QE, Memory(), filter_beta=0.3)
    ((dropped, difference),) = filtered.dropped
    assert (dropped.id, difference.quality, difference.edited_quality) == ("far", 0.75, 0.25)


def test_a_measure_that_reads_references_is_refused() -> None:
    with pytest.raises(UsageError, match="reads references"):
        filter_cases(CASES, {"shared": Shared()}, Memory(), filter_beta=0.1)


def test_a_measure_without_a_threshold_needs_one() -> None:
    assert filter_threshold("use:against=source") == 0.03
    assert filter_threshold("mine", 0.2) == 0.2
    with pytest.raises(UsageError, match=r"No threshold is known for the filter 'mine'. Give `filter_beta`"):
        filter_threshold("mine")


def test_the_paper_s_measure_is_taken_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "version", lambda name: "2.2.7")
    assert default_filter() == "comet:model=Unbabel/wmt20-comet-qe-da"

    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(quality, "version", absent)
    assert default_filter() == "use:against=source"
