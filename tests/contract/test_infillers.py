"""What every infiller keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.data.nouns import Output, Request, System, apply_edits
from mtassay.data.registry import each, names
from mtassay.methods.behavior.infiller import (
    Distinct,
    Filled,
    Infiller,
    Masked,
    Rejected,
    distinct_edits,
    infiller_class,
    infiller_names,
    open_infiller,
)
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import Annotation, Token
from tests.methods.behavior.fakes import Memory
from tests.methods.behavior.infill.build import EN_PT
from tests.methods.invariance.variants.lms import build_bert

EXAMPLES = {
    "lexicon": "lexicon",
    "llm": "llm:openai:m?url=http://localhost:1/v1&tries=2",
    "models": "models:{folder}/bert,{folder}/bert",
    "plain": "plain",
}


class Model(Memory):
    """Tools behind which a language model puts the same words into every mask."""

    def ask(self, system: System, requests: Sequence[Request]) -> list[Output]:
        return [Output(request.id, self._reply(json.loads(request.text or "[]"))) for request in requests]

    def _reply(self, conversation: Sequence[dict[str, str]]) -> str:
        source, reference = conversation[-1]["content"].split("\n")[-2:]
        filled = [re.sub("<mask>", word, text.partition(": ")[2]) for word, text in zip(
            ("cat", "gato"), (source, reference), strict=True
        )]  # fmt: skip
        return json.dumps({"filled_source": filled[0], "filled_translation": filled[1]})


def words(text: str) -> Annotation:
    found = re.finditer(r"\w+|\.", text)
    return Annotation(text, tuple(Token(match[0], *match.span(), pos="NOUN") for match in found))


def masked(source: str, reference: str, word: str, other: str) -> Masked:
    start, there = source.index(word), reference.index(other)
    span = AlignedSpan(start, start + len(word), there, there + len(other), "NOUN", 1)
    pair = ReadPair("1", words(source), words(reference), frozenset())
    return Masked(pair, "noun", (span,), ("a noun",))


ASKED = [
    masked("the dog sleeps.", "o cachorro dorme.", "dog", "cachorro"),
    masked("the qqq sleeps.", "o zzz dorme.", "qqq", "zzz"),
]


@pytest.fixture(
    params=[pytest.param(n, marks=pytest.mark.slow) if n == "models" else n for n in names("infiller")]
)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def infiller(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Infiller:
    """The infiller of an example; skips where its package is not here, which the error names."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    if name == "models":
        pytest.importorskip("transformers")
        build_bert(tmp_path / "bert")
    try:
        return open_infiller(EXAMPLES[name].format(folder=tmp_path), EN_PT, Model())
    except MissingExtraError as error:
        pytest.skip(str(error))


def test_every_registered_infiller_is_checked() -> None:
    assert EXAMPLES.keys() >= set(names("infiller"))


def test_every_request_has_its_own_answer_in_order(infiller: Infiller) -> None:
    answers = infiller.fill(ASKED)
    assert [answer.masked for answer in answers] == ASKED
    for answer in answers:
        if isinstance(answer, Filled):
            assert apply_edits(answer.masked.pair.source.text, answer.changes) == answer.source
            assert answer.source != answer.masked.pair.source.text
        else:
            assert isinstance(answer, Rejected)
            assert answer.reason
    assert infiller.fill([]) == []


def test_it_has_its_name_and_a_signature_that_stays(name: str, infiller: Infiller) -> None:
    assert infiller.name == name
    assert infiller.signature == infiller.signature != ""
    assert infiller.fill(ASKED) == infiller.fill(ASKED)


def test_it_is_written_as_it_is_opened(name: str) -> None:
    [written] = [written for written in infiller_names() if written.partition(":")[0] == name]
    assert (":" in written) == (":" in EXAMPLES[name])
    assert infiller_class(EXAMPLES[name]).name == name
    if ":" not in EXAMPLES[name]:
        with pytest.raises(UsageError, match=f"No infiller '{name}:x'"):
            infiller_class(f"{name}:x")


def test_it_says_what_it_never_edits_and_what_its_edits_change(name: str) -> None:
    found = infiller_class(EXAMPLES[name])
    assert {found.never_edits(capability) for capability in each("capability")} <= {True, False}
    assert isinstance(found.distinct({}), Distinct)
    assert isinstance(distinct_edits({"infiller": f"{name}:x"}), Distinct)


def test_it_offers_only_places_that_are_there(infiller: Infiller) -> None:
    for one in ASKED:
        for span in infiller.spans(one.pair, start=True) or ():
            assert 0 <= span.start < span.end <= len(one.pair.source.text)
