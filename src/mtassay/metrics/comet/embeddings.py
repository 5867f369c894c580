"""Sentence vectors of a COMET model: each distinct text encoded once, beside texts of its length.

A batch has texts of about one length, so that hardly anything is computed for padding. While the model
computes, a thread splits the next texts into tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

WINDOW = 2048
"""How many texts are split into tokens at once. Batches are cut from them by their numbers of tokens."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Batch:
    """Texts that are encoded together: tokens padded to the longest text, and which are no padding."""

    texts: Sequence[str]
    tokens: Any
    mask: Any


def encode(model: Any, texts: Iterable[str], *, most_tokens: int, device: str) -> tuple[dict[str, int], Any]:
    """Each distinct text's row, and the rows: what `model.get_sentence_embedding` gives, in single precision.

    A batch has at most `most_tokens` tokens, padding included, or one text. Call it in inference mode.
    """
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    # The longest first: what does not fit into memory is known at once.
    distinct = sorted(dict.fromkeys(texts), key=len, reverse=True)
    windows = (distinct[start : start + WINDOW] for start in range(0, len(distinct), WINDOW))
    prepared = (list(_batches(model, window, most_tokens, device)) for window in windows)
    weights = _layer_weights(model)
    rows: dict[str, int] = {}
    vectors = []
    # All kinds of attention but cuDNN's, which plans anew for every shape of a batch and then is no faster.
    attention = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    with sdpa_kernel(attention):
        for batch in (batch for batches in ahead(prepared) for batch in batches):
            tokens = batch.tokens.to(device, non_blocking=True)
            mask = batch.mask.to(device, non_blocking=True)
            if weights is None:
                vectors.append(model.get_sentence_embedding(tokens, mask).float())
            else:
                vectors.append(_pool_and_mix(model, weights, tokens, mask))
            rows.update(zip(batch.texts, range(len(rows), len(rows) + len(batch.texts)), strict=True))
    return rows, torch.cat(vectors)


def cut(lengths: Sequence[int], most_tokens: int) -> Iterator[slice]:
    """Batches of texts of these lengths, longest first, of `most_tokens` at most with padding to the longest.

    A text that alone has more is a batch of its own.

    >>> list(cut([9, 4, 4, 2, 1], 8))
    [slice(0, 1, None), slice(1, 3, None), slice(3, 7, None)]
    """
    start = 0
    while start < len(lengths):
        size = max(1, most_tokens // max(1, lengths[start]))
        yield slice(start, start + size)
        start += size


def ahead(items: Iterable[T]) -> Iterator[T]:
    """The same items in order; while one is worked on, a thread makes the next."""
    source = iter(items)
    with ThreadPoolExecutor(max_workers=1) as thread:
        upcoming = thread.submit(next, source, None)
        while (item := upcoming.result()) is not None:
            upcoming = thread.submit(next, source, None)
            yield item


def _batches(model: Any, texts: Sequence[str], most_tokens: int, device: str) -> Iterator[Batch]:
    import torch

    encoder = model.encoder
    # As `encoder.prepare_sample` does, but for the padding, which depends on the batch.
    split = encoder.tokenizer(
        list(texts), truncation=True, max_length=encoder.max_positions - 2, return_attention_mask=False
    )["input_ids"]
    order = sorted(range(len(texts)), key=lambda i: len(split[i]), reverse=True)
    for part in cut([len(split[i]) for i in order], most_tokens):
        chosen = order[part]
        longest = len(split[chosen[0]])
        lengths = np.array([len(split[i]) for i in chosen])
        mask = np.arange(longest) < lengths[:, None]
        tokens = np.full(mask.shape, encoder.tokenizer.pad_token_id)
        tokens[mask] = np.concatenate([split[i] for i in chosen])
        tensors = [torch.from_numpy(tokens), torch.from_numpy(mask.astype(np.int64))]
        if device == "cuda":
            tensors = [tensor.pin_memory() for tensor in tensors]
        yield Batch([texts[i] for i in chosen], *tensors)


def _layer_weights(model: Any) -> list[float] | None:
    """What each layer counts in the mix; `None` where mix and pooling are not weighted sums, both of them."""
    import torch

    mix = model.layerwise_attention
    if mix is None or mix.layer_norm or model.hparams.pool not in ("avg", "cls") or model.use_context:
        return None
    parameters = torch.cat(list(mix.scalar_parameters))
    weights: list[float] = (mix.gamma * mix.transform_fn(parameters, dim=0)).tolist()
    return weights


def _pool_and_mix(model: Any, weights: Sequence[float], tokens: Any, mask: Any) -> Any:
    """The model's mix of layers, pooled first: the same sum in another order, a vector per text to mix."""
    import torch

    # A text may hold the padding token itself, which counts as a word without a vector.
    words = (mask * tokens.ne(model.encoder.tokenizer.pad_token_id))[..., None]
    counts = mask.sum(1, keepdim=True)

    def pool(layer: Any) -> Any:
        if model.hparams.pool == "cls":
            return layer[:, 0].float()
        return (layer * words.to(layer.dtype)).sum(1, dtype=torch.float32) / counts

    layers = model.encoder(tokens, mask)["all_layers"]
    return sum(weight * pool(layer) for weight, layer in zip(weights, layers, strict=True) if weight)
