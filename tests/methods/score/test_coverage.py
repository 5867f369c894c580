"""Systems that have scores on different segments are compared on the same ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import mtassay as mt
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Segment, Statistics
from mtassay.measures.metric import Metric
from mtassay.methods.score.score_statistics import SystemTests

TESTS = ("randomization", "bootstrap", "sacrebleu-randomization")


def scores(tmp_path: Path, values: Mapping[str, Mapping[int, float]]) -> str:
    path = tmp_path / "q.jsonl"
    rows = [
        {"system": system, "id": str(segment), "q": value}
        for system, by_segment in values.items()
        for segment, value in by_segment.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return f"scores:{path}"


def drawn(count: int, *, mean: float = 0.0, seed: int = 1) -> dict[int, float]:
    values = np.random.default_rng(seed).normal(mean, 1.0, count)
    return {segment: float(value) for segment, value in enumerate(values, start=1)}


def run_of(tmp_path: Path, values: Mapping[str, Mapping[int, float]], count: int, **more: Any) -> Any:
    outputs = {system: [f"{system} {i}" for i in range(count)] for system in values}
    source = [f"source {i}" for i in range(count)]
    return mt.score(outputs, source=source, metrics=[scores(tmp_path, values)], checks="none", **more)


@pytest.mark.parametrize("test", TESTS)
def test_the_same_scores_on_fewer_segments_are_no_difference(tmp_path: Path, test: str) -> None:
    whole = drawn(400)
    best = dict(sorted(whole.items(), key=lambda pair: -pair[1])[:60])
    run = run_of(tmp_path, {"whole": whole, "part": best}, 400, test=test, trials=500, samples=200)
    (pair,) = run.result.comparisons
    assert (pair.delta, pair.p, pair.n) == (0.0, 1.0, 60)
    (cluster,) = run.result.clusters
    assert cluster.systems == ("whole",)  # what is not rated everywhere has no rank
    first, second = run.result.scores
    assert (first.n, second.n, first.common_n) == (400, 60, 60)
    assert first.common == second.common == second.value
    (note,) = run.result.notes
    assert "part 60, whole 400" in note
    assert "60 segments have a score of every system" in note


def test_each_pair_is_compared_on_what_both_have(tmp_path: Path) -> None:
    a, b, c = (drawn(300, mean=mean, seed=seed) for mean, seed in ((1.0, 1), (0.0, 2), (0.9, 3)))
    few = {segment: c[segment] for segment in range(1, 21)}
    run = run_of(tmp_path, {"a": a, "b": b, "c": few}, 300)
    pairs = {(pair.a, pair.b): pair for pair in run.result.comparisons}
    assert {names: pair.n for names, pair in pairs.items()} == {
        ("a", "b"): 300,
        ("a", "c"): 20,
        ("b", "c"): 20,
    }
    assert pairs["a", "b"].delta == pytest.approx(np.mean(list(a.values())) - np.mean(list(b.values())))
    assert pairs["a", "b"].p is not None
    assert pairs["a", "b"].p < 0.01
    same = [np.mean([own[segment] for segment in few]) for own in (a, b, few)]
    assert [score.common for score in run.result.scores] == pytest.approx(same)


def test_no_rank_goes_against_a_significant_difference(tmp_path: Path) -> None:
    """The few segments that all have order a and b the other way than the many that these two have."""
    a, b = drawn(300, mean=2.0, seed=1), drawn(300, seed=2)
    a |= {1: -9.0, 2: -9.0}
    for how, wanted in (("best", {"a": 1, "b": 2}), ("wmt-clusters", {"a": 1, "b": 1, "c": 1})):
        run = run_of(tmp_path, {"a": a, "b": b, "c": {1: 0.0, 2: 0.0}}, 300, ranks=how)
        assert {s: cluster.rank for cluster in run.result.clusters for s in cluster.systems} == wanted


def test_systems_without_a_common_segment_have_no_rank(tmp_path: Path) -> None:
    run = run_of(tmp_path, {"a": {1: 1.0, 2: 2.0}, "b": {3: 1.0, 4: 2.0}}, 4)
    (pair,) = run.result.comparisons
    assert (pair.delta, pair.p, pair.n) == (None, None, 0)
    assert not run.result.clusters
    assert "no ranks" in run.result.notes[0]
    assert run.tables()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_part_of_its_own_scores_never_sets_a_system_apart_from_itself(data: st.DataObject) -> None:
    """Neither in a test, nor in rank, whatever the third system is and however few segments are left."""
    units = data.draw(st.integers(2, 40))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    own = np.stack([rng.normal(data.draw(st.sampled_from([0.0, 50.0])), 5.0, units), np.ones(units)], axis=1)
    other = np.stack([rng.normal(0.0, 5.0, units), np.ones(units)], axis=1)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=units, max_size=units)))
    if data.draw(st.booleans()):  # only the best ones
        kept &= own[:, 0] > np.median(own[:, 0])
    systems = {"whole": own, "part": own * kept[:, None], "other": other}
    order = data.draw(st.permutations(list(systems)))
    ids = [str(unit) for unit in range(units)]
    table = [Statistics("mean", system, ids, ("score", "count"), systems[system]) for system in order]
    test = data.draw(st.sampled_from(TESTS))
    correction = "max-t" if test == "randomization" else "none"
    how = SystemTests(test, correction, 0.05, 100, 100, 1, "wmt-clusters")  # type: ignore[arg-type]
    (result,) = how.compare([table], {"mean": Mean()}, {"mean": "Mean"})
    (pair,) = [c for c in result.comparisons if {c.a, c.b} == {"whole", "part"}]
    assert pair.n == kept.sum()
    few = test == "randomization" and units < 6
    assert (pair.delta, pair.p) == ((0.0, None if few else 1.0) if kept.any() else (None, None))
    ranks = {system: cluster.rank for cluster in result.clusters for system in cluster.systems}
    assert not kept.any() or ranks["whole"] == ranks["part"]


class Mean(Metric):
    """The mean of what an output says, for those that say a number."""

    name = "mean"

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        return "mean"

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        ids = [segment.id for segment in segments]
        rows = {s: [(float(t), 1.0) if t else (0.0, 0.0) for t in texts] for s, texts in outputs.items()}
        return [Statistics("mean", s, ids, ("score", "count"), np.array(own)) for s, own in rows.items()]

    def aggregate(self, sums: NDArray[Any]) -> NDArray[np.float64]:
        with np.errstate(all="ignore"):
            return np.asarray(sums[..., 0] / sums[..., 1], dtype=np.float64)


def test_a_stream_refuses_lines_without_a_score(tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("ref.txt", "a.txt", "b.txt")}
    for path, lines in zip(files.values(), ("1\n2\n", "1\n2\n", "1\n\n"), strict=True):
        path.write_text(lines)
    with pytest.raises(UsageError, match="'mean' has no score for some lines"):
        mt.score(
            {"a": files["a.txt"], "b": files["b.txt"]},
            [files["ref.txt"]],
            metrics={"mean": Mean()},
            stream=True,
            checks="none",
        )


def test_runs_are_compared_on_what_both_have(tmp_path: Path) -> None:
    whole = drawn(300)
    best = dict(sorted(whole.items(), key=lambda pair: -pair[1])[:40])
    old = run_of(tmp_path, {"nmt": whole}, 300)
    new = run_of(tmp_path, {"nmt": best}, 300)
    changes = mt.compare(old, new)
    (change,) = changes.scores
    assert (change.n, change.delta, change.p) == (40, 0.0, 1.0)
    assert any("260 scores only in the old run" in note for note in changes.notes)
