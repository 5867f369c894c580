"""What rules are made of 200 decisions about items of the DFKI's suite whose own expressions are hidden.

A hundred items are drawn by a seed, each with a right and a wrong output of a real system; each output is a
decision. `python bench/induction.py FILE` writes the rules for a reader who says of each whether it looks at
what the item tests (`names`) and could be in a sentence about something else (`unrelated`);
`induction_labels.tsv` has what a language model said that read them so and had seen nothing of the project.
Without FILE it counts.
"""

from __future__ import annotations

import csv
import gzip
import os
import random
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from results import write_section

from mtassay.data.formats.suite_files import read_suite
from mtassay.methods.suite.acceptance import Known, expression_for
from mtassay.methods.suite.induction import Background
from mtassay.methods.suite.rule_judge import Judge
from mtassay.stats.proportions import wilson

DATA = Path(os.environ.get("MTASSAY_DATA", "../shared/data"))
LABELS = Path(__file__).with_name("induction_labels.tsv")
ITEMS = 100
NO_RULES = dict.fromkeys(("positive_regex", "negative_regex", "positive_tokens", "negative_tokens"), ())


class Made(NamedTuple):
    """An expression that was made of one decision, and what it was made from."""

    item: str
    phenomenon: str
    source: str
    right: str
    wrong: str
    kind: str
    pattern: str


def expressions() -> list[Made]:
    """The expressions of 200 decisions."""
    folder = DATA / "dfki" / "de-en"
    suite = read_suite(folder / "items.json")
    judge = Judge(suite)
    outputs: dict[str, dict[str, None]] = {}
    for file in sorted(folder.glob("outputs/*/*.tsv")):
        for line in file.read_text(encoding="utf-8").split("\n")[1:]:
            key, found, text = line.partition("\t")
            if found:
                outputs.setdefault(key, {})[text] = None
    draw = random.Random("induction-20261119")
    drawn: dict[str, tuple[str, str]] = {}
    items = list(suite.items)
    draw.shuffle(items)
    for item in items:
        texts: dict[str, list[str]] = {"correct": [], "incorrect": []}
        for text in outputs.get(item.id, ()):
            texts.setdefault(judge.judge(item, text).status, []).append(text)
        if texts["correct"] and texts["incorrect"] and len(drawn) < ITEMS:
            drawn[item.id] = draw.choice(texts["correct"]), draw.choice(texts["incorrect"])
    bare = [replace(i, **NO_RULES) if i.id in drawn else i for i in suite.items]  # type: ignore[arg-type]
    hidden = replace(suite, items=tuple(bare))
    judge, background = Judge(hidden), Background(hidden, outputs)
    made = []
    for key, (right, wrong) in drawn.items():
        item, known = judge.items[key], [Known(right, True, "review"), Known(wrong, False, "review")]
        for is_right, text in ((True, right), (False, wrong)):
            pattern = expression_for(
                judge, item, [text], known, correct=is_right, focus=background.focus(item)
            )
            if pattern:
                kind = "correct" if is_right else "incorrect"
                made.append(Made(key, item.phenomenon, item.source, right, wrong, kind, pattern))
    return made


def main() -> None:
    made = expressions()
    if sys.argv[1:]:
        with Path(sys.argv[1]).open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle, delimiter="\t").writerows([Made._fields, *made])
        return
    with LABELS.open(encoding="utf-8") as handle:
        labels = {(row["item"], row["kind"]): row for row in csv.DictReader(handle, delimiter="\t")}
    said = [labels[rule.item, rule.kind] for rule in made]
    named = sum(row["names"] == "yes" for row in said)
    low, high = wilson(named, len(said))
    accepting = [(rule, row) for rule, row in zip(made, said, strict=True) if rule.kind == "correct"]
    loose = sum(row["unrelated"] == "yes" for _, row in accepting)
    file = DATA / "parallel" / "tatoeba-test.eng-por.tsv.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        everyday = [line.split("\t")[0] for line in lines]
    taken = sum(any(re.search(rule.pattern, s, re.IGNORECASE) for s in everyday) for rule, _ in accepting)
    text = (
        f"Of {2 * ITEMS} decisions about {ITEMS} items with hidden rules (DFKI, German to English) "
        f"{len(made)} became expressions, the others tokens. A language model that read them blind finds "
        f"what the item tests in {named} of {len(said)} ({100 * named / len(said):.0f} % "
        f"[{100 * low:.0f}–{100 * high:.0f}]). Of the "
        f"{len(accepting)} that accept an output it says of {loose} that they could be in a sentence about "
        f"something else; {taken} of them are in any of {len(everyday):,} other sentences (Tatoeba)."
    )
    write_section("induction", "Rules made of decisions", text)


if __name__ == "__main__":
    main()
