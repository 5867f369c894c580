"""Writes the list of Portuguese infinitives that the lexicon's past perfect rests on.

usage: python models/verbs/build.py TREEBANK [TREEBANK ...]

TREEBANK is a CoNLL-U file of UD Portuguese-Bosque, gzipped (CC BY-SA 4.0). An infinitive is listed if the
treebank has it as the lemma of a verb at least twice, or writes it out itself, and if it is no irregular verb
of `irregular_verbs.tsv`, nor of a kind that takes an accent (`diluir`, `recair`, `roer`).
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "packs/en/src/mtassay_en/lexicon"


_PLAIN = re.compile(r"[a-zà-ú]+(?:[^\Waeiouáéíóú\d_]|i|[aeou](?=ar)|[gq]u)[aei]r")


def infinitives(paths: list[str]) -> list[str]:
    """The infinitives in these files, in alphabetical order."""
    lemmas: Counter[str] = Counter()
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [line.split("\t") for line in file]
        for row in rows:
            if len(row) == 10 and row[3] == "VERB" and _PLAIN.fullmatch(row[2]):
                lemmas[row[2]] += 2 if row[1] == row[2] else 1
    lines = (DATA / "irregular_verbs.tsv").read_text(encoding="utf-8").splitlines()
    irregular = {line.split("\t")[1].split(",")[0] for line in lines}
    return sorted(lemma for lemma, count in lemmas.items() if count > 1 and lemma not in irregular)


if __name__ == "__main__":
    listed = infinitives(sys.argv[1:])
    (DATA / "infinitives_pt.txt").write_text("\n".join(listed) + "\n", encoding="utf-8")
    print(f"{len(listed):,} infinitives")
