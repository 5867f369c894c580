"""Learns how likely each word translates as each other word: IBM Model 1, then fast_align's diagonal prior.

Brown et al. 1993, "The Mathematics of Statistical Machine Translation"; Dyer, Chahuneau and Smith 2013, "A
Simple, Fast, and Effective Reparameterization of IBM Model 2", whose variational Bayes keeps rare words from
being translations of everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NULL = 0  # the number of the word that stands for no word
P_NULL = 0.08
ALPHA = 0.01
FIRST_TENSION = 4.0
BLOCK = 20_000  # sentence pairs that are laid out at a time

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Learned:
    """`p[k]` is the probability of `outputs[k]` given `inputs[k]`; `tension` pulls links to the diagonal."""

    inputs: Ints
    outputs: Ints
    p: Floats
    count: Floats
    tension: float


@dataclass(frozen=True)
class Cells:
    """Every link that could be, one row each: the entry of the table, the output word, how far off."""

    entry: Ints
    token: Ints
    off: Floats
    null: NDArray[np.bool_]
    tokens: int


def learn(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]], *, plain: int = 4, diagonal: int = 5
) -> Learned:
    """Probabilities of the second sentence's words given the first's; words are numbers from 1."""
    width = 1 + max(max(right, default=0) for _, right in pairs)
    layouts = [_lay_out(pairs[at : at + BLOCK], width) for at in range(0, len(pairs), BLOCK)]
    keys = np.unique(np.concatenate([np.unique(key) for key, *_ in layouts]))
    cells = [
        Cells(np.searchsorted(keys, key), token, off, null, tokens)
        for key, token, off, null, tokens in layouts
    ]
    inputs, outputs = keys // width, keys % width
    p = np.ones(len(keys))
    tension = 0.0
    for step in range(plain + diagonal):
        if step == plain:
            tension = FIRST_TENSION
        counts = np.zeros(len(keys))
        moment = 0.0
        for block in cells:
            posterior = _share(p[block.entry] * _prior(block, tension), block)
            counts += np.bincount(block.entry, posterior, len(keys))
            moment += float(posterior @ block.off)
        p = _normalise(counts, inputs)
        if tension:
            tension = _improve(tension, moment, cells)
    plain_p = counts / np.bincount(inputs, counts)[inputs]
    return Learned(inputs, outputs, plain_p, counts, tension)


def _lay_out(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]], width: int
) -> tuple[Ints, Ints, Floats, NDArray[np.bool_], int]:
    keys, tokens, offs, nulls = [], [], [], []
    seen = 0
    for left, right in pairs:
        n, m = len(left), len(right)
        rows = np.concatenate(([NULL], np.asarray(left, np.int64)))
        columns = np.asarray(right, np.int64)
        keys.append((rows[:, None] * width + columns).ravel())
        tokens.append(np.tile(np.arange(seen, seen + m), n + 1))
        off = np.abs(np.arange(1, n + 1)[:, None] / n - np.arange(1, m + 1) / m)
        offs.append(np.concatenate((np.zeros(m), off.ravel())))
        null = np.zeros((n + 1) * m, bool)
        null[:m] = True
        nulls.append(null)
        seen += m
    return np.concatenate(keys), np.concatenate(tokens), np.concatenate(offs), np.concatenate(nulls), seen


def _prior(block: Cells, tension: float) -> Floats:
    weight = np.exp(-tension * block.off) * ~block.null
    weight *= (1 - P_NULL) / np.bincount(block.token, weight, block.tokens)[block.token]
    return np.where(block.null, P_NULL, weight)


def _share(score: Floats, block: Cells) -> Floats:
    return score / np.bincount(block.token, score, block.tokens)[block.token]


def _normalise(counts: Floats, inputs: Ints) -> Floats:
    kinds = np.bincount(inputs)
    totals = np.bincount(inputs, counts) + ALPHA * kinds
    return np.exp(_digamma(counts + ALPHA) - _digamma(np.maximum(totals, ALPHA))[inputs])


def _improve(tension: float, moment: float, cells: Sequence[Cells]) -> float:
    """fast_align's eight small steps up the likelihood; `moment` is the summed distance of all links."""
    tokens = sum(block.tokens for block in cells)
    for _ in range(8):
        expected = sum(float(_prior(block, tension) @ block.off) for block in cells)
        tension = float(np.clip(tension + 20 * (expected - moment) / tokens, 0.1, 14))
    return tension


def _digamma(x: Floats) -> Floats:
    """By the asymptotic series at x + 7."""
    result = np.zeros_like(x)
    for k in range(7):
        result -= 1 / (x + k)
    y = x + 7
    square = 1 / (y * y)
    return result + np.log(y) - 0.5 / y - square * (1 / 12 - square * (1 / 120 - square / 252))
