"""Papineni et al. (2002) on WMT22 and WMT23: how BLEU and NEE agree with people, by n-gram length too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from paper_files import DATA, IMAGES, WORKSPACE, lines, write_part

import mtassay as mt

WMT22, WMT23 = DATA / "wmt22" / "de-en", DATA / "wmt23-mtme"
NEE = "nee:unit=segment"
OPTIONS: dict[str, Any] = {"workspace": str(WORKSPACE), "quiet": True}


def error_scores() -> dict[str, dict[str, list[float | None]]]:
    """Minus the weights of errors of accuracy, of fluency and of all kinds, by system and segment."""
    kinds = {"adequacy-like": ("accuracy", "non-translation"), "fluency-like": ("fluency", "style")}
    found: dict[str, dict[str, list[float | None]]] = {name: {} for name in (*kinds, "all errors")}
    for line in lines(WMT23 / "human-scores" / "en-de.mqm.merged.seg.rating"):
        system, _, text = line.partition("\t")
        rating = None if text == "None" else json.loads(text)
        for name, scores in found.items():
            errors = rating["errors"] if rating else []
            mine = [e for e in errors if name not in kinds or e["category"].lower().startswith(kinds[name])]
            value = -float(sum(error["score"] for error in mine)) if rating else None
            scores.setdefault(system, []).append(value)
    return found


def outputs_of(folder: Any) -> dict[str, list[str]]:
    return {path.stem: lines(path) for path in sorted(folder.glob("*.txt"))}


def pick(found: Any, statistic: str) -> dict[str, dict[str, Any]]:
    """Value and interval, by human score and metric."""
    picked: dict[str, dict[str, Any]] = {}
    for row in found.records():
        if row["group"] == statistic:
            picked.setdefault(row["system"], {})[row["name"].split(":")[0]] = [
                row["value"],
                row["low"],
                row["high"],
            ]
    return picked


def sweep_of(found: Any) -> dict[str, dict[str, float]]:
    """Prediction error in per cent, by human score and n-gram length."""
    errors: dict[str, dict[str, float]] = {}
    for row in found.records():
        if row["group"] == "prediction_error" and "order=" in row["name"]:
            errors.setdefault(row["system"], {})[row["name"].rpartition("=")[2]] = row["value"]
    return errors


def regression(people: Mapping[str, float], *metrics: Mapping[str, float]) -> float:
    """Adjusted R²: the share of the variance of people's scores that the metrics explain together."""
    names = sorted(people)
    table = np.array([[1.0, *(metric[name] for metric in metrics)] for name in names])
    wanted = np.array([people[name] for name in names])
    rest = wanted - table @ np.linalg.lstsq(table, wanted, rcond=None)[0]
    unexplained = (rest @ rest) / ((wanted - wanted.mean()) @ (wanted - wanted.mean()))
    return float(1 - unexplained * (len(names) - 1) / (len(names) - len(metrics) - 1))


def scores_of(run: Any) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for row in run.records("scores"):
        if row["group"] in ("", "all", None):
            found.setdefault(row["name"].split(":")[0], {})[row["system"]] = row["value"]
    return found


def wmt23() -> dict[str, Any]:
    systems = outputs_of(WMT23 / "system-outputs" / "en-de")
    references = [systems.pop("refA")]
    systems.pop("synthetic_ref", None)
    people = {
        name: {system: values for system, values in by_system.items() if system in systems}
        for name, by_system in error_scores().items()
    }
    found = mt.correlate(
        systems,
        references,
        lines(WMT23 / "sources" / "en-de.txt"),
        human_scores=people,
        metrics="bleu",
        ngram_sweep="1-16",
        langpair="en-de",
        trials=100,
        **OPTIONS,
    )
    found.draw(IMAGES / "ngrams-wmt23.svg")
    return {"systems": len(systems), "pearson": pick(found, "pearson"), "error": sweep_of(found)}


def wmt22() -> dict[str, Any]:
    """Direct assessment of nine systems and the translator of reference B, compared with reference A."""
    systems = outputs_of(WMT22 / "outputs")
    first, second = (lines(WMT22 / "references" / f"{name}.txt") for name in "AB")
    systems["HUMAN-B"] = second
    rows = [line.split() for line in lines(WMT22 / "human" / "sys-scores.csv")[1:]]
    people = {row[3].split(".")[0]: float(row[1]) for row in rows if row}
    source = lines(WMT22 / "source.txt")
    found: dict[str, Any] = {}
    for name in ("with the translator", "systems alone"):
        some = {key: text for key, text in systems.items() if name != "systems alone" or key != "HUMAN-B"}
        agreed = mt.correlate(
            some,
            [first],
            source,
            human_scores={"DA": {key: people[key] for key in some}},
            metrics=["bleu", NEE],
            ngram_sweep="1-16" if name == "systems alone" else None,
            langpair="de-en",
            trials=100,
            **OPTIONS,
        )
        if name == "systems alone":
            found["error"] = sweep_of(agreed)
        else:
            agreed.draw(IMAGES / "agreement-wmt22.svg")
        found[name] = {"systems": len(some), "pearson": pick(agreed, "pearson")["DA"]}
    run = mt.score(
        systems,
        references=[first],
        source=source,
        langpair="de-en",
        metrics=["bleu", NEE],
        checks="none",
        **OPTIONS,
    )
    scores = scores_of(run)
    found["scores"] = scores
    found["regression"] = {
        label: {
            "BLEU": regression(some, scores["bleu"]),
            "NEE": regression(some, scores["nee"]),
            "both": regression(some, scores["bleu"], scores["nee"]),
        }
        for label, some in (
            ("with the translator", people),
            ("systems alone", {name: value for name, value in people.items() if name != "HUMAN-B"}),
        )
    }
    return found


def measure() -> dict[str, Any]:
    return {"wmt23": wmt23(), "wmt22": wmt22()}


if __name__ == "__main__":
    write_part("score", measure)
