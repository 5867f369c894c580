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
    for row in run.records("scores"):
        groups.setdefault(f"{row['name']}|{row['group']}", {})[row["system"]] = [row["value"], row["n"]]
    clusters = [
        {"score": c["name"], "group": c["group"], "rank": c["rank"], "systems": list(c["systems"])}
        for c in run.records("clusters")
        if c["rank"] == 1
    ]
    verdicts: dict[str, dict[str, int]] = {}
    for finding in run.findings:
        counts = verdicts.setdefault(finding.system, {})
        counts[str(finding.verdict)] = counts.get(str(finding.verdict), 0) + 1
    return run, {"groups": groups, "best": clusters, "verdicts": verdicts}


def measure() -> dict[str, Any]:
    runs, found = {}, {}
    for name in YEARS:
        runs[name], found[name] = year(name)
    followed = development({name.upper(): run for name, run in runs.items()}, workspace=str(WORKSPACE))
    draw(followed.figures(), IMAGES / "suite-years.svg")
    return {"years": found, "development": followed.record()}


if __name__ == "__main__":
    write_part("suite", measure)
