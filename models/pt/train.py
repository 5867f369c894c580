"""Trains the Portuguese spaCy pipeline from UD Portuguese-Bosque and its Universal NER layer.

usage: MTASSAY_DATA=FOLDER python models/pt/train.py OUT [WORK]

FOLDER/ud holds pt_bosque-{train,dev,test}.{conllu,iob2}.gz. OUT gets the pipeline and `scores.json` with what
it reaches on the test split; WORK keeps the corpora and the checkpoints. Needs spaCy 3.8 and nothing else;
most of an hour on one core. The seed is fixed: the same machine and packages give the same pipeline.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import spacy
import srsly
from corpus import write_corpora
from evaluate import evaluate
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from spacy.strings import StringStore

HERE = Path(__file__).resolve().parent
META = {
    "name": "bosque_sm",
    "version": "1.0.0",
    "description": "Portuguese: parts of speech, morphology, lemmas, dependencies, entities (PER, ORG, LOC).",
    "author": "mtassay",
    "license": "CC BY-SA 4.0",
    "sources": [
        {"name": "UD Portuguese-Bosque", "license": "CC BY-SA 4.0"},
        {"name": "Universal NER, Portuguese-Bosque", "license": "CC BY-SA 4.0"},
    ],
}


def main() -> None:
    out = Path(sys.argv[1])
    data = Path(os.environ["MTASSAY_DATA"]) / "ud"
    if len(sys.argv) > 2:
        make(data, Path(sys.argv[2]), out)
        return
    with tempfile.TemporaryDirectory() as work:
        make(data, Path(work), out)


def make(data: Path, work: Path, out: Path) -> None:
    """Corpora, training, the pipeline without what only training needs, and its scores."""
    work.mkdir(parents=True, exist_ok=True)
    write_corpora(data, work)
    fill_config(work / "config.cfg", HERE / "config.cfg")
    overrides = {"paths.train": str(work / "train.spacy"), "paths.dev": str(work / "dev.spacy")}
    train(work / "config.cfg", work / "run", overrides=overrides)
    finish(work / "run" / "model-best", data, out)


def finish(trained: Path, data: Path, out: Path) -> None:
    """Writes the pipeline to OUT, beside whatever notes are there."""
    pipeline = spacy.load(trained)
    pipeline.meta.update(META)
    pipeline.meta["performance"] = {}
    for name in ("paths", "corpora", "training", "pretraining", "initialize"):
        pipeline.config[name] = {}  # the recipe has them, with what a path was on one machine
    needed = _needed_strings(pipeline)
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "pt"
        pipeline.to_disk(small)
        StringStore(sorted(needed)).to_disk(small / "vocab" / "strings.json")
        _check_equal(pipeline, spacy.load(small), data)
        shutil.copytree(small, out, dirs_exist_ok=True)
    result = evaluate(spacy.load(out), data, "test")
    (out / "scores.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _needed_strings(pipeline: Any) -> set[str]:
    """Labels and what lemmas are made of; words that were seen in training come with the texts."""
    needed = set(spacy.blank("pt").vocab.strings)
    trees = srsly.msgpack_loads(pipeline.get_pipe("trainable_lemmatizer").trees.to_bytes())["trees"]
    for tree in trees:
        needed.update(pipeline.vocab.strings[tree[end]] for end in ("orig", "subst") if end in tree)
    for name in pipeline.pipe_names:
        for label in getattr(pipeline.get_pipe(name), "labels", ()):
            if isinstance(label, str):  # those of the lemmatizer are numbers
                needed.update({label, *label.split("-"), *label.split("||"), *label.split("|")})
    return needed


def _check_equal(before: Any, after: Any, data: Path) -> None:
    """Nothing that was stripped may change an answer."""
    from corpus import document, sentences

    texts = [document(before.vocab, [sentence]).text for sentence in sentences(data, "dev")[:300]]
    for one, other in zip(before.pipe(texts), after.pipe(texts), strict=True):
        if one.to_json() != other.to_json():
            raise SystemExit(f"stripping changed the annotation of: {one.text}")


if __name__ == "__main__":
    main()
