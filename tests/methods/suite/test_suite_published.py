"""On the real DFKI suite, verdicts are those of plain `re.search` with the token rule on top."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from mtassay.data.formats.suite_files import read_suite
from mtassay.methods.engine import execute
from mtassay.methods.suite.suite_method import SuiteMethod, segment_of
from mtassay.systems.roster import Stored

PUBLISHED = {
    "Online-W": 84.7,
    "Online-A": 83.3,
    "Online-Y": 81.8,
    "JDExploreAcademy": 81.6,
    "Online-G": 81.4,
    "PROMT": 79.8,
    "Online-B": 79.2,
    "Lan-Bridge": 79.1,
    "LT22": 68.1,
}
"""Accuracy over settled items on WMT22 as given with the data: there tokens do not win over expressions."""


@cache
def records(folder: Path) -> list[dict[str, object]]:
    loaded: list[dict[str, object]] = json.loads((folder / "items.json").read_text(encoding="utf-8"))["items"]
    return loaded


@cache
def outputs(folder: Path, year: str) -> dict[str, dict[str, str]]:
    systems = {}
    for path in sorted((folder / "outputs" / year).glob("*.tsv")):
        lines = path.read_text(encoding="utf-8").split("\n")[1:]
        systems[path.stem] = dict(line.split("\t", 1) for line in lines if line)
    return systems


def plain(item: dict[str, object], output: str | None, *, tokens_win: bool) -> str:
    if output is None:
        return "skipped"
    if not output.strip():
        return "incorrect"
    kinds = {kind for kind in ("positive", "negative") if output in item[f"{kind}_tokens"]}  # type: ignore[operator]
    if not kinds or not tokens_win:
        for kind in ("positive", "negative"):
            pattern = str(item[f"{kind}_regex"])
            if pattern and re.search(pattern, output):
                kinds.add(kind)
    if len(kinds) == 2:
        return "conflict"
    return {"positive": "correct", "negative": "incorrect"}[kinds.pop()] if kinds else "undecided"


@pytest.mark.parametrize(
    ("year", "size"),
    [
        pytest.param("wmt21", 2748, marks=pytest.mark.slow),
        pytest.param("wmt22", 2767, marks=pytest.mark.slow),
        ("wmt23", 2733),
    ],
)
def test_counts_agree_with_plain_search_and_tokens(data_folder: Path, year: str, size: int) -> None:
    folder = data_folder / "dfki" / "de-en"
    suite = read_suite(folder / "items.json")
    systems = dict(list(outputs(folder, year).items())[:6])
    stored = [Stored(name, answers) for name, answers in systems.items()]
    execution = execute(SuiteMethod(suite, test="z"), [segment_of(item) for item in suite.items], stored)
    for name, answers in systems.items():
        expected = Counter(
            plain(item, answers.get(str(item["id"])), tokens_win=True) for item in records(folder)
        )
        counts = {status: n for status, n in execution.result.counts[name].items() if n}
        assert counts == dict(expected), name
        assert expected["skipped"] == 2767 - size


def test_without_the_token_rule_accuracies_are_those_given_with_the_data(data_folder: Path) -> None:
    folder = data_folder / "dfki" / "de-en"
    for name, answers in outputs(folder, "wmt22").items():
        counts = Counter(
            plain(item, answers.get(str(item["id"])), tokens_win=False) for item in records(folder)
        )
        accuracy = 100 * counts["correct"] / (counts["correct"] + counts["incorrect"])
        assert accuracy == pytest.approx(PUBLISHED[name], abs=0.051), name
