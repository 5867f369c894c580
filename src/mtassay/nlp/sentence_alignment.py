"""Aligns the sentences of a translation with those of its source, if lines do not match.

It is a monotone dynamic programme after Gale and Church (1993) and Thompson and Koehn (2019, Vecalign). It
links one sentence to up to three, and finds sentences without a counterpart and swapped neighbours. The gain
of a block depends on the similarity of its two sides and on the fit of their lengths. Similarity uses vectors
that can be added: from the sentence encoder, or counts of character n-grams if both sides are in one
language. The search uses a band around the diagonal, and long documents are aligned in overlapping windows,
so time and memory are linear in the length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Features = Callable[[Sequence[str], Sequence[str]], tuple[Floats, Floats]]
"""Computes vectors of both sides' sentences, one per row; a block's vector is the sum of its rows."""

_BLOCKS = ((1, 1), (1, 2), (2, 1), (1, 3), (3, 1))
_SWAPS = ((1, 1), (1, 2), (2, 1), (2, 2))
_SIZE = 8192
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")
_END = re.compile(r"(?<=[.!?…؟۔।॥։።။])[\"'”’»)\]]*\s+(?=\S)|(?<=[。！？])(?![。！？」』”）])|\n+")


@dataclass(frozen=True, kw_only=True)
class AlignmentSettings:
    """The gain of a block for each character.

    `alone` is the gain of a sentence of 60 characters without a counterpart. It increases with the length by
    `growth`, since long texts are more similar by chance. `lengths` is the weight of a misfit of lengths.
    Each sentence after the first on a side costs `more`, and two swapped neighbours cost `swap`. Two
    sentences without a counterpart count as moved if their similarity is at least `moved`, or
    `mutual` if each is most like the other.
    """

    alone: float
    growth: float
    lengths: float
    more: float
    swap: float
    moved: float
    mutual: float


BY_ENCODER = AlignmentSettings(
    alone=0.08, growth=0.07, lengths=0.31, more=0.068, swap=0.048, moved=0.4, mutual=0.3
)
BY_CHARACTERS = AlignmentSettings(
    alone=-0.015, growth=0.06, lengths=0.076, more=0.06, swap=0.029, moved=0.455, mutual=0.2
)
_FAR_LONGER = 10
_LONG, _WINDOW, _ANCHOR = 200, 120, 3


class Link(NamedTuple):
    """Corresponding sentences of the source and the translation, numbered from 0.

    If one side is empty, the other has no counterpart. `likeness` is from 0 to 1.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    likeness: float = 0.0


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences: at line ends and after marks that end a sentence.

    >>> split_sentences('He left. "Why?" She knew.')
    ['He left.', '"Why?"', 'She knew.']
    >>> split_sentences("他走了。为什么？")
    ['他走了。', '为什么？']
    """
    sentences, start = [], 0
    for match in _END.finditer(text):
        # Closing quotes and brackets belong to the sentence that they close.
        end = match.start() + len(match[0].rstrip())
        sentences.append(text[start:end].strip())
        start = match.end()
    return [sentence for sentence in (*sentences, text[start:].strip()) if sentence]


def character_features(source: Sequence[str], target: Sequence[str]) -> tuple[Floats, Floats]:
    """Square roots of counts of character 3- to 5-grams; rare n-grams weigh more."""
    counts = np.sqrt([_counts(text) for text in (*source, *target)]).reshape(-1, _SIZE)
    rarity = np.log((len(counts) + 1) / ((counts > 0).sum(axis=0) + 0.5))
    counts *= np.maximum(rarity, 0.05)
    return counts[: len(source)], counts[len(source) :]


def _counts(text: str) -> Floats:
    codes = np.frombuffer(f" {' '.join(text.lower().split())} ".encode("utf-32-le"), np.uint32).astype(
        np.uint64
    )
    keys, key = [], codes
    for n in range(2, min(len(codes), 5) + 1):
        key = key[:-1] * np.uint64(1_000_003) + codes[n - 1 :]
        keys.append((key ^ (key >> np.uint64(17))) % np.uint64(_SIZE))
    # Bigrams count only in a text without longer n-grams.
    return np.bincount(np.concatenate(keys[1:] or keys).astype(np.int64), minlength=_SIZE).astype(float)


def encoder_features(encode: Callable[[Sequence[str]], NDArray[np.float32]]) -> Features:
    """Vectors of a sentence encoder, with lengths that represent how much a sentence says."""

    def features(source: Sequence[str], target: Sequence[str]) -> tuple[Floats, Floats]:
        vectors = np.asarray(encode([*source, *target]), float)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        vectors *= np.array([[len(text) ** 0.5] for text in (*source, *target)])
        return vectors[: len(source)], vectors[len(source) :]

    return features


def align_sentences(
    source: Sequence[str],
    target: Sequence[str],
    features: Features = character_features,
    settings: AlignmentSettings = BY_CHARACTERS,
) -> list[Link]:
    """Link two documents; links are in the order of the source, and every sentence is in one link.

    Args:
        source: The sentences of the source, or of a reference in the language of the translation.
        target: The sentences of the translation.
        features: Gives the vectors for the similarity of blocks.
        settings: The gains of blocks.

    Returns:
        Links whose sides are consecutive sentences. Links of swapped sentences cross.

    >>> sources = ["The dog sleeps.", "It is late in the evening.", "Everybody goes home."]
    >>> target = ["It is late in the evening, and everybody goes home."]
    >>> [link[:2] for link in align_sentences(sources, target)]
    [((0,), ()), ((1, 2), (0,))]
    """
    size = _WINDOW if max(len(source), len(target)) > _LONG else 0
    links: list[Link] = []
    i = j = 0
    while True:
        one, other = source[i:][: size or None], target[j:][: size or None]
        found = _aligned(one, other, features, settings, least_band=max(12, size // 3))
        is_last = len(one) == len(source) - i and len(other) == len(target) - j
        cut = None if is_last else _cut(found, settings)
        if cut is None and not is_last:
            size *= 2
            continue
        a, b = cut or (len(one), len(other))
        links += [
            Link(tuple(i + k for k in link.source), tuple(j + k for k in link.target), link.likeness)
            for link in found
            if max(link.source, default=-1) < a and max(link.target, default=-1) < b
        ]
        if is_last:
            return links
        i, j, size = i + a, j + b, _WINDOW


def _aligned(
    source: Sequence[str],
    target: Sequence[str],
    features: Features,
    settings: AlignmentSettings,
    *,
    least_band: int,
) -> list[Link]:
    """Link two texts by a search within a band around the diagonal."""
    n, m = len(source), len(target)
    if not n or not m:
        return [Link((i,), ()) for i in range(n)] + [Link((), (j,)) for j in range(m)]
    left, right = features(source, target)
    gains = _Gains(source, target, left, right, settings)
    found = _found(gains, n, m, max(least_band, abs(n - m) + 6))
    links = _rejoined(_separated(found, gains), gains)
    return _moved(links, gains, settings)


def _cut(links: Sequence[Link], settings: AlignmentSettings) -> tuple[int, int] | None:
    """A possible end of a window, within the last certain links that nothing crosses; `None` without one.

    Several consecutive one-to-one links between similar sentences are certain.
    """
    paired = [link for link in links if link.source and link.target]
    for place in range(len(paired) * 3 // 4 - 1, _ANCHOR - 2, -1):
        row = paired[place - _ANCHOR + 1 : place + 1]
        a, b = row[0].source[-1] + 1, row[0].target[-1] + 1
        if all(
            link[:2] == ((a + k - 1,), (b + k - 1,)) and link.likeness >= settings.moved
            for k, link in enumerate(row)
        ) and all((link.source[-1] < a) == (link.target[-1] < b) for link in paired):
            return a, b
    return None


class _Gains:
    """The gain of each block."""

    def __init__(
        self,
        source: Sequence[str],
        target: Sequence[str],
        left: Floats,
        right: Floats,
        settings: AlignmentSettings,
    ) -> None:
        self.settings = settings
        self.sizes = tuple(np.array([_size(text) for text in side]) for side in (source, target))
        ratio = self.sizes[1].sum() / self.sizes[0].sum()
        # Missing sentences, even half of a document, must not change the expected lengths.
        self.scale = float(np.clip(ratio, 0.7, 1.4)) if ratio > 0.55 else 1.0
        lengths = {k: tuple(_windows(size, k) for size in self.sizes) for k in (1, 2, 3)}
        self.likeness: dict[tuple[int, int], Floats] = {}
        self.gain: dict[tuple[int, int], list[list[float]]] = {}
        # The dot product of two blocks is the sum of the products of their sentences.
        products = left @ right.T
        squares = left @ left.T, right @ right.T
        norms = [{k: _norms(own, k) for k in (1, 2, 3)} for own in squares]
        for a, b in _BLOCKS:
            across = _windows(_windows(products, a).T, b).T
            alike = np.clip(across / np.outer(norms[0][a], norms[1][b]), 0, 1)
            one, other = lengths[a][0][:, None] * self.scale, lengths[b][1][None, :]
            misfit = np.abs(np.log((one + 5) / (other + 5)))
            size = (one / self.scale + other / self.scale) / 2
            gain = size * (alike - settings.lengths * misfit - settings.more * (a + b - 2))
            self.likeness[a, b], self.gain[a, b] = alike, gain.tolist()
        self.alone = [
            (size * (settings.alone + settings.growth * np.log(size / 60)) / 2).tolist()
            for size in self.sizes
        ]


def _size(text: str) -> float:
    """Length in letters: a Chinese, Japanese or Korean character counts as three."""
    return 1.0 + len(text) + 2 * len(_WIDE.findall(text))


def _windows(values: Floats, k: int) -> Floats:
    """The sums of `k` consecutive rows."""
    return np.asarray(sum(values[i : len(values) - k + 1 + i] for i in range(k)))


def _norms(products: Floats, k: int) -> Floats:
    """The lengths of the vectors of blocks of `k` sentences, from the sentences' products."""
    squares = [_windows(products.diagonal(step), k - step) * (1 + (step > 0)) for step in range(k)]
    return np.maximum(np.sqrt(np.maximum(sum(squares), 0)), 1e-9)


def _found(gains: _Gains, n: int, m: int, band: int) -> list[Link]:
    """The links with the largest gain, by a search within a band around the diagonal."""
    best: list[dict[int, tuple[float, tuple[int, int]]]] = [{} for _ in range(n + 1)]
    alone_source, alone_target = gains.alone
    one, swap = gains.gain[1, 1], gains.settings.swap
    sizes = [0.0, *np.cumsum(gains.sizes[0]).tolist()]
    for i in range(n + 1):
        middle = i * m // n
        row = best[i]
        for j in range(max(0, middle - band), min(m, middle + band) + 1):
            options = [(0.0, (0, 0))] if i == j == 0 else []
            if i and (before := best[i - 1].get(j)):
                options.append((before[0] + alone_source[i - 1], (1, 0)))
            if j and (before := row.get(j - 1)):
                options.append((before[0] + alone_target[j - 1], (0, 1)))
            for a, b in _BLOCKS:
                if i >= a and j >= b and (before := best[i - a].get(j - b)):
                    options.append((before[0] + gains.gain[a, b][i - a][j - b], (a, b)))
            for a, b in _SWAPS:
                s, t = i - a - b, j - a - b
                if s >= 0 and t >= 0 and (before := best[s].get(t)):
                    crossed = sum(one[s + k][t + b + k] for k in range(a))
                    crossed += sum(one[s + a + k][t + k] for k in range(b))
                    options.append((before[0] + crossed - swap * (sizes[i] - sizes[s]), (a, -b)))
            if options:
                row[j] = max(options)
    links: list[Link] = []
    i, j = n, m
    while i or j:
        a, b = best[i][j][1]
        if b < 0:
            i, j = i - a + b, j - a + b
            links += [_link(gains, i + a + k, 1, j + k, 1) for k in range(-b)[::-1]]
            links += [_link(gains, i + k, 1, j - b + k, 1) for k in range(a)[::-1]]
        else:
            links.append(_link(gains, i - a, a, j - b, b))
            i, j = i - a, j - b
    return links[::-1]


def _link(gains: _Gains, i: int, a: int, j: int, b: int) -> Link:
    likeness = float(gains.likeness[a, b][i, j]) if a and b else 0.0
    return Link(tuple(range(i, i + a)), tuple(range(j, j + b)), likeness)


def _separated(links: list[Link], gains: _Gains) -> list[Link]:
    """Split links where a single pair of sentences is more similar than the whole block."""
    separated: list[Link] = []
    for link in links:
        (source, target, likeness), one = link, gains.likeness[1, 1]
        if source and target and len(source) + len(target) > 2:
            i, j = max(((i, j) for i in source for j in target), key=lambda pair: one[pair])
            if one[i, j] > likeness:
                separated += [
                    *(Link((other,), ()) for other in source if other < i),
                    *(Link((), (other,)) for other in target if other < j),
                    Link((i,), (j,), float(one[i, j])),
                    *(Link((other,), ()) for other in source if other > i),
                    *(Link((), (other,)) for other in target if other > j),
                ]
                continue
        separated.append(link)
    return separated


def _rejoined(links: list[Link], gains: _Gains) -> list[Link]:
    """Link adjacent sentences without counterparts and of very different lengths: a bad translation."""
    joined: list[Link] = []
    for link in links:
        last = joined[-1] if joined else None
        if last and bool(last.source) == bool(link.target) != bool(link.source) == bool(last.target):
            source, target = last.source or link.source, last.target or link.target
            if _is_far_longer(gains, source[0], target[0]):
                joined[-1] = Link(source, target, float(gains.likeness[1, 1][source[0], target[0]]))
                continue
        joined.append(link)
    return joined


def _is_far_longer(gains: _Gains, i: int, j: int) -> bool:
    one, other = gains.sizes[0][i] * gains.scale, gains.sizes[1][j]
    return bool(max(one, other) > _FAR_LONGER * min(one, other))


def _moved(links: list[Link], gains: _Gains, settings: AlignmentSettings) -> list[Link]:
    """Link matching sentences without counterparts, which were moved."""
    lost = [link for link in links if not link.target]
    new = [link for link in links if not link.source]
    alike = gains.likeness[1, 1]
    mutual = (alike == alike.max(axis=0)) & (alike == alike.max(axis=1, keepdims=True))
    least = np.where(mutual, settings.mutual, settings.moved)
    places = ((a, b, (a.source[0], b.target[0])) for a in lost for b in new)
    pairs = sorted(
        ((alike[place], a, b) for a, b, place in places if alike[place] >= least[place]), reverse=True
    )
    taken: dict[Link, Link] = {}
    for likeness, a, b in pairs:
        if a not in taken and b not in taken:
            taken[a], taken[b] = Link(a.source, b.target, float(likeness)), a
    return [taken.get(link, link) for link in links if link.source or link not in taken]
