"""COMET: what is scored, how scores spread back, and what the signature says, on a fake model."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay import __version__
from mtassay.data.errors import InputError, MissingExtraError, UsageError
from mtassay.data.nouns import Segment
from mtassay.measures.comet import COMET, CometSample, Predictor

HAS_COMET = importlib.util.find_spec("comet") is not None


@dataclass(frozen=True, kw_only=True)
class FakeCOMET(COMET):
    """Scores a sample by its lengths: 1 per letter of the output, 0.1 per letter of the reference."""

    references: str = "required"
    seen: list[CometSample] = field(default_factory=list)

    def load(self) -> Predictor:
        def predict(samples: Sequence[CometSample]) -> list[float]:
            self.seen.extend(samples)
            return [len(sample.output) + len(sample.reference or "") / 10 for sample in samples]

        return Predictor(references=self.references, predict=predict)  # type: ignore[arg-type]

    def package_version(self) -> str:
        return "2.2.7"


def scores(metric: COMET, segments: list[Segment], **outputs: list[str]) -> dict[str, list[float]]:
    measured = metric.measure(segments, outputs)
    assert all(list(one.columns) == ["score", "count"] for one in measured)
    assert all(one.values[:, 1].tolist() == [1] * len(segments) for one in measured)
    return {one.system: metric.unit_scores(one.values).tolist() for one in measured}


def test_a_sample_that_systems_share_is_scored_once() -> None:
    metric = FakeCOMET()
    segments = [Segment("1", "s", ("rr",)), Segment("2", "s", ("rr",)), Segment("3", "t", ("rr",))]
    result = scores(metric, segments, a=["x", "x", "x"], b=["x", "yyy", "x"])
    assert result == {"a": [1.2, 1.2, 1.2], "b": [1.2, 3.2, 1.2]}
    assert metric.seen == [
        CometSample("s", "x", "rr"),
        CometSample("t", "x", "rr"),
        CometSample("s", "yyy", "rr"),
    ]


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        (("rr",), 1.2),
        (("rr", "rrrr"), 1.3),  # mean of 1.2 and 1.4
        (("rr", None), 1.2),  # a missing reference does not count
        (("rr", ""), 1.1),  # an empty one does: mean of 1.2 and 1.0
    ],
)
def test_several_references_are_averaged(references: tuple[str | None, ...], expected: float) -> None:
    result = scores(FakeCOMET(), [Segment("1", "s", references)], a=["x"])
    assert result["a"] == pytest.approx([expected])


@pytest.mark.parametrize(
    ("model", "references", "seen"),
    [
        ("unused", (("r",), ("r",)), [None]),
        ("optional", (("r",), ("q",)), ["r", "q"]),
        ("optional", (("r",), ()), [None]),
        ("optional", (("r",), (None,)), [None]),
    ],
)
def test_a_model_that_may_read_references_gets_all_or_none(
    model: str, references: tuple[tuple[str | None, ...], ...], seen: list[str | None]
) -> None:
    metric = FakeCOMET(references=model)
    segments = [Segment(str(number), "s", several) for number, several in enumerate(references)]
    scores(metric, segments, a=["x", "x"])
    assert [sample.reference for sample in metric.seen] == seen


def test_a_missing_source_is_named_before_any_model_is_loaded() -> None:
    with pytest.raises(InputError, match=r"^segment 2: metric 'comet' needs a source\. Give the sources\.$"):
        COMET().measure([Segment("1", "", ("r",)), Segment("2", None, ("r",))], {"a": ["x", "y"]})


def test_a_missing_reference_is_named_with_the_way_out() -> None:
    segments = [Segment("1", "s", ("r",)), Segment("2", "s", (None,))]
    with pytest.raises(
        InputError, match=r"^segment 2: COMET model .* needs a reference\. Give references, or"
    ):
        FakeCOMET().measure(segments, {"a": ["x", "y"]})


def test_no_segments_and_no_systems_ask_the_model_nothing() -> None:
    metric = FakeCOMET()
    assert metric.measure([], {"a": []})[0].values.shape == (0, 2)
    assert metric.measure([Segment("1", "s", ("r",))], {}) == []
    assert metric.seen == []


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=20))
def test_the_score_is_the_mean_of_the_segments_over_any_leading_axes(values: list[float]) -> None:
    statistics = np.column_stack([values, np.ones(len(values))])
    sums = np.broadcast_to(statistics.sum(axis=0), (3, 2, 2))
    assert COMET().aggregate(sums) == pytest.approx(np.full((3, 2), np.mean(values)))


def test_nothing_counted_is_not_a_number() -> None:
    assert np.isnan(COMET().aggregate(np.zeros(2)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "metric 'comet': batch_size is 0. Give 1 or more."),
        ({"precision": "fp8"}, "metric 'comet': no precision 'fp8'. Available: fp32, bf16."),
        ({"gpus": 2}, "metric 'comet': gpus is 2. Give 0 for the processor or 1 for a GPU."),
    ],
)
def test_a_senseless_setting_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        COMET(**settings)
    assert str(caught.value) == message


@pytest.mark.skipif(HAS_COMET, reason="unbabel-comet is installed")
def test_without_the_package_the_error_names_the_extra() -> None:
    message = "metric 'comet' needs unbabel-comet. Install it: pip install 'mtassay[comet]'"
    segments = [Segment("1", "s", ("r",))]
    for attempt in (lambda: COMET().measure(segments, {"a": ["x"]}), lambda: COMET().signature(segments)):
        with pytest.raises(MissingExtraError) as caught:
            attempt()
        assert str(caught.value) == message


def test_the_signature_names_a_downloaded_model_and_what_changes_the_number() -> None:
    segments = [Segment("1", "s", ("r", "q"))]
    shown = FakeCOMET(batch_size=2).signature(segments, extra={"bs": 1000, "seed": 12345})
    assert shown == (
        "nrefs:2|bs:1000|seed:12345|model:Unbabel/wmt22-comet-da|refs:mean|precision:fp32"
        f"|comet:2.2.7|version:mtassay-{__version__}"
    )
    assert "|precision:bf16|" in FakeCOMET(precision="bf16").signature(segments)
    assert "|refs:none|" in FakeCOMET().signature([Segment("1", "s")])


def test_the_signature_names_a_local_model_by_its_content(tmp_path: Path) -> None:
    checkpoint = tmp_path / "mine" / "checkpoints" / "model.ckpt"
    checkpoint.parent.mkdir(parents=True)
    checkpoint.write_bytes(b"abc")
    (tmp_path / "mine" / "hparams.yaml").write_text("class_identifier: regression_metric\n", encoding="utf-8")
    for model in (checkpoint, tmp_path / "mine"):
        # SHA-256 of "abc", from FIPS 180-2
        assert "|model:model.ckpt|sha256:ba7816bf8f01|" in FakeCOMET(model=str(model)).signature([])


def test_the_label_names_another_model_than_the_usual() -> None:
    assert COMET().label == "COMET"
    assert COMET(model="Unbabel/wmt22-cometkiwi-da").label == "COMET[wmt22-cometkiwi-da]"
