"""Words from a masked language model: the logic on a fake, the library on tiny models."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.methods.invariance.substitutes import Candidate, FillMask, WordPlace
from mtassay.nlp.annotation import Annotation, Token
from mtassay.nlp.language_models import Gap, MaskedModel, TransformersMasked, read_words
from tests.methods.invariance.variants import lms
from tests.methods.invariance.variants.lms import FakeMasked, place

SCORES = {
    "▁dog": -1.0,
    "▁cat": -1.5,
    "▁Cat": -1.6,
    "▁7": -0.1,
    "s": -0.2,
    "▁Paris": -2.0,
    "▁house": -2.5,
    "bread": -3.0,
}


def fill_mask(model: MaskedModel) -> FillMask:
    """A substituter that asks this model."""
    found = FillMask("fake", "en")
    found.__dict__["_model"] = model
    return found


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        # The word itself is no substitute; "7" is no word; "s" begins none after a space.
        ("the dog ran", "dog", ["cat", "Cat", "Paris", "house"]),
        ("the DOG ran", "DOG", ["CAT", "PARIS", "HOUSE"]),
        ("the Moon ran", "Moon", ["Dog", "Cat", "Paris", "House"]),
        ("Dog ran", "Dog", ["S", "Cat", "Paris", "House", "Bread"]),
        ("the (moon) ran", "moon", ["s", "bread"]),
    ],
)
def test_words_fit_the_place(text: str, word: str, expected: list[str]) -> None:
    (found,) = fill_mask(FakeMasked(SCORES)).substitutes([place(text, word)], count=9)
    assert [candidate.word for candidate in found] == expected


def test_the_score_is_the_log_probability_and_the_better_of_two_spellings_counts() -> None:
    (found,) = fill_mask(FakeMasked(SCORES)).substitutes([place("Moon", "Moon")], count=3)
    assert found == [Candidate("S", -0.2), Candidate("Dog", -1.0), Candidate("Cat", -1.5)]


def test_equal_scores_stand_in_alphabetical_order() -> None:
    model = FakeMasked({"▁b": -1.00001, "▁a": -1.00002, "▁c": -0.5})
    (found,) = fill_mask(model).substitutes([place("x y", "y")], count=3)
    assert found == [Candidate("c", -0.5), Candidate("a", -1.0), Candidate("b", -1.0)]


def test_batches_are_of_like_length_and_answers_keep_the_order_of_the_places() -> None:
    # Words after a space, after a bracket and at the start are batches of their own: lengths 9, 4, 3; 5; 1.
    model = FakeMasked(SCORES, budget=21)
    texts = [("a dog", "dog"), ("the big dog", "dog"), ("my dog", "dog"), ("a (dog)", "dog"), ("dog", "dog")]
    found = fill_mask(model).substitutes([place(*text) for text in texts], count=1)
    assert [[candidate.word for candidate in words] for words in found] == [["cat"]] * 3 + [["s"]] * 2
    # 2 rows of 9 are 18 pieces, 3 would be 27.
    assert model.batches == [[9, 4], [3], [5], [1]]


def test_a_text_that_is_too_long_costs_only_itself() -> None:
    places = [place("a dog", "dog"), place("a dog" + " and so on" * 9, "dog"), place("the dog", "dog")]
    found = fill_mask(FakeMasked(SCORES)).substitutes(places, count=1)
    assert [len(words) for words in found] == [1, 0, 1]


def test_nothing_is_asked_of_the_model_without_need() -> None:
    class Closed(FillMask):
        @property
        def _model(self) -> MaskedModel:  # type: ignore[override]
            raise AssertionError("opened")

    assert Closed("fake", "en").substitutes([], count=3) == []
    assert Closed("fake", "en").substitutes([place("a dog", "dog")], count=0) == [[]]


@pytest.mark.parametrize(("model", "language", "words"), [("", "en", "no model"), ("bert", "xx-yy-zz", "xx")])
def test_what_makes_no_sense_is_refused(model: str, language: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        FillMask(model, language)


@pytest.mark.skipif(importlib.util.find_spec("transformers") is not None, reason="it is installed")
def test_a_missing_library_is_named_when_it_is_used() -> None:
    words = FillMask("bert-base-cased", "en")
    for use in (lambda: words.signature, lambda: words.substitutes([place("a dog", "dog")], count=1)):
        with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[transformers\]'"):
            use()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two BERTs, one without its head, an XLM-R and a GPT-2."""
    for package in ("torch", "transformers", "sentencepiece"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("models")
    lms.build_bert(folder / "bert")
    lms.build_bert(folder / "cased", cased=True)
    lms.build_bert(folder / "headless", head=False)
    lms.build_xlmr(folder / "xlmr")
    lms.build_gpt2(folder / "gpt2")
    (folder / "empty").mkdir()
    return folder


@pytest.mark.slow
class TestTinyModels:
    """Real library, random weights."""

    @pytest.mark.parametrize("name", ["bert", "cased", "xlmr"])
    def test_log_probabilities_are_those_of_the_library(self, models: Path, name: str) -> None:
        import torch
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        words = FillMask(str(models / name), "en", device="cpu")
        (found,) = words.substitutes([place("the old cat is near", "cat")], count=4)
        tokenizer = AutoTokenizer.from_pretrained(models / name)
        model = AutoModelForMaskedLM.from_pretrained(models / name).eval()
        inputs = tokenizer(f"the old {tokenizer.mask_token} is near", return_tensors="pt")
        with torch.no_grad():
            at = inputs.input_ids[0].tolist().index(tokenizer.mask_token_id)
            expected = model(**inputs).logits[0, at].log_softmax(-1)
        mark = "▁" if name == "xlmr" else ""
        assert len(found) == 4
        for word, score in found:
            number = tokenizer.convert_tokens_to_ids(mark + word)
            assert number != tokenizer.unk_token_id
            assert score == pytest.approx(float(expected[number]), abs=1e-3)
        assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
        # None of the words left out is better than the last one proposed, except for the word itself.
        known = read_words(words._model.pieces)
        others = [n for n in known.spaced if known.spelled[n] not in {"cat", *(c.word for c in found)}]
        assert max(float(expected[n]) for n in others) <= found[-1].score + 1e-3

    def test_pieces_that_are_no_words_are_never_proposed(self, models: Path) -> None:
        words = FillMask(str(models / "bert"), "en")
        (found,) = words.substitutes([place("the cat is near", "cat")], count=99)
        assert {c.word for c in found} == {word.lower() for word in lms.WORDS} - {"cat"}

    @pytest.mark.parametrize("name", ["bert", "xlmr"])
    def test_a_batch_answers_as_its_places_do_alone(self, models: Path, name: str) -> None:
        words = FillMask(str(models / name), "en")
        places = [
            place(text, word)
            for text, word in [
                ("the red house is near a cat.", "house"),
                ("a dog", "dog"),
                ("Moon and sun", "Moon"),
                ("the (book) is old.", "book"),
                ("the cat " * 20, "cat"),
                ("a [MASK] <mask> dog", "dog"),
                ("a \udfff dog", "dog"),
            ]
        ]
        together = words.substitutes(places, count=3)
        alone = [words.substitutes([one], count=3)[0] for one in places]
        for one, other in zip(together, alone, strict=True):
            assert [c.score for c in one] == pytest.approx([c.score for c in other], abs=1e-3)
        assert [bool(found) for found in together] == [True, True, True, True, False, False, False]

    def test_a_model_without_case_gets_the_case_of_the_word(self, models: Path) -> None:
        found = FillMask(str(models / "bert"), "en").substitutes([place("the Sun is old", "Sun")], count=5)
        assert all(candidate.word.istitle() for candidate in found[0])

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("headless", "has no masked language model head"),
            ("gpt2", "cannot be loaded"),
            ("empty", "cannot be loaded"),
        ],
    )
    def test_what_is_no_masked_model_is_a_usage_error(self, models: Path, name: str, words: str) -> None:
        with pytest.raises(UsageError, match=words) as caught:
            FillMask(str(models / name), "en").substitutes([place("a cat", "cat")], count=1)
        assert "\n" not in str(caught.value)

    def test_the_signature_follows_the_content_and_not_the_path(self, models: Path) -> None:
        words = FillMask(str(models / "cased"), "en", device="cpu")
        before = words.signature
        assert str(models) not in before
        assert before != FillMask(str(models / "bert"), "en", device="cpu").signature
        (models / "cased" / "note.txt").write_text("trained again", encoding="utf-8")
        assert words.signature != before

    def test_nothing_is_printed(self, models: Path, capfd: pytest.CaptureFixture[str]) -> None:
        capfd.readouterr()
        FillMask(str(models / "xlmr"), "en").substitutes([place("a cat " * 30, "cat")], count=1)
        assert capfd.readouterr() == ("", "")

    def test_the_mask_is_found_where_the_word_stood(self, models: Path) -> None:
        model = FillMask(str(models / "bert"), "en")._model
        assert isinstance(model, TransformersMasked)
        (row,) = model.read([Gap("the red ", " is old.")])
        # [CLS] the red [MASK] is old . [SEP]
        assert row is not None
        assert (row.at, len(row.tokens)) == (3, 8)


def test_a_word_in_the_middle_of_a_text_is_left_out_by_its_characters() -> None:
    sentence = Annotation("cat, cat, cat", (Token("cat", 0, 3), Token("cat", 5, 8), Token("cat", 10, 13)))
    model = FakeMasked(SCORES)
    read: list[Gap] = []

    class Listening(FakeMasked):
        def read(self, gaps):  # type: ignore[no-untyped-def]
            read.extend(gaps)
            return super().read(gaps)

    fill_mask(Listening(model.scores)).substitutes([WordPlace(sentence, 1)], count=1)
    assert read == [Gap("cat, ", ", cat")]
