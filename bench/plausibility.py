"""Measures the notes on inputs of `mtassay score`: false alarms, cost, and how many shifts they find.

usage: python bench/plausibility.py

Good test sets (MTASSAY_DATA/wmt22, wmt23-mtme, btpgbt, our demo corpus) must give no note. Into one system
of two of them one to three lines too many, or missing, are put at a random place; and its lines are
shuffled, which is no shift.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mtassay.data.nouns import Segment
from mtassay.measures.bleu import BLEU
from mtassay.measures.chrf import ChrF
from mtassay.measures.metric import Metric
from mtassay.measures.plausibility import notes_on_inputs

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
CHINESE = ("google", "azure", "deepl", "tencent", "chat", "trans")
TRIALS = 100


class Inputs(NamedTuple):
    """A test set with outputs, and its pair."""

    name: str
    pair: tuple[str, str]
    segments: list[Segment]
    outputs: dict[str, list[str]]

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {"bleu": BLEU(language=self.pair[1]), "chrf": ChrF()}

    def notes(self) -> list[str]:
        return notes_on_inputs(self.segments, self.outputs, pair=self.pair, metrics=self.metrics)


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def inputs(name: str, pair: str, source: Path, references: Sequence[Path], outputs: Sequence[Path]) -> Inputs:
    rows = zip(lines(source), zip(*map(lines, references), strict=True), strict=True)
    segments = [Segment(str(i), text, row) for i, (text, row) in enumerate(rows, start=1)]
    code, other = pair.split("-")
    return Inputs(name, (code, other), segments, {path.stem: lines(path) for path in outputs})


def test_sets() -> Iterator[Inputs]:
    """Good test sets with outputs of real systems."""
    wmt22 = DATA / "wmt22" / "de-en"
    systems = sorted((wmt22 / "outputs").glob("*.txt"))
    for names in ("A", "B", "AB"):
        references = [wmt22 / "references" / f"{name}.txt" for name in names]
        yield inputs(f"WMT22 de-en, {names}", "de-en", wmt22 / "source.txt", references, systems)
    wmt23 = DATA / "wmt23-mtme"
    systems = [p for p in sorted((wmt23 / "system-outputs" / "en-de").glob("*.txt")) if "ref" not in p.stem]
    for name in ("refA", "synthetic_ref"):
        reference = wmt23 / "references" / f"en-de.{name}.txt"
        yield inputs(f"WMT23 en-de, {name}", "en-de", wmt23 / "sources" / "en-de.txt", [reference], systems)
    for folder in (DATA / "btpgbt" / "wmt2122", *sorted((DATA / "btpgbt" / "cases").iterdir())):
        outputs = [folder / name for name in CHINESE]
        yield inputs(f"BTPGBT {folder.name}", "en-zh", folder / "test_en", [folder / "test_zh"], outputs)
    for pair in ("en-pt", "pt-en"):
        demo = PROJECT / "demo" / "corpus" / pair
        references = [demo / "reference.A.txt", demo / "reference.B.txt"]
        outputs = sorted((demo / "outputs").glob("*.txt"))
        yield inputs(f"demo {pair}", pair, demo / "source.txt", references, outputs)


def seconds(call: Callable[[], object], *, times: int = 7) -> float:
    """The least CPU time of several calls, which other work on the machine disturbs least."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        call()
        taken.append(time.process_time() - began)
    return min(taken)


def shifted(texts: Sequence[str], rng: random.Random) -> tuple[list[str], int]:
    """Some lines lost, or too many, before a line in the first three quarters."""
    by, first = rng.choice([-3, -2, -1, 1, 2, 3]), rng.randrange(3 * len(texts) // 4)
    if by > 0:
        return [*texts[:first], *texts[first + by :], *["–"] * by], by
    return [*texts[:first], *["–"] * -by, *texts[first:by]], by


def main() -> None:
    """Print false alarms, cost and detection."""
    sets = list(test_sets())
    for each in sets:
        n, systems = len(each.segments), len(each.outputs)
        print(f"{each.name}: {n:,} segments, {systems} systems, notes: {each.notes()}")
    first = sets[0]
    notes = seconds(first.notes)
    print(f"{first.name}: notes {notes:.3f} s of CPU time")
    for each in (sets[0], sets[-2]):
        rng = random.Random(12345)
        found = shuffled = 0
        for _ in range(TRIALS):
            system = rng.choice(sorted(each.outputs))
            other = next(name for name in each.outputs if name != system)
            texts, by = shifted(each.outputs[system], rng)
            words = f"{abs(by)} line{'s' * (abs(by) != 1)} too {'high' if by > 0 else 'low'}"
            broken = each._replace(outputs={other: each.outputs[other], system: texts})
            found += any(note.startswith(f"{system}: lines") and words in note for note in broken.notes())
            texts = rng.sample(each.outputs[system], len(texts))
            broken = each._replace(outputs={other: each.outputs[other], system: texts})
            shuffled += any(" stand " in note for note in broken.notes())
        print(f"{each.name}: shifts found {found} of {TRIALS}; called shifted though shuffled {shuffled}")


if __name__ == "__main__":
    main()
