"""How good an alignment is against one that people made: precision, recall and alignment error rate.

Och and Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mtassay.errors import InputError
from mtassay.tools.align.nouns import Links

__all__ = ["Agreement", "Gold", "agreement", "parse_gold"]

_LINK = re.compile(r"([0-9]{1,9})([-p])([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Gold:
    """What people linked: surely, and possibly; a sure link is possible too."""

    sure: Links
    possible: Links


def parse_gold(text: str, *, first: int = 1) -> Gold:
    """One line, as `1-1 2p3`, where `p` marks a possible link; `first` is the number of the first word.

    >>> gold = parse_gold("1-1 2p3")
    >>> sorted(gold.sure), sorted(gold.possible)
    ([(0, 0)], [(1, 2)])
    """
    marked: dict[str, set[tuple[int, int]]] = {"-": set(), "p": set()}
    for word in text.split():
        match = _LINK.fullmatch(word)
        if match is None:
            raise InputError(
                f"'{word}' is no link. Write SOURCE-TARGET, or SOURCEpTARGET for a possible one."
            )
        marked[match[2]].add((int(match[1]) - first, int(match[3]) - first))
    return Gold(frozenset(marked["-"]), frozenset(marked["p"]))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts over all sentences; the rates are `None` where they would divide by nothing."""

    links: int
    sure: int
    links_sure: int
    links_possible: int

    @property
    def precision(self) -> float | None:
        """The share of the links that are possible."""
        return self.links_possible / self.links if self.links else None

    @property
    def recall(self) -> float | None:
        """The share of the sure links that were found."""
        return self.links_sure / self.sure if self.sure else None

    @property
    def error_rate(self) -> float | None:
        """1 - (found sure + found possible) / (links + sure): 0 is best."""
        total = self.links + self.sure
        return 1 - (self.links_sure + self.links_possible) / total if total else None


def agreement(found: Iterable[Links], gold: Iterable[Gold]) -> Agreement:
    """Counts over sentences in the same order.

    >>> gold = Gold(sure=frozenset({(0, 0), (1, 1)}), possible=frozenset({(2, 2)}))
    >>> counts = agreement([frozenset({(0, 0), (2, 2), (3, 3)})], [gold])
    >>> round(counts.precision, 3), counts.recall, counts.error_rate
    (0.667, 0.5, 0.4)
    """
    links = sure = links_sure = links_possible = 0
    for ours, theirs in zip(found, gold, strict=True):
        links += len(ours)
        sure += len(theirs.sure)
        links_sure += len(ours & theirs.sure)
        links_possible += len(ours & (theirs.sure | theirs.possible))
    return Agreement(links, sure, links_sure, links_possible)
