"""Makes links between words from scores in both directions.

Growing is from Koehn, Och and Marcu 2003, "Statistical Phrase-Based Translation". It goes through the links
by source and then target word, as in fast_align's `atools`. Moses' `symal` starts from the present links,
which gives the same result except for rare ties.

The first pass prefers the diagonal, as in fast_align (Dyer et al. 2013). Its certain links are anchors. The
second pass prefers links near the neighbours' links, so that a moved phrase keeps its small words.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.textfiles import check_file
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.registry import each_named, find, is_known
from mtassay.data.words import plain_marks

Words = Sequence[str]
Links = frozenset[tuple[int, int]]
"""Pairs of a source word and a target word, numbered from 0."""


class WordAligner(ABC):
    """Finds corresponding words in two sentences.

    `argument` describes the text after `NAME:`. It is `FILE`, `[FILE]` if optional, or empty if there is
    none.
    """

    name: str
    argument: ClassVar[str] = ""

    @classmethod
    def open(cls, pair: str, rest: str) -> WordAligner:
        """Open the aligner for a pair such as `en-pt`; `rest` is the text after the colon."""
        return cls()

    @classmethod
    def preference(cls, pair: str) -> float:
        """The aligner's quality for a pair here; the highest is chosen, and 0 is used only on request.

        Ours return 5 for tables that were better than the encoder, 4 for the encoder, 3 for other tables.
        """
        return 0

    @classmethod
    def advice(cls, pair: str) -> str:
        """The command that installs it, shown if no aligner is installed for a pair; may be empty."""
        return ""

    @property
    @abstractmethod
    def signature(self) -> str:
        """The signature; equal signatures mean equal links."""

    @abstractmethod
    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """Return the links of each (source, target) pair, in order; without words, there are none."""


_NEIGHBOURS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


def grow_diag_final_and(forward: Links, backward: Links) -> Links:
    """Start with the links of both directions, grow them, then link pairs of unlinked words.

    Growing adds links of one direction that touch a present link and link a new word. Then links between two
    unlinked words are added, first from `forward` and then from `backward`.

    >>> forward, backward = frozenset({(0, 0), (1, 0)}), frozenset({(0, 0), (3, 3)})
    >>> sorted(grow_diag_final_and(forward, backward))
    [(0, 0), (1, 0), (3, 3)]
    """
    links = _grow(forward, backward)
    sources = {source for source, _ in links}
    targets = {target for _, target in links}
    for direction in (forward, backward):
        for source, target in sorted(direction):
            if source not in sources and target not in targets:
                links.add((source, target))
                sources.add(source)
                targets.add(target)
    return frozenset(links)


def _grow(forward: Links, backward: Links) -> set[tuple[int, int]]:
    links = set(forward & backward)
    sources = {source for source, _ in links}
    targets = {target for _, target in links}
    waiting = sorted((forward | backward) - links)
    grown = True
    while grown:
        grown = False
        for source, target in waiting:
            if source in sources and target in targets:
                continue
            # A new link immediately counts as a neighbour, so the order matters.
            if any((source + down, target + right) in links for down, right in _NEIGHBOURS):
                links.add((source, target))
                sources.add(source)
                targets.add(target)
                grown = True
    return links


Floats = NDArray[np.float64]

FAR = 50  # words; at larger distances, links do not become less likely


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentEvidence:
    """Likelihoods of all pairs of words of two sentences, one row per source word.

    `forward` has the likelihoods of the target word given the source word, and `backward` the reverse.
    `no_source` has the likelihood that a target word has no source word, and `no_target` the reverse.
    """

    forward: Floats
    backward: Floats
    no_source: Floats
    no_target: Floats


@dataclass(frozen=True, slots=True)
class Order:
    """The influence of word order.

    `tension` prefers the diagonal of the sentence, and `pull` the links of the neighbours, per word of
    distance. A pair of words is an anchor if both directions together give it at least `sure`. `none` is the
    share of words without a partner.
    """

    tension: float = 4.0
    pull: float = 0.5
    sure: float = 0.4
    none: float = 0.08

    @property
    def signature(self) -> str:
        """The four numbers."""
        return f"order:{self.tension:g},{self.pull:g},{self.sure:g},{self.none:g}"


def decode(evidence: AlignmentEvidence, order: Order) -> tuple[Links, Links]:
    """Decode the links of both directions: at most one source word per target word, and the reverse."""
    n, m = evidence.forward.shape
    diagonal = np.exp(-order.tension * off_diagonal(n, m))
    forward, backward = _posteriors(evidence, diagonal, order.none)
    anchors = _anchors(forward * backward, order.sure)
    if anchors and order.pull:
        near = np.exp(-order.pull * _off_anchors(anchors, n, m))
        forward, backward = _posteriors(evidence, near * diagonal**0.25, order.none)
    return _best(forward, axis=0), _best(backward, axis=1)


def off_diagonal(n: int, m: int) -> Floats:
    """The distance from the diagonal of each place in an (n, m) table, from 0 to nearly 1.

    >>> off_diagonal(2, 4).tolist()
    [[0.125, 0.125, 0.375, 0.625], [0.625, 0.375, 0.125, 0.125]]
    """
    return np.abs((np.arange(n)[:, None] + 0.5) / n - (np.arange(m) + 0.5) / m)


def _posteriors(evidence: AlignmentEvidence, prior: Floats, none: float) -> tuple[Floats, Floats]:
    forward = evidence.forward * prior * ((1 - none) / prior.sum(axis=0))
    backward = evidence.backward * prior * ((1 - none) / prior.sum(axis=1))[:, None]
    forward /= forward.sum(axis=0) + none * evidence.no_source
    backward /= (backward.sum(axis=1) + none * evidence.no_target)[:, None]
    return forward, backward


def _best(posterior: Floats, *, axis: int) -> Links:
    """The most likely partner of each word along the other axis, unless no partner is more likely."""
    places = posterior.argmax(axis=axis)
    best = posterior.max(axis=axis)
    none = 1 - posterior.sum(axis=axis)
    linked = [(at, int(place)) for at, place in enumerate(places) if best[at] > max(none[at], 0.0)]
    return frozenset((place, at) if axis == 0 else (at, place) for at, place in linked)


def _anchors(both: Floats, sure: float) -> list[tuple[int, int]]:
    rows, columns = both.argmax(axis=1), both.argmax(axis=0)
    return [(i, int(j)) for i, j in enumerate(rows) if columns[j] == i and both[i, j] >= sure]


def _off_anchors(anchors: list[tuple[int, int]], n: int, m: int) -> Floats:
    """The distance (in words) of each place from the place that its nearest anchors suggest."""
    along_rows = _off_neighbours(dict(anchors), n, m)
    along_columns = _off_neighbours({j: i for i, j in anchors}, m, n).T
    return (along_rows + along_columns) / 2


def _off_neighbours(anchors: dict[int, int], n: int, m: int) -> Floats:
    anchored = np.array(sorted(anchors))
    partner = np.array([anchors[at] for at in anchored.tolist()])
    rows = np.arange(n)
    after = np.searchsorted(anchored, rows).clip(max=len(anchored) - 1)
    before = (np.searchsorted(anchored, rows, side="right") - 1).clip(min=0)
    columns = np.arange(m)
    off = [np.abs(columns - (partner[side] + rows - anchored[side])[:, None]) for side in (before, after)]
    nearest: Floats = np.minimum(np.minimum(*off), FAR).astype(float)
    return nearest


_PHARAOH_LINK = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


def parse_links(text: str) -> Links:
    """Parse the links of one line; `ValueError` names an invalid link.

    >>> sorted(parse_links("0-0 1-2"))
    [(0, 0), (1, 2)]
    """
    links = set()
    for word in text.split():
        match = _PHARAOH_LINK.fullmatch(word)
        if match is None:
            raise ValueError(word)
        links.add((int(match[1]), int(match[2])))
    return frozenset(links)


def read_pharaoh(path: str | Path) -> list[Links]:
    """Read the links of each line, in order; an empty line has none."""
    return _parse(_read(path), path)


class PharaohAligner(WordAligner):
    """Links from a file, whose lines are the pairs of a call of `align`, in order."""

    name = "pharaoh"
    argument: ClassVar[str] = "FILE"

    @classmethod
    def open(cls, pair: str, rest: str) -> WordAligner:
        if not rest:
            raise UsageError(f"Word aligner '{cls.name}' needs the file with the links: {cls.name}:FILE.")
        return cls(rest)

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        raw = _read(path)
        self._lines = _parse(raw, path)
        self._signature = f"pharaoh|content:{hashlib.sha256(raw).hexdigest()[:12]}"

    @property
    def signature(self) -> str:
        return self._signature

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        """Return the links of each pair, in order; `InputError` if they are missing or impossible."""
        if len(self._lines) != len(pairs):
            raise UsageError(
                f"{self._path} has {len(self._lines)} lines for {len(pairs)} pairs. Give one line per pair."
            )
        for line, (pair, links) in enumerate(zip(pairs, self._lines, strict=True), 1):
            for source, target in sorted(links):
                if source >= len(pair[0]) or target >= len(pair[1]):
                    raise InputError(
                        f"link {source}-{target}, but the pair has {len(pair[0])} source and {len(pair[1])}"
                        " target words. Words count from 0; is it target-source, or tokenised otherwise?",
                        path=self._path,
                        line=line,
                    )
        return list(self._lines)


def _read(path: str | Path) -> bytes:
    try:
        check_file(path)
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path) from None


def _parse(raw: bytes, path: str | Path) -> list[Links]:
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text.", path=path) from None
    if lines[-1] == "":
        lines.pop()
    all_links = []
    for number, line in enumerate(lines, 1):
        try:
            all_links.append(parse_links(line))
        except ValueError as error:
            raise InputError(
                f"'{_start(str(error))}' is no link. Write SOURCE-TARGET, from 0: 0-0 1-2.",
                path=path,
                line=number,
            ) from None
    return all_links


def _start(text: str) -> str:
    return text if len(text) <= 30 else f"{text[:29]}…"


def lower_words(words: Words) -> list[str]:
    """Normalise words for tables and models; a word that would become empty stays unchanged."""
    return [(plain_marks(word) or word).lower() for word in words]


def aligner_names() -> list[str]:
    """The names that `open_aligner` accepts; FILE means a path.

    >>> aligner_names()
    ['table', 'encoder', 'pharaoh:FILE']
    """
    return [_written(name) for name, _ in each_named("aligner")]


def open_aligner(pair: Pair | str, *, name: str | None = None) -> WordAligner:
    """Open the word aligner with this name, or the best installed one for the pair.

    `pharaoh:FILE` reads the user's own links. If nothing fits, `UsageError` says what to install.

    >>> open_aligner("en-pt").name
    'table'
    >>> sorted(open_aligner("en-pt").align([(["The", "sea"], ["O", "mar"])])[0])
    [(0, 0), (1, 1)]
    """
    code = str(parse_pair(pair) if isinstance(pair, str) else pair)
    kind, _, rest = (name or best_aligner(code)).partition(":")
    if not is_known("aligner", kind) or (rest and not _aligner(kind).argument):
        raise UsageError(f"No word aligner '{name}'. Available: {', '.join(aligner_names())}.")
    return _aligner(kind).open(code, rest)


def best_aligner(code: str) -> str:
    """The name of the best aligner for the pair (the first of equals)."""
    usable = [name for name, _ in each_named("aligner")]
    best = max(usable, key=lambda name: _aligner(name).preference(code))
    if _aligner(best).preference(code) > 0:
        return best
    ways = ", or ".join(filter(None, (_aligner(name).advice(code) for name in usable)))
    what = f"Install one: {ways}; or bring" if ways else "Bring"
    raise UsageError(f"No word aligner for {code} on this machine. {what} links as pharaoh:FILE.")


def _written(name: str) -> str:
    """The name and its argument, if required."""
    argument = _aligner(name).argument
    return name if not argument or argument.startswith("[") else f"{name}:{argument}"


def _aligner(name: str) -> type[WordAligner]:
    aligner_type: type[WordAligner] = find("aligner", name)
    return aligner_type
