"""Leaving texts without an answer never helps: deletions by somebody who knows the scores."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mtassay as mt
from mtassay.app.page.contents import page_of
from mtassay.changes.change_tables import history_tables
from mtassay.changes.run_changes import RunChanges
from mtassay.changes.trends import History
from mtassay.data.method import view_of
from mtassay.data.nouns import Run
from mtassay.methods.basis import unanswered_counts
from mtassay.methods.paired_scores import Snapshot
from mtassay.methods.score.score_tables import best_systems
from mtassay.report.run_text import render

WORDS = [
    "the",
    "old",
    "house",
    "by",
    "river",
    "bridge",
    "was",
    "sold",
    "to",
    "a",
    "young",
    "couple",
    "from",
    "north",
    "who",
    "want",
    "it",
    "painted",
    "blue",
]
SEGMENTS = 40
METRICS = ("bleu", "chrf")


def sentence(rng: random.Random, length: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(length))


def spoiled(rng: random.Random, text: str, share: float, *, longest: int) -> str:
    """The text with some words wrong, and now and then far too long."""
    words = [rng.choice(WORDS) if rng.random() < share else word for word in text.split()]
    return " ".join(words + [rng.choice(WORDS) for _ in range(rng.choice([0, 0, 0, longest]))])


@cache
def texts(seed: int) -> tuple[list[str], dict[str, list[str]]]:
    rng = random.Random(seed)
    references = [sentence(rng, rng.randint(4, 20)) for _ in range(SEGMENTS)]
    qualities = {"a": 0.2, "b": 0.3, "c": 0.5}
    systems = {
        name: [spoiled(rng, text, share, longest=rng.choice([3, 60])) for text in references]
        for name, share in qualities.items()
    }
    return references, systems


@cache
def scored_whole(seed: int) -> Run:
    """The run of all systems with all their answers."""
    return scored(seed, texts(seed)[1])


def scored(seed: int, systems: dict[str, list[Any]], **more: Any) -> Run:
    references, _ = texts(seed)
    how: dict[str, Any] = {"metrics": ",".join(METRICS), "trials": 200, "samples": 100, "checks": "none"}
    return mt.score(systems, [references], **how | more).record


def chosen(seed: int, system: str, count: int, by: str) -> set[int]:
    """The segments that the adversary leaves out."""
    _, systems = texts(seed)
    places = list(range(SEGMENTS))
    if by == "random":
        return set(random.Random(seed).sample(places, count))
    if by == "longest":
        return set(sorted(places, key=lambda i: -len(systems[system][i]))[:count])
    whole = scored_whole(seed)
    (entry,) = [s for s in whole.statistics if (s.metric, s.system) == ("chrf", system)]
    values = mt.score({system: systems[system]}, [texts(seed)[0]], metrics="chrf", checks="none").records(
        "units"
    )
    scores = [row["chrf"] for row in values]
    assert len(scores) == len(entry.ids)
    return set(sorted(places, key=scores.__getitem__)[:count])


def ranks(run: Run, metric: str) -> dict[str, int]:
    return {s: c.rank for c in run.result.clusters if c.name == metric for s in c.systems}


def recommended(run: Run) -> str:
    return page_of([run]).decision.advice


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 5),
    st.sampled_from("abc"),
    st.integers(1, SEGMENTS // 2),
    st.sampled_from(["worst", "longest", "random"]),
    st.sampled_from([None, ""]),
)
def test_leaving_answers_out_never_raises_a_rank_or_a_recommendation(
    seed: int, system: str, count: int, by: str, blank: str | None
) -> None:
    _, systems = texts(seed)
    left = chosen(seed, system, count, by)
    fewer = {**systems, system: [blank if i in left else t for i, t in enumerate(systems[system])]}
    run = scored(seed, fewer)
    for metric in METRICS:
        assert system not in ranks(run, metric)
        assert system not in best_systems(run, metric)
        for pair in run.result.comparisons:
            if pair.name == metric and system in (pair.a, pair.b):
                assert pair.better != system
                ahead = pair.a if (pair.delta or 0) > 0 else pair.b
                assert pair.p is None or ahead != system
    assert run.result.counts[system]["missing"] == count
    said = recommended(run).partition(".")[0]
    assert said.startswith("No advice yet: ") or system not in said.replace(",", " ").split()
    assert page_of([run]).decision.system != system
    for score in run.result.scores:
        assert (score.n, score.answered_n) == (SEGMENTS, SEGMENTS - count)
    for row in view_of(run).tables()[0].cells():
        assert (row[0].text == system) == row[1].text.startswith("(")
        assert row[0].text != system or not any(cell.strong for cell in row)
    glance = page_of([run]).glance()
    assert glance is not None
    assert all(row.cells[0].sign != "●" for row in glance.rows([system]))
    for change in RunChanges.of(*(Snapshot.of(r, system) for r in (scored_whole(seed), run))).scores:
        assert change.is_worse or not change.delta or change.p is None
    history = History.of([scored_whole(seed), run], [system], trials=99, samples=100)
    for table in history_tables(history):
        assert [row[2].text.startswith("(") for row in table.cells()] == [False, True]
    for row in csv.DictReader(io.StringIO(render(run, "tsv")), delimiter="\t"):
        assert row["against"] or row["answered_n"] == str(SEGMENTS - count)
    (missed,) = [c for c in mt.gate(run, "bleu >= 0", systems=[system]).checks if not c.passed]
    assert missed.gate.text == "missing <= 0"
    assert missed.measured.startswith(f"{count} text")


@pytest.mark.parametrize("by", ["worst", "longest", "random"])
@pytest.mark.parametrize("count", [1, 5, 20])
def test_outputs_no_longer_than_the_reference_never_score_more_when_they_are_left_out(
    by: str, count: int
) -> None:
    """Where no output is longer than its reference, the score itself falls too."""
    rng = random.Random(count)
    references = [sentence(rng, 12) for _ in range(SEGMENTS)]
    outputs = [spoiled(rng, text, 0.4, longest=0) for text in references]
    scores = [row["chrf"] for row in mt.score({"a": outputs}, [references], metrics="chrf").records("units")]
    order = {
        "worst": sorted(range(SEGMENTS), key=scores.__getitem__),
        "longest": sorted(range(SEGMENTS), key=lambda i: -len(outputs[i])),
        "random": rng.sample(range(SEGMENTS), SEGMENTS),
    }[by]
    fewer: Sequence[str | None] = [None if i in order[:count] else t for i, t in enumerate(outputs)]
    whole, less = (mt.score({"a": texts_}, [references], metrics="bleu,chrf") for texts_ in (outputs, fewer))
    for before, after in zip(whole.result.scores, less.result.scores, strict=True):
        assert after.value is not None
        assert before.value is not None
        assert after.value <= before.value


@pytest.mark.parametrize("metric", METRICS)
def test_no_number_of_the_answers_that_are_there_can_be_safe(metric: str) -> None:
    """What was left out may be arbitrarily bad, so only 0 never exceeds the score of the full answer.

    So the number is shown in parentheses, without a rank (see above), and not lowered.
    """
    references = [sentence(random.Random(1), 10) for _ in range(SEGMENTS)]
    kept = references[:-1]
    full = [
        mt.score({"a": [*kept, "x y " * length]}, [references], metrics=metric, checks="none").result.scores[
            0
        ]
        for length in (1, 1_000, 100_000)
    ]
    fewer = mt.score({"a": [*kept, ""]}, [references], metrics=metric, checks="none").result.scores[0]
    values = [score.value or 0.0 for score in full]
    assert values == sorted(values, reverse=True)
    assert 10 * values[-1] < (fewer.value or 0.0)


def test_where_nobody_answered_everything_nobody_is_best() -> None:
    _, systems = texts(3)
    run = scored(
        3,
        {
            name: [None if i == n else t for i, t in enumerate(own)]
            for n, (name, own) in enumerate(systems.items())
        },
    )
    page = page_of([run])
    assert recommended(run).startswith("No system answered all texts, so none is recommended.")
    assert not page.decision.system
    assert not any(best_systems(run, metric) for metric in METRICS)
    assert all(
        "no system has a rank, since all left texts without an answer" in h.text
        for h in view_of(run).headlines()
        if h.board
    )
    glance = page.glance()
    assert glance is not None
    assert not any(cell.sign for row in glance.rows(glance.systems) for cell in row.cells)


def test_who_asks_gets_a_rank_for_what_is_incomplete() -> None:
    _, systems = texts(1)
    fewer = {**systems, "a": [None, *systems["a"][1:]]}
    run = scored(1, fewer, rank_incomplete=True)
    assert set(ranks(run, "bleu")) == {"a", "b", "c"}
    assert "the systems still have ranks" in run.result.notes[0]


def test_errors_refusals_and_missing_outputs_are_told_apart() -> None:
    run = scored(2, {**texts(2)[1]})
    answers = list(run.outputs["a"])
    answers[0] = replace_output(answers[0], None, "HTTP 500: busy")
    answers[1] = replace_output(answers[1], None, "refused: I cannot help")
    assert unanswered_counts(answers, 4) == {"error": 1, "refused": 1, "missing": 2}
    assert replace(run, outputs={}).outputs == {}


def replace_output(output: Any, text: str | None, error: str) -> Any:
    return output._replace(text=text, error=error)
