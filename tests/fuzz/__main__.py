"""Spoils files of every format and has them read: `python -m tests.fuzz 10000 --seed 1`.

A finding is an exception that is not ours (exit code 70), a file that takes more than `SECONDS` of the
processor, and one that takes more than `MEMORY` of memory. What was found is kept, to be read again with
`python -m tests.fuzz --file FINDING`.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.mutations import spoil
from tests.fuzz.readers import READERS, Reader, lay_out

SECONDS = 10
"""Of the processor, for one file; a clean one takes a twentieth of a second."""
MEMORY = 400 * 2**20
BATCH = 100
"""So many files are read by one process."""


@dataclass
class Tally:
    """What became of the files: by exit code, and what was found."""

    codes: Counter[int] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    @property
    def files(self) -> int:
        return sum(self.codes.values()) + len(self.findings)


def fuzz(
    count: int,
    *,
    seed: int,
    keep: Path,
    readers: Mapping[str, Sequence[Reader]] = READERS,
    seconds: int = SECONDS,
) -> Tally:
    """Read so many spoilt files. Each has its own number, by which it is made again."""
    tally = Tally()
    start = 0
    while start < count:
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            child = os.fork()
            if child == 0:
                _work(Path(folder), log, range(start, min(start + BATCH, count)), seed, readers, seconds)
            _, status = os.waitpid(child, 0)
            lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
            done = [line.split("\t", 2) for line in lines]
            begun = [int(number) for kind, number, _ in done if kind == "begin"]
            for kind, _, text in done:
                if kind == "code":
                    tally.codes[int(text)] += 1
            for kind, number, text in done:
                if kind == "bug":
                    tally.findings.append(_kept(Path(folder), int(number), text, keep))
            ended = {int(number) for kind, number, _ in done if kind in ("code", "bug")}
            if lost := [number for number in begun if number not in ended]:
                what = (
                    signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {status}"
                )
                tally.findings.append(_kept(Path(folder), lost[0], f"ended by {what}", keep))
            assert begun, "the process that reads does not start"
            start = begun[-1] + 1
    return tally


def _kept(folder: Path, number: int, what: str, keep: Path) -> str:
    keep.mkdir(parents=True, exist_ok=True)
    (found,) = folder.glob(f"spoilt-{number}-*")
    shutil.copy(found, keep / found.name)
    return f"{found.name}: {what}"


def _work(
    folder: Path, log: Path, numbers: range, seed: int, readers: Mapping[str, Sequence[Reader]], seconds: int
) -> None:
    """In a process of its own: read the files with these numbers, and write down what happened."""
    os.chdir(folder)
    files = lay_out(folder)
    os.environ |= {"COLUMNS": "80", "MTASSAY_REVIEWER": "me"}
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    with log.open("a", encoding="utf-8", buffering=1) as out:
        for number in numbers:
            random_ = random.Random(f"{seed}-{number}")
            name = random_.choice(list(readers))
            reader = random_.choice(readers[name])
            spoilt = f"spoilt-{number}-{name}"
            data = spoil(files[name], name, random_, list(files.values()))
            (folder / spoilt).write_bytes(data)
            out.write(f"begin\t{number}\t\n")
            if number == numbers[0]:
                _warm_up()
            _bound(seconds)
            try:
                code = reader(spoilt)
                out.write(f"code\t{number}\t{code}\n")
            except BaseException as error:
                out.write(f"bug\t{number}\t{_described(error)}\n")
    os._exit(0)


def _warm_up() -> None:
    """Load what is large before memory is counted."""
    for line in ("source.txt", "suite.yaml", "scores.tsv"):
        for read in READERS[line]:
            read(line)


def _bound(seconds: int) -> None:
    """Count time from now, and memory beyond what there is."""
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)  # the default for its signal is to end the process
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _described(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "mtassay" in frame.filename and "fuzz" not in frame.filename]
    where = f"{ours[-1].filename.partition('src/mtassay/')[2]}:{ours[-1].lineno}" if ours else "?"
    return " ".join(f"{type(error).__name__}: {error} ({where})".split())[:300]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="formats whose name holds this")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--file", type=Path, help="read this finding again, and show its traceback")
    asked = parser.parse_args()
    if asked.file:
        path = asked.file.resolve()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            lay_out(Path(folder))
            shutil.copy(path, path.name)
            for reader in READERS[path.name.split("-", 2)[2]]:
                sys.stdout.write(f"{reader(path.name)}\n")
        return
    readers = {name: READERS[name] for name in READERS if asked.only in name}
    tally = fuzz(asked.count, seed=asked.seed, keep=asked.keep, readers=readers)
    codes = ", ".join(f"{count} with exit code {code}" for code, count in sorted(tally.codes.items()))
    sys.stdout.write("".join(f"{finding}\n" for finding in tally.findings))
    sys.stdout.write(f"{tally.files} files read: {codes}; {len(tally.findings)} findings\n")
    sys.exit(bool(tally.findings))


if __name__ == "__main__":
    main()
