"""Measures the executors on the same batches: this process, two processes, and Ray with 1, 2 and 4 workers.

usage: python bench/executors.py [TIMES]

The work is the judge's opinion of translations, which loads the sentence encoder once in each worker; a first
round loads, the second is measured. What a batch costs besides its work is that of batches without any. More
workers than cores show what Ray costs, not what it gives.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from results import table, write_section

from mtassay.detectors.judge import open_judge
from mtassay.executors import Executor, Local, open_executor
from mtassay.languages import parse_pair
from mtassay.methods.opinions import answer_of
from mtassay.tools.spread import batches

CORPUS = Path(__file__).resolve().parent.parent / "demo" / "corpus" / "en-pt"
AT_ONCE = 128
EMPTY = 2000
TIMES = 4
"""How often the outputs of our demo are judged: batches are enough to spread then."""


def nothing(batch: int) -> int:
    return batch


def ray_with(workers: int) -> Executor:
    os.environ["MTASSAY_PROCESSES"] = str(workers)
    return open_executor("ray")


def processes_with(workers: int) -> Executor:
    os.environ["MTASSAY_PROCESSES"] = str(workers)
    return open_executor("processes")


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else TIMES
    os.environ["MTASSAY_PROCESSES"] = "1"  # the encoder itself keeps to one core in every row
    files = [CORPUS / "source.txt", CORPUS / "reference.A.txt", *sorted((CORPUS / "outputs").glob("*.txt"))]
    source, reference, *outputs = (path.read_text("utf-8").splitlines() for path in files)
    answers = [
        answer_of(str(n), *texts, [right])
        for lines in outputs * times
        for n, (*texts, right) in enumerate(zip(source, lines, reference, strict=True))
    ]
    work = list(batches(answers, AT_ONCE))
    judge = open_judge(parse_pair("en-pt")).judge
    ways: dict[str, Callable[[], Executor]] = {
        "this process": Local,
        "2 processes": partial(processes_with, 2),
        "Ray, 1 worker": partial(ray_with, 1),
        "Ray, 2 workers": partial(ray_with, 2),
        "Ray, 4 workers": partial(ray_with, 4),
    }
    rows: list[list[object]] = []
    first: tuple[float, str] | None = None
    for name, start in ways.items():
        begun = time.perf_counter()
        with start() as executor:
            list(executor.map(judge, work))
            loaded = time.perf_counter()
            found = repr([opinion for part in executor.map(judge, work) for opinion in part])
            worked = time.perf_counter()
            list(executor.map(nothing, range(EMPTY)))
            empty = time.perf_counter() - worked
        seconds = worked - loaded
        first = first or (seconds, found)
        equal = "yes" if found == first[1] else "NO"
        rows.append(
            [name, loaded - begun, seconds, f"{first[0] / seconds:.2f} ×", round(1e6 * empty / EMPTY), equal]
        )
        print(rows[-1], flush=True)
    head = [
        "executor",
        "start and load, s",
        "work, s",
        "speed-up",
        "µs per empty batch",
        "equal",
    ]
    text = f"{len(answers):,} translations judged, {len(work)} batches of {AT_ONCE}.\n\n{table(head, rows)}"
    write_section("executors", "Executors", text)


if __name__ == "__main__":
    main()
