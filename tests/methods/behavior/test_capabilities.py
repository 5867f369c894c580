"""Each capability picks its spans, says what to put there, and objects to an edit of another kind."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

from mtassay.data import registry
from mtassay.data.errors import UsageError
from mtassay.data.nouns import Edit, apply_edits
from mtassay.methods.behavior.capability import Capability, capability_names, open_capability
from mtassay.methods.behavior.case_files import changes_between
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.methods.behavior.spans import aligned_spans
from mtassay.nlp.annotation import Annotator, with_phrases
from mtassay.nlp.annotators import open_annotator
from tests.fake_annotator import FakeAnnotator


@pytest.fixture(scope="module")
def english() -> Annotator:
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    try:
        return open_annotator("en", needs=("pos", "features", "dependencies", "entities"), name="spacy")
    except UsageError as error:
        pytest.skip(str(error))


def itself(annotator: Annotator, text: str) -> ReadPair:
    """A pair whose reference is its source, so that each word is linked with itself."""
    [found] = annotator.annotate([text])
    side = with_phrases(found)
    return ReadPair("1", side, side, frozenset((i, i) for i in range(len(side.tokens))))


def chosen(capability: Capability, pair: ReadPair) -> list[str]:
    return [pair.source.text[s.start : s.end] for s in capability.spans(pair, aligned_spans(pair))]


SPANS = [
    ("noun", "Then she took it to my local shop.", ["my local shop"]),
    ("noun", "Yesterday Maria sold him an old house.", ["an old house"]),
    ("verb", "The parcel will be sent.", ["will be sent"]),
    ("adjective", "She wore a very long coat with broken buttons.", ["very long", "broken"]),
    ("adverb", "He sings really well.", ["really well"]),
    ("preposition", "The cat sleeps under the table.", ["under the table"]),
    ("others", "We saw 455 birds and 2.7 million ants.", ["455", "and", "2.7 million"]),
    ("tense", "The number will be given soon.", ["will be given"]),
    ("tense", "The dog did not eat the bread.", ["did not eat"]),
    ("tense", "The dog had eaten the bread.", []),
    ("tense", "The dog wants to eat.", ["wants"]),
    ("ner", "Last week the minister flew to Paris.", ["Paris"]),
    ("general", "The old dog sleeps all day.", ["old", "dog", "sleeps", "all", "day"]),
    ("general", "The dog sleeps here.", []),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text", "expected"), SPANS)
def test_a_capability_picks_its_spans(english: Annotator, name: str, text: str, expected: list[str]) -> None:
    assert chosen(open_capability(name), itself(english, text)) == expected


INSTRUCTIONS = [
    ("noun", "She took it to my shop.", 'a noun or noun phrase other than "my shop"'),
    ("others", "We saw 455 birds.", 'a number other than "455"'),
    ("tense", "The dog barks.", 'a verb or verb phrase in the past perfect tense, instead of "barks"'),
    ("ner", "The minister flew to Paris.", 'a country, city or state other than "Paris"'),
    ("general", "The old dog sleeps all day.", 'a word or phrase other than "old"'),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text", "expected"), INSTRUCTIONS)
def test_an_instruction_says_what_to_put_there(
    english: Annotator, name: str, text: str, expected: str
) -> None:
    capability, pair = open_capability(name), itself(english, text)
    assert capability.instruction(pair, capability.spans(pair, aligned_spans(pair))[0]) == expected


EDITS = [
    ("noun", "She took it to my shop.", "She took it to my sister.", "She took it to sleep."),
    ("verb", "The children sang.", "The children slept.", "The children there."),
    ("verb", "The judge can see it.", "The judge can eat it.", "The judge can delivered it."),
    ("verb", "She brought a cake.", "She sold a cake.", "She show a cake."),
    ("adjective", "She wore a long coat.", "She wore a short coat.", "She wore a winter coat."),
    ("adverb", "He sings well.", "He sings badly.", "He sings songs."),
    ("preposition", "The cat sleeps under the table.", "The cat sleeps behind us.", "The cat sleeps well."),
    ("others", "We saw 455 birds.", "We saw three birds.", "We saw big birds."),
    ("tense", "The dog ate the bread.", "The dog had eaten the bread.", "The dog has eaten the bread."),
    ("tense", "The parcel was sent.", "The parcel had been sent.", "The parcel is being sent."),
    ("ner", "The minister flew to Paris.", "The minister flew to London.", "The minister flew to bed."),
    ("ner", "We met on Monday.", "We met on Friday.", "We met in London."),
    ("general", "The old dog sleeps all day.", "The old cat sleeps all day.", "The big cat sleeps all day."),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "source", "good", "bad"), EDITS)
def test_an_edit_of_another_kind_meets_an_objection(
    english: Annotator, name: str, source: str, good: str, bad: str
) -> None:
    capability = open_capability(name)
    annotations = english.annotate([source, good, bad])
    for edited, passes in ((1, True), (2, False)):
        changes = changes_between(source, annotations[edited].text)
        assert apply_edits(source, changes) == annotations[edited].text
        found = capability.objection(annotations[edited], changes, original=annotations[0])
        assert (found is None) == passes, found


@pytest.mark.slow
def test_without_the_original_any_entity_will_do(english: Annotator) -> None:
    [edited] = english.annotate(["We met in London."])
    changes = [Edit(7, 16, "on Monday", "in London")]
    assert open_capability("ner").objection(edited, changes) is None


@pytest.mark.slow
def test_every_one_of_several_edits_must_hold(english: Annotator) -> None:
    [edited] = english.annotate(["The girl sold her sister a quickly."])
    changes = [Edit(4, 7, "boy", "girl"), Edit(26, 31, "horse", "quickly")]
    assert open_capability("noun").objection(edited, changes) == '"quickly" is not a noun or noun phrase'


def test_a_general_edit_is_measured_on_the_words_that_it_replaces() -> None:
    annotator = FakeAnnotator("en")
    before, after = annotator.annotate(["a b c d e f g h i j.", "a x y z c d e f g h i j."])
    change = [Edit(2, 3, "b", "x y z")]
    general = open_capability("general")
    assert general.objection(after, change, original=before) is None  # 1 of 10 words
    assert general.objection(after, change) == "3 of 12 words are edited, which is not less than 20%"
    two = [Edit(2, 5, "b c", "x")]
    [shorter] = annotator.annotate(["a x d e f g h i j."])
    assert general.objection(shorter, two, original=before) is not None  # 2 of 10 is not less than 0.2


@pytest.mark.parametrize("name", capability_names())
def test_a_span_without_a_head_is_no_reason_to_fail(name: str) -> None:
    pair = itself(FakeAnnotator("en"), "a 19 house")
    capability = open_capability(name)
    headless = [AlignedSpan(2, 4, 2, 4, label, -1) for label in ("NUM", "NOUN", "VERB", "DATE")]
    for span in capability.spans(pair, headless):
        assert '"19"' in capability.instruction(pair, span)


@pytest.mark.parametrize("name", capability_names())
def test_every_capability_opens_under_its_name(name: str) -> None:
    assert open_capability(name).name == open_capability(name.upper()).name == name


def test_aliases_lead_to_capabilities() -> None:
    aliases = {alias: found.name for found in registry.each("capability") for alias in found.aliases}
    assert {alias: open_capability(alias).name for alias in aliases} == aliases
    papers = {"adj": "adjective", "adposition": "preposition", "NE": "ner", "NER": "ner"}
    assert {name: open_capability(name).name for name in papers} == papers


def test_an_unknown_capability_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"^No capability 'sarcasm'. Available: noun, verb, .*general\.$"):
        open_capability("sarcasm")


def test_another_package_can_add_a_capability(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("Mine", f"{__name__}:Mine", "mtassay.capability")
    monkeypatch.setattr(registry, "_entry_points", lambda kind: EntryPoints([point]))
    assert capability_names()[-1] == "Mine"
    assert isinstance(open_capability("Mine"), Mine)


class Mine(Capability):
    """A user's own: every span, whatever is there."""

    name = "Mine"

    def spans(self, pair: ReadPair, aligned: list[AlignedSpan]) -> list[AlignedSpan]:
        return list(aligned)

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        return "anything"
