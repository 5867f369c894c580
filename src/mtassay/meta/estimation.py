"""How well quality estimation tells wrong outputs from right ones.

Quality estimation sees one output at a time, so it is judged over all outputs of a category and not in pairs:
by the probability that a correct output scores above an incorrect one, of whatever item.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Drawn = Literal["segments", "documents", "systems", ""]
"""What the interval comes from: units or systems drawn anew, or nothing."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """`value` over `n` units with the ends of its 95 % interval; nan where undefined.

    Units are systems or translations, and for accuracies pairs of them. `groups` is how many groups the value
    is the mean of, and `epsilon` up to which difference scores of the metric are tied; nan where that is no
    question. `reason` tells why the value, or only the interval, is missing; after a colon, for whom.
    """

    statistic: str
    value: float
    n: int
    low: float = math.nan
    high: float = math.nan
    drawn: Drawn = ""
    reason: str = ""
    groups: int = 0
    epsilon: float = math.nan


PAIRED = ("pairwise_accuracy", "soft_pairwise_accuracy", "acc_eq")
"""The statistics that are about pairs."""

_WAYS: dict[Drawn, str] = {
    "segments": "segments drawn anew, the same ones for both",
    "documents": "documents drawn anew, the same ones for both",
    "systems": "systems drawn anew",
}


def describe_intervals(drawn: Drawn, samples: int, *, due_to: str = "") -> str:
    """Where all intervals of a table come from; `due_to` names who has nothing better to draw."""
    why = f", since system scores of {due_to} do not follow from scores of segments" if due_to else ""
    return f"[ ]: 95 % interval; {_WAYS[drawn]}, {samples:,} times{why}."
