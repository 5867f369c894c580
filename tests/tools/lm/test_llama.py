"""Scores from a GGUF model, on a stand-in for llama-cpp-python whose numbers can be worked out by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from mtassay.errors import UsageError
from mtassay.tools.lm.hub import Prediction, Row
from mtassay.tools.lm.llama import LlamaCausal, is_gguf

PIECES = ["<s>", "▁a", "▁b", "c"]


class FakeLlama:
    """After piece n, each piece has the odds ODDS[n]; a text is the numbers of its pieces."""

    ODDS = np.array([[1, 2, 4, 1], [1, 1, 1, 1], [5, 1, 1, 1], [1, 1, 1, 5]])

    def __init__(self, start: int = 0) -> None:
        self.start = start
        self.model = None
        self.scores = np.zeros((512, 4), dtype=np.float32)
        self.n_tokens = 0

    def n_vocab(self) -> int:
        return len(PIECES)

    def token_bos(self) -> int:
        return self.start

    def token_eos(self) -> int:
        return -1

    def tokenize(self, text: bytes, *, add_bos: bool, special: bool) -> list[int]:
        assert not add_bos
        assert not special
        return [int(character) for character in text.decode("utf-8")]

    def reset(self) -> None:
        self.n_tokens = 0

    def eval(self, tokens: list[int]) -> None:
        for token in tokens:
            self.scores[self.n_tokens] = np.log(self.ODDS[token]) + 3.0
            self.n_tokens += 1


def model(start: int = 0) -> LlamaCausal:
    package = SimpleNamespace(
        llama_model_get_vocab=lambda _: None,
        llama_vocab_get_text=lambda _, number: PIECES[number].encode("utf-8"),
    )
    return LlamaCausal(package, FakeLlama(start), what="it")


def test_a_row_begins_with_the_start_and_a_long_text_has_none() -> None:
    assert model().read(["12", "", "1" * 511, "1" * 512, "\udfff"]) == [
        Row((0, 1, 2), 2),
        Row((0,), 0),
        Row((0, *[1] * 511), 511),
        None,
        None,
    ]


def test_the_score_is_the_sum_of_the_log_probabilities() -> None:
    # After <s> "a" has 2 of 8, after "a" "b" has 1 of 4; a start alone is certain.
    rows = [Row((0, 1, 2), 2), Row((0,), 0), Row((0, 2, 0), 2)]
    assert model().score(rows) == pytest.approx([math.log(2 / 8 * 1 / 4), 0.0, math.log(4 / 8 * 5 / 8)])


def test_the_next_pieces_are_the_most_probable_of_those_asked_for() -> None:
    (found,) = model().predict([Row((0,), 0)], among=[1, 2, 3], count=2)
    assert found == [
        Prediction(2, pytest.approx(math.log(4 / 8))),
        Prediction(1, pytest.approx(math.log(2 / 8))),
    ]


def test_a_model_that_cannot_begin_a_text_is_refused() -> None:
    with pytest.raises(UsageError, match="no token that begins a text"):
        model(start=-1)


def test_the_vocabulary_is_the_models_own() -> None:
    assert model().pieces == PIECES


@pytest.mark.parametrize(("name", "expected"), [("a/B.GGUF", True), ("m.gguf", True), ("gguf", False)])
def test_a_gguf_file_is_known_by_its_name(name: str, expected: bool) -> None:
    assert is_gguf(name) is expected
