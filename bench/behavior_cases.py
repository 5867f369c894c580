"""How many cases of each capability the lexicon makes of ordinary pairs, and some of them to read.

usage: python bench/behavior_cases.py [--pair en-pt] [--part fourth] [--read FOLDER] [--each 30]

Takes 300 pairs of 6 to 25 words, drawn with a fixed seed: for en-pt from the test part of Tatoeba without the
sources that its training part has, for en-de from WMT22 (a German source and its English reference, turned
round). Every part was read once and its faults were mended then, so that only the figures of that reading are
of pairs that had no part in the rules. WMT22 has no third 300: en-de has `first` and `development` alone.
With --read, `--each` cases of every capability go to FOLDER/CAPABILITY.tsv, drawn with the same seed, with an
empty column `right`; filled in with y or n, `--count FOLDER` gives the shares with their intervals.

Files: parallel and wmt22 from MTASSAY_DATA.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import random
from collections import Counter
from pathlib import Path

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment
from mtassay.methods.behavior.capability import in_usual_order
from mtassay.methods.behavior.case_generation import make_cases
from mtassay.methods.behavior.pairs import BehaviorCase
from mtassay.methods.behavior.recipe import Recipe
from mtassay.methods.engine import EngineContext
from mtassay.stats import proportions

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
SEED = 20251116
SIZE = 300
PARTS = {
    "first": 0,
    "development": SIZE,
    "earlier": 13 * SIZE,
    "second": 14 * SIZE,
    "third": 16 * SIZE,
    "fourth": 17 * SIZE,
}
COLUMNS = ("case", "right", "before", "after", "edited_source", "pseudo_reference")


def pairs_of(pair: str) -> list[tuple[str, str]]:
    """All pairs of fit length, mixed."""
    if pair == "en-pt":
        train, test = (_tatoeba(part) for part in ("train", "test"))
        known = {source for source, _ in train}
        pairs = [(source, target) for source, target in test if source not in known]
    else:
        folder = DATA / "wmt22" / "de-en"
        german = (folder / "source.txt").read_text(encoding="utf-8").splitlines()
        english = (folder / "references" / "A.txt").read_text(encoding="utf-8").splitlines()
        pairs = list(zip(english, german, strict=True))
    unique = {source: target for source, target in reversed(pairs) if 6 <= len(source.split()) <= 25}
    mixed = [(source, unique[source]) for source, _ in pairs if source in unique]
    mixed = list(dict.fromkeys(mixed))
    random.Random(SEED).shuffle(mixed)
    return mixed


def _tatoeba(part: str) -> list[tuple[str, str]]:
    path = DATA / "parallel" / f"tatoeba-{part}.eng-por.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return [(source, target) for source, target in rows]


def cases_of(pair: str, part: str) -> tuple[list[BehaviorCase], int]:
    """The cases of all capabilities, and how many pairs they are made of."""
    first = PARTS["first" if pair == "en-de" and part != "development" else part]
    chosen = pairs_of(pair)[first : first + SIZE]
    segments = [Segment(str(n), source, (target,)) for n, (source, target) in enumerate(chosen, start=1)]
    context = EngineContext(None, lambda *_: None)
    return list(make_cases(segments, parse_pair(pair), Recipe.resolve({}), context).cases), len(segments)


def write_sheets(cases: list[BehaviorCase], folder: Path, each: int) -> None:
    """Some cases of each capability, to be read."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in {case.capability for case in cases}:
        mine = [case for case in cases if case.capability == name]
        drawn = random.Random(SEED).sample(mine, min(each, len(mine)))
        with (folder / f"{name}.tsv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, delimiter="\t")
            rows.writerow(COLUMNS)
            for case in drawn:
                edits = [*case.changes, *case.reference_changes]
                before, after = (" | ".join(getattr(e, side) for e in edits) for side in ("before", "after"))
                rows.writerow([case.id, "", before, after, case.edited_source, case.pseudo_reference])


def count_sheets(folder: Path) -> None:
    """How many of the cases that were read are right, with Wilson's interval of 95 %."""
    for name in in_usual_order(path.stem for path in folder.glob("*.tsv")):
        with (folder / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
            answers = [row["right"] for row in csv.DictReader(file, delimiter="\t") if row["right"]]
        right = sum(answer == "y" for answer in answers)
        if answers:
            low, high = proportions.wilson(right, len(answers))
            print(f"{name:12} {right} of {len(answers)}, {right / len(answers):.0%} ({low:.0%}–{high:.0%})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pair", choices=("en-pt", "en-de"), default="en-pt")
    parser.add_argument("--part", choices=tuple(PARTS), default="fourth")
    parser.add_argument("--read", type=Path)
    parser.add_argument("--each", type=int, default=30)
    parser.add_argument("--count", type=Path)
    given = parser.parse_args()
    if given.count:
        count_sheets(given.count)
        return
    cases, size = cases_of(given.pair, given.part)
    counts = Counter(case.capability for case in cases)
    print(f"{given.pair}, {given.part}, {size} pairs")
    for name in in_usual_order(counts):
        print(f"{name:12} {counts[name]}")
    if given.read:
        write_sheets(cases, given.read, given.each)


if __name__ == "__main__":
    main()
