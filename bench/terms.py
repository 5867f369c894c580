"""Terminology success of all systems of WMT25's terminology task, beside the published figures.

usage: python bench/terms.py [FOLDER] [--pairs en-de,en-es] [--systems]

FOLDER has a folder for each pair with `test.jsonl.gz`, `outputs/SYSTEM.MODE.txt.gz` and `official.json.gz`;
by default that of MTASSAY_DATA. A row for each pair, kind of terms and rule: `words` is the default of the
metric `terms`, `anywhere` the rule of the task. --systems has a row for each system and mode, too.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mtassay.data.formats.segment_files import read_segments
from mtassay.data.formats.textfiles import read_lines
from mtassay.measures.term_success import Terms
from mtassay.stats.proportions import wilson

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data")) / "terminology"
KINDS = ("proper", "random")
RULES = ("words", "anywhere")


@dataclass(frozen=True)
class Row:
    """One system in one mode: our rate and the published one, in per cent."""

    system: str
    mode: str
    ours: float
    published: float
    hits: int
    n: int

    @property
    def difference(self) -> float:
        return self.ours - self.published


def success(folder: Path, kind: str, rule: str) -> list[Row]:
    """Every system and mode of a pair that has a published rate."""
    test = folder / "test.jsonl.gz"
    official = json.loads(gzip.decompress((folder / "official.json.gz").read_bytes()))
    published = {
        f"{system}.{mode}": 100 * figures[f"{kind}_term_success_rate"]
        for mode, systems in official.items()
        for system, figures in systems.items()
        if figures.get(f"{kind}_term_success_rate") is not None
    }
    outputs = {
        name: read_lines(path)
        for path in sorted((folder / "outputs").iterdir())
        if (name := path.name.removesuffix(".txt.gz")) in published
    }
    metric = Terms(glossaries=(str(test),), column=kind, match=rule, langpair=folder.name)
    segments = read_segments(test, [])
    rows = []
    for statistics in metric.measure(segments, outputs):
        sums = statistics.values.sum(axis=0)
        system, _, mode = statistics.system.rpartition(".")
        ours = float(metric.aggregate(sums))
        rows.append(Row(system, mode, ours, published[statistics.system], int(sums[0]), int(sums[1])))
    return rows


def pairs(folder: Path, wanted: str) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if (path / "official.json.gz").exists() and (not wanted or path.name in wanted.split(",")):
            yield path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--pairs", default="")
    parser.add_argument("--systems", action="store_true")
    arguments = parser.parse_args()
    print("| pair | terms | rule | n | systems | mean difference | mean absolute | largest |")
    print("|---|---|---|--:|--:|--:|--:|--:|")
    details = []
    for folder in pairs(arguments.folder, arguments.pairs):
        for kind in KINDS:
            for rule in RULES:
                rows = success(folder, kind, rule)
                differences = np.array([row.difference for row in rows])
                largest = max(rows, key=lambda row: abs(row.difference))
                print(
                    f"| {folder.name} | {kind} | {rule} | {rows[0].n} | {len(rows)} "
                    f"| {differences.mean():+.2f} | {abs(differences).mean():.2f} "
                    f"| {largest.difference:+.2f} ({largest.system}, {largest.mode}) |"
                )
                details += [(folder.name, kind, rule, row) for row in rows]
    if arguments.systems:
        print("\n| pair | terms | rule | system | mode | ours | 95 % | published | difference |")
        print("|---|---|---|---|---|--:|---|--:|--:|")
        for name, kind, rule, row in details:
            interval = wilson(row.hits, row.n)
            print(
                f"| {name} | {kind} | {rule} | {row.system} | {row.mode} | {row.ours:.1f} "
                f"| {100 * interval.low:.1f}–{100 * interval.high:.1f} | {row.published:.1f} "
                f"| {row.difference:+.1f} |"
            )


if __name__ == "__main__":
    main()
