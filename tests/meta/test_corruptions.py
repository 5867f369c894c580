"""Errors that are put into good translations: each is one, and none mends anything."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest

from mtassay.data.nouns import Edit
from mtassay.meta.challenge import flips, says_no
from mtassay.meta.corruptions import ERROR_KINDS, CorruptionSource, corrupt, plain_annotation
from mtassay.nlp.annotation import Annotation, Token, TokenSpan


def annotated(words: str, *, entities: tuple[TokenSpan, ...] = ()) -> Annotation:
    """A text from 'word/POS' or 'word/POS/lemma/Feature=Value'; '_' glues a word to the one before it."""
    text, tokens = "", []
    for entry in words.split():
        parts = entry.split("/")
        word = parts[0].removeprefix("_")
        text += "" if parts[0].startswith("_") or not text else " "
        features = dict(pair.split("=") for part in parts[3:] for pair in part.split(",") if "=" in pair)
        tag = features.pop("tag", "")
        lemma = parts[2] if len(parts) > 2 else word.lower()
        start = len(text)
        tokens.append(Token(word, start, start + len(word), lemma, parts[1], tag, features))
        text += word
    return Annotation(text, tuple(tokens), entities)


def applied(text: str, edit: Edit) -> str:
    assert text[edit.start : edit.end] == edit.before
    return text[: edit.start] + edit.after + text[edit.end :]


@pytest.mark.parametrize(
    ("language", "words", "flipped"),
    [
        ("en", "She/PRON did/AUX _n't/PART/not come/VERB _./PUNCT", "She did come."),
        ("en", "They/PRON ca/AUX _n't/PART/not swim/VERB _./PUNCT", "They can swim."),
        ("en", "It/PRON is/AUX/be/VerbForm=Fin open/ADJ _./PUNCT", "It is not open."),
        ("en", "He/PRON may/AUX/may/tag=MD stay/VERB _./PUNCT", "He may not stay."),
        ("pt", "Ela/PRON não/ADV veio/VERB _./PUNCT", "Ela veio."),
        ("pt", "Não/ADV veio/VERB _./PUNCT", "Veio."),
        ("pt", "Veio/VERB/vir/VerbForm=Fin ontem/ADV _./PUNCT", "Não veio ontem."),
        ("pt", "Ela/PRON se/PRON/se/Case=Acc cala/VERB/calar/VerbForm=Fin _./PUNCT", "Ela não se cala."),
        ("es", "Ella/PRON/ella/Case=Nom vino/VERB/venir/VerbForm=Fin _./PUNCT", "Ella no vino."),
        ("fr", "Elle/PRON/elle/Case=Nom vient/VERB/venir/VerbForm=Fin _./PUNCT", "Elle ne vient pas."),
        ("fr", "Elle/PRON aime/VERB/aimer/VerbForm=Fin lire/VERB _./PUNCT", "Elle n'aime pas lire."),
        ("fr", "Elle/PRON ne/ADV vient/VERB pas/ADV _./PUNCT", "Elle vient."),
        ("de", "Sie/PRON hat/VERB einen/DET Hund/NOUN _./PUNCT", "Sie hat keinen Hund."),
        ("de", "Sie/PRON hat/VERB keine/DET Zeit/NOUN _./PUNCT", "Sie hat eine Zeit."),
        ("de", "Sie/PRON kommt/VERB nicht/PART heute/ADV _./PUNCT", "Sie kommt heute."),
    ],
)  # fmt: skip
def test_a_statement_is_turned_round(language: str, words: str, flipped: str) -> None:
    text = annotated(words)
    assert flipped in [applied(text.text, edit) for edit in flips(text, language)]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "She/PRON is/AUX not/PART/not only/ADV kind/ADJ _./PUNCT"),
        ("en", "Is/AUX/be/VerbForm=Fin it/PRON open/ADJ _?/PUNCT"),
        ("xx", "It/PRON is/AUX/be/VerbForm=Fin open/ADJ _./PUNCT"),
    ],
)
def test_what_denies_in_form_alone_questions_and_unknown_languages_are_left(
    language: str, words: str
) -> None:
    assert list(flips(annotated(words), language)) == []


def test_a_flip_that_could_mend_a_translation_is_not_made() -> None:
    text = annotated("It/PRON is/AUX/be/VerbForm=Fin open/ADJ _./PUNCT")
    wrong = CorruptionSource("1", "Está fechado.", text, ("It is not open.",))
    right = CorruptionSource("2", "Está aberto.", text, ("It's open now.",))
    found = corrupt([wrong, right], "en", kinds=["negation"]).corruptions
    assert [(c.id, c.text) for c in found] == [("2", "It is not open.")]
    assert says_no("It is not open.", "en")


def test_a_changed_number_is_in_neither_source_nor_reference() -> None:
    texts = [f"They sold {n} chairs in 19{n % 90 + 10}." for n in range(3, 60)]
    sources = [
        CorruptionSource(str(i), text, plain_annotation(text), (text,)) for i, text in enumerate(texts)
    ]
    found = corrupt(sources, "en", kinds=["number"]).corruptions
    assert len(found) == len(texts)
    for corruption in found:
        assert corruption.edit.after != corruption.edit.before
        assert corruption.edit.after not in re.findall(r"\d+", texts[int(corruption.id)])
        assert len(corruption.edit.after) == len(corruption.edit.before)


def test_a_name_becomes_another_one_of_its_kind_and_length() -> None:
    rio = annotated("I/PRON saw/VERB Rio/PROPN _./PUNCT", entities=(TokenSpan(2, 3, "LOC"),))
    ana = annotated("I/PRON saw/VERB Ana/PROPN _./PUNCT", entities=(TokenSpan(2, 3, "PER"),))
    oslo = annotated("We/PRON like/VERB Oslo/PROPN _./PUNCT", entities=(TokenSpan(2, 3, "GPE"),))
    sources = [CorruptionSource(str(i), "", text, ()) for i, text in enumerate([rio, ana, oslo])]
    found = corrupt(sources, "en", kinds=["name"]).corruptions
    assert [(c.id, c.text) for c in found] == [("0", "I saw Oslo."), ("2", "We like Rio.")]


def test_a_wrong_word_has_the_same_form_and_stands_in_no_reference() -> None:
    cat = annotated("The/DET kitten/NOUN/kitten/Number=Sing slept/VERB/sleep/Tense=Past _./PUNCT")
    dogs = annotated("The/DET dogs/NOUN/dog/Number=Plur barked/VERB/bark/Tense=Past _./PUNCT")
    bird = annotated("The/DET bird/NOUN/bird/Number=Sing barked/VERB/bark/Tense=Past _./PUNCT")
    first = CorruptionSource("1", "", cat, ("The little bird slept.",))
    others = [CorruptionSource("2", "", dogs, ()), CorruptionSource("3", "", bird, ())]
    [made] = [c for c in corrupt([first, *others], "en", kinds=["wrong word"]).corruptions if c.id == "1"]
    assert made.text == "The kitten barked."


def test_nouns_of_one_form_change_places_unless_they_are_joined() -> None:
    bite = annotated("The/DET dog/NOUN bit/VERB the/DET man/NOUN _./PUNCT")
    both = annotated("A/DET dog/NOUN and/CCONJ a/DET man/NOUN came/VERB _./PUNCT")
    sources = [CorruptionSource("1", "", bite, ()), CorruptionSource("2", "", both, ())]
    found = corrupt(sources, "en", kinds=["word order"]).corruptions
    assert [(c.id, c.text) for c in found] == [("1", "The man bit the dog.")]


def test_agreement_is_broken_in_number_gender_or_person_alone() -> None:
    was = annotated("It/PRON was/AUX/be/Number=Sing,Tense=Past late/ADJ _./PUNCT")
    were = annotated("We/PRON were/AUX/be/Number=Plur,Tense=Past late/ADJ _./PUNCT")
    are = annotated("We/PRON are/AUX/be/Number=Plur,Tense=Pres late/ADJ _./PUNCT")
    sources = [CorruptionSource(str(i), "", text, ()) for i, text in enumerate([was, were, are])]
    found = corrupt(sources, "en", kinds=["agreement"]).corruptions
    assert [c.text for c in found] == ["It were late.", "We was late."]


def test_an_untranslated_word_is_the_one_that_the_word_stands_for() -> None:
    text = annotated("The/DET kitten/NOUN slept/VERB _./PUNCT")
    source = CorruptionSource("1", "O gatinho dormiu.", text, (), {1: "gatinho"})
    assert [c.text for c in corrupt([source], "en", kinds=["untranslated"]).corruptions] == [
        "The gatinho slept."
    ]


def test_words_are_dropped_and_doubled_and_endings_left_out() -> None:
    text = annotated(
        "The/DET kitten/NOUN slept/VERB all/DET day/NOUN _,/PUNCT as/SCONJ it/PRON was/AUX ill/ADJ _./PUNCT"
    )
    source = [CorruptionSource("1", "", text, ())]
    made = {
        c.kind: c.text
        for c in corrupt(source, "en", kinds=["dropped word", "doubled word", "omission"]).corruptions
    }
    assert made["omission"] == "The kitten slept all day."
    assert made["dropped word"] in [
        "The slept all day, as it was ill.", "The kitten all day, as it was ill.",
        "The kitten slept all, as it was ill.",
    ]  # fmt: skip
    words = made["doubled word"].replace(",", "").split()
    assert any(a == b for a, b in pairwise(words))


def test_a_corruption_that_is_a_reference_is_refused_and_counted() -> None:
    text = plain_annotation("They came in 12 cars")
    references = tuple(f"They came in {n} cars" for n in range(100) if n != 12)
    done = corrupt(
        [CorruptionSource("1", "", text, ("They came",) * 2 + references)], "en", kinds=["dropped word"]
    )
    assert done.corruptions == []  # no word here has five letters
    short = CorruptionSource("1", "", plain_annotation("They really came"), ("they came!",))
    done = corrupt([short], "en", kinds=["dropped word"])
    assert (done.corruptions, done.refused) == ([], {"is a reference": 1})


def test_a_text_more_or_less_changes_no_other_corruption_and_the_seed_does() -> None:
    lines = [
        f"The committee met {n} times before winter began" for n in random.Random(1).sample(range(900), 40)
    ]
    sources = [CorruptionSource(str(i), "", plain_annotation(line), ()) for i, line in enumerate(lines)]
    kinds = ["number", "doubled word", "dropped word"]
    whole = corrupt(sources, "en", kinds=kinds).corruptions
    assert [c for c in whole if c.id != "0"] == corrupt(sources[1:], "en", kinds=kinds).corruptions
    assert whole != corrupt(sources, "en", kinds=kinds, seed=2).corruptions


def test_without_an_annotator_only_what_needs_none_is_made() -> None:
    line = "In 1987 the whole committee went home early, because nobody had come to the meeting."
    found = corrupt([CorruptionSource("1", "", plain_annotation(line), ())], "en").corruptions
    assert {c.kind for c in found} == {"number", "dropped word", "doubled word", "omission"}
    assert set(ERROR_KINDS) > {c.kind for c in found}
