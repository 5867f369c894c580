"""Texts to batches of about one length, each distinct text once, the next ones prepared meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.measures.comet import WINDOW, ahead, cut, encode


@given(st.lists(st.integers(0, 30)), st.integers(1, 100))
def test_batches_have_all_texts_in_order_and_no_more_tokens_than_allowed(
    lengths: list[int], most: int
) -> None:
    lengths.sort(reverse=True)
    batches = [lengths[part] for part in cut(lengths, most)]
    assert [length for batch in batches for length in batch] == lengths
    assert all(batch for batch in batches)
    assert all(len(batch) == 1 or len(batch) * max(batch) <= most for batch in batches)


def test_the_next_item_is_made_while_one_is_worked_on() -> None:
    made = [threading.Event() for _ in range(3)]

    def items() -> Iterator[int]:
        for number, event in enumerate(made):
            event.set()
            yield number

    for number in ahead(items()):
        assert all(event.wait(10) for event in made[: number + 2])


def test_what_goes_wrong_while_an_item_is_made_is_raised() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    seen = []
    with pytest.raises(ValueError, match="broken"):
        seen.extend(ahead(items()))


@dataclass
class FakeModel:
    """A token per letter; the vector of a text is the sum of its tokens. Keeps the shapes of its batches."""

    shapes: list[tuple[int, int]] = field(default_factory=list)
    layerwise_attention: None = None

    @property
    def encoder(self) -> Any:
        return SimpleNamespace(tokenizer=FakeTokenizer(), max_positions=12)

    def get_sentence_embedding(self, tokens: Any, mask: Any) -> Any:
        self.shapes.append(tuple(tokens.shape))
        return (tokens * mask).sum(1, keepdim=True)


class FakeTokenizer:
    pad_token_id = 1

    def __call__(self, texts: list[str], *, max_length: int, **_: Any) -> dict[str, list[list[int]]]:
        return {"input_ids": [[ord(letter) for letter in text][:max_length] for text in texts]}


@pytest.mark.slow
def test_every_distinct_text_is_encoded_once_beside_texts_of_its_length() -> None:
    pytest.importorskip("torch", reason="needs PyTorch: pip install 'mtassay[comet]'")
    texts = ["a" * (i % 9 + 1) + str(i) for i in range(WINDOW + 500)]
    model = FakeModel()
    rows, vectors = encode(model, [*texts, *reversed(texts)], most_tokens=100, device="cpu")
    assert sum(count for count, _ in model.shapes) == len(texts)
    assert all(count * longest <= 100 for count, longest in model.shapes)
    tokens = sum(min(len(text), 10) for text in texts)
    assert sum(count * longest for count, longest in model.shapes) < 1.03 * tokens, "padding"
    for text in texts:
        assert vectors[rows[text]].item() == sum(map(ord, text[:10]))
