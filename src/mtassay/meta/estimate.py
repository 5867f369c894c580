"""One number on how well two raters agree, with its interval, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Drawn = Literal["segments", "documents", "systems", "fisher", ""]
"""What the interval comes from: units or systems drawn anew, Fisher's z, or nothing."""

Pair = tuple[str, str]
"""A rater and a human score."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`value` over `n` systems or translations with the ends of its 95 % interval; nan where undefined.

    `reason` then says why the value, or only the interval, is missing; after a colon, of what it is true.
    """

    statistic: str
    value: float
    n: int
    low: float = math.nan
    high: float = math.nan
    drawn: Drawn = ""
    reason: str = ""


_WAYS: dict[Drawn, str] = {
    "segments": "segments drawn anew, the same ones for both",
    "documents": "documents drawn anew, the same ones for both",
    "systems": "systems drawn anew",
    "fisher": "systems drawn anew, but Fisher's z for Pearson and error",
}


def describe_intervals(found: Mapping[Pair, Sequence[Estimate]], samples: int) -> list[str]:
    """A sentence on where the intervals come from: the usual way first, then who has another one."""
    ways: dict[Drawn, list[Pair]] = {}
    for pair, estimates in found.items():
        drawn = [estimate.drawn for estimate in estimates if not math.isnan(estimate.low)]
        if drawn:
            ways.setdefault(drawn[0], []).append(pair)
    if not ways:
        return []
    usual, *others = sorted(ways, key=lambda way: len(ways[way]), reverse=True)
    parts = [f"{_WAYS[usual]}, {samples:,} times"]
    parts += [f"of {_who(ways[way], found)}: {_WAYS[way]}" for way in others]
    soft = any(
        estimate.statistic == "soft_pairwise_accuracy" and estimate.drawn
        for estimates in found.values()
        for estimate in estimates
    )
    if soft and usual not in ("systems", "fisher"):
        parts.append("of soft accuracy: systems drawn anew")
    return [f"[ ]: 95 % interval; {'; '.join(parts)}."]


def _who(some: Collection[Pair], every: Collection[Pair]) -> str:
    """Names the raters, or the human scores, that these pairs are all pairs of; else the pairs."""
    for side in (0, 1):
        names = list(dict.fromkeys(pair[side] for pair in some))
        if {pair for pair in every if pair[side] in names} == set(some):
            return ", ".join(names)
    return ", ".join(" with ".join(pair) for pair in some)
