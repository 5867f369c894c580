"""What metrics make of errors that were put in: shares, losses and areas that can be checked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Edit, Result, Segment, Statistics
from mtassay.measures.given_scores import Scores
from mtassay.measures.metric import Floats, Metric
from mtassay.meta.blindspots import BlindSpotSettings, Corruptible, look_for_blindspots, prepare
from mtassay.meta.corruptions import Corrupted, Corruption, CorruptionSource, plain_annotation
from mtassay.methods.engine import EngineContext


@dataclass(frozen=True, kw_only=True)
class Given(Metric):
    """Gives each text the number that it begins with; nan for none."""

    name: ClassVar[str] = "given"
    higher_is_better: ClassVar[bool] = True

    def signature(self, segments: Sequence[Segment], *, extra: Mapping[str, object] | None = None) -> str:
        return "given"

    def measure(self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]) -> list[Statistics]:
        ids = [segment.id for segment in segments]
        return [
            Statistics("given", system, ids, ["score"], np.array([[float(t.split()[0])] for t in texts]))
            for system, texts in outputs.items()
        ]

    def aggregate(self, sums: NDArray[Any]) -> Floats:
        return np.asarray(sums[..., 0], dtype=np.float64)


def found(
    bases: Sequence[str], corruptions: Sequence[tuple[int, str, str]], metric: Metric | None = None
) -> Result:
    segments = [Segment(str(i), "", ("reference",)) for i in range(len(bases))]
    sources = [CorruptionSource(str(i), "", plain_annotation(text), ()) for i, text in enumerate(bases)]
    made = [Corruption(str(i), kind, text, Edit(0, 0, "", "")) for i, kind, text in corruptions]
    material = Corruptible(segments, sources, Corrupted(made, {}), [])
    context = EngineContext(None, lambda step, done, total: None)
    settings = BlindSpotSettings(samples=100)
    return look_for_blindspots({"given": metric or Given()}, material, settings, context)


def test_lower_ties_loss_and_area_are_what_a_person_counts() -> None:
    bases = ["10 a", "8 b", "6 c", "2 d"]
    made = [(0, "negation", "9 a"), (1, "negation", "8 b"), (2, "negation", "7 c"), (3, "number", "0 d")]
    values = {(s.name, s.group): s for s in found(bases, made).scores}
    # One lower, one tie, one higher: 1.5 of 3.
    assert values["lower", "negation"].value == pytest.approx(50)
    assert values["ties", "negation"].value == pytest.approx(100 / 3)
    assert values["lower", "number"].value == 100
    assert values["lower", "negation"].n == 3
    # Good 10, 8, 6 against 9, 8, 7: 10 wins three, 8 wins 7 and half of 8, 6 none: 4.5 of 9.
    assert values["auc", "negation"].value == pytest.approx(4.5 / 9)


def test_there_is_no_loss_where_unrelated_texts_score_as_well() -> None:
    bases = ["10 a", "10 b", "2 c", "2 d"]
    flat = {s.name: s for s in found(bases, [(0, "number", "9 a")]).scores}
    assert flat["loss"].value is None  # what is gained here is lost there: there is no unit
    low = {s.name: s for s in found(["10 a", "nan b"], [(0, "number", "9 a")]).scores}
    assert (low["loss"].value, low["lower"].value) == (None, 100)


def test_a_loss_of_a_quarter_is_25() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Alike(Given):
        """1 for a text that is its reference, 0.75 for one with a mark behind it, 0 for any other."""

        def measure(
            self, segments: Sequence[Segment], outputs: Mapping[str, Sequence[str]]
        ) -> list[Statistics]:
            scores = {True: 1.0, False: 0.0}
            rows = [
                [0.75 if text.endswith("!") else scores[text == segment.references[0]]]
                for segment, text in zip(segments, outputs["outputs"], strict=True)
            ]
            return [Statistics("given", "outputs", [s.id for s in segments], ["score"], np.array(rows))]

    bases = ["a", "b", "c", "d"]
    segments = [Segment(str(i), "", (text,)) for i, text in enumerate(bases)]
    sources = [CorruptionSource(str(i), "", plain_annotation(text), ()) for i, text in enumerate(bases)]
    made = [Corruption(str(i), "number", f"{text}!", Edit(0, 0, "", "")) for i, text in enumerate(bases)]
    material = Corruptible(segments, sources, Corrupted(made, {}), [])
    context = EngineContext(None, lambda step, done, total: None)
    result = look_for_blindspots({"alike": Alike()}, material, BlindSpotSettings(samples=100), context)
    loss = next(s for s in result.scores if s.name == "loss")
    assert (loss.value, loss.low, loss.high, loss.n) == (25, 25, 25, 4)


def test_pairs_without_a_score_are_not_counted() -> None:
    values = {s.name: s for s in found(["3 a", "nan b"], [(0, "number", "2 a"), (1, "number", "1 b")]).scores}
    assert (values["lower"].n, values["lower"].value) == (1, 100)
    nothing = {s.name: s for s in found(["nan a"], [(0, "number", "1 a")]).scores}
    assert (nothing["lower"].n, nothing["lower"].value) == (0, None)


def test_scores_by_id_cannot_be_looked_up_for_new_texts(tmp_path: Any) -> None:
    file = tmp_path / "s.tsv"
    file.write_text("system\tid\tscore\noutputs\t1\t0.5\n", encoding="utf-8")
    with pytest.raises(UsageError, match="corrupted texts have none"):
        found(["1 a"], [(0, "number", "2 a")], Scores(file=str(file)))


def test_texts_without_words_are_left_out_and_of_many_some_are_drawn() -> None:
    segments = [Segment(str(i), "x", ("y",)) for i in range(30)]
    texts = [None, "", "…", *(f"In {n} the whole company left the town." for n in range(100, 127))]
    settings = BlindSpotSettings(most=10, kinds=("number",))
    material = prepare(segments, texts, parse_pair("de-qaa"), settings)
    assert len(material.sources) == 10
    assert {source.id for source in material.sources} <= {str(i) for i in range(3, 30)}
    with pytest.raises(UsageError, match="No kind of error 'grammar'"):
        prepare(segments, texts, parse_pair("de-qaa"), BlindSpotSettings(kinds=("grammar",)))
    with pytest.raises(UsageError, match="no text to put errors into"):
        prepare(segments[:1], texts[:1], parse_pair("de-qaa"), settings)
