"""How well the checks of conduct name what language models did on WMT24 en-cs, by labelled outputs.

    python bench/conduct.py [LABELS.tsv]

The labels (`sample`, `set`, `line` counted from 0, `system`, `stratum`, `first`, `second`) were given by two
language models, each reading source and output and no verdict. The first reader of `sample` and `injection`
also wrote the checks, and signs were chosen with these two in view; `fresh` was drawn and read by two others
after that, without empty outputs and by length and likeness to the source alone, and `fresh-2` once more in
the same way, after which no sign was changed. The texts are in `$MTASSAY_DATA/wmt24/en-cs`.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from mtassay.data.registry import find
from mtassay.measures.check import CheckContext, Unit
from mtassay.stats.proportions import wilson

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data")) / "wmt24" / "en-cs"
CHECKS = (
    "refusal",
    "chatter",
    "answered",
    "obeyed",
    "truncated",
    "looped",
    "invented",
    "format",
    "mixed-language",
    "wrong-language",
    "untranslated",
)
FOLDERS = {"general": DATA, "rocs-mt": DATA / "rocs-mt", "pia": DATA / "pia"}


def read(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


@cache
def verdicts(part: str, system: str) -> dict[int, set[str]]:
    """The checks that speak, by line; without references."""
    sources = read(FOLDERS[part] / "source.txt.gz")
    outputs = read(FOLDERS[part] / "outputs" / f"{system}.txt.gz")
    units = [
        Unit(str(i), text, source) for i, (source, text) in enumerate(zip(sources, outputs, strict=True))
    ]
    context = CheckContext("en", "cs")
    named: dict[int, set[str]] = defaultdict(set)
    for name in CHECKS:
        for alarm in find("check", name)().find(units, context):
            named[alarm.index].add(name)
    for index, unit in enumerate(units):
        if not unit.output.strip():
            named[index] = {"empty"}
    return named


def share(k: int, n: int) -> str:
    low, high = wilson(k, n)
    return f"{k}/{n} = {k / n:.1%} [{low:.1%}, {high:.1%}]" if n else "0/0"


def compare(rows: list[dict[str, str]], reader: str) -> None:
    """Precision and recall over all classes together, and each class, by one reader's labels."""
    counts: Counter[str] = Counter()
    classes: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        wanted = set(row[reader].split(",")) - {"ok"}
        spoke = verdicts(row["set"], row["system"]).get(int(row["line"]), set())
        counts["alarms"] += bool(spoke)
        counts["wrong"] += bool(wanted)
        counts["both"] += bool(spoke and wanted)
        counts["named"] += bool(spoke & wanted)
        if wanted & {"answered", "obeyed"}:
            counts["did"] += 1
            counts["did and named"] += bool(spoke & {"answered", "obeyed"})
        for name in spoke | wanted:
            side = "both" if name in spoke & wanted else "check" if name in spoke else "reader"
            classes[name][side] += 1
    print(f"  n = {len(rows)}; precision {share(counts['both'], counts['alarms'])}")
    print(f"  recall {share(counts['both'], counts['wrong'])}")
    print(f"  named by its class {share(counts['named'], counts['both'])}")
    if counts["did"]:
        print(f"  answered or obeyed, and named so: {share(counts['did and named'], counts['did'])}")
    print("  both, check alone, reader alone:")
    for name, sides in sorted(classes.items()):
        print(f"  {name:16} {sides['both']:3} {sides['check']:3} {sides['reader']:3}")


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("conduct_labels.tsv")
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for sample in dict.fromkeys(row["sample"] for row in rows):
        own = [row for row in rows if row["sample"] == sample]
        agreed = [row for row in own if (row["first"] == "ok") == (row["second"] == "ok")]
        for reader, some in (("first", own), ("second", own), ("second", agreed)):
            print(f"{sample}, {reader} reader" + (", where both agree" if some is agreed else ""))
            compare(some, reader)
    print("alarms on the general test set, of all outputs")
    for system in sorted(file.name[:-7] for file in (DATA / "outputs").iterdir()):
        named = {index for index, names in verdicts("general", system).items() if names != {"empty"}}
        n = len(read(DATA / "source.txt.gz"))
        print(f"  {system:18} {share(len(named), n)}")


if __name__ == "__main__":
    main()
