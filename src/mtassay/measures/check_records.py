"""How often each check fires on wrong, on right and on human translations, and which are on by default.

`bench/checks.py` counts and writes the table; `is_on` is the rule, which anybody can apply to other counts.

A check is on in a language pair only if it fires on fewer than one in a hundred human translations into the
language. A check of meaning must also fire at least three times as often on wrong outputs as on right ones,
by people's labels and not by chance. People overlook lost figures and negations in outputs that they call
right, so one that fires on fewer than three in a thousand human translations need only fire more often on
wrong outputs, in all pairs together. A pair in which it fired fewer than twenty times uses all pairs.

What checks of form look for rarely occurs in texts that people label, and writers of such texts change marks
freely: checks of form, style and consistency use the catalogues of programs alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import sqrt
from pathlib import Path
from typing import NamedTuple

from mtassay.measures.check import Check

PATH = Path(__file__).parent / "data" / "checks.tsv"
RATIO = 3.0
FEWEST = 8
FEWEST_OF_A_PAIR = 20
SURE = 2.33
"""Standard deviations: with equal rates, fewer than one check in a hundred would do so well."""
MOST_ALARMS = 0.01
"""On so many human translations a check may fire."""
STRICTER = {"numbers": 0.003, "negation": 0.003}
ENOUGH = 1000
"""So many human translations into a language are enough to use them alone."""
QUIET = 0.003
"""A check of meaning that fires on fewer human translations need not show the ratio."""
GOES_BY_PEOPLE = frozenset(("meaning",))
"""Groups whose errors people mark in every text. Those of others rarely occur there, as lost placeholders."""
GOES_BY_CATALOGUES = frozenset(("form", "style", "consistency"))
CATALOGUES = "catalogues"
"""The origin of texts of programs."""


class CheckRecord(NamedTuple):
    """On how many of the wrong, of the right and of the human translations in a pair a check fires."""

    check: str
    pair: str
    origin: str
    wrong_fired: int = 0
    wrong: int = 0
    right_fired: int = 0
    right: int = 0
    human_fired: int = 0
    human: int = 0

    @property
    def fired(self) -> int:
        """On how many outputs that people labelled it fires."""
        return self.wrong_fired + self.right_fired

    @property
    def alarm_rate(self) -> float:
        """The share of human translations that it fires on; 0 where there are none."""
        return self.human_fired / self.human if self.human else 0.0

    def tell(self) -> str:
        """The counts in words.

        >>> CheckRecord("numbers", "en-zh", "x", 9, 1100, 4, 2000, 1, 900).tell()
        'numbers fires on 9 of 1,100 wrong, 4 of 2,000 right and 1 of 900 human translations'
        """
        wrong, right, human = (
            f"{fired:,} of {n:,}"
            for fired, n in (
                (self.wrong_fired, self.wrong),
                (self.right_fired, self.right),
                (self.human_fired, self.human),
            )
        )
        return f"{self.check} fires on {wrong} wrong, {right} right and {human} human translations"


def is_on(check: Check | type[Check], pair: str | None, records: Iterable[CheckRecord] | None = None) -> bool:
    """Whether a check is on by default in a pair; without a pair, by all of them together."""
    records = read_records() if records is None else records
    if check.group in GOES_BY_CATALOGUES:
        records = [record for record in records if record.origin == CATALOGUES]
    deciding = _deciding(check.id, pair, records)
    human = _added(check.id, "", deciding.human)
    rate = human.alarm_rate
    if rate >= STRICTER.get(check.id, MOST_ALARMS):
        return False
    if check.group not in GOES_BY_PEOPLE:
        return True
    labels = _added(check.id, "", deciding.labels)
    if labels.fired < FEWEST:
        return False
    pooled = _added(check.id, "", [record for record in records if record.check == check.id])
    is_quiet = human.human >= ENOUGH and rate < QUIET
    is_quiet = is_quiet and pooled.wrong_fired * pooled.right > pooled.right_fired * pooled.wrong
    return is_quiet or tells_wrong_from_right(deciding.labels)


def tells_wrong_from_right(records: Iterable[CheckRecord]) -> bool:
    """Whether a check fires at least three times as often on wrong outputs as on right ones, not by chance.

    Raters differ much in how strict they are, so rates are compared within each record, and what they say is
    added up (Mantel and Haenszel 1959).

    >>> [tells_wrong_from_right([CheckRecord("", "", "", n, 100, 4, 200)]) for n in (5, 6, 9)]
    [False, False, True]
    >>> strict, lenient = CheckRecord("", "", "", 45, 90, 5, 10), CheckRecord("", "", "", 0, 10, 0, 90)
    >>> tells_wrong_from_right([strict, lenient])
    False
    """
    among_wrong = among_right = surplus = variance = 0.0
    for row in records:
        if not row.wrong or not row.right:
            continue
        n = row.wrong + row.right
        among_wrong += row.wrong_fired * row.right / n
        among_right += row.right_fired * row.wrong / n
        surplus += row.wrong_fired - row.fired * row.wrong / n
        variance += row.fired * (n - row.fired) * row.wrong * row.right / (n * n * max(n - 1, 1))
    return among_wrong >= RATIO * among_right and surplus > SURE * sqrt(variance) > 0


class _Deciding(NamedTuple):
    """The records that decide, of labels and of human translations."""

    labels: list[CheckRecord]
    human: list[CheckRecord]


def _deciding(check: str, pair: str | None, records: Iterable[CheckRecord]) -> _Deciding:
    """Those of the pair, or into its target language, where there are enough; else those of all."""
    own = [record for record in records if record.check == check]
    target = (pair or "").partition("-")[2].partition("-")[0]
    there = [record for record in own if record.pair == pair]
    human = [r for r in own if target and r.pair.partition("-")[2].partition("-")[0] == target]
    return _Deciding(
        there if _added(check, "", there).fired >= FEWEST_OF_A_PAIR else own,
        human if _added(check, "", human).human >= ENOUGH else own,
    )


def record_of(check: str, pair: str | None, records: Iterable[CheckRecord] | None = None) -> CheckRecord:
    """The counts that decide, added up. Labels and human translations are looked up apart.

    >>> rows = [CheckRecord("x", "en-de", "a", 9, 90, 1, 90, 0, 50)]
    >>> rows.append(CheckRecord("x", "en-fr", "b", human=2000))
    >>> record_of("x", "en-fr", rows)[3:], record_of("x", "en-de", rows)[3:]
    ((9, 90, 1, 90, 0, 2000), (9, 90, 1, 90, 0, 2050))
    """
    deciding = _deciding(check, pair, read_records() if records is None else records)
    human = _added(check, "", deciding.human)
    labels = _added(check, "", deciding.labels)
    return labels._replace(human_fired=human.human_fired, human=human.human)


def _added(check: str, pair: str, records: Iterable[CheckRecord]) -> CheckRecord:
    rows = list(records)
    pair = pair or (rows[0].pair if len({row.pair for row in rows}) == 1 else "all pairs")
    sums = [sum(numbers) for numbers in zip(*(row[3:] for row in rows), strict=True)] or [0] * 6
    return CheckRecord(check, pair, ", ".join(dict.fromkeys(row.origin for row in rows)), *sums)


@cache
def read_records(path: Path = PATH) -> tuple[CheckRecord, ...]:
    """The table."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return tuple(CheckRecord(row[0], row[1], row[2], *map(int, row[3:])) for row in rows)


def write_records(records: Iterable[CheckRecord], path: Path) -> None:
    """Write the table, sorted."""
    rows = ["\t".join(map(str, record)) for record in sorted(records)]
    path.write_text("\n".join(["\t".join(CheckRecord._fields), *rows, ""]), encoding="utf-8")
