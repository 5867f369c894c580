"""Language tools whose work is spread: a text is read once, no matter which step of a run wants it."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.data.nouns import Segment
from mtassay.methods.invariance.invariance_answers import read_texts
from mtassay.methods.invariance.substitutes import Candidate, Substituter, WordPlace
from mtassay.methods.invariance.variants import VariantSettings, generate
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.annotators import SpreadAnnotator
from tests.fake_annotator import FakeAnnotator
from tests.fakes import MemoryContext


class CountingAnnotator(FakeAnnotator):
    """Keeps the texts that it was asked to read."""

    def __init__(self, language: str, *, fails_on: str | None = None) -> None:
        super().__init__(language, pos={"the": "DET", "sleeps": "VERB"}, fails_on=fails_on)
        self.asked: list[str] = []

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        self.asked += texts
        return super().annotate(texts)


class Dogs(Substituter):
    """Has a dog for every word."""

    name = "dogs"
    signature = "dogs"

    def substitutes(self, places: Sequence[WordPlace], *, count: int) -> list[list[Candidate]]:
        return [[Candidate("dog", 1.0)] for _ in places]


def test_a_text_is_read_once_and_recalled_as_it_was() -> None:
    annotator, context = CountingAnnotator("en"), MemoryContext()
    texts = ["The cat sleeps.", "A dog.", "The cat sleeps.", "Um 中 é."]
    first = SpreadAnnotator(annotator, context).annotate(texts)
    assert [annotation.text for annotation in first] == texts
    asked = list(annotator.asked)
    assert asked == list(dict.fromkeys(texts))
    assert SpreadAnnotator(annotator, context).annotate(texts) == first
    assert [text for text in annotator.asked if annotator.asked.count(text) > 1] == []


def test_what_could_not_be_read_is_tried_again() -> None:
    annotator, context = CountingAnnotator("en", fails_on="bad"), MemoryContext()
    for _ in range(2):
        assert [bool(a.error) for a in SpreadAnnotator(annotator, context).annotate(["bad", "good"])] == [
            True,
            False,
        ]
    assert annotator.asked == ["bad", "good", "bad"]


def test_variants_that_were_read_when_they_were_made_are_not_read_again_to_compare_them() -> None:
    annotator, context = CountingAnnotator("en"), MemoryContext()
    originals = [Segment("1", "The cat sleeps there."), Segment("2", "The cow sleeps here.")]
    made = generate(originals, SpreadAnnotator(annotator, context), Dogs(), VariantSettings())
    sources = [segment.source or "" for segment in made]
    assert "The dog sleeps there." in sources
    read = len(annotator.asked)
    assert set(read_texts(sources, annotator, context, step="reading")) == set(sources)
    assert len(annotator.asked) == read
