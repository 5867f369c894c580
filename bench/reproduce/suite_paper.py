"""Macketanz et al. (2022) on the published half of their suite, with 40 submissions of WMT21 to WMT23."""

from __future__ import annotations

from typing import Any

from paper_files import DATA, IMAGES, WORKSPACE, write_part

import mtassay as mt
from mtassay.app.history import development
from mtassay.report.plots import draw

DFKI = DATA / "dfki" / "de-en"
YEARS = ("wmt21", "wmt22", "wmt23")
OPTIONS: dict[str, Any] = {"workspace": str(WORKSPACE), "quiet": True}


def year(name: str) -> tuple[mt.Run, dict[str, Any]]:
    """One year's systems as in the paper: items that rules settle for all, one-tailed z-test."""
    run = mt.suite(
        str(DFKI / "items.json"),
        [str(DFKI / "outputs" / name)],
        test="z",
        checks="none",
        items="both",
        **OPTIONS,
    )
    groups: dict[str, dict[str, Any]] = {}
    phenomena: dict[str, list[float]] = {}
    for row in run.records("scores"):
        if row["name"] == "accuracy":
            groups.setdefault(row["group"], {})[row["system"]] = [row["value"], row["n"]]
        elif row["name"] == "accuracy:phenomenon" and row["value"] is not None:
            phenomena.setdefault(row["group"], []).append(row["value"])
    best = {
        cluster["group"]: list(cluster["systems"])
        for cluster in run.records("clusters")
        if cluster["rank"] == 1 and cluster["name"] == "accuracy"
    }
    verdicts: dict[str, dict[str, int]] = {}
    for finding in run.findings:
        counts = verdicts.setdefault(finding.system, {})
        counts[str(finding.verdict)] = counts.get(str(finding.verdict), 0) + 1
    means = {name: sum(values) / len(values) for name, values in phenomena.items()}
    return run, {"groups": groups, "phenomena": means, "best": best, "verdicts": verdicts}


def measure() -> dict[str, Any]:
    runs, found = {}, {}
    for name in YEARS:
        runs[name], found[name] = year(name)
    followed = development({name.upper(): run for name, run in runs.items()}, workspace=str(WORKSPACE))
    draw(followed.figures(), IMAGES / "suite-years.svg")
    record = followed.record()
    scores = [
        {key: row[key] for key in ("system", "group", "value", "n", "low", "high")}
        for row in record["scores"]
    ]
    return {"years": found, "development": {"groups": record["groups"], "scores": scores}}


if __name__ == "__main__":
    write_part("suite", measure)
