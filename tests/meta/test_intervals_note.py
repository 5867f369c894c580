"""The sentence on where intervals come from."""

from __future__ import annotations

import pytest

from mtassay.meta.estimation import Drawn, Estimate, describe_intervals


def pearson(drawn: Drawn) -> list[Estimate]:
    return [Estimate("pearson", 0.5, 9, 0.1, 0.9, drawn)]


SEGMENTS = "[ ]: 95 % interval; segments drawn anew, the same ones for both, 1,000 times"
FISHER = "systems drawn anew, but Fisher's z for Pearson and error"


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ({("a", "h"): "segments", ("b", "h"): "segments"}, f"{SEGMENTS}."),
        (
            {("a", "h"): "segments", ("b", "h"): "segments", ("c", "h"): "fisher"},
            f"{SEGMENTS}; of c: {FISHER}.",
        ),
        (
            {("a", "g"): "segments", ("b", "g"): "segments", ("a", "h"): "fisher", ("b", "h"): "fisher"},
            f"{SEGMENTS}; of h: {FISHER}.",
        ),
        (
            {("a", "g"): "segments", ("b", "g"): "segments", ("a", "h"): "segments", ("b", "h"): "fisher"},
            f"{SEGMENTS}; of b with h: {FISHER}.",
        ),
        ({}, None),
    ],
)
def test_the_usual_way_comes_first_and_exceptions_by_name(
    drawn: dict[tuple[str, str], Drawn], expected: str | None
) -> None:
    found = describe_intervals({pair: pearson(way) for pair, way in drawn.items()}, 1000)
    assert found == ([] if expected is None else [expected])
