"""Which checks are on by default: what decides it, and what the table says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mtassay.data.registry import each_named, names
from mtassay.measures.check import Check
from mtassay.measures.check_run import (
    CATALOGUES,
    ENOUGH,
    FEWEST,
    GOES_BY_CATALOGUES,
    GOES_BY_PEOPLE,
    MOST_ALARMS,
    PATH,
    QUIET,
    STRICTER,
    CheckRecord,
    is_on,
    read_records,
    record_of,
    tells_wrong_from_right,
    write_records,
)


def test_what_is_on_fires_seldom_on_human_translations_and_three_times_as_often_on_wrong_outputs() -> None:
    pairs = sorted({record.pair for record in read_records()} | {"en-nl"})
    on = [(check, pair) for pair in pairs for _, check in each_named("check") if is_on(check, pair)]
    assert on
    for check, pair in on:
        by_catalogues = check.group in GOES_BY_CATALOGUES
        rows = [r for r in read_records() if r.origin == CATALOGUES or not by_catalogues]
        record = record_of(check.id, pair, rows)
        assert record.alarm_rate < STRICTER.get(check.id, MOST_ALARMS), record
        if check.group not in GOES_BY_PEOPLE or (record.human >= ENOUGH and record.alarm_rate < QUIET):
            continue
        if record.fired >= FEWEST and record.pair == pair:
            assert tells_wrong_from_right(r for r in rows if (r.check, r.pair) == (check.id, pair)), record


def check_of(kind: str) -> type[Check]:
    class Toy(Check):
        id, group, severity, about = "toy", kind, "major", "toys"

        def find(self, units: Any, context: Any) -> Any:
            return iter(())

    return Toy


def record(pair: str, *counts: int) -> CheckRecord:
    return CheckRecord("toy", pair, CATALOGUES, *counts)


@pytest.mark.parametrize(
    ("records", "pair", "meaning", "form"),
    [
        ([record("en-pt", 30, 100, 10, 100)], "en-pt", True, True),
        ([record("en-pt", 29, 100, 10, 100)], "en-pt", False, True),  # not three times as often
        ([record("en-pt", 7, 100, 0, 100)], "en-pt", False, True),  # too few
        ([record("en-pt", 6, 100, 2, 100)], "en-pt", False, True),  # may be chance
        ([record("en-pt", 3, 100, 0, 100), record("en-de", 9, 100, 0, 100)], "en-pt", True, True),
        ([record("en-de", 20, 100, 0, 100)], "en-nl", True, True),
        ([record("en-de", 20, 100, 0, 100, 10, 1000)], "en-de", False, False),  # 1 % of human translations
        ([record("en-de", 20, 100, 0, 100, 9, 1000)], "en-de", True, True),
        (
            [record("en-de", 20, 100, 0, 100, 90, 1000), record("en-pt", 0, 0, 0, 0, 1, 1000)],
            "en-pt",
            True,
            True,
        ),
        # So quiet that firing more often on wrong outputs is enough.
        ([record("en-de", 20, 100, 10, 100, 2, 1000)], "en-de", True, True),
        ([record("en-de", 10, 100, 20, 100, 2, 1000)], "en-de", False, True),
        ([record("en-de", 20, 100, 10, 100, 3, 1000)], "en-de", False, True),
        ([], "en-nl", False, True),
    ],
)
def test_a_pair_decides_where_it_says_enough_and_else_all_pairs(
    records: list[CheckRecord], pair: str, meaning: bool, form: bool
) -> None:
    assert is_on(check_of("meaning"), pair, records) is meaning
    assert is_on(check_of("form"), pair, records) is form


def test_strict_raters_do_not_make_a_check_good() -> None:
    # Within each list it fires equally often on wrong and on right outputs; pooled, six times as often.
    strict, lenient = record("en-hi", 90, 300, 3, 10), record("en-ja", 1, 100, 20, 2000)
    assert tells_wrong_from_right([record("x-y", 91, 400, 23, 2010)])
    assert not tells_wrong_from_right([strict, lenient])


def test_the_table_has_counts_and_no_sentences(tmp_path: Path) -> None:
    write_records(read_records(), tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_text("utf-8") == PATH.read_text("utf-8")
    for row in read_records():
        assert 0 <= row.wrong_fired <= row.wrong
        assert 0 <= row.right_fired <= row.right
        assert 0 <= row.human_fired <= row.human
    assert {row.check for row in read_records()} <= set(names("check"))
