"""From distances to issues: at most one for each original, made of its farthest variants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Far", "Issue", "Ranking", "find_issues"]


class Far(NamedTuple):
    """A variant and how far its translation is from the original's."""

    variant: str
    distance: float


class Ranking(NamedTuple):
    """All compared variants of one original, farthest first; equally far ones in the order they were made."""

    original: str
    variants: tuple[Far, ...]


class Issue(NamedTuple):
    """An original with those of its variants that are farther than the threshold, farthest first."""

    original: str
    variants: tuple[Far, ...]

    def pairs(self, top: int) -> tuple[str, ...]:
        """What a person looks at: the original and its `top` farthest variants."""
        return (self.original, *(far.variant for far in self.variants[:top]))


def rank(original: str, distances: Sequence[Far]) -> Ranking:
    """The variants by distance. Sorting is stable, so ties keep their order on any machine."""
    return Ranking(original, tuple(sorted(distances, key=lambda far: -far.distance)))


def find_issues(rankings: Sequence[Ranking], threshold: float) -> list[Issue]:
    """The issues, in the order of the originals; strictly farther than the threshold, as in the paper.

    >>> find_issues([Ranking("1", (Far("1/a", 5), Far("1/b", 4))), Ranking("2", (Far("2/a", 4),))], 4)
    [Issue(original='1', variants=(Far(variant='1/a', distance=5),))]
    """
    issues = []
    for ranking in rankings:
        far = tuple(far for far in ranking.variants if far.distance > threshold)
        if far:
            issues.append(Issue(ranking.original, far))
    return issues
