"""Measures a Portuguese pipeline on a split of the treebank, with gold words and on plain text.

usage: MTASSAY_DATA=FOLDER python models/pt/evaluate.py MODEL [SPLIT]

All numbers are F1 over what gold and pipeline have in common, in per cent: with gold words that is accuracy.
UAS and LAS leave punctuation out, as spaCy's own do; LAS wants the full label (`nsubj:pass`). Intervals are
95 % percentile bootstrap over sentences.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from corpus import SEED, document, sentences
from spacy.tokens import Doc

RESAMPLES = 1000


def main() -> None:
    model = sys.argv[1]
    split = sys.argv[2] if len(sys.argv) > 2 else "test"
    data = Path(os.environ["MTASSAY_DATA"]) / "ud"
    sys.stdout.write(json.dumps(evaluate(spacy.load(model), data, split), indent=2) + "\n")


def evaluate(pipeline: Any, data: Path, split: str) -> dict[str, Any]:
    """Scores with their intervals, and sentences per second of processor time, plain text in batches."""
    gold = [document(pipeline.vocab, [sentence]) for sentence in sentences(data, split)]
    ready = [
        Doc(pipeline.vocab, words=_words(doc), spaces=[bool(t.whitespace_) for t in doc]) for doc in gold
    ]
    on_gold = list(pipeline.pipe(ready))
    texts = [doc.text for doc in gold]
    begin = time.process_time()
    on_text = list(pipeline.pipe(texts))
    seconds = time.process_time() - begin
    return {
        "split": split,
        "sentences": len(gold),
        "words": sum(map(len, gold)),
        "gold words": scores(gold, on_gold),
        "plain text": scores(gold, on_text),
        "sentences per second": round(len(texts) / seconds),
    }


def _words(doc: Doc) -> list[str]:
    return [token.text for token in doc]


def scores(gold: Sequence[Doc], found: Sequence[Doc]) -> dict[str, Any]:
    """Each score with its interval and the number of gold units."""
    counts: dict[str, list[tuple[int, int, int]]] = {}
    for one, other in zip(gold, found, strict=True):
        theirs = units(other)
        for name, mine in units(one).items():
            row = (len(mine & theirs[name]), len(mine), len(theirs[name]))
            counts.setdefault(name, []).append(row)
    return {name: _score(np.array(rows)) for name, rows in counts.items()}


def units(doc: Doc) -> dict[str, set[tuple[Any, ...]]]:
    """What is counted: a unit is right if it stands in both."""
    place = {token.i: (token.idx, token.idx + len(token)) for token in doc}
    syntax = [token for token in doc if token.dep_ != "punct" and not token.is_space]
    words = [token for token in doc if not token.is_space]
    entities = {(span.start_char, span.end_char, span.label_) for span in doc.ents}
    found = {
        "words": {place[token.i] for token in words},
        "pos": {(place[token.i], token.pos_) for token in words},
        "morphology": {(place[token.i], token.pos_, str(token.morph)) for token in words},
        "lemma": {(place[token.i], token.lemma_) for token in words},
        "uas": {(place[token.i], place[token.head.i]) for token in syntax},
        "las": {(place[token.i], place[token.head.i], token.dep_) for token in syntax},
        "entities": entities,
    }
    return found | {label: {unit for unit in entities if unit[2] == label} for label in ("PER", "ORG", "LOC")}


def _score(rows: np.ndarray[Any, Any]) -> dict[str, Any]:
    chance = np.random.default_rng(SEED)
    weights = chance.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=RESAMPLES)
    low, high = np.percentile(_f1(weights @ rows), (2.5, 97.5))
    value = float(_f1(rows.sum(axis=0)))
    return {"f1": round(value, 2), "low": round(low, 2), "high": round(high, 2), "n": int(rows[:, 1].sum())}


def _f1(sums: Iterable[Any]) -> Any:
    right, gold, found = np.moveaxis(np.asarray(sums), -1, 0)
    return 200 * right / np.maximum(gold + found, 1)


if __name__ == "__main__":
    main()
