"""Words ranked by a causal language model: the logic on a fake, the library on a tiny GPT-2."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.errors import MissingExtraError, UsageError
from mtassay.methods.invariance.substitute_models import CausalLM, rank
from mtassay.methods.invariance.substitutes import Candidate, Substituter, WordPlace
from mtassay.nlp.language_models import CausalModel
from tests.methods.invariance.variants import lms
from tests.methods.invariance.variants.lms import FakeCausal, place

SCORES = {
    "▁the": -1.0,
    "▁cat": -2.0,
    "▁dog": -3.0,
    "▁house": -4.0,
    "▁sleeps": -1.0,
    "▁Paris": -2.5,
    "s": -0.1,
}


class FakeLexicon(Substituter):
    """Knows the same words for every place, worst first for the model above."""

    name = "fake"
    signature = "fake-lexicon"

    def __init__(self, *words: str) -> None:
        self.words = words

    def substitutes(self, places: Sequence[WordPlace], *, count: int) -> list[list[Candidate]]:
        """The words, with falling scores."""
        known = [Candidate(word, -float(rank)) for rank, word in enumerate(self.words)]
        return [known[:count] for _ in places]


def causal(model: CausalModel, lexicon: Substituter | None, *, pool: int = 40) -> CausalLM:
    """A substituter that asks this model and this lexicon."""
    found = CausalLM("fake", "en", pool=pool)
    found.__dict__.update(_model=model, _lexicon=lexicon)
    return found


def test_words_of_the_lexicon_are_ranked_by_the_whole_sentence() -> None:
    # "the", the word and "sleeps": -1 - 2 - 1, -1 - 3 - 1 and -1 - 4 - 1.
    words = causal(FakeCausal(SCORES), FakeLexicon("house", "dog", "cat"))
    (found,) = words.substitutes([place("the moon sleeps", "moon")], count=2)
    assert found == [Candidate("cat", -4.0), Candidate("dog", -5.0)]


def test_words_are_tried_in_the_case_they_will_stand_in() -> None:
    # "Paris" is known with its capital only; a small "paris" would cost 9.
    words = causal(FakeCausal(SCORES), FakeLexicon("paris", "Paris"))
    assert words.substitutes([place("Moon sleeps", "Moon")], count=2) == [[Candidate("Paris", -3.5)]]


def test_the_lexicon_of_the_language_is_taken_where_there_is_one() -> None:
    lexicon = CausalLM("fake", "en")._lexicon
    assert lexicon is not None
    assert lexicon.name == "lexicon"
    assert CausalLM("fake", "is")._lexicon is None


def test_only_the_pool_is_tried() -> None:
    words = causal(FakeCausal(SCORES), FakeLexicon("house", "dog", "cat"), pool=2)
    (found,) = words.substitutes([place("the moon sleeps", "moon")], count=2)
    assert [candidate.word for candidate in found] == ["dog", "house"]


def test_the_pool_is_never_smaller_than_what_is_asked_for() -> None:
    words = causal(FakeCausal(SCORES), FakeLexicon("house", "dog", "cat"), pool=1)
    (found,) = words.substitutes([place("the moon sleeps", "moon")], count=3)
    assert [candidate.word for candidate in found] == ["cat", "dog", "house"]


def test_a_word_that_the_lexicon_does_not_know_has_no_substitutes() -> None:
    words = causal(FakeCausal(SCORES), FakeLexicon())
    assert words.substitutes([place("the moon sleeps", "moon")], count=3) == [[]]


def test_without_a_lexicon_the_model_proposes() -> None:
    # "s" begins no word after a space, and "the" is expected there as anywhere.
    words = causal(FakeCausal(SCORES), None)
    (found,) = words.substitutes([place("the cat sleeps", "cat")], count=4)
    assert [candidate.word for candidate in found] == ["sleeps", "the", "Paris", "dog"]
    assert found[-1].score == -5.0


def test_the_model_is_told_what_stands_before_without_the_space() -> None:
    read: list[str] = []

    class Listening(FakeCausal):
        def read(self, texts):  # type: ignore[no-untyped-def]
            read.extend(texts)
            return super().read(texts)

    causal(Listening(SCORES), None, pool=1).substitutes([place("the moon sleeps", "moon")], count=1)
    # "sleeps" and "the" are equally probable: the first in the alphabet is tried.
    assert read == ["the", "the sleeps sleeps"]


def test_a_sentence_that_comes_from_two_places_is_scored_once() -> None:
    model = FakeCausal(SCORES)
    words = causal(model, FakeLexicon("cat"))
    places = [place("the dog sleeps", "dog"), place("the house sleeps", "house")]
    assert words.substitutes(places, count=1) == [[Candidate("cat", -4.0)]] * 2
    assert model.batches == [[15]]


def test_batches_are_of_like_length_and_within_the_budget() -> None:
    model = FakeCausal(SCORES, budget=12)
    words = causal(model, FakeLexicon("dog"))
    words.substitutes([place(text, "cat") for text in ("a cat", "the big cat", "my cat", "cat")], count=1)
    assert model.batches == [[12], [7], [6, 4]]


def test_a_sentence_that_is_too_long_costs_only_itself() -> None:
    words = causal(FakeCausal(SCORES), FakeLexicon("dog"))
    places = [place("the cat", "cat"), place("the cat " * 9, "cat"), place("cat", "cat")]
    assert [len(found) for found in words.substitutes(places, count=1)] == [1, 0, 1]


@given(st.lists(st.lists(st.sampled_from(["cat", "dog", "house", "x"])), max_size=4), st.integers(1, 5))
def test_ranking_keeps_places_apart_and_puts_the_best_first(pools: list[list[str]], count: int) -> None:
    places = [place("the " * number + "moon", "moon") for number in range(len(pools))]
    given_words = [[Candidate(word, 0.0) for word in pool] for pool in pools]
    found = rank(FakeCausal(SCORES, budget=20), places, given_words, count=count)
    for pool, ranked in zip(pools, found, strict=True):
        assert len(ranked) == min(count, len(set(pool)))
        assert {candidate.word for candidate in ranked} <= set(pool)
        assert [c.score for c in ranked] == sorted((c.score for c in ranked), reverse=True)


@pytest.mark.parametrize(
    ("model", "pool", "words"), [("", 5, "no model"), ("gpt2", 0, "pool is 0"), ("gpt2", -1, "pool is -1")]
)
def test_what_makes_no_sense_is_refused(model: str, pool: int, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        CausalLM(model, "en", pool=pool)


def test_a_gguf_file_is_for_chat() -> None:
    with pytest.raises(UsageError, match=r"asked as a chat model: llm:llama:some\.gguf"):
        CausalLM("some.gguf", "en")


@pytest.mark.skipif(importlib.util.find_spec("transformers") is not None, reason="it is installed")
def test_a_missing_library_is_named_when_it_is_used() -> None:
    words = causal_of("gpt2")
    for use in (lambda: words.signature, lambda: words.substitutes([place("a dog", "dog")], count=1)):
        with pytest.raises(MissingExtraError, match=r"pip install 'mtassay\[transformers\]'"):
            use()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a GPT-2 and a BERT."""
    for package in ("torch", "transformers"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("models")
    lms.build_gpt2(folder / "gpt2")
    lms.build_bert(folder / "bert", head=False)
    return folder


@pytest.mark.slow
class TestTinyModels:
    """Real library, random weights."""

    def test_a_sentence_scores_as_the_library_says(self, models: Path) -> None:
        import torch
        from transformers import GPT2LMHeadModel, GPT2TokenizerFast

        words = causal_of(models / "gpt2", FakeLexicon("dog", "bread"))
        places = [place("the old cat is near.", "cat"), place("cat", "cat")]
        found = words.substitutes(places, count=2)
        tokenizer = GPT2TokenizerFast.from_pretrained(models / "gpt2")
        model = GPT2LMHeadModel.from_pretrained(models / "gpt2").eval()
        for text, candidates in zip(("the old {} is near.", "{}"), found, strict=True):
            assert len(candidates) == 2
            for word, score in candidates:
                tokens = [tokenizer.bos_token_id, *tokenizer(text.format(word)).input_ids]
                row = torch.tensor([tokens])
                with torch.no_grad():
                    # The library's loss is the mean over all tokens but the first.
                    loss = float(model(row, labels=row).loss)
                assert score == pytest.approx(-loss * (len(tokens) - 1), abs=1e-3)

    def test_predictions_are_whole_words_that_begin_where_the_word_did(self, models: Path) -> None:
        words = causal_of(models / "gpt2")
        found = words.substitutes([place("the old cat is near.", "cat"), place("Moon", "Moon")], count=99)
        known = {words._words.spelled[piece] for piece in words._words.spaced}
        assert {candidate.word for candidate in found[0]} == known - {"cat"}
        assert all(candidate.word[0].isupper() for candidate in found[1])

    def test_a_batch_answers_as_its_places_do_alone(self, models: Path) -> None:
        words = causal_of(models / "gpt2")
        texts = ["the red cat is near a dog.", "cat", "the (cat) is old.", "the cat " * 20, "a \udfff cat"]
        places = [place(text, "cat") for text in texts]
        together = words.substitutes(places, count=3)
        alone = [words.substitutes([one], count=3)[0] for one in places]
        for one, other in zip(together, alone, strict=True):
            assert [c.score for c in one] == pytest.approx([c.score for c in other], abs=1e-3)
        assert [bool(found) for found in together] == [True, True, True, False, False]

    def test_what_is_no_causal_model_is_a_usage_error(self, models: Path) -> None:
        with pytest.raises(UsageError, match="has no causal language model head") as caught:
            causal_of(models / "bert").substitutes([place("a cat", "cat")], count=1)
        assert "\n" not in str(caught.value)

    def test_the_signature_says_where_the_words_come_from(self, models: Path) -> None:
        alone, lexicon = causal_of(models / "gpt2"), causal_of(models / "gpt2", FakeLexicon())
        assert "words:model" in alone.signature
        assert "words:fake-lexicon" in lexicon.signature
        assert str(models) not in alone.signature


def causal_of(model: Path | str, lexicon: Substituter | None = None) -> CausalLM:
    """A substituter with a real model."""
    found = CausalLM(str(model), "en", device="cpu")
    found.__dict__["_lexicon"] = lexicon
    return found
