"""Measures the alignment of sentences: documents whose lines were merged, split, dropped, added and swapped.

usage: python bench/sentence_alignment.py [DOCUMENTS]   (needs MTASSAY_DATA; DOCUMENTS per pair)

WMT24 en-cs: outputs with the reference, by characters. esa24 en-ja and en-zh: outputs with the source, by the
encoder. Documents of at least four lines, all systems. Settings were chosen on documents with an even number;
both halves are shown.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
import time
from collections import defaultdict
from pathlib import Path

from mtassay.nlp.encoder import open_encoder
from mtassay.nlp.sentence_alignment import (
    BY_CHARACTERS,
    BY_ENCODER,
    AlignmentSettings,
    Features,
    align_sentences,
    character_features,
    encoder_features,
)
from mtassay.stats.proportions import wilson

DATA = Path(os.environ.get("MTASSAY_DATA", "../shared/data"))
Document = tuple[list[str], list[str]]
_CUT = re.compile(r"(?<=[.!?;,:])\s+|(?<=[。！？，、；])")


def lines(path: Path) -> list[str]:
    return gzip.open(path, "rt", encoding="utf-8", newline="\n").read().rstrip("\n").split("\n")


def czech() -> list[Document]:
    """References with the outputs of each system, by document."""
    folder = DATA / "wmt24/en-cs"
    names = lines(folder / "documents.txt.gz")
    reference = lines(folder / "reference.A.txt.gz")
    documents = []
    for path in sorted((folder / "outputs").iterdir()):
        grouped: dict[str, Document] = defaultdict(lambda: ([], []))
        for name, one, output in zip(names, reference, lines(path), strict=True):
            grouped[name][0].append(one)
            grouped[name][1].append(output)
        documents += list(grouped.values())
    return documents


def asian(pair: str) -> list[Document]:
    """Sources with the outputs of each system, by document; in the order of the segments."""
    grouped: dict[tuple[str, str], dict[str, tuple[str, str]]] = defaultdict(dict)
    for line in lines(DATA / f"people/esa24/{pair}.jsonl.gz"):
        row = json.loads(line)
        grouped[row["system"], row["doc"]][row["seg"]] = (row["source"], row["output"])
    documents = []
    for rows in grouped.values():
        ordered = [rows[key] for key in sorted(rows, key=lambda key: (len(str(key)), str(key)))]
        documents.append(([s for s, _ in ordered], [o for _, o in ordered]))
    return documents


class Damaged:
    """A document with changes in known places: the gold links, what was dropped and what was added."""

    def __init__(self, output: list[str], others: list[str], draw: random.Random) -> None:
        self.sentences: list[str] = []
        self.links: set[tuple[int, int]] = set()
        self.dropped: set[int] = set()
        self.added: set[int] = set()
        self.swaps = 0
        i = 0
        while i < len(output):
            kind = draw.choices(["keep", "merge", "split", "drop", "add", "swap"], [70, 6, 6, 6, 6, 6])[0]
            rest = len(output) - i
            if kind == "merge" and rest > 1:
                self._put(f"{output[i]} {output[i + 1]}", i, i + 1)
                i += 2
            elif kind == "split" and len(parts := [p for p in _CUT.split(output[i]) if p.strip()]) > 1:
                half = min(
                    range(1, len(parts)), key=lambda k: abs(2 * len("".join(parts[:k])) - len(output[i]))
                )
                self._put(" ".join(parts[:half]), i)
                self._put(" ".join(parts[half:]), i)
                i += 1
            elif kind == "drop":
                self.dropped.add(i)
                i += 1
            elif kind == "swap" and rest > 1 and output[i] != output[i + 1]:
                self._put(output[i + 1], i + 1)
                self._put(output[i], i)
                i += 2
            else:
                if kind == "add":
                    self.added.add(len(self.sentences))
                    self.sentences.append(draw.choice(others))
                self._put(output[i], i)
                i += 1

    def _put(self, text: str, *sources: int) -> None:
        self.links |= {(i, len(self.sentences)) for i in sources}
        self.sentences.append(text)


def measure(name: str, documents: list[Document], features: Features, settings: AlignmentSettings) -> None:
    """Print F1 of links, planted omissions and additions found, and false ones on untouched documents."""
    draw = random.Random(12345)
    usable = [d for d in documents if len(d[0]) >= 4 and all(t.strip() for side in d for t in side)]
    others = [text for document in usable for text in document[1]]
    for half in (0, 1):
        right = found = gold = planted = caught = wrong = untouched = 0
        alone = [0, 0]
        started = time.process_time()
        for number, (one, output) in enumerate(usable):
            damaged = Damaged(output, others, draw)
            if number % 2 != half:
                continue
            links = align_sentences(one, damaged.sentences, features, settings)
            pairs = {(i, j) for link in links for i in link.source for j in link.target}
            right, found, gold = (
                right + len(pairs & damaged.links),
                found + len(pairs),
                gold + len(damaged.links),
            )
            lost = {i for link in links if not link.target for i in link.source}
            new = {j for link in links if not link.source for j in link.target}
            planted += len(damaged.dropped) + len(damaged.added)
            caught += len(lost & damaged.dropped) + len(new & damaged.added)
            alone[0] += len(damaged.dropped - lost)
            alone[1] += len(damaged.added - new)
            links = align_sentences(one, output, features, settings)
            wrong += sum(not (link.source and link.target) for link in links)
            untouched += len(one)
        seconds = time.process_time() - started
        low, high = wilson(caught, planted)
        print(
            f"{name:8} {'chosen on' if half == 0 else 'other half'}: n {gold} links, "
            f"F1 {2 * right / (found + gold):.4f}, omissions and additions found "
            f"{caught}/{planted} = {caught / planted:.3f} [{low:.3f}–{high:.3f}] "
            f"(missed {alone[0]} omissions, {alone[1]} additions), "
            f"false on untouched {wrong}/{untouched} = {wrong / untouched:.4f}; {seconds:.0f} s"
        )


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else None
    todo: dict[str, tuple[list[Document], Features, AlignmentSettings]] = {
        "en-cs": (czech(), character_features, BY_CHARACTERS)
    }
    for pair in ("en-ja", "en-zh"):
        todo[pair] = (asian(pair), encoder_features(open_encoder()), BY_ENCODER)
    for name, (documents, features, settings) in todo.items():
        random.Random(7).shuffle(documents)
        measure(name, documents[:most], features, settings)


if __name__ == "__main__":
    main()
