"""Measures the word aligners against alignments that people made, and how long they take.

usage: python bench/alignment.py [ALIGNER ...]        (table and encoder by default)

An ALIGNER is what `open_aligner` takes as a name, such as `pharaoh:FILE`. Data:
alignment/zh-en from MTASSAY_DATA (450 sentence pairs; gold from 1, `1p2` is a possible link). Prints
precision, recall and alignment error rate (Och and Ney 2003) per aligner, over all pairs and over every
second one (from the second on), which no setting was chosen on; with awesome-align's stored answer for
comparison.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mtassay.data.errors import InputError, UsageError
from mtassay.nlp.links import Links, Words, open_aligner, read_pharaoh

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
FOLDER = DATA / "alignment" / "zh-en"
ALIGNERS = ["table", "encoder"]

_LINK = re.compile(r"([0-9]{1,9})([-p])([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Gold:
    """What people linked: certainly, and possibly; a certain link is possible too."""

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
class LinkAgreement:
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


def agreement(predicted: Iterable[Links], gold: Iterable[Gold]) -> LinkAgreement:
    """Counts over sentences in the same order.

    >>> gold = Gold(sure=frozenset({(0, 0), (1, 1)}), possible=frozenset({(2, 2)}))
    >>> counts = agreement([frozenset({(0, 0), (2, 2), (3, 3)})], [gold])
    >>> round(counts.precision, 3), counts.recall, counts.error_rate
    (0.667, 0.5, 0.4)
    """
    links = sure = links_sure = links_possible = 0
    for ours, theirs in zip(predicted, gold, strict=True):
        links += len(ours)
        sure += len(theirs.sure)
        links_sure += len(ours & theirs.sure)
        links_possible += len(ours & (theirs.sure | theirs.possible))
    return LinkAgreement(links, sure, links_sure, links_possible)


def main() -> None:
    pairs, gold = read_pairs(FOLDER / "zhen.src-tgt"), read_gold(FOLDER / "zhen.gold")
    print(f"{'aligner':<12} precision   recall      AER   unseen  seconds")
    show("awesome", read_pharaoh(FOLDER / "zhen.awesome-align.out"), gold, 0.0)
    for name in sys.argv[1:] or ALIGNERS:
        try:
            aligner = open_aligner("zh-en", name=name)
        except UsageError as error:
            print(f"{name:<12} {error}")
            continue
        start = time.perf_counter()
        found = aligner.align(pairs)
        show(name, found, gold, time.perf_counter() - start)


def read_pairs(path: Path) -> list[tuple[Words, Words]]:
    sides = [line.split(" ||| ") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(left.split(), right.split()) for left, right in sides]


def read_gold(path: Path) -> list[Gold]:
    return [parse_gold(line) for line in path.read_text(encoding="utf-8").splitlines()]


def show(name: str, found: Sequence[Links], gold: Sequence[Gold], seconds: float) -> None:
    counts, unseen = agreement(found, gold), agreement(found[1::2], gold[1::2])
    rates = (counts.precision, counts.recall, counts.error_rate, unseen.error_rate)
    cells = " ".join("       -" if rate is None else f"{rate:8.3f}" for rate in rates)
    print(f"{name.partition(':')[0]:<12} {cells} {seconds:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
