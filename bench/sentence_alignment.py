"""Measures the alignment of sentences: documents whose lines were merged, split, dropped, added and swapped.

usage: python bench/sentence_alignment.py [links] [scores] [speed]   (all by default; needs MTASSAY_DATA)

links   WMT24 en-cs: outputs with the reference, by characters. esa24 en-ja and en-zh: outputs with the
        source, by the encoder. Documents of at least four lines, all systems. Settings were chosen on
        documents with an even number; both halves are shown. "False" are omissions and additions in
        documents left as they are.
scores  BLEU, chrF and the share that the judge calls wrong, of the damaged documents of WMT24 en-cs as
        aligned, and as the gold alignment has it
speed   documents of 20 sentences, some with a sentence dropped: seconds in all, milliseconds a document
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
import time
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path

from mtassay.app.library import score
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment
from mtassay.nlp.encoder import open_encoder
from mtassay.nlp.sentence_alignment import (
    BY_CHARACTERS,
    BY_ENCODER,
    AlignmentSettings,
    Features,
    Link,
    align_sentences,
    character_features,
    encoder_features,
    split_sentences,
)
from mtassay.stats.proportions import wilson
from mtassay.systems.document_outputs import AlignedOutputs, _aligner, _put

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
        self.pieces: list[list[tuple[str, int]]] = []  # what each is made of, with its number before
        self.links: set[tuple[int, int]] = set()
        self.dropped: set[int] = set()
        self.added: set[int] = set()
        self.swaps = 0
        i = 0
        while i < len(output):
            kind = draw.choices(["keep", "merge", "split", "drop", "add", "swap"], [70, 6, 6, 6, 6, 6])[0]
            rest = len(output) - i
            if kind == "merge" and rest > 1:
                self._put((output[i], i), (output[i + 1], i + 1))
                i += 2
            elif kind == "split" and len(parts := [p for p in _CUT.split(output[i]) if p.strip()]) > 1:
                half = min(
                    range(1, len(parts)), key=lambda k: abs(2 * len("".join(parts[:k])) - len(output[i]))
                )
                self._put((" ".join(parts[:half]), i))
                self._put((" ".join(parts[half:]), i))
                i += 1
            elif kind == "drop":
                self.dropped.add(i)
                i += 1
            elif kind == "swap" and rest > 1 and output[i] != output[i + 1]:
                self._put((output[i + 1], i + 1))
                self._put((output[i], i))
                i += 2
            else:
                if kind == "add":
                    self.added.add(len(self.sentences))
                    self.sentences.append(draw.choice(others))
                    self.pieces.append([])
                self._put((output[i], i))
                i += 1

    def _put(self, *pieces: tuple[str, int]) -> None:
        self.links |= {(i, len(self.sentences)) for _, i in pieces}
        self.sentences.append(" ".join(text for text, _ in pieces))
        self.pieces.append(list(pieces))


ROUNDS = 3


def usable_of(documents: list[Document]) -> list[Document]:
    """Those with four lines or more, and an output for each."""
    return [d for d in documents if len(d[0]) >= 4 and all(t.strip() for side in d for t in side)]


def measure(name: str, documents: list[Document], features: Features, settings: AlignmentSettings) -> None:
    """Print F1 of links, planted omissions and additions found, and false ones on untouched documents."""
    usable = usable_of(documents)
    others = [text for document in usable for text in document[1]]
    for half in (0, 1):
        draw = random.Random(12345 + half)
        right = found = gold = wrong = untouched = 0
        omitted, added = Counter[str](), Counter[str]()
        started = time.process_time()
        for one, output in usable[half::2]:
            for _ in range(ROUNDS):
                damaged = Damaged(output, others, draw)
                links = align_sentences(one, damaged.sentences, features, settings)
                pairs = {(i, j) for link in links for i in link.source for j in link.target}
                right += len(pairs & damaged.links)
                found += len(pairs)
                gold += len(damaged.links)
                lost = {i for link in links if not link.target for i in link.source}
                new = {j for link in links if not link.source for j in link.target}
                omitted.update(n=len(damaged.dropped), caught=len(lost & damaged.dropped))
                added.update(n=len(damaged.added), caught=len(new & damaged.added))
            links = align_sentences(one, output, features, settings)
            wrong += sum(not (link.source and link.target) for link in links)
            untouched += len(one)
        seconds = time.process_time() - started
        caught, planted = omitted["caught"] + added["caught"], omitted["n"] + added["n"]
        low, high = wilson(caught, planted)
        print(
            f"| {name} | {'chosen on' if half == 0 else 'other half'} | {gold:,} | "
            f"{2 * right / (found + gold):.3f} | {caught / planted:.3f} [{low:.3f}–{high:.3f}] | "
            f"{planted:,} | "
            f"{omitted['caught'] / omitted['n']:.3f} | {added['caught'] / added['n']:.3f} | "
            f"{wrong / untouched:.4f} | {untouched:,} | {seconds:.0f} |",
            flush=True,
        )


def gold_links(damaged: Damaged) -> list[Link]:
    """The links that are known, between lines of the reference and sentences, which are parts of lines."""
    links = [Link((i,), ()) for i in damaged.dropped]
    blocks: dict[tuple[int, ...], list[int]] = defaultdict(list)
    at = 0
    for whole, pieces in zip(damaged.sentences, damaged.pieces, strict=True):
        together = split_sentences(whole)
        apart = [split_sentences(text) for text, _ in pieces]
        if not pieces:
            links.append(Link((), tuple(range(at, at + len(together)))))
        elif together == list(chain(*apart)):
            start = at
            for (_, i), own in zip(pieces, apart, strict=True):
                blocks[i,] += range(start, start + len(own))
                start += len(own)
        else:  # the end of one sentence and the start of the next cannot be told by the text
            blocks[tuple(i for _, i in pieces)] += range(at, at + len(together))
        at += len(together)
    links += [Link(source, tuple(target)) for source, target in blocks.items()]
    return sorted(links, key=lambda link: (link.source or (10**6,), link.target))


def scores() -> None:
    """Print scores of damaged documents as aligned and as they are known to be, of every system."""
    folder = DATA / "wmt24/en-cs"
    sources, names, reference = (
        lines(folder / name) for name in ("source.txt.gz", "documents.txt.gz", "reference.A.txt.gz")
    )
    pair = parse_pair("en-cs")
    segments = [
        Segment(str(i), source, (text,), name)
        for i, (source, text, name) in enumerate(zip(sources, reference, names, strict=True))
    ]
    by_name: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(names):
        by_name[name].append(i)
    align = _aligner(None, segments, AlignedOutputs())  # by characters of the reference
    outputs: dict[str, list[str]] = {}
    draw = random.Random(12345)
    systems = {path.name.partition(".")[0]: lines(path) for path in sorted((folder / "outputs").iterdir())}
    usable = [
        places
        for places in by_name.values()
        if len(places) >= 4 and all(t[i].strip() for t in (reference, *systems.values()) for i in places)
    ]
    inside = [segments[i] for places in usable for i in places]
    for system, texts in systems.items():
        others = [text for text in texts if text.strip()]
        results = {kind: AlignedOutputs() for kind in ("aligned", "gold")}
        for places in usable:
            own, output = [segments[i] for i in places], [texts[i] for i in places]
            damaged = Damaged(output, others, draw)
            text = "\n".join(damaged.sentences)
            _put(own, text, align, results["aligned"])
            links = gold_links(damaged)
            lines_of = [s.references[0] for s in own]
            _put(own, text, lambda *_, at=links, s=lines_of: ([*range(len(s))], s, at), results["gold"])
        for kind, result in results.items():
            outputs[f"{system} {kind}"] = [result.outputs[segment.id] or "" for segment in inside]
    run = score(
        outputs,
        [[s.references[0] for s in inside]],
        [s.source for s in inside],
        langpair=str(pair),
        metrics="bleu,chrf",
        samples=100,
        save=False,
        judge_by="ours",
    )
    values = {(s.name, s.system): s.value for s in run.result.scores if s.group == "all"}
    wrong = Counter(f.system for f in run.findings if f.detector == "judge" and f.verdict == "fail")
    values |= {("judged wrong, %", name): 100 * wrong[name] / len(inside) for name in outputs}
    for metric in dict.fromkeys(key for key, _ in values):
        apart = {
            name[:-8]: values[metric, name] - values[metric, f"{name[:-8]} gold"]
            for name in outputs
            if name.endswith(" aligned")
        }
        worst = max(apart, key=lambda key: abs(apart[key]))
        print(f"| {metric} | {len(apart)} | {len(inside):,} | {apart[worst]:+.2f} ({worst}) |")


def speed() -> None:
    """Print seconds for more and more documents."""
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnoprstuvz", k=draw.randint(2, 9))) for _ in range(3000)]
    for count in (1_000, 10_000):
        started = time.process_time()
        for _ in range(count):
            one = [" ".join(draw.choices(words, k=draw.randint(8, 25))) for _ in range(20)]
            align_sentences(one, [s for s in one if draw.random() > 0.02])
        seconds = time.process_time() - started
        print(f"| {count:,} | {seconds:.1f} | {1000 * seconds / count:.1f} |", flush=True)


def main() -> None:
    chosen = sys.argv[1:] or ["links", "scores", "speed"]
    if "links" in chosen:
        for name in ("en-cs", "en-ja", "en-zh"):
            documents = czech() if name == "en-cs" else asian(name)
            by_characters = (character_features, BY_CHARACTERS)
            how = by_characters if name == "en-cs" else (encoder_features(open_encoder()), BY_ENCODER)
            random.Random(7).shuffle(documents)
            measure(name, documents, *how)
    if "scores" in chosen:
        scores()
    if "speed" in chosen:
        speed()


if __name__ == "__main__":
    main()
