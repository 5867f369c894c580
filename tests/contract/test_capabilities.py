"""What every capability keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

import pytest

from mtassay.data.registry import each, find, names
from mtassay.methods.behavior.capability import Capability, open_capability, paper_capabilities
from mtassay.methods.behavior.case_files import changes_between
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import LAYERS, Annotation, Token, TokenSpan

EXAMPLES = {
    "noun": ("We/PRON saw/VERB ships/NOUN", "We/PRON saw/VERB boats/NOUN"),
    "verb": ("We/PRON saw/VERB ships/NOUN", "We/PRON built/VERB ships/NOUN"),
    "adjective": ("We/PRON saw/VERB old/ADJ ships/NOUN", "We/PRON saw/VERB new/ADJ ships/NOUN"),
    "adverb": ("We/PRON often/ADV sail/VERB", "We/PRON rarely/ADV sail/VERB"),
    "preposition": ("We/PRON slept/VERB in/ADP ships/NOUN", "We/PRON slept/VERB near/ADP ships/NOUN"),
    "others": ("We/PRON saw/VERB three/NUM ships/NOUN", "We/PRON saw/VERB four/NUM ships/NOUN"),
    "tense": ("Ela/PRON viu/VERB:VerbForm=Fin", "Ela/PRON vira/VERB:VerbForm=Fin:Tense=Pqp"),
    "ner": ("We/PRON love/VERB Paris/PROPN@GPE", "We/PRON love/VERB London/PROPN@GPE"),
    "general": (
        "On/ADP Monday/NOUN we/PRON all/DET saw/VERB ships/NOUN",
        "On/ADP Monday/NOUN we/PRON all/DET saw/VERB boats/NOUN",
    ),
}
"""A source, and an edit of it that is of the kind; `word/PART:Feature=Value@ENTITY`."""


def read(text: str) -> Annotation:
    """A sentence as it is written here."""
    tokens, entities, start = [], [], 0
    for number, part in enumerate(text.split()):
        rest, _, entity = part.partition("@")
        word, _, about = rest.partition("/")
        pos, *features = about.split(":")
        known = dict(feature.split("=") for feature in features)
        tokens.append(Token(word, start, start + len(word), word, pos, pos, known))
        entities += [TokenSpan(number, number + 1, entity)] if entity else []
        start += len(word) + 1
    return Annotation(" ".join(token.text for token in tokens), tuple(tokens), tuple(entities))


def places(source: Annotation) -> list[AlignedSpan]:
    """Every word that is not the first, and every entity, each linked with itself."""
    labels = [(number, token.pos) for number, token in enumerate(source.tokens) if number]
    labels += [(span.start, span.label) for span in source.entities]
    return [
        AlignedSpan(token.start, token.end, token.start, token.end, label, number)
        for number, label in labels
        for token in [source.tokens[number]]
    ]


@pytest.fixture(params=names("capability"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def capability(name: str) -> Capability:
    return open_capability(name)


def test_every_registered_capability_is_checked() -> None:
    assert EXAMPLES.keys() >= set(names("capability"))


def test_it_says_what_it_is(name: str, capability: Capability) -> None:
    assert capability.name == name
    assert capability.about
    assert not capability.about.endswith(".")
    assert capability.needs <= LAYERS
    assert capability.spans_at_once >= 1
    assert 0 < capability.most_of_source <= 1


def test_no_two_have_a_name_in_common() -> None:
    written = [each_name for found in each("capability") for each_name in (found.name, *found.aliases)]
    assert len(written) == len(set(written))
    assert written == [text.lower() for text in written]


def test_nine_are_of_the_paper() -> None:
    assert len(paper_capabilities()) == 9
    assert all(find("capability", name).is_of_the_paper for name in paper_capabilities())


def test_it_finds_its_places_among_those_there_are(name: str, capability: Capability) -> None:
    source = read(EXAMPLES[name][0])
    pair = ReadPair("1", source, source, frozenset())
    found = capability.spans(pair, places(source))
    assert found
    assert set(found) <= set(places(source))
    for span in found:
        assert source.text[span.start : span.end] in capability.instruction(pair, span)
    assert capability.spans(pair, []) == []


def test_an_edit_of_its_kind_is_taken(name: str, capability: Capability) -> None:
    source, edited = map(read, EXAMPLES[name])
    changes = changes_between(source.text, edited.text)
    assert changes
    assert capability.objection(edited, changes, original=source) is None
