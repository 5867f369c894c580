"""Turns sentences of the treebank into the documents that spaCy learns from."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from treebank import Word, read_sentences

SEED = 12345
SPLITS = ("train", "dev", "test")


def sentences(data: Path, split: str) -> list[list[Word]]:
    """One split of the treebank; `data` is the folder that holds the `.conllu.gz` and `.iob2.gz` files."""
    stem = data / f"pt_bosque-{split}"
    return list(read_sentences(Path(f"{stem}.conllu.gz"), Path(f"{stem}.iob2.gz")))


def document(vocab: Vocab, group: Sequence[Sequence[Word]]) -> Doc:
    """One document of one or more sentences, with all that is annotated."""
    words: list[Word] = []
    heads: list[int] = []
    for sentence in group:
        heads += [len(words) + word.head for word in sentence]
        words += sentence
    return Doc(
        vocab,
        words=[word.text for word in words],
        spaces=[word.space_after for word in words],
        lemmas=[word.lemma for word in words],
        pos=[word.pos for word in words],
        morphs=[word.features for word in words],
        heads=heads,
        deps=[word.relation for word in words],
        ents=[word.entity for word in words],
    )


def grouped(items: Sequence[list[Word]]) -> Iterable[Sequence[list[Word]]]:
    """Neighbours in groups of one (half of the groups), two or three, always the same.

    What a translation engine is asked is mostly one sentence; groups teach where a sentence ends.
    """
    chance = random.Random(SEED)
    start = 0
    while start < len(items):
        size = chance.choice((1, 1, 2, 3))
        yield items[start : start + size]
        start += size


def write_corpora(data: Path, folder: Path) -> None:
    """`train.spacy` and `dev.spacy`; the sentences of the latter stand alone."""
    vocab = Vocab()
    train, dev = sentences(data, "train"), sentences(data, "dev")
    for name, groups in (("train", grouped(train)), ("dev", ([sentence] for sentence in dev))):
        DocBin([*_attributes()], docs=[document(vocab, group) for group in groups]).to_disk(
            folder / f"{name}.spacy"
        )


def _attributes() -> tuple[str, ...]:
    return ("ORTH", "SPACY", "LEMMA", "POS", "MORPH", "HEAD", "DEP", "SENT_START", "ENT_IOB", "ENT_TYPE")
