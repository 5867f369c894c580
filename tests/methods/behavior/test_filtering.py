"""The filter that keeps cases whose two pairs are equally good."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from mtassay.data.errors import UsageError
from mtassay.methods.behavior import translation_quality as quality
from mtassay.methods.behavior.translation_quality import (
    Translated,
    as_translated,
    default_filter,
    filter_threshold,
    unequal_pairs,
)
from tests.methods.behavior.fakes import Memory, Shared

QE = {"shared:against=source": Shared(against="source")}


def pair(pseudo_reference: str) -> tuple[Translated, Translated]:
    """The measure counts words of the reference that are in the source: 3 of 4 in the original."""
    return as_translated("a b c d", "a b c x"), as_translated("a b c e", pseudo_reference)


PAIRS = {
    "same": pair("a b c x"),  # 3 of 4
    "near": pair("a b c e"),  # 4 of 4
    "far": pair("a x y z"),  # 1 of 4
    "empty": pair(""),  # undefined
}


@pytest.mark.parametrize(
    ("filter_beta", "dropped"),
    [(0.0, ["near", "far", "empty"]), (0.25, ["far", "empty"]), (0.5, ["empty"])],
)
def test_pairs_that_differ_by_more_are_dropped(filter_beta: float, dropped: list[str]) -> None:
    assert list(unequal_pairs(QE, PAIRS, Memory(), filter_beta=filter_beta)) == dropped


def test_the_qualities_of_dropped_pairs_are_known() -> None:
    assert unequal_pairs(QE, PAIRS, Memory(), filter_beta=0.3)["far"] == (0.75, 0.25)


def test_a_measure_that_reads_references_is_refused() -> None:
    with pytest.raises(UsageError, match="reads references"):
        unequal_pairs({"shared": Shared()}, PAIRS, Memory(), filter_beta=0.1)


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
