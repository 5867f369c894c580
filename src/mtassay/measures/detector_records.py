"""How often each detector fires on wrong and on right outputs, as measured, and what that puts on by default.

`bench/detector_records.py` writes the table. A detector is on in a language pair if it fires on wrong outputs
at least three times as often as on right ones there, and not by chance: with equal rates, fewer than one in a
hundred would do so well. A pair in which it fired fewer than eight times goes by all pairs together, and so
does a pair that was not measured; there only labels of people count, which are of many engines.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import comb
from pathlib import Path
from typing import NamedTuple

__all__ = ["PATH", "DetectorRecord", "is_proven", "read_records", "record_of", "write_records"]

PATH = Path(__file__).parent / "data" / "records.tsv"
RATIO = 3.0
FEWEST = 8
CHANCE = 0.01
_PEOPLE = "people: "


class DetectorRecord(NamedTuple):
    """On how many of the wrong, and of the right outputs in a pair a detector fires; who labelled them."""

    pair: str
    detector: str
    origin: str
    wrong_fired: int
    wrong: int
    right_fired: int
    right: int

    @property
    def fired(self) -> int:
        """On how many outputs it fires."""
        return self.wrong_fired + self.right_fired

    @property
    def is_good(self) -> bool:
        """Whether it fires on wrong outputs at least three times as often as on right ones, not by chance.

        >>> [DetectorRecord("", "", "", n, 100, 4, 200).is_good for n in (5, 6, 9)]
        [False, False, True]
        """
        if self.wrong_fired * self.right < RATIO * self.right_fired * self.wrong:
            return False
        share = self.wrong / max(self.wrong + self.right, 1)
        tail = (
            comb(self.fired, n) * share**n * (1 - share) ** (self.fired - n)
            for n in range(self.wrong_fired, self.fired + 1)
        )
        return self.fired >= FEWEST and sum(tail) < CHANCE

    def tell(self) -> str:
        """The counts in words.

        >>> DetectorRecord("en-zh", "markup", "people: x", 9, 1100, 4, 2000).tell()
        'markup fires on 9 of 1,100 wrong and 4 of 2,000 right outputs'
        """
        wrong, right = (
            f"{fired:,} of {n:,}"
            for fired, n in ((self.wrong_fired, self.wrong), (self.right_fired, self.right))
        )
        return f"{self.detector} fires on {wrong} wrong and {right} right outputs"


def is_proven(detector: str, pair: str) -> bool:
    """Whether a detector is on by default in a pair."""
    record = record_of(detector, pair)
    return record is not None and record.is_good


def record_of(detector: str, pair: str) -> DetectorRecord | None:
    """What decides: the record in the pair if it fired often enough there, else that in all pairs."""
    own = [record for record in read_records() if (record.detector, record.pair) == (detector, pair)]
    there = _added(own)
    if there is not None and there.fired >= FEWEST:
        return there
    everywhere = [r for r in read_records() if r.detector == detector and r.origin.startswith(_PEOPLE)]
    everyone = _added(everywhere)
    return None if everyone is None else everyone._replace(pair="all pairs")


def _added(records: Iterable[DetectorRecord]) -> DetectorRecord | None:
    rows = list(records)
    if not rows:
        return None
    first, sums = rows[0], [sum(numbers) for numbers in zip(*(row[3:] for row in rows), strict=True)]
    origin = ", ".join(dict.fromkeys(row.origin for row in rows))
    return DetectorRecord(first.pair, first.detector, origin, *sums)


@cache
def read_records(path: Path = PATH) -> tuple[DetectorRecord, ...]:
    """The table."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return tuple(DetectorRecord(row[0], row[1], row[2], *map(int, row[3:])) for row in rows)


def write_records(records: Iterable[DetectorRecord], path: Path) -> None:
    """Write the table, sorted."""
    rows = ["\t".join(map(str, record)) for record in sorted(records)]
    path.write_text("\n".join(["\t".join(DetectorRecord._fields), *rows, ""]), encoding="utf-8")
