"""What a run lacks is told before any engine is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from mtassay.data.errors import MtassayError
from mtassay.data.languages import parse_pair
from mtassay.data.method import Method
from mtassay.data.nouns import Edit, Output, Request, Segment
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.pairs import BehaviorCase, segments_of
from mtassay.methods.engine import execute
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.score.score_method import ScoreMethod
from mtassay.nlp import annotators as roster
from mtassay.nlp import encoder
from mtassay.nlp.encoder_aligner import open_vectors
from mtassay.systems.live import LiveSystem
from tests.fake_annotator import FakeAnnotator
from tests.fakes import MemoryContext

PAIR = "en-de"
ORIGINAL = Segment("1", "The doctor saw a house.")
VARIANT = Segment(
    "1.1", "The doctor saw a car.", tags={"original": "1", "edit": Edit(17, 22, "house", "car")._asdict()}
)
CASE = BehaviorCase(
    *("1", "1", "noun", "I see the dog.", "Ich sehe den Hund.", "I see the cat.", "Ich sehe die Katze."),
    (Edit(10, 13, "dog", "cat"),),
    (Edit(10, 17, "den Hund", "die Katze"),),
)


@dataclass(frozen=True, kw_only=True)
class Counting(LiveSystem):
    """A public fake of an engine that keeps what it was asked."""

    scheme: ClassVar[str] = "counting"
    subject: ClassVar[str] = "word"
    asked: list[str] = field(default_factory=list, compare=False)

    @property
    def signature(self) -> str:
        return "counting"

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        self.asked.extend(str(request.text) for request in requests)
        return [Output(request.id, str(request.text)) for request in requests]


def refused(make: Callable[[], Method], segments: Sequence[Segment]) -> str:
    """The error, after which the engine was not asked."""
    engine = Counting(name="nmt", pair=parse_pair(PAIR))
    with pytest.raises(MtassayError) as caught:
        execute(make(), segments, [engine])
    assert engine.asked == []
    return str(caught.value)


def refused_invariance(**settings: Any) -> str:
    chosen = {"pair": PAIR, "checks": (), "filters": (), **settings}
    return refused(lambda: InvarianceMethod.resolve(chosen), [ORIGINAL, VARIANT])


def refused_behavior(**settings: Any) -> str:
    return refused(lambda: BehaviorMethod.resolve({"pair": PAIR, **settings}), segments_of(CASE))


def refused_score(segments: Sequence[Segment], **settings: Any) -> str:
    return refused(lambda: ScoreMethod.resolve({"pair": PAIR, **settings}), segments)


@pytest.fixture
def only_english(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where an annotator of English is installed, and no other."""
    english = FakeAnnotator("en")
    found: Callable[..., Any] = lambda code, *_: iter([english] if code == "en" else [])  # noqa: E731
    monkeypatch.setattr(roster, "_candidates", found)


@pytest.fixture
def no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the sentence encoder is not installed."""
    open_vectors.cache_clear()  # an earlier test may have opened it
    monkeypatch.setattr(encoder, "PACKAGE", "no-such-package")
    monkeypatch.setattr(encoder, "_load", lambda: exec("import no_such_package"))


@pytest.mark.usefixtures("only_english")
@pytest.mark.parametrize(
    "settings",
    [
        {"structure": "dependency"},
        {"structure": "constituency"},
        {"structure": "raw", "relations": "referential"},
    ],
)
def test_a_parser_that_is_missing_is_told_first(settings: dict[str, Any]) -> None:
    message = refused_invariance(**settings)
    assert "No annotator on this machine gives" in message
    assert "for German" in message


@pytest.mark.usefixtures("only_english")
def test_words_are_compared_where_nobody_asks_for_a_parser_that_is_missing() -> None:
    assert InvarianceMethod.resolve({"pair": "en-de"}).structure == "tokens"
    assert InvarianceMethod.resolve({"pair": "de-en"}).structure == "dependency"
    assert InvarianceMethod.resolve({"pair": "en-de", "structure": "dependency"}).structure == "dependency"


@pytest.mark.usefixtures("only_english")
def test_without_a_parser_numbers_and_names_change_and_where_there_are_none_nobody_is_asked() -> None:
    texts = [Segment("1", "Er kaufte gestern 14 Bücher für Anna."), Segment("2", "他买了14本书。")]
    for text, code in zip(texts, ("de-en", "zh-ru"), strict=True):
        method = InvarianceMethod.resolve({"pair": code})
        original, *variants = method.generate([text], MemoryContext()).segments
        assert original == text
        assert variants
        assert all(v.source is not None and "14" in v.source + v.tags["edit"]["before"] for v in variants)
    message = refused(
        lambda: InvarianceMethod.resolve({"pair": "de-en"}), [Segment("1", "Das Haus ist klein.")]
    )
    assert message.startswith("There is no variant to compare: no number or name that may change.")


@pytest.mark.usefixtures("no_encoder")
def test_an_encoder_that_is_missing_is_told_first() -> None:
    assert "mtassay[use]" in refused_invariance(structure="raw", relations="same-output")


@pytest.mark.usefixtures("no_encoder")
def test_a_measure_or_metric_that_is_missing_is_told_first() -> None:
    assert "mtassay[use]" in refused_behavior(quality="use")
    assert "mtassay[use]" in refused_score([Segment("1", "a", ("b",))], metrics="use")


def test_a_judge_that_does_not_exist_is_told_first() -> None:
    segments = [Segment("1", "a", ("b",))]
    assert "nothing-of-the-kind" in refused_invariance(
        structure="raw", filters=("judge",), judge_by="nothing-of-the-kind"
    )
    assert "nothing-of-the-kind" in refused_behavior(judge_by="nothing-of-the-kind")
    assert "nothing-of-the-kind" in refused_score(segments, metrics="chrf", judge_by="nothing-of-the-kind")


@pytest.mark.usefixtures("only_english")
def test_what_a_metric_or_the_judge_of_score_lacks_is_told_first() -> None:
    bare = [Segment("1", "a")]
    assert "metric 'bleu' needs" in refused_score(bare, metrics="bleu")
    assert "nee needs annotated entities" in refused_score([Segment("1", "a", ("b",))], metrics="nee")
    no_sources = [Segment("1", None, ("b",))]
    assert "`judge_by` needs the sources" in refused_score(no_sources, metrics="chrf", judge_by="ours")
    assert "`judge_by` needs the languages" in refused_score(
        [Segment("1", "a", ("b",))], pair=None, metrics="chrf", judge_by="ours"
    )
