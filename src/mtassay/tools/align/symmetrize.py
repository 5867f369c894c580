"""Unites the alignments of both directions into one.

Koehn, Och and Marcu 2003, "Statistical Phrase-Based Translation". The growing ones go through the links by
source and then target word, as fast_align's `atools` does; Moses' `symal` starts from the links it has, which
gives the same but for rare ties.
"""

from __future__ import annotations

from collections.abc import Callable

from mtassay.errors import UsageError
from mtassay.tools.align.nouns import Links

__all__ = [
    "SYMMETRIZATIONS",
    "grow_diag",
    "grow_diag_final_and",
    "intersection",
    "symmetrization",
    "union",
]

_NEIGHBOURS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


def intersection(forward: Links, backward: Links) -> Links:
    """The links that both directions have: few, and most of them right.

    >>> sorted(intersection(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (2, 1)})))
    [(0, 0)]
    """
    return forward & backward


def union(forward: Links, backward: Links) -> Links:
    """The links that either direction has."""
    return forward | backward


def grow_diag(forward: Links, backward: Links) -> Links:
    """The intersection, grown by links of the union that touch it and bring in a word without a link.

    >>> forward, backward = frozenset({(0, 0), (1, 0)}), frozenset({(0, 0), (3, 3)})
    >>> sorted(grow_diag(forward, backward))
    [(0, 0), (1, 0)]
    """
    return frozenset(_grow(forward, backward))


def grow_diag_final_and(forward: Links, backward: Links) -> Links:
    """`grow_diag`, then links between two words that both still have none: `forward`'s before `backward`'s.

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


SYMMETRIZATIONS: dict[str, Callable[[Links, Links], Links]] = {
    "intersection": intersection,
    "grow-diag": grow_diag,
    "grow-diag-final-and": grow_diag_final_and,
    "union": union,
}
"""By name, from the fewest links to the most."""


def symmetrization(name: str) -> Callable[[Links, Links], Links]:
    """The one with this name; `UsageError` where there is none."""
    if name not in SYMMETRIZATIONS:
        raise UsageError(f"No symmetrization '{name}'. Available: {', '.join(SYMMETRIZATIONS)}.")
    return SYMMETRIZATIONS[name]


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
            # A link added a moment ago counts as a neighbour at once, so the order matters.
            if any((source + down, target + right) in links for down, right in _NEIGHBOURS):
                links.add((source, target))
                sources.add(source)
                targets.add(target)
                grown = True
    return links
