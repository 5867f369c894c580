"""The guards on outputs of real systems: good lines pass, and breakage put into them is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.nouns import Segment
from mtassay.measures.guards import Guards, find_guard_hits


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
def german_english_hits(german_english: tuple[list[Segment], dict[str, list[str]]]) -> Guards:
    segments, outputs = german_english
    return find_guard_hits(segments, outputs, pair=("de", "en"))


@pytest.mark.parametrize("kind", ["empty", "copied", "wrong_language", "missing_urls", "missing_tags"])
def test_good_systems_are_not_reported(german_english_hits: Guards, kind: str) -> None:
    assert {
        system: counts[kind] for system, counts in german_english_hits.counts.items() if counts[kind]
    } == {}


def test_lost_numbers_are_few_and_the_weakest_system_loses_most(german_english_hits: Guards) -> None:
    # Read one by one: all nine are lost or changed in the output.
    counts = {system: counts["missing_numbers"] for system, counts in german_english_hits.counts.items()}
    assert {system: n for system, n in counts.items() if n} == {"LT22": 8, "Lan-Bridge": 1}


def test_a_system_that_breaks_every_placeholder_is_seen(german_english_hits: Guards) -> None:
    # It writes "#NAME #" for "#NAME#", which no corpus score shows.
    counts = {system: n["missing_placeholders"] for system, n in german_english_hits.counts.items()}
    assert counts["Online-Y"] == 78
    assert max(n for system, n in counts.items() if system != "Online-Y") < 10


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
    hits = find_guard_hits(segments, {system: mixed}, pair=("de", "en")).findings[system]
    found = {
        kind: {int(finding.case_id) - 1 for finding in hits if finding.detector == f"guard:{kind}"}
        for kind in ("copied", "wrong_language")
    }
    assert found["copied"] <= copied
    assert len(found["copied"]) > 0.9 * len(copied)
    assert found["wrong_language"] <= copied | german
    assert len(found["wrong_language"] & german) > 0.85 * len(german)


def test_broken_chinese_lines_are_found(data_folder: Path) -> None:
    folder = data_folder / "btpgbt" / "wmt2122"
    rows = zip(read_lines(folder / "test_en"), read_lines(folder / "test_zh"), strict=True)
    segments = [Segment(str(i), source, (reference,)) for i, (source, reference) in enumerate(rows)]
    outputs = {name: read_lines(folder / name) for name in ("google", "deepl", "trans")}
    counts = find_guard_hits(segments, outputs, pair=("en", "zh")).counts
    # One line is nothing but apostrophes, two are English without spaces.
    assert [counts["trans"][kind] for kind in ("empty", "copied", "wrong_language")] == [1, 0, 2]
    assert not any(
        counts[name][kind] for name in ("google", "deepl") for kind in ("empty", "copied", "wrong_language")
    )
