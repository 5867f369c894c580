"""Measures `mtassay suite run` against a plain loop with Python's `re`, on the same files in the same run.

usage: python bench/suite.py [peer] [stages] [growth]        (all three by default)

peer    the loop that people write: read, compile, search, count; and ours with intervals and tests on top
stages  where our time goes
growth  with items and with systems

Files: the DFKI suite de-en and its 40 submissions from MTASSAY_DATA where present, else our suite en-pt with
the outputs of its two engines, repeated to 40. Every command is a fresh process; the best of five is shown,
measured in turns.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from results import table, write_section

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data")) / "dfki" / "de-en"
BIN = Path(sys.executable).parent
ROUNDS = 5

PLAIN = """
import json, re, sys
items = json.load(open(sys.argv[1], encoding="utf-8"))["items"]
rules = {
    item["id"]: [
        (re.compile(item[kind + "_regex"]) if item[kind + "_regex"] else None, set(item[kind + "_tokens"]))
        for kind in ("positive", "negative")
    ]
    for item in items
}
for path in sys.argv[2:]:
    counts = dict.fromkeys(["correct", "incorrect", "undecided", "conflict", "skipped"], 0)
    lines = open(path, encoding="utf-8").read().split("\\n")[1:]
    outputs = dict(line.split("\\t", 1) for line in lines if line)
    for key, sides in rules.items():
        output = outputs.get(key)
        if output is None:
            counts["skipped"] += 1
            continue
        found = [output in tokens for _, tokens in sides]
        if not any(found):
            found = [bool(pattern and pattern.search(output)) for pattern, _ in sides]
        positive, negative = found
        if not output.strip():
            positive, negative = False, True
        counts[
            "conflict" if positive and negative
            else "correct" if positive
            else "incorrect" if negative
            else "undecided"
        ] += 1
    print(path, counts)
"""


@dataclass(frozen=True)
class Files:
    name: str
    suite: Path
    outputs: list[Path]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = find(Path(folder))
        for part in sys.argv[1:] or ["peer", "stages", "growth"]:
            {"peer": peer, "stages": stages, "growth": growth}[part](files, Path(folder))


def find(folder: Path) -> Files:
    """The suite as DFKI JSON, which the plain loop can read, and 40 files of outputs with unlike names."""
    from mtassay.data.formats.suite_files import read_suite, write_suite

    if DATA.is_dir():
        name, suite, outputs = "DFKI de-en", DATA / "items.json", sorted(DATA.glob("outputs/*/*.tsv"))
    else:
        name, suite = "our suite en-pt", folder / "suite.json"
        write_suite(suite, read_suite("en-pt"))
        outputs = sorted((PROJECT / "demo" / "suites" / "en-pt").glob("*.tsv")) * 20
    links = []
    for number, path in enumerate(outputs):
        links.append(folder / f"{number:02}-{path.name}")
        links[-1].symlink_to(path)
    return Files(name, suite, links)


def ours(suite: Path, outputs: Sequence[Path], *more: str) -> list[str]:
    systems = [word for path in outputs for word in ("-t", str(path))]
    return [str(BIN / "mtassay"), "suite", "run", str(suite), *systems, "-q", "-f", "json", *more]


def peer(files: Files, folder: Path) -> None:
    items = len(json.loads(files.suite.read_text(encoding="utf-8"))["items"])
    place = ("--workspace", str(folder / "w.db"))
    commands = {
        "plain re loop, counts only": [
            sys.executable,
            "-c",
            PLAIN,
            str(files.suite),
            *map(str, files.outputs),
        ],
        "mtassay, with z-tests": ours(files.suite, files.outputs, "--test", "z", *place),
        "mtassay, its default test: all pairs and rows as one family, 10,000 trials": ours(
            files.suite, files.outputs, *place
        ),
    }
    seconds, processor = in_turns(commands)
    first = next(iter(seconds.values()))
    rows = [
        [name, value, f"{value / first:.1f} × as long", took]
        for (name, value), took in zip(seconds.items(), processor.values(), strict=True)
    ]
    shown = table(["what", "seconds", "plain loop", "processor, s"], rows)
    told = f"{files.name}: {items:,} items, {len(files.outputs)} systems"
    write_section("suite", "Suites", f"{told}; fresh processes, best of {ROUNDS} in turns.\n\n{shown}")


def stages(files: Files, folder: Path) -> None:
    from mtassay.methods.engine import execute
    from mtassay.methods.suite.rule_judge import Judge
    from mtassay.methods.suite.suite_method import SuiteMethod
    from mtassay.systems.roster import open_systems

    print("\nWhere the time goes, in one process\n")
    show("python and imports", best([str(BIN / "mtassay"), "suite", "run", "--help"]))
    start = time.perf_counter()
    method = SuiteMethod.resolve({"suite": files.suite, "test": "z"})
    start = lap("reading the suite", start)
    read = method.reader(method.segments, _Silent())
    systems = open_systems([str(path) for path in files.outputs], method.segments, method.pair, read=read)
    start = lap("reading the outputs", start)
    judge = Judge(method.suite)
    for item in method.suite.items:
        for rule in (*item.positive_regex, *item.negative_regex):
            judge.pattern(item, rule)
    start = lap("compiling expressions", start)
    execute(method, method.segments, systems)
    start = lap("compiling, judging, z-tests", start)
    execute(SuiteMethod(method.suite), method.segments, systems)
    lap("the same with the default test", start)


class _Silent:
    def progress(self, *_: object) -> None:
        pass


def growth(files: Files, folder: Path) -> None:
    content = json.loads(files.suite.read_text(encoding="utf-8"))
    place = ("--workspace", str(folder / "w.db"))
    print("\nGrowth, the default test\n")
    for items in (500, 1000, 2000, len(content["items"])):
        part = folder / f"{items}.json"
        part.write_text(json.dumps({"items": content["items"][:items]}), encoding="utf-8")
        show(f"{items:,} items, {len(files.outputs)} systems", best(ours(part, files.outputs, *place)))
    for systems in (1, 5, 10, 20, 40):
        show(f"all items, {systems} systems", best(ours(files.suite, files.outputs[:systems], *place)))


def in_turns(commands: Mapping[str, Sequence[str]]) -> tuple[dict[str, float], dict[str, float]]:
    """The best of some rounds, by the clock and in processor time. Each command has a turn in every round."""
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    processor: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            before = _of_children()
            seconds[name].append(timed(command))
            processor[name].append(_of_children() - before)
    least = [{name: min(values) for name, values in both.items()} for both in (seconds, processor)]
    return least[0], least[1]


def _of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def best(command: Sequence[str]) -> float:
    return min(timed(command) for _ in range(3))


def timed(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def lap(name: str, start: float) -> float:
    show(name, time.perf_counter() - start)
    return time.perf_counter()


def show(name: str, seconds: float) -> None:
    print(f"{name:44}{seconds:7.2f} s")


if __name__ == "__main__":
    main()
