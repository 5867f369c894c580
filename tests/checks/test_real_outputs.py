"""Checks on outputs of real systems: good lines pass, and breakage put into them is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.nouns import Segment
from tests.checks.build import counts, findings

Counts = dict[str, dict[str, int]]


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


@pytest.fixture(scope="module")
def german_english(data_folder: Path) -> tuple[list[Segment], dict[str, list[str]]]:
    folder = data_folder / "wmt22" / "de-en"
    files = [folder / "source.txt", folder / "references" / "A.txt", folder / "references" / "B.txt"]
    rows = zip(*map(read_lines, files), strict=True)
    segments = [Segment(str(i), source, (a, b)) for i, (source, a, b) in enumerate(rows, start=1)]
    return segments, {path.stem: read_lines(path) for path in sorted((folder / "outputs").glob("*.txt"))}


@pytest.fixture(scope="module")
def german_english_hits(german_english: tuple[list[Segment], dict[str, list[str]]]) -> Counts:
    segments, outputs = german_english
    return counts(segments, outputs, pair=("de", "en"))


@pytest.mark.parametrize("kind", ["empty", "untranslated", "wrong-language", "urls", "tags"])
def test_good_systems_are_not_reported(german_english_hits: Counts, kind: str) -> None:
    assert [system for system, found in german_english_hits.items() if kind in found] == []


def test_lost_numbers_are_few_and_the_weakest_system_loses_most(german_english_hits: Counts) -> None:
    # Read one by one: all nine are lost or changed in the output.
    lost = {system: found["numbers"] for system, found in german_english_hits.items() if "numbers" in found}
    assert lost == {"LT22": 8, "Lan-Bridge": 1}


def test_a_system_that_breaks_every_placeholder_is_seen(german_english_hits: Counts) -> None:
    # It writes "#NAME #" for "#NAME#", which no corpus score shows.
    lost = {system: found.get("placeholders", 0) for system, found in german_english_hits.items()}
    assert lost["Online-Y"] == 78
    assert max(n for system, n in lost.items() if system != "Online-Y") < 10


def test_source_lines_in_an_output_are_found_and_nothing_else(
    german_english: tuple[list[Segment], dict[str, list[str]]],
) -> None:
    segments, outputs = german_english
    system = "Online-W"
    mixed = list(outputs[system])
    copied = set(range(0, len(mixed), 20))
    german = set(range(10, len(mixed), 20))
    for index in copied:
        mixed[index] = segments[index].source or ""
    for index in german:
        mixed[index] = segments[index - 7].source or ""
    hits = findings(segments, {system: mixed}, pair=("de", "en"))[system]
    found = {
        kind: {int(finding.case_id) - 1 for finding in hits if finding.detector == f"check:{kind}"}
        for kind in ("untranslated", "wrong-language")
    }
    assert found["untranslated"] <= copied
    assert len(found["untranslated"]) > 0.9 * len(copied)
    assert found["wrong-language"] <= copied | german
    assert len(found["wrong-language"] & german) > 0.85 * len(german)


def test_broken_chinese_lines_are_found(data_folder: Path) -> None:
    folder = data_folder / "btpgbt" / "wmt2122"
    rows = zip(read_lines(folder / "test_en"), read_lines(folder / "test_zh"), strict=True)
    segments = [Segment(str(i), source, (reference,)) for i, (source, reference) in enumerate(rows)]
    outputs = {name: read_lines(folder / name) for name in ("google", "deepl", "trans")}
    found = counts(segments, outputs, pair=("en", "zh"), checks="empty,untranslated,wrong-language")
    # One line is nothing but apostrophes, two are English without spaces.
    assert found == {"google": {}, "deepl": {}, "trans": {"empty": 1, "wrong-language": 2}}
