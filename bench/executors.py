"""Measures the executors on the same batches: this process, and processes and Ray with 1, 2 and 4 workers.

usage: python bench/executors.py [TRANSLATIONS]

The work is the judge's opinion of translations: a sentence encoder and two translation models, which each
worker loads once. Every row has one core for each worker and no more, so that two workers can be twice as
fast on two free cores, and four no faster than that. Starting and loading stand apart. What a batch costs
besides its work is that of batches without any; what workers compute is their own processor time, so that the
rest of their time is waiting: for batches, or for a core that somebody else has.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

from results import table, write_section

from mtassay.data.languages import parse_pair
from mtassay.measures.judge import open_judge
from mtassay.methods.basis import answer_of
from mtassay.nlp.annotators import batches
from mtassay.runtime.executors import Executor, open_executor

CORPUS = Path(__file__).resolve().parent.parent / "demo" / "corpus" / "en-pt"
AT_ONCE = 64
TRANSLATIONS = 768
"""How many are judged, those of our demo again and again: 12 batches, three for each of four workers."""
EMPTY = 1000
WAYS = [("local", 1), *((name, workers) for name in ("processes", "ray") for workers in (1, 2, 4))]


class Computed(NamedTuple):
    """What became of a batch, and the processor time of who computed it."""

    answer: Any
    processor: float


@dataclass(frozen=True)
class Timed:
    """A function that tells its processor time, wherever it is computed."""

    function: Callable[[Any], Any]

    def __call__(self, batch: Any) -> Computed:
        before = time.process_time()
        answer = self.function(batch)
        return Computed(answer, time.process_time() - before)


def nothing(batch: int) -> int:
    return batch


@dataclass(frozen=True)
class Measured:
    """Seconds of one executor: until it was there, until all models were loaded, and those of the work."""

    start: float
    load: float
    work: float
    processor: float
    empty: float
    found: str


class Here:
    """This process, as an executor."""

    workers = 1

    def map(self, function: Callable[[Any], Any], batches: Sequence[Any]) -> Any:
        return map(function, batches)


def measure(
    executor: Callable[[], Executor[Any] | None], judge: Callable[..., Any], work: Sequence[Any]
) -> Measured:
    import executors  # this file under a name that workers can import

    begun = time.perf_counter()
    with executor() or nullcontext(Here()) as opened:
        list(opened.map(executors.nothing, range(2 * opened.workers)))
        started = time.perf_counter()
        list(opened.map(judge, work[: 4 * opened.workers]))
        loaded = time.perf_counter()
        done = list(opened.map(executors.Timed(judge), work))
        worked = time.perf_counter()
        list(opened.map(executors.nothing, range(EMPTY)))
        empty = time.perf_counter() - worked
    found = repr([opinion for part in done for opinion in part.answer])
    processor = sum(part.processor for part in done)
    return Measured(started - begun, loaded - started, worked - loaded, processor, empty / EMPTY, found)


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else TRANSLATIONS
    files = [CORPUS / "source.txt", CORPUS / "reference.A.txt", *sorted((CORPUS / "outputs").glob("*.txt"))]
    source, reference, *outputs = (path.read_text("utf-8").splitlines() for path in files)
    answers = [
        answer_of(str(n), *texts, [right])
        for lines in outputs
        for n, (*texts, right) in enumerate(zip(source, lines, reference, strict=True))
    ]
    work = list(batches(list(islice(cycle(answers), wanted)), AT_ONCE))
    os.environ["MTASSAY_PROCESSES"] = "1"  # the models keep to one core in this process, too
    judge = open_judge(parse_pair("en-pt")).judge
    rows: list[list[object]] = []
    first: Measured | None = None
    for name, workers in WAYS:

        def executor(name: str = name, workers: int = workers) -> Executor[Any] | None:
            os.environ["MTASSAY_PROCESSES"] = str(workers)
            return open_executor(name)

        measured = measure(executor, judge, work)
        first = first or measured
        rows.append(
            [
                "this process" if name == "local" else f"{name}, {workers}",
                measured.start,
                measured.load,
                measured.work,
                round(wanted / measured.work),
                f"{first.work / measured.work:.2f} ×",
                measured.processor,
                round(1e6 * measured.empty),
                "yes" if measured.found == first.found else "NO",
            ]
        )
        print(rows[-1], flush=True)
    head = ["executor, workers", "start, s", "load models, s", "work, s", "texts a second", "speed"]
    head += ["processor of the work, s", "µs per empty batch", "equal"]
    told = f"{wanted:,} translations judged, {len(work)} batches of {AT_ONCE}, {os.cpu_count()} cores"
    limits = (
        "A worker has one core: more workers than free cores only share them. Loading is the models, once in "
        "each worker, and four batches for each (a worker that is forked has the models already); "
        "*processor of the work* is what all workers computed, without starting and loading."
    )
    write_section("executors", "Executors", f"{told}.\n\n{table(head, rows)}\n\n{limits}")


if __name__ == "__main__":
    main()
