"""Holds `mtassay score --examples` against compare-mt: the same numbers, and how long they take.

usage: python bench/differences.py        (compare-mt on the path, beside this Python, or in $COMPARE_MT)

The first two systems of WMT22 de-en from MTASSAY_DATA where present, else of our demo corpus, split into
words beforehand, as compare-mt does not split. Compared are F1 of words by frequency, BLEU by length, and the
counts of all n-grams that compare-mt reports. BLEU of short segments differs: where an output is too short to
have an n-gram, compare-mt counts one all the same. Every command is a fresh process; the best of five is
shown.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from mtassay.measures.tokenizers import split_words
from mtassay.methods.score.differences import compare_ngrams

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
ROUNDS = 5
REPORT = (
    *("--compare_scores", "score_type=bleu"),
    *("--compare_ngrams", "compare_type=match,report_length=1000"),
)


def main() -> None:
    reference, outputs = files()
    with tempfile.TemporaryDirectory() as folder:
        split = [write_words(path, Path(folder)) for path in (reference, *outputs)]
        commands = {
            "mtassay": mtassay(split[:3], "--examples", "5"),
            "mtassay, scores only": mtassay(split[:3]),
            f"mtassay, {len(outputs)} systems": mtassay(split, "--examples", "5"),
            f"mtassay, {len(outputs)} systems, scores only": mtassay(split),
        }
        if program := compare_mt():
            commands["compare-mt"] = [program, *split[:3], *REPORT]
        else:
            print("(compare-mt is not installed: pip install compare-mt six, or set COMPARE_MT)\n")
        printed, seconds = timed(commands, Path(folder))
        if program:
            ours = json.loads(printed["mtassay"])
            check_buckets("F1 of words", printed["compare-mt"], "word fmeas", ours, "words", 100)
            check_buckets("BLEU by length", printed["compare-mt"], "bucket type: length", ours, "lengths", 1)
            check_ngrams(printed["compare-mt"], split[:3])
    print("\n| what | seconds | compare-mt takes |")
    print("|---|--:|--:|")
    for name, spent in seconds.items():
        ratio = f"{seconds['compare-mt'] / spent:.1f} × as long" if program else ""
        print(f"| {name} | {spent:.2f} | {ratio} |")


def files() -> tuple[Path, list[Path]]:
    wmt = DATA / "wmt22" / "de-en"
    if wmt.is_dir():
        return wmt / "references" / "A.txt", sorted((wmt / "outputs").iterdir())
    demo = PROJECT / "demo" / "corpus" / "en-pt"
    return demo / "reference.A.txt", sorted((demo / "outputs").iterdir())


def write_words(path: Path, folder: Path) -> Path:
    target = folder / path.name
    words = split_words(path.read_text(encoding="utf-8").splitlines(), "13a")
    target.write_text("".join(" ".join(line) + "\n" for line in words), encoding="utf-8")
    return target


def timed(commands: Mapping[str, Sequence[object]], folder: Path) -> tuple[dict[str, str], dict[str, float]]:
    """What each command prints and the best of its times; in turns, so that others slow all of them alike."""
    printed, seconds = {}, dict.fromkeys(commands, float("inf"))
    for _ in range(ROUNDS):
        for name, command in commands.items():
            start = time.perf_counter()
            words = list(map(str, command))
            done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder)
            seconds[name] = min(seconds[name], time.perf_counter() - start)
            printed[name] = done.stdout
    return printed, seconds


def compare_mt() -> str | None:
    beside = Path(sys.executable).parent / "compare-mt"
    program = os.environ.get("COMPARE_MT") or shutil.which("compare-mt") or str(beside)
    return program if Path(program).exists() else None


def mtassay(paths: Sequence[Path], *more: str) -> list[object]:
    reference, *outputs = paths
    command = [sys.executable, "-m", "mtassay", "score", "-q", "-r", reference, "-m", "bleu:tokenize=none"]
    systems = [word for path in outputs for word in ("-t", path)]
    return [*command, *systems, "--no-cache", "-f", "json", *more]


def check_buckets(what: str, text: str, title: str, ours: dict, name: str, scale: float) -> None:  # type: ignore[type-arg]
    part = text.partition(title)[2].split("\n\n")[0]
    theirs = [tuple(map(float, row)) for row in re.findall(r"\t([\d.]+)\t([\d.]+)$", part, re.M)]
    theirs = [row for row in theirs if any(row)]  # the words that no reference has
    found = [[score["value"] / scale for score in b["scores"].values()] for b in ours["differences"][name]]
    pairs = [both for rows in zip(theirs, found, strict=True) for both in zip(*rows, strict=True)]
    largest = max(abs(theirs - ours) for theirs, ours in pairs)
    print(f"{what}: {len(found)} buckets, the largest difference from compare-mt's is {largest:.4f}.")


def check_ngrams(text: str, paths: Sequence[Path]) -> None:
    reference, first, second = (
        [line.split() for line in path.read_text(encoding="utf-8").splitlines()] for path in paths
    )
    ours = {" ".join(n.words): (n.first, n.second) for n in compare_ngrams([reference], first, second)}
    rows = re.findall(r"^(.+)\t[\d.]+ \(sys1=(\d+), sys2=(\d+)\)$", text, re.M)
    differing = [ngram for ngram, a, b in rows if ours.get(ngram) != (int(a), int(b))]
    print(f"N-grams: {len(differing)} of the {len(rows):,} that compare-mt reports have other counts here.")


if __name__ == "__main__":
    main()
