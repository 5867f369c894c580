"""Metrics that all cores measure at once, in parts: the same statistics, and only where it is safe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from mtassay.data.nouns import RunContext, Segment
from mtassay.measures import corpus as measure
from mtassay.measures.bleu import BLEU
from mtassay.measures.chrf import ChrF
from mtassay.measures.corpus import Corpus, measure_all, measure_at_once
from mtassay.measures.metric import Metric
from mtassay.measures.ter import TER
from mtassay.systems.client import UnkeptContext

WORDS = ["the", "old", "dog", "sleeps", "on", "a", "red", "sofa", "near", "our", "door"]
SEGMENTS = [Segment(str(i), None, (" ".join(WORDS[i % 5 : i % 5 + 4 + i % 3]),)) for i in range(50)]
OUTPUTS = {
    "a": [" ".join(WORDS[i % 4 : i % 4 + 5]) for i in range(50)],
    "b": [" ".join(WORDS[i % 3 : i % 3 + 6]) for i in range(50)],
}
METRICS: Mapping[str, Metric] = {"bleu": BLEU(), "ter": TER(), "chrf": ChrF(word_order=2)}


class Shouting(BLEU):
    """BLEU of references that are prepared: in capitals."""

    def prepare(self, segments: Sequence[Segment], context: RunContext) -> Sequence[Segment]:
        return [s._replace(references=tuple((r or "").upper() for r in s.references)) for s in segments]


@pytest.fixture(autouse=True)
def _share_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "ENOUGH_FOR_A_FORK", 10)
    monkeypatch.setenv("MTASSAY_PROCESSES", "3")


def test_parts_that_are_shared_out_give_what_the_whole_gives() -> None:
    corpus = Corpus(SEGMENTS, OUTPUTS)
    together = measure_at_once([(metric, corpus) for metric in METRICS.values()])
    for metric, statistics in zip(METRICS.values(), together, strict=True):
        for entry, whole in zip(statistics, metric.measure(SEGMENTS, OUTPUTS), strict=True):
            assert (entry.system, entry.ids, entry.columns) == (whole.system, whole.ids, whole.columns)
            assert np.array_equal(entry.values, whole.values)


def test_metrics_come_in_the_order_in_which_they_are_asked_for() -> None:
    found = list(measure_all(METRICS, Corpus(SEGMENTS, OUTPUTS), UnkeptContext()))
    assert [entry.name for entry in found] == list(METRICS)
    assert [s.metric for entry in found for s in entry.statistics] == ["bleu"] * 2 + ["ter"] * 2 + [
        "chrf"
    ] * 2


def test_what_a_subclass_prepares_is_prepared() -> None:
    (found,) = measure_all({"loud": Shouting()}, Corpus(SEGMENTS, OUTPUTS), UnkeptContext())
    (same,) = measure_all({"bleu": BLEU(lowercase=True)}, Corpus(SEGMENTS, OUTPUTS), UnkeptContext())
    matches = [[entry.values[:, 2].sum() for entry in column.statistics] for column in (found, same)]
    assert matches[0] == [0, 0]
    assert all(matches[1])
