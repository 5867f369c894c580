"""Turns how likely each word translates as each other word into links, with a sense of order.

The first pass keeps to the diagonal, as fast_align does (Dyer et al. 2013). What it is sure of are anchors:
the second pass asks of every other word to stay near its neighbours' links, so that a phrase that moved takes
its small words along.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mtassay.tools.align.nouns import Links

__all__ = ["Evidence", "Order", "decode", "off_diagonal"]

Floats = NDArray[np.float64]

FAR = 50  # words; what is farther off is no less likely


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Likelihoods of all pairs of words of two sentences, one row per source word.

    `forward` is of the target word given the source word and `backward` the reverse; `no_source` has the
    likelihood of each target word with no source word behind it, and `no_target` that of each source word.
    """

    forward: Floats
    backward: Floats
    no_source: Floats
    no_target: Floats


@dataclass(frozen=True, slots=True)
class Order:
    """How strongly words keep their order.

    `tension` pulls to the diagonal of the sentence, `pull` to the links of the neighbours, per word of
    distance; a pair of words is an anchor where both directions together give it at least `sure`. `none` is
    the share of words that have no partner.
    """

    tension: float = 4.0
    pull: float = 0.5
    sure: float = 0.4
    none: float = 0.08

    @property
    def signature(self) -> str:
        """The four numbers."""
        return f"order:{self.tension:g},{self.pull:g},{self.sure:g},{self.none:g}"


def decode(evidence: Evidence, order: Order) -> tuple[Links, Links]:
    """The links of both directions: at most one source word per target word, and the reverse."""
    n, m = evidence.forward.shape
    diagonal = np.exp(-order.tension * off_diagonal(n, m))
    forward, backward = _posteriors(evidence, diagonal, order.none)
    anchors = _anchors(forward * backward, order.sure)
    if anchors and order.pull:
        near = np.exp(-order.pull * _off_anchors(anchors, n, m))
        forward, backward = _posteriors(evidence, near * diagonal**0.25, order.none)
    return _best(forward, axis=0), _best(backward, axis=1)


def off_diagonal(n: int, m: int) -> Floats:
    """How far each of n times m places lies from the diagonal, from 0 to nearly 1.

    >>> off_diagonal(2, 4).tolist()
    [[0.125, 0.125, 0.375, 0.625], [0.625, 0.375, 0.125, 0.125]]
    """
    return np.abs((np.arange(n)[:, None] + 0.5) / n - (np.arange(m) + 0.5) / m)


def _posteriors(evidence: Evidence, prior: Floats, none: float) -> tuple[Floats, Floats]:
    forward = evidence.forward * prior * ((1 - none) / prior.sum(axis=0))
    backward = evidence.backward * prior * ((1 - none) / prior.sum(axis=1))[:, None]
    forward /= forward.sum(axis=0) + none * evidence.no_source
    backward /= (backward.sum(axis=1) + none * evidence.no_target)[:, None]
    return forward, backward


def _best(posterior: Floats, *, axis: int) -> Links:
    """The likeliest partner of each word along the other axis, unless no word is likelier."""
    places = posterior.argmax(axis=axis)
    best = posterior.max(axis=axis)
    none = 1 - posterior.sum(axis=axis)
    linked = [(at, int(place)) for at, place in enumerate(places) if best[at] > max(none[at], 0.0)]
    return frozenset((place, at) if axis == 0 else (at, place) for at, place in linked)


def _anchors(both: Floats, sure: float) -> list[tuple[int, int]]:
    rows, columns = both.argmax(axis=1), both.argmax(axis=0)
    return [(i, int(j)) for i, j in enumerate(rows) if columns[j] == i and both[i, j] >= sure]


def _off_anchors(anchors: list[tuple[int, int]], n: int, m: int) -> Floats:
    """How many words each place lies off from where the nearest anchors on either side would put it."""
    along_rows = _off_neighbours(dict(anchors), n, m)
    along_columns = _off_neighbours({j: i for i, j in anchors}, m, n).T
    return (along_rows + along_columns) / 2


def _off_neighbours(anchors: dict[int, int], n: int, m: int) -> Floats:
    known = np.array(sorted(anchors))
    partner = np.array([anchors[at] for at in known.tolist()])
    rows = np.arange(n)
    after = np.searchsorted(known, rows).clip(max=len(known) - 1)
    before = (np.searchsorted(known, rows, side="right") - 1).clip(min=0)
    columns = np.arange(m)
    off = [np.abs(columns - (partner[side] + rows - known[side])[:, None]) for side in (before, after)]
    nearest: Floats = np.minimum(np.minimum(*off), FAR).astype(float)
    return nearest
