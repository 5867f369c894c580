"""Makes the word lists of the Portuguese pack: how frequent words are, and which are neighbours.

usage: python models/judge/words.py DATA   (needs `pip install wordfreq`)

DATA holds parallel/tatoeba-train.eng-por.tsv.gz and ud/pt_bosque-train.conllu.gz. Neighbours that were seen
once are left out.
"""

from __future__ import annotations

import gzip
import math
import re
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from wordfreq import get_frequency_dict

from mtassay.measures.polarity import STEP, small_words

LANGUAGE = "pt"
PACK = Path(__file__).resolve().parents[2] / "packs" / LANGUAGE / "src" / f"mtassay_{LANGUAGE}"
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def main() -> None:
    """Write both files."""
    folder = Path(sys.argv[1])
    _write("words", _frequencies())
    _write("neighbours", _neighbours(_sentences(folder)))


def _frequencies() -> list[str]:
    by_step = defaultdict(list)
    for word, share in get_frequency_dict(LANGUAGE, "large").items():
        if _WORD.fullmatch(word) and len(word) < 26:
            by_step[round(math.log10(share * 1e9) / STEP)].append(word)
    return [f"{step} {' '.join(sorted(words))}" for step, words in sorted(by_step.items())]


def _sentences(folder: Path) -> list[str]:
    pairs = _read(folder / "parallel" / "tatoeba-train.eng-por.tsv.gz")
    trees = _read(folder / "ud" / "pt_bosque-train.conllu.gz")
    head = "# text = "
    return [line.rpartition("\t")[2] for line in pairs if line] + [
        line.removeprefix(head) for line in trees if line.startswith(head)
    ]


def _neighbours(sentences: list[str]) -> list[str]:
    counts: Counter[str] = Counter()
    after: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        words = small_words(sentence)
        counts.update(words)
        for word, other in pairwise(words):
            after[word][other] += 1
    return [
        " ".join([word, str(count), *(f"{other} {n}" for other, n in sorted(after[word].items()) if n > 1)])
        for word, count in sorted(counts.items())
    ]


def _read(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().split("\n")


def _write(kind: str, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    (PACK / kind / f"{LANGUAGE}.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
