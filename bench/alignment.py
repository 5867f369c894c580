"""Measures the word aligners against alignments that people made, and how long they take.

usage: python bench/alignment.py [ALIGNER ...]        (table, encoder, fast-align and eflomal by default)

An ALIGNER is what `open_aligner` takes as a name: `eflomal:FILE` learns from a parallel file too. Data:
alignment/zh-en from MTASSAY_DATA (450 sentence pairs; gold from 1, `1p2` is a possible link). Prints
precision, recall and alignment error rate (Och and Ney 2003) per aligner and symmetrization, over all pairs
and over every second one (from the second on), which no setting was chosen on; with awesome-align's stored
answer for comparison.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from mtassay.data.errors import UsageError
from mtassay.nlp.aligners import Links, Words, open_aligner
from mtassay.nlp.links import SYMMETRIZATIONS, Gold, agreement, parse_gold, read_pharaoh

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
FOLDER = DATA / "alignment" / "zh-en"
ALIGNERS = ["table", "encoder", "fast-align", "eflomal"]


def main() -> None:
    pairs, gold = read_pairs(FOLDER / "zhen.src-tgt"), read_gold(FOLDER / "zhen.gold")
    print(f"{'aligner':<12} {'symmetrization':<20} precision   recall      AER   unseen  seconds")
    show("awesome", "(stored)", read_pharaoh(FOLDER / "zhen.awesome-align.out"), gold, 0.0)
    for name in sys.argv[1:] or ALIGNERS:
        for how in ["grow-diag-final-and"] if name.startswith("fast-align") else list(SYMMETRIZATIONS):
            try:
                aligner = open_aligner("zh-en", name=name, symmetrize=how)
            except UsageError as error:
                print(f"{name:<12} {error}")
                break
            start = time.perf_counter()
            found = aligner.align(pairs)
            show(name, how, found, gold, time.perf_counter() - start)


def read_pairs(path: Path) -> list[tuple[Words, Words]]:
    sides = [line.split(" ||| ") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(left.split(), right.split()) for left, right in sides]


def read_gold(path: Path) -> list[Gold]:
    return [parse_gold(line) for line in path.read_text(encoding="utf-8").splitlines()]


def show(name: str, how: str, found: Sequence[Links], gold: Sequence[Gold], seconds: float) -> None:
    counts, unseen = agreement(found, gold), agreement(found[1::2], gold[1::2])
    rates = (counts.precision, counts.recall, counts.error_rate, unseen.error_rate)
    cells = " ".join("       -" if rate is None else f"{rate:8.3f}" for rate in rates)
    print(f"{name.partition(':')[0]:<12} {how:<20}  {cells} {seconds:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
