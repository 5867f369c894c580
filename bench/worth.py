"""What a difference of a metric is worth to people: writes the table that comparisons show.

usage: python bench/worth.py [--write]

For every pair of systems of a WMT test set, whether people prefer the one that the metric prefers: the mean
difference of people's segment scores, by document where documents are known, is significant (p < 0.05) in the
same direction, in the other one, or in none ("undecided"). Pairs are counted by the size of the metric's
difference. Intervals draw whole test sets, since pairs of one test set hang together.

Test sets: WMT22 de-en (direct assessment), WMT23 en-de (MQM), WMT24 en-cs, en-hi, en-ja, en-zh (ESA), all
from MTASSAY_DATA. Only figures are written, to src/mtassay/measures/data/worth.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import NormalDist

import numpy as np

import mtassay as mt

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
TABLE = PROJECT / "src" / "mtassay" / "measures" / "data" / "worth.json"
METRICS = "bleu,chrf,chrf++,ter"
WITHOUT_WORDS = {"en-ja": "chrf,chrf++", "en-zh": "bleu,chrf,chrf++"}
"""Texts without spaces: no TER, and BLEU only where a tokeniser comes with sacreBLEU."""
EDGES = {"BLEU": (0.5, 1, 2, 4), "chrF2": (0.5, 1, 2, 4), "chrF2++": (0.5, 1, 2, 4), "TER": (0.5, 1, 2, 4)}
SAMPLES = 2000


@dataclass(frozen=True)
class TestSet:
    """Texts of a test set, and people's score of each output; nan where nobody rated it. Higher is better."""

    name: str
    pair: str
    references: list[str]
    outputs: dict[str, list[str]]
    people: dict[str, list[float]]
    documents: list[str]


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def wmt22() -> TestSet:
    folder = DATA / "wmt22" / "de-en"
    outputs = {file.stem: lines(file) for file in sorted((folder / "outputs").glob("*.txt"))}
    references = lines(folder / "references" / "A.txt")
    people = {name: [np.nan] * len(references) for name in outputs}
    for row in lines(folder / "human" / "seg-scores.csv")[1:]:
        system, place, _, z, _ = row.split()
        name = system.partition(".")[0]
        if name in people:
            people[name][int(place) - 1] = float(z)
    documents = [str(place) for place in range(len(references))]
    return TestSet("WMT22 de-en", "de-en", references, outputs, people, documents)


def wmt23() -> TestSet:
    folder = DATA / "wmt23-mtme"
    outputs = {file.stem: lines(file) for file in sorted((folder / "system-outputs" / "en-de").glob("*.txt"))}
    people: dict[str, list[float]] = defaultdict(list)
    for row in lines(folder / "human-scores" / "en-de.mqm.seg.score"):
        system, score = row.split("\t")
        people[{"LanguageX": "ZengHuiMT"}.get(system, system)].append(
            np.nan if score == "None" else float(score)
        )
    outputs = {n: texts for n, texts in outputs.items() if n in people and "ref" not in n}
    return TestSet(
        "WMT23 en-de",
        "en-de",
        lines(folder / "references" / "en-de.refA.txt"),
        outputs,
        dict(people),
        lines(folder / "documents" / "en-de.docs"),
    )


def wmt24(pair: str) -> TestSet:
    records = []
    with gzip.open(DATA / "people" / "esa24" / f"{pair}.jsonl.gz", "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    systems = sorted({r["system"] for r in records if not r["system"].startswith("ref")})
    segments: dict[tuple[str, int], dict[str, dict[str, object]]] = defaultdict(dict)
    for record in records:
        segments[record["doc"], record["seg"]][record["system"]] = record
    kept = {
        key: by
        for key, by in segments.items()
        if all(s in by for s in systems) and by[systems[0]]["reference"]
    }
    return TestSet(
        f"WMT24 {pair}",
        pair,
        [str(by[systems[0]]["reference"]) for by in kept.values()],
        {s: [str(by[s]["output"]) for by in kept.values()] for s in systems},
        {s: [float(by[s]["score"]) for by in kept.values()] for s in systems},  # type: ignore[arg-type]
        [document for document, _ in kept],
    )


def preference(first: list[float], second: list[float], documents: list[str]) -> int:
    """1 where people prefer the first significantly, -1 the second, 0 where they are undecided."""
    difference = np.array(first) - np.array(second)
    rated = ~np.isnan(difference)
    if rated.sum() < 30:
        return 0
    _, places = np.unique(np.array(documents)[rated], return_inverse=True)
    # The mean of differences, whose standard error adds up by document.
    residual = difference[rated] - difference[rated].mean()
    by_document = np.bincount(places, weights=residual)
    groups = len(by_document)
    error = np.sqrt((by_document**2).sum() * groups / (groups - 1)) / rated.sum()
    z = difference[rated].mean() / error
    return int(np.sign(z)) if 2 * (1 - NormalDist().cdf(abs(z))) < 0.05 else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    counted: dict[tuple[str, int], dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
    sizes = []
    for test_set in (wmt22(), wmt23(), *(wmt24(p) for p in ("en-cs", "en-hi", "en-ja", "en-zh"))):
        run = mt.score(
            test_set.outputs,
            [test_set.references],
            langpair=test_set.pair,
            metrics=WITHOUT_WORDS.get(test_set.pair, METRICS),
            samples=100,
            trials=100,
            checks="none",
        )
        values: dict[str, dict[str, float]] = defaultdict(dict)
        better = {"TER": -1}
        for score in run.result.scores:
            if score.group == "all" and score.value is not None:
                values[score.label][score.system] = score.value
        systems = list(test_set.outputs)
        sizes.append(f"{test_set.name}: {len(systems)} systems, {len(test_set.references):,} segments")
        for a, b in combinations(systems, 2):
            wanted = preference(test_set.people[a], test_set.people[b], test_set.documents)
            for label, own in values.items():
                delta = (own[a] - own[b]) * better.get(label, 1)
                bin_ = int(np.searchsorted(EDGES[label], abs(delta), side="right"))
                agrees = wanted * (1 if delta > 0 else -1)
                counted[label, bin_][test_set.name][{1: 0, 0: 1, -1: 2}[agrees]] += 1
    table: dict[str, list[dict[str, object]]] = {label: [] for label in EDGES}
    rng = np.random.default_rng(1)
    for (label, bin_), by_set in sorted(counted.items()):
        rows = np.array(list(by_set.values()), dtype=float)
        draws = rows[rng.integers(len(rows), size=(SAMPLES, len(rows)))].sum(axis=1)
        shares = draws[:, 0] / draws.sum(axis=1)
        low, high = np.quantile(shares, [0.025, 0.975])
        same, undecided, opposite = (int(n) for n in rows.sum(axis=0))
        edges = (0.0, *EDGES[label])
        table[label].append(
            {
                "from": edges[bin_],
                "same": same,
                "undecided": undecided,
                "opposite": opposite,
                "sets": len(rows),
                "low": round(float(low), 3),
                "high": round(float(high), 3),
            }
        )
    print("; ".join(sizes))
    print("\n| metric | difference from | pairs | same | undecided | opposite | test sets | same, 95 % |")
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    for label, entries in table.items():
        for e in entries:
            n = int(e["same"]) + int(e["undecided"]) + int(e["opposite"])  # type: ignore[call-overload]
            ends = f"{100 * float(e['low']):.0f}–{100 * float(e['high']):.0f} %"  # type: ignore[arg-type]
            cells = (label, e["from"], n, e["same"], e["undecided"], e["opposite"], e["sets"], ends)
            print(f"| {' | '.join(map(str, cells))} |")
    if arguments.write:
        record = {"source": "WMT22–24", "test_sets": sizes, "metrics": table}
        TABLE.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
