"""Wu, Liu, Yeung (2023) on their released cases: table 4 with intervals, and how high agreement can be.

The released cases are those before the authors' quality filter, so rates cannot equal the published ones.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from paper_files import DATA, HERE, WORKSPACE, lines, write_part

import mtassay as mt
from mtassay.stats.correlation import pearson, spearman

sys.path.insert(0, str(HERE.parent))
from behavior_data import SYSTEMS, convert

GOOD = SYSTEMS[:5]
CAPABILITIES = ("noun", "verb", "adjective", "adverb", "others")
CITED = json.loads((HERE / "cited.json").read_text(encoding="utf-8"))["behavior"]
JUDGES: dict[str, dict[str, Any]] = {
    "paper, use": {"judge_by": "paper", "quality": "use"},
    "paper, use and chrF": {"judge_by": "paper", "quality": "use,chrf"},
    "ours": {"judge_by": "ours"},
}
DRAWS = 2000
OPTIONS: dict[str, Any] = {"workspace": str(WORKSPACE), "quiet": True, "checks": "none"}

Floats = NDArray[np.float64]


def published() -> Floats:
    """Table 4: systems without 'trans' by the capabilities that are here."""
    columns = [CITED["table 4"]["capabilities"].index(name) for name in CAPABILITIES]
    return np.array([[CITED["table 4"][system][i] for i in columns] for system in GOOD])


def passed(run: mt.Run) -> dict[str, Floats]:
    """For each capability, cases by systems: 1 passed, 0 failed, nan undecided."""
    verdicts: dict[str, dict[str, str | None]] = {}
    for finding in run.findings:
        if finding.detector.startswith("behavior"):
            verdicts.setdefault(finding.case_id, {})[finding.system] = finding.verdict
    found: dict[str, list[list[float]]] = {name: [] for name in CAPABILITIES}
    for case, by_system in verdicts.items():
        row = [by_system.get(system) for system in SYSTEMS]
        if any(verdict in ("pass", "fail") for verdict in row):
            said = {"pass": 1.0, "fail": 0.0}
            found[case.split("-")[0]].append([said.get(str(verdict), np.nan) for verdict in row])
    return {name: np.array(rows) for name, rows in found.items()}


def agreement(rates: Floats, wanted: Floats) -> dict[str, float]:
    return {
        "pearson": pearson(rates.ravel(), wanted.ravel()),
        "capabilities within a system": float(
            np.mean([spearman(a, b) for a, b in zip(rates, wanted, strict=True)])
        ),
        "systems within a capability": float(
            np.mean([spearman(a, b) for a, b in zip(rates.T, wanted.T, strict=True)])
        ),
    }


def drawn_rates(cases: Sequence[Floats], sizes: Sequence[int], rng: np.random.Generator) -> Floats:
    """Rates in per cent of as many cases as `sizes` says, drawn with replacement."""
    means = [
        np.nanmean(part[rng.integers(0, len(part), size)], axis=0)
        for part, size in zip(cases, sizes, strict=True)
    ]
    return 100 * np.array(means).T


def spread(rows: Sequence[dict[str, float]]) -> dict[str, list[float]]:
    """Mean and the ends of the 95 % interval."""
    found = {}
    for name in rows[0]:
        values = np.array([row[name] for row in rows])
        values = values[np.isfinite(values)]
        if len(values):
            found[name] = [float(values.mean()), *map(float, np.quantile(values, (0.025, 0.975)))]
    return found


def compare(cases: dict[str, Floats]) -> dict[str, Any]:
    """Agreement with table 4 and with a second draw of the same judge, each with intervals over cases."""
    wanted, rng = published(), np.random.default_rng(12345)
    good = [cases[name][:, : len(GOOD)] for name in CAPABILITIES]
    sizes = [len(part) for part in good]
    theirs = [
        CITED["table 4"]["sizes"][CITED["table 4"]["capabilities"].index(name)] for name in CAPABILITIES
    ]
    rates = 100 * np.array([np.nanmean(part, axis=0) for part in good]).T
    draws = [agreement(drawn_rates(good, sizes, rng), wanted) for _ in range(DRAWS)]
    twice = [agreement(drawn_rates(good, sizes, rng), drawn_rates(good, theirs, rng)) for _ in range(DRAWS)]
    share = wanted / 100
    noise = float(np.mean(100**2 * share * (1 - share) / np.array(theirs)))
    between = {
        "all cells": float(wanted.var()),
        "systems within a capability": float(wanted.var(axis=0, ddof=1).mean()),
        "capabilities within a system": float(wanted.var(axis=1, ddof=1).mean()),
    }
    return {
        "cases": dict(zip(CAPABILITIES, sizes, strict=True)),
        "undecided": float(np.mean([np.isnan(part).mean() for part in good])),
        "rates": {
            system: [float(100 * np.nanmean(cases[name][:, i])) for name in CAPABILITIES]
            for i, system in enumerate(SYSTEMS)
        },
        "agreement": agreement(rates, wanted),
        "intervals": spread(draws),
        "the same judge twice": spread(twice),
        "published variance": between,
        "published noise": noise,
    }


def released() -> dict[str, Any]:
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        convert(DATA / "btpgbt", Path(folder))
        systems = {name: f"{folder}/{name}.jsonl" for name in SYSTEMS}
        for label, settings in JUDGES.items():
            run = mt.behavior(f"{folder}/cases.jsonl", None, systems, langpair="en-zh", **settings, **OPTIONS)
            cases = passed(run)
            found[label] = compare(cases)
            if label == "ours":
                kept = {name: np.nan_to_num(part, nan=1.0) for name, part in cases.items()}
                found["ours, undecided as passed"] = compare(kept)
    return found


def lengths() -> dict[str, float]:
    """How many characters the edited sources of each capability have, on average."""
    texts = {name: lines(DATA / "btpgbt" / "cases" / name / "test_en") for name in CAPABILITIES}
    return {name: float(np.mean([len(line) for line in own])) for name, own in texts.items()}


def measure() -> dict[str, Any]:
    return {"released": released(), "lengths": lengths()}


if __name__ == "__main__":
    write_part("behavior", measure)
