"""How often people preferred the same system for a metric's difference, at WMT22–24.

The numbers are in `data/worth.json`, written by `bench/worth.py`. Each row counts pairs of systems by the
size of the metric's difference: people significantly preferred the same system, the other system, or neither.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mtassay.data.display import Table

TABLE = Path(__file__).with_name("data") / "worth.json"
_LEAST_SETS = 3  # fewest test sets for a number


@dataclass(frozen=True, slots=True)
class Worth:
    """People's preferences for pairs of systems that differ by `least` to `most` points.

    `low` and `high` are the 95 % interval of the share that agreed, from resampling whole test sets.
    """

    least: float
    most: float | None
    same: int
    undecided: int
    opposite: int
    sets: int
    low: float
    high: float

    @property
    def n(self) -> int:
        """The number of pairs."""
        return self.same + self.undecided + self.opposite

    @property
    def short(self) -> str:
        """The number of cases out of ten in which people agreed, for a table cell.

        >>> Worth(1, 2, 45, 20, 10, 6, 0.4, 0.8).short
        '6 of 10'
        """
        return f"{round(10 * self.same / self.n)} of 10"


def worth_of(label: str, delta: float | None) -> Worth | None:
    """Return people's preferences for differences of this size; `None` with fewer than three test sets.

    >>> worth_of("no such metric", 1.0) is None
    True
    """
    if not delta:
        return None
    fitting = [w for w in _rows(label) if w.least <= abs(delta) and (w.most is None or abs(delta) < w.most)]
    return fitting[0] if fitting and fitting[0].sets >= _LEAST_SETS else None


def worth_table(label: str) -> Table | None:
    """A table of all sizes of a metric's differences, given its label; `None` for an unknown metric."""
    names = {name.lower(): name for name in _figures()["metrics"]}
    name = names.get(label.lower(), label)
    rows = [
        [
            f"{w.least:g} to {w.most:g}" if w.most is not None else f"{w.least:g} and more",
            f"{w.n:,}",
            *(f"{count:,} ({100 * count / w.n:.0f} %)" for count in (w.same, w.undecided, w.opposite)),
            f"{100 * w.low:.0f}–{100 * w.high:.0f} %",
            str(w.sets),
        ]
        for w in _rows(name)
        if w.sets >= _LEAST_SETS
    ]
    if not rows:
        return None
    header = ["Difference", "pairs", "people agreed", "undecided", "disagreed", "agreed, 95 %", "test sets"]
    notes = [
        f"Pairs of systems at {_figures()['source']}. People agreed: they significantly preferred the system "
        "with the better score. The interval draws whole test sets.",
    ]
    return Table(header, rows, f"What a difference of {name} is worth to people", notes)


@cache
def _figures() -> dict[str, Any]:
    figures: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return figures


@cache
def _rows(label: str) -> list[Worth]:
    entries = _figures()["metrics"].get(label, [])
    ends = [*(entry["from"] for entry in entries[1:]), None]
    return [
        Worth(e["from"], most, e["same"], e["undecided"], e["opposite"], e["sets"], e["low"], e["high"])
        for e, most in zip(entries, ends, strict=bool(entries))
    ]
