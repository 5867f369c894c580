"""What every substituter keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.registry import find, names
from mtassay.methods.invariance.substitutes import Substituter, WordPlace, open_substituter, substituter_names
from mtassay.nlp.annotation import Annotation, Token
from tests.fake_annotator import FakeAnnotator

EXAMPLES = {
    "lexicon": "lexicon",
    "file": "file:{folder}/table.tsv",
    "fill-mask": "fill-mask:{folder}",
    "llm": "llm:openai:m?url=http://localhost:1/v1",
}
ELSEWHERE = {"fill-mask", "llm"}  # need a model: their own tests ask small ones that they build
WORDS = (Token("A", 0, 1), Token("dog", 2, 5, "dog", "NOUN", "NN"), Token("barks", 6, 11))
SENTENCE = Annotation("A dog barks.", WORDS)


@pytest.fixture(params=names("substitutes"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def substituter(name: str, tmp_path: Path) -> Substituter:
    (tmp_path / "table.tsv").write_text("NN\tdog\tcat:70 cow:60 pig:50\n", encoding="utf-8")
    return open_substituter(EXAMPLES[name].format(folder=tmp_path), "en")


def test_every_registered_substituter_is_checked() -> None:
    assert EXAMPLES.keys() >= set(names("substitutes"))


def test_it_says_what_it_is_and_is_written_as_it_is_opened(name: str, substituter: Substituter) -> None:
    assert substituter.name == name
    assert substituter.about
    assert "\n" not in substituter.about
    [written] = [written for written in substituter_names() if written.partition(":")[0] == name]
    assert (":" in written) == (":" in EXAMPLES[name]) == bool(substituter.wants)


def test_what_it_takes_must_be_there_and_nothing_else(name: str) -> None:
    text = f"{name}:" if find("substitutes", name).argument else f"{name}:x"
    with pytest.raises(UsageError, match=rf"ubstituter '{text}'"):
        open_substituter(text, "en")


def test_each_place_has_its_words_the_best_first(name: str, substituter: Substituter) -> None:
    if name in ELSEWHERE:
        pytest.skip("needs a model")
    nothing = FakeAnnotator("en").annotate(["Xyzzy plugh."])[0]
    found, none = substituter.substitutes([WordPlace(SENTENCE, 1), WordPlace(nothing, 0)], count=2)
    assert [candidate.score for candidate in found] == sorted((c.score for c in found), reverse=True)
    assert 0 < len(found) <= 2
    assert none == []
    assert substituter.has_matched
    assert substituter.substitutes([], count=2) == []
    assert substituter.signature == substituter.signature != ""
