"""`mt.score` takes texts as people have them, and a function as a metric."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mtassay as mt
from mtassay.data.errors import UsageError

OUTPUTS, REFERENCE, SOURCE = ["Olá, mundo!", "Oi.", "Sim."], ["Olá, mundo!", "Olá.", "Sim."], ["a", "b", "c"]


class Series:
    """As a column of pandas: it iterates over its values, and has an index that is not their place."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.index = [f"row {number}" for number in range(len(values))]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, label: str) -> Any:
        return self.values[self.index.index(label)]

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a Series is ambiguous.")


def generated(texts: list[Any]) -> Iterator[Any]:
    yield from texts


def in_a_file(folder: Path) -> Any:
    def write(texts: list[str]) -> Path:
        path = folder / f"{len(list(folder.iterdir()))}.txt"
        path.write_text("".join(f"{text}\n" for text in texts))
        return path

    return write


@pytest.mark.parametrize("kind", [list, tuple, generated, Series, np.array, in_a_file])
def test_texts_may_be_of_any_kind(kind: Any, tmp_path: Path) -> None:
    as_kind = in_a_file(tmp_path) if kind is in_a_file else kind
    expected = mt.score({"a": OUTPUTS, "b": REFERENCE}, [REFERENCE], SOURCE, metrics="chrf", samples=100)
    systems = {"a": as_kind(OUTPUTS), "b": as_kind(REFERENCE)}
    found = mt.score(systems, [as_kind(REFERENCE)], as_kind(SOURCE), metrics="chrf", samples=100)
    assert found.result.scores == expected.result.scores
    assert found.segments == expected.segments or kind is in_a_file


@pytest.mark.parametrize("kind", [generated, Series, np.array])
def test_a_column_of_texts_is_one_reference(kind: Any) -> None:
    run = mt.score({"a": OUTPUTS}, kind(REFERENCE), metrics="chrf", samples=100)
    assert [segment.references for segment in run.segments] == [(text,) for text in REFERENCE]


@pytest.mark.parametrize("missing", [None, math.nan, np.float64("nan")])
def test_none_and_nan_are_missing_lines(missing: Any) -> None:
    texts = Series(["Olá, mundo!", missing, "Sim."])
    run = mt.score({"a": texts}, [REFERENCE], metrics="chrf", samples=100)
    assert [output.text for output in run.outputs["a"]] == ["Olá, mundo!", None, "Sim."]
    (score,) = run.result.scores
    assert (score.n, score.answered_n) == (3, 2)
    assert score.value is not None
    assert score.answered is not None
    assert score.value < score.answered


def test_what_is_no_text_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match=r"^system 'a': text 2 is 7, of type int: give texts\.$"):
        mt.score({"a": ["x", 7, "y"]}, [REFERENCE], metrics="chrf")


def same(output: str, reference: str) -> float:
    return float(output == reference)


def best(output: str, references: list[str]) -> float:
    return max(float(output == reference) for reference in references)


def longer(output: str, reference: str, source: str) -> float:
    return float(len(output) - len(reference) + len(source))


def length(output: str) -> int:
    return len(output)


@pytest.mark.parametrize(("metric", "value"), [(same, 2 / 3), (best, 1.0), (longer, 2 / 3), (length, 6.0)])
def test_a_function_is_a_metric_by_the_mean_of_its_segments(metric: Any, value: float) -> None:
    references = [REFERENCE, OUTPUTS] if metric is best else [REFERENCE]
    run = mt.score({"a": OUTPUTS}, references, SOURCE, metrics=[metric], samples=100)
    (score,) = run.result.scores
    assert (score.name, score.n) == (metric.__name__, 3)
    assert score.value == pytest.approx(value)
    assert score.low is not None
    assert f"function:{metric.__name__}" in score.signature
    assert " at 0x" not in score.signature


def test_a_function_is_tested_and_kept_as_any_metric(tmp_path: Path) -> None:
    workspace = tmp_path / "w.db"
    systems = {"a": OUTPUTS * 20, "b": REFERENCE * 20}
    run = mt.score(
        systems, [REFERENCE * 20], metrics=["bleu,chrf", same], samples=100, trials=100, save=True,
        workspace=workspace,
    )  # fmt: skip
    assert list(dict.fromkeys(score.name for score in run.result.scores)) == ["bleu", "chrf", "same"]
    (compared,) = [c for c in run.result.comparisons if c.name == "same"]
    assert compared.p is not None
    assert compared.p < 0.05
    assert [unit["same"] for unit in run.records("units")[:3]] == [1.0, 0.0, 1.0]
    again = mt.load(workspace=workspace)
    assert str(again) == str(run)
    assert again.records("units") == run.records("units")
    with pytest.raises(UsageError, match="'same' is a function, which is not saved: give it again"):
        again.judge(trials=200, workspace=workspace)
    assert again.judge(metrics=same, trials=200, workspace=workspace).result.scores[0].name == "same"


def test_a_metric_that_cannot_be_is_refused_in_one_line() -> None:
    with pytest.raises(UsageError, match="A metric needs a name, and <lambda> is none"):
        mt.score({"a": OUTPUTS}, [REFERENCE], metrics=lambda output: 1.0)
    with pytest.raises(UsageError, match=r"metric nothing\(\) gave None for segment 1: give a number\."):
        mt.score({"a": OUTPUTS}, [REFERENCE], metrics=nothing)
    with pytest.raises(UsageError, match="Two metrics are called 'same'"):
        mt.score({"a": OUTPUTS}, [REFERENCE], metrics=[same, same])


def nothing(output: str) -> Any:
    return None
