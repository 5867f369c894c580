"""Puts into the table of `build.py` how naturally its nouns and adjectives stand for each other.

usage: python models/substitutes/judged.py WORDNET TABLE JUDGEMENTS OUT

TABLE is `en.tsv.gz` as `build.py` writes it, with cosines; JUDGEMENTS is `pairs.json` of
`models/cloze/train.py`: what a language model thought of each pair in sentences. OUT gets `en.tsv.gz` with
the estimated share of natural variants, in hundredths, for a place that favours neither word. Pairs of
`nouns.txt` and `adjectives.txt` are added. Verbs, adverbs and the small sets stay as they are. Needs
lemminflect and wordfreq.
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from lemminflect import getInflection, getLemma
from lists import FEMALE, MALE
from wordfreq import zipf_frequency

HERE = Path(__file__).parent
TAGS = {"NN": "n", "NNS": "n", "JJ": "a", "JJR": "a", "JJS": "a"}

# A logistic regression on 510 variants labelled by a language model that saw no score: what the mean
# judgement (nats), the cosine, being in our lists and being opposites weigh.
MEAN, COSINE, LISTED, OPPOSITE, ALWAYS = 0.24, 3.08, 0.79, -0.92, 0.22
DOUBT = 3
"""A pair is judged as if so many judgements more had been as bad as the mean of all pairs."""
NEAR = 0.5
"""The cosine of a listed pair that the table does not have."""
LEAST = 0.3
"""What is less natural is left out."""

Pair = tuple[str, str, str]  # tag, word, substitute


def main() -> None:
    wordnet, table, judgements, out = map(Path, sys.argv[1:])
    cosines, others = read_table(table)
    listed = {pair for pair in read_lists() if pair[1] != pair[2] and same_gender(pair)}
    means = {(word, other): (n, mean) for word, other, n, mean, _ in json.loads(judgements.read_text())}
    usual = sum(mean for _, mean in means.values()) / len(means)
    opposites = read_opposites(wordnet)
    rows: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for pair in {**dict.fromkeys(listed, NEAR), **cosines}:
        tag, word, other = pair
        n, mean = means.get((word, other), (0, usual))
        odds = (
            ALWAYS
            + MEAN * (n * mean + DOUBT * usual) / (n + DOUBT)
            + COSINE * cosines.get(pair, NEAR)
            + LISTED * (pair in listed)
            + OPPOSITE * ((TAGS[tag], lemma(word, tag), lemma(other, tag)) in opposites)
        )
        share = 1 / (1 + math.exp(-odds))
        if share >= LEAST:
            rows[tag, word][other] = round(100 * share)
    lines = [
        "\t".join((*key, " ".join(f"{word}:{score}" for word, score in best_first(scores))))
        for key, scores in sorted(rows.items())
    ]
    data = "".join(f"{line}\n" for line in [*lines, *others]).encode()
    out.mkdir(parents=True, exist_ok=True)
    (out / "en.tsv.gz").write_bytes(gzip.compress(data, mtime=0))
    print(f"{len(lines)} rows judged, {len(others)} as they were")


def best_first(scores: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def read_table(path: Path) -> tuple[dict[Pair, float], list[str]]:
    """The cosines of nouns and adjectives, and the lines of all others."""
    cosines: dict[Pair, float] = {}
    others = []
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        tag, word, cell = line.split("\t")
        if tag not in TAGS:
            others.append(line)
            continue
        for entry in cell.split():
            other, _, score = entry.rpartition(":")
            cosines[tag, word, other] = int(score) / 100
    return cosines, others


def read_lists() -> Iterator[Pair]:
    """The pairs of our lists: nouns in both numbers, adjectives as they are written."""
    for line in _lines("nouns.txt"):
        word, *others = line.split()
        for other in others:
            yield "NN", word, other
            plurals = plural(word), plural(other)
            if all(plurals):
                yield "NNS", *plurals
    for line in _lines("adjectives.txt"):
        word, *others = line.split()
        for other in others:
            yield degree(word), word, other


def _lines(name: str) -> list[str]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def same_gender(pair: Pair) -> bool:
    """A sentence may say "his" of the word somewhere else."""
    tag, word, other = pair
    first, second = lemma(word, tag), lemma(other, tag)
    return (first in FEMALE, first in MALE) == (second in FEMALE, second in MALE)


def plural(noun: str) -> str:
    forms = [form for form in getInflection(noun, tag="NNS") if form.isalpha() and form != noun]
    best = max(forms, key=lambda form: zipf_frequency(form, "en"), default="")
    return best if zipf_frequency(best, "en") > 2.5 else ""


def degree(adjective: str) -> str:
    if adjective in ("better", "worse"):
        return "JJR"
    if adjective in ("best", "worst") or adjective.endswith("est"):
        return "JJS"
    return "JJR" if adjective.endswith("er") and lemma(adjective, "JJR") != adjective else "JJ"


def lemma(word: str, tag: str) -> str:
    if tag in ("NN", "JJ"):
        return word
    return str(getLemma(word, upos="NOUN" if tag == "NNS" else "ADJ")[0])


def read_opposites(folder: Path) -> set[tuple[str, str, str]]:
    """Part of speech and two opposites of WordNet; adjectives by way of what is like them, too."""
    found = set()
    for name, part in (("noun", "n"), ("adj", "a")):
        words, near, against = {}, defaultdict(set), set()
        for line in (folder / f"data.{name}").read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                continue
            cells = line.partition("|")[0].split()
            size = int(cells[3], 16)
            words[cells[0]] = [word.partition("(")[0] for word in cells[4 : 4 + 2 * size : 2]]
            after = 4 + 2 * size
            links = cells[after + 1 : after + 1 + 4 * int(cells[after])]
            for symbol, offset, _, ends in zip(*[iter(links)] * 4, strict=True):
                if symbol == "&":
                    near[cells[0]].add(offset)
                elif symbol == "!":
                    against.add((cells[0], int(ends[:2], 16) - 1, offset, int(ends[2:], 16) - 1))
        for one, first, other, second in against:
            found.add((part, words[one][first], words[other][second]))
            for left in {one, *near[one]}:
                for right in {other, *near[other]}:
                    found |= {(part, a, b) for a in words[left] for b in words[right]}
    return found | {(part, b, a) for part, a, b in found}


if __name__ == "__main__":
    main()
