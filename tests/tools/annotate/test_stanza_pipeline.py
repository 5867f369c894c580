"""Stanza's documents become annotations; its models are stood in for by objects of the same shape."""

from __future__ import annotations

from types import SimpleNamespace as Thing

import pytest

from mtassay.data.errors import UsageError
from mtassay.nlp.annotation import TokenSpan
from mtassay.nlp.annotators import open_annotator
from mtassay.nlp.stanza_pipeline import StanzaAnnotator
from tests.tools.annotate.checks import assert_well_formed


def word(lemma, upos, head, deprel, feats=None):
    return Thing(lemma=lemma, upos=upos, xpos=upos, feats=feats, head=head, deprel=deprel)


def tree(label, *children):
    return Thing(label=label, children=children)


def sentence(start):
    """`Vi o mar do Rio.`, beginning at this character; `do` has two words, as in Stanza's Portuguese."""
    tokens = [
        Thing(start_char=0, end_char=2, words=[word("ver", "VERB", 0, "root", "Person=1|Tense=Past")]),
        Thing(start_char=3, end_char=4, words=[word("o", "DET", 3, "det")]),
        Thing(start_char=5, end_char=8, words=[word("mar", "NOUN", 1, "obj")]),
        Thing(start_char=9, end_char=11, words=[word("de", "ADP", 6, "case"), word("o", "DET", 6, "det")]),
        Thing(start_char=12, end_char=15, words=[word("Rio", "PROPN", 3, "nmod")]),
        Thing(start_char=15, end_char=16, words=[word(".", "PUNCT", 1, "punct")]),
    ]
    for token in tokens:
        token.start_char += start
        token.end_char += start
    leaves = [tree(part, tree(part.lower())) for part in ("V", "D", "N", "P", "D", "N", ".")]
    noun_phrase = tree("NP", leaves[1], leaves[2], tree("PP", leaves[3], tree("NP", leaves[4], leaves[5])))
    return Thing(
        tokens=tokens, constituency=tree("ROOT", tree("S", tree("VP", leaves[0], noun_phrase), leaves[6]))
    )


TEXT = "Vi o mar do Rio. Vi o mar do Rio."


class FakePipeline:
    """Has the processors of a full pipeline and knows one text."""

    processors = dict.fromkeys(
        ("tokenize", "mwt", "pos", "lemma", "depparse", "ner", "constituency"), Thing()
    )

    def bulk_process(self, texts):
        if any(text != TEXT for text in texts):
            raise RuntimeError("only one text\nis known")
        ents = [Thing(type="LOC", start_char=start + 12, end_char=start + 15) for start in (0, 17)]
        return [Thing(sentences=[sentence(0), sentence(17)], ents=ents) for _ in texts]


@pytest.fixture
def annotator():
    return StanzaAnnotator(FakePipeline(), language="pt", model="pt")


def test_words_heads_and_entities_count_written_words_of_the_whole_text(annotator):
    [found] = annotator.annotate([TEXT])
    assert_well_formed(found, annotator)
    assert [(token.text, token.lemma, token.head) for token in found.tokens[6:]] == [
        ("Vi", "ver", -1),
        ("o", "o", 8),
        ("mar", "mar", 6),
        ("do", "de o", 10),
        ("Rio", "Rio", 8),
        (".", ".", 6),
    ]
    assert found.tokens[0].features == {"Person": "1", "Tense": "Past"}
    assert found.entities == (TokenSpan(4, 5, "LOC"), TokenSpan(10, 11, "LOC"))
    assert "constituents" in annotator.gives


def test_constituents_are_the_phrases_of_the_tree(annotator):
    [found] = annotator.annotate([TEXT])
    assert [(span.label, found.covered(span)) for span in found.constituents[:5]] == [
        ("S", "Vi o mar do Rio."),
        ("VP", "Vi o mar do Rio"),
        ("NP", "o mar do Rio"),
        ("NP", "do Rio"),
        ("PP", "do Rio"),
    ]
    assert len(found.constituents) == 10


def test_a_text_that_stanza_chokes_on_costs_one_annotation(annotator):
    bad, good = annotator.annotate(["other", TEXT])
    assert bad.error == "RuntimeError: only one text is known"
    assert good.tokens


def test_a_pipeline_with_less_gives_less():
    pipeline = FakePipeline()
    pipeline.processors = {"tokenize": Thing(), "ner": Thing(config={"model_path": "ner/pt_bosque.pt"})}
    annotator = StanzaAnnotator(pipeline, language="pt", model="pt")
    assert annotator.gives == {"tokens", "entities"}
    assert annotator.signature.endswith("|pt|ner:pt_bosque")
    assert annotator.annotate([TEXT])[0].constituents is None


@pytest.mark.slow
def test_a_folder_without_the_language_names_the_download(tmp_path):
    pytest.importorskip("stanza", reason="needs Stanza: pip install 'mtassay[stanza]'")
    with pytest.raises(UsageError, match=r"stanza.download\('cy', model_dir="):
        open_annotator("cy", name=f"stanza:{tmp_path}")
