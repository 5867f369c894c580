"""Measures `mtassay translate` with an engine that answers at once: what our part costs, and how it grows.

usage: python bench/translate.py [LINES …]        (10 thousand, 100 thousand and 1 million by default)

Each file is translated in a fresh process, then again, which is how a stopped run goes on: all answers come
from the workspace. Processor seconds are those of the process, memory is its peak.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from results import table, write_section

CODE = """
import resource, sys, time
from mtassay.app.translation import translate_file
start = time.perf_counter()
(done,) = translate_file(sys.argv[1], ["fake:upper?batch=1000"], sys.argv[2], langpair="en-de",
                         workspace=sys.argv[3], quiet=True)
assert done.failed == 0
usage = resource.getrusage(resource.RUSAGE_SELF)
print(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, done.n)
"""


def main() -> None:
    counts = [int(word) for word in sys.argv[1:]] or [10_000, 100_000, 1_000_000]
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            source, target = Path(folder, "source.txt"), Path(folder, "out.txt")
            with source.open("w", encoding="utf-8") as file:
                file.writelines(
                    f"a sentence of the usual length for a test, number {n}\n" for n in range(count)
                )
            for how in ("first", "again"):
                command = [sys.executable, "-c", CODE, str(source), str(target), f"{folder}/{count}.db"]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                seconds, processor, peak, lines = map(float, done.stdout.split())
                assert lines == count
                per_line = 1e6 * processor / count
                rows.append([f"{count:,}", how, seconds, processor, round(per_line, 1), round(peak)])
                print(rows[-1], file=sys.stderr, flush=True)
            Path(folder, f"{count}.db").unlink()
    head = ["lines", "run", "seconds", "processor, s", "processor, µs per line", "peak memory, MB"]
    write_section("translate", "Translating files, with an engine that takes no time", table(head, rows))


if __name__ == "__main__":
    main()
