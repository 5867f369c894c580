"""Whether 'may be the best' holds the best system, and whether tests keep their level where documents matter.

usage: python bench/ranking.py [best] [documents] [--tables N]

best       planted truth: k systems of a WMT test set, whose scores on all segments are the truth; a table is
           drawn anew from the documents (WMT23, WMT24) or segments (WMT22). How often the truly best system
           is among those that may be the best, and how many these are
documents  two systems that swap whole documents by the toss of a coin, so that neither is better; how often
           a table claims a difference, drawing segments and drawing documents

Files: WMT22 de-en, WMT23 en-de and WMT24 en-cs from MTASSAY_DATA. BLEU and chrF in one table.
"""

from __future__ import annotations

import argparse
import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import mtassay as mt
from mtassay.data.nouns import Result, Statistics
from mtassay.measures.corpus import labels_of, open_metrics
from mtassay.methods.headlines import may_be_best
from mtassay.methods.score.score_statistics import SystemTests
from mtassay.stats.proportions import wilson

DATA = Path(os.environ.get("MTASSAY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
METRICS = open_metrics(["bleu,chrf"], None)
HOW = SystemTests("randomization", "max-t", 0.05, samples=100, trials=1000, seed=1)
DRAWN = 400
"""Segments of a table."""


@dataclass(frozen=True)
class TestSet:
    """Statistics (segments, systems, columns) by metric, and the document of each segment."""

    name: str
    systems: Sequence[str]
    values: dict[str, np.ndarray[Any, Any]]
    columns: dict[str, Sequence[str]]
    documents: np.ndarray[Any, Any]

    def table(self, rows: np.ndarray[Any, Any], chosen: Sequence[int]) -> list[list[Statistics]]:
        """The statistics of these segments and systems, one table for each metric."""
        ids = [str(place) for place in range(len(rows))]
        return [
            [Statistics(m, self.systems[s], ids, self.columns[m], values[rows, s]) for s in chosen]
            for m, values in self.values.items()
        ]


def lines(path: Path) -> list[str]:
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode().split("\n")[:-1]


def read(name: str, references: Path, outputs: Path, documents: Path | None) -> TestSet:
    reference = lines(references)
    files = [f for f in sorted(outputs.iterdir()) if not f.name.startswith(("ref", "synthetic"))]
    systems = {f.name.removesuffix(".gz").removesuffix(".txt"): lines(f) for f in files}
    systems = {system: texts for system, texts in systems.items() if len(texts) == len(reference)}
    run = mt.score(systems, [reference], metrics="bleu,chrf", samples=100, trials=100, checks="none").record
    values, columns = {}, {}
    for metric in METRICS:
        own = [s for s in run.statistics if s.metric == metric and s.group == "all"]
        values[metric] = np.stack([s.values for s in own], axis=1)
        columns[metric] = own[0].columns
    names = lines(documents) if documents else [str(i) for i in range(len(reference))]
    return TestSet(name, list(systems), values, columns, np.unique(names, return_inverse=True)[1])


@cache
def test_sets() -> list[TestSet]:
    wmt22, wmt23, wmt24 = DATA / "wmt22" / "de-en", DATA / "wmt23-mtme", DATA / "wmt24" / "en-cs"
    return [
        read("WMT22 de-en", wmt22 / "references" / "A.txt", wmt22 / "outputs", None),
        read(
            "WMT23 en-de",
            wmt23 / "references" / "en-de.refA.txt",
            wmt23 / "system-outputs" / "en-de",
            wmt23 / "documents" / "en-de.docs",
        ),
        read("WMT24 en-cs", wmt24 / "reference.A.txt.gz", wmt24 / "outputs", wmt24 / "documents.txt.gz"),
    ]


def drawn(test_set: TestSet, rng: np.random.Generator) -> tuple[np.ndarray[Any, Any], dict[str, str]]:
    """Segments of documents drawn with replacement until there are enough; each draw is its own document."""
    members = [np.flatnonzero(test_set.documents == d) for d in range(test_set.documents.max() + 1)]
    rows: list[int] = []
    documents: dict[str, str] = {}
    while len(rows) < DRAWN:
        own = members[rng.integers(len(members))]
        documents |= {str(len(rows) + i): f"d{len(rows)}" for i in range(len(own))}
        rows += own.tolist()
    return np.array(rows), documents


def concluded(how: SystemTests, tables: list[list[Statistics]]) -> dict[str, Result]:
    results = how.compare(tables, METRICS, labels_of(METRICS))
    return dict(zip(METRICS, results, strict=True))


def best(tables: int) -> None:
    print(
        "| systems | tables | metric | best among 'may be the best' | 95 % | mean size | of WMT's cluster |"
    )
    print("|--:|--:|---|--:|---|--:|--:|")
    for k in (2, 9, 12):
        rng = np.random.default_rng(k)
        sets = [s for s in test_sets() if len(s.systems) >= k]
        hits: dict[str, list[bool]] = {m: [] for m in METRICS}
        sizes: dict[str, list[int]] = {m: [] for m in METRICS}
        clusters: dict[str, list[int]] = {m: [] for m in METRICS}
        for number in range(tables):
            own = sets[number % len(sets)]
            chosen = rng.choice(len(own.systems), size=k, replace=False).tolist()
            rows, documents = drawn(own, rng)
            how = replace(HOW, documents=documents, seed=number)
            table = own.table(rows, chosen)
            found = concluded(how, table)
            wmt = concluded(replace(how, ranks="wmt-clusters"), table)
            for metric, result in found.items():
                truth = METRICS[metric].aggregate(own.values[metric][:, chosen].sum(axis=0, dtype=np.float64))
                named = may_be_best(result, metric, "all")
                hits[metric].append(own.systems[chosen[int(np.argmax(truth))]] in named)
                sizes[metric].append(len(named))
                clusters[metric].append(len(wmt[metric].clusters[0].systems))
        for metric, found_best in [*hits.items(), ("both", list(map(all, zip(*hits.values(), strict=True))))]:
            size = (
                f"{np.mean(sizes[metric]):.1f} | {np.mean(clusters[metric]):.1f}" if metric in sizes else "|"
            )
            print(f"| {k} | {tables:,} | {metric} | {share(sum(found_best), tables)} | {size} |", flush=True)


def documents(tables: int) -> None:
    print("\n| test set | documents | tables | by segment | 95 % | by document | 95 % |")
    print("|---|--:|--:|--:|---|--:|---|")
    for own in test_sets()[1:]:
        count = int(own.documents.max()) + 1
        for size in (20, 50, count):
            rng = np.random.default_rng(size)
            claims = np.zeros(2, dtype=int)
            for number in range(tables):
                pair = rng.choice(len(own.systems), size=2, replace=False).tolist()
                kept = rng.choice(count, size=size, replace=False)
                rows = np.flatnonzero(np.isin(own.documents, kept))
                coin = rng.integers(2, size=count).astype(bool)[own.documents[rows]]
                table = own.table(rows, pair)
                mixed = [
                    [
                        replace(s, values=np.where(coin[:, None], s.values, o.values))
                        for s, o in ((a, b), (b, a))
                    ]
                    for a, b in table
                ]
                units = {str(i): str(d) for i, d in enumerate(own.documents[rows])}
                for place, which in enumerate(({}, units)):
                    found = concluded(replace(HOW, documents=which, seed=number), mixed)
                    claims[place] += any(
                        c.p is not None and c.p < 0.05 for r in found.values() for c in r.comparisons
                    )
            shares = " | ".join(share(count, tables) for count in claims)
            print(f"| {own.name} | {size} | {tables:,} | {shares} |", flush=True)


def share(hits: int, n: int) -> str:
    low, high = wilson(int(hits), n)
    return f"{100 * hits / n:.1f} % | {100 * low:.1f}–{100 * high:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", default=[])
    parser.add_argument("--tables", type=int, default=1000)
    arguments = parser.parse_args()
    for part in arguments.parts or ["best", "documents"]:
        {"best": best, "documents": documents}[part](arguments.tables)


if __name__ == "__main__":
    main()
