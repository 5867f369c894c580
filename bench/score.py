"""Measures `mtassay score` against the tools a user would pick, on the same files in the same run.

usage: python bench/score.py [PART …]    (all but ten-million)

paired       1,000 paired bootstrap resamples of BLEU and chrF, beside sacreBLEU, compare-mt (five minutes)
tokenizers   BLEU alone with four tokenisers, and TER, beside sacreBLEU (two minutes)
growth       10 thousand to 1 million lines, time and memory; sacreBLEU up to 100 thousand (ten minutes)
stages       where our time goes (seconds)
waiting      what people wait for: the start, the judge, a report of all systems (a minute)
ten-million  10 million lines with --stream (an hour)

Files: WMT22 de-en, WMT23 en-de and BTPGBT en-zh from MTASSAY_DATA where they are, else our demo corpus. Every
command is a fresh process without cache, programs run in turns, and the best and the worst of three rounds
are shown; ratios are of the best. CPU seconds are those of all processes and threads of a command.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from results import table, write_section

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
BIN = Path(sys.executable).parent
OURS = [sys.executable, "-m", "mtassay", "score", "-q", "--no-cache"]
SACREBLEU = [sys.executable, "-m", "sacrebleu"]
ROUNDS = 3
MISSING = "start of score, to the first file, which is missing"


@dataclass(frozen=True)
class Files:
    """A test set as files of lines."""

    name: str
    source: Path
    reference: Path
    outputs: Sequence[Path]
    pair: str

    @property
    def lines(self) -> int:
        with self.reference.open("rb") as file:
            return sum(1 for _ in file)

    @property
    def what(self) -> str:
        return f"{self.name}, {self.lines:,} lines × {len(self.outputs)} systems"

    def ours(self, *options: str) -> list[str]:
        systems = [word for path in self.outputs for word in ("-t", str(path))]
        given = ["-s", str(self.source), "-r", str(self.reference), "-l", self.pair]
        return [*OURS, *given, *systems, *options]

    def sacrebleu(self, *options: str) -> list[str]:
        return [*SACREBLEU, str(self.reference), "-i", *map(str, self.outputs), "-l", self.pair, *options]


class Cost(NamedTuple):
    """What a command took: CPU and wall-clock seconds, peak memory in MB."""

    cpu: float
    wall: float
    memory: float


def main() -> None:
    parts = {
        "paired": paired,
        "tokenizers": tokenizers,
        "growth": growth,
        "stages": stages,
        "waiting": waiting,
        "ten-million": ten_million,
    }
    for part in sys.argv[1:] or ["paired", "tokenizers", "growth", "stages", "waiting"]:
        parts[part]()


def test_sets() -> list[Files]:
    """Three languages where the data is there."""
    found = []
    wmt22, wmt23, zh = DATA / "wmt22" / "de-en", DATA / "wmt23-mtme", DATA / "btpgbt" / "wmt2122"
    if wmt22.is_dir():
        outputs = sorted((wmt22 / "outputs").iterdir())
        found.append(
            Files("WMT22 de-en", wmt22 / "source.txt", wmt22 / "references" / "A.txt", outputs, "de-en")
        )
    if wmt23.is_dir():
        outputs = sorted(
            path
            for path in (wmt23 / "system-outputs" / "en-de").iterdir()
            if not path.stem.startswith(("ref", "synthetic"))
        )
        reference = wmt23 / "references" / "en-de.refA.txt"
        found.append(Files("WMT23 en-de", wmt23 / "sources" / "en-de.txt", reference, outputs, "en-de"))
    if zh.is_dir():
        names = ("azure", "chat", "deepl", "google", "tencent", "trans")
        found.append(
            Files("BTPGBT en-zh", zh / "test_en", zh / "test_zh", [zh / name for name in names], "en-zh")
        )
    if not found:
        demo = PROJECT / "demo" / "corpus" / "en-pt"
        outputs = sorted((demo / "outputs").iterdir())
        found.append(Files("demo en-pt", demo / "source.txt", demo / "reference.A.txt", outputs, "en-pt"))
    return found


def paired() -> None:
    """The same test for all: 1,000 paired bootstrap resamples, BLEU and chrF."""
    rows: list[list[object]] = []
    for files in test_sets():
        commands = {
            "sacreBLEU, one baseline": files.sacrebleu("-m", "bleu", "chrf", "--paired-bs", "-f", "text"),
            "mtassay, all pairs, checks": files.ours("--test", "bootstrap"),
            "mtassay, all pairs, no checks": files.ours("--test", "bootstrap", "--checks", "none"),
            "mtassay, its default test (10,000 trials), checks": files.ours(),
        }
        commands |= compare_mt(files)
        rows += compared(files.what, commands, "sacreBLEU, one baseline")
    write_section(
        "score-paired",
        "Score: 1,000 paired bootstrap resamples, BLEU and chrF, from cold files",
        table(["what", "CPU s", "wall s", "MB", "CPU of sacreBLEU ÷ this", "wall"], rows),
    )


def compare_mt(files: Files) -> dict[str, list[str]]:
    program = BIN / "compare-mt"
    if not program.exists() or files.pair.endswith("zh"):
        return {}
    report = "score_type=sacrebleu,bootstrap=1000,prob_thresh=0.05"
    more = ("--compare_word_accuracies", "--compare_ngrams", "--compare_sentence_buckets")
    return {
        "compare-mt, BLEU alone": [
            *(str(program), str(files.reference), *map(str, files.outputs), "--compare_scores", report),
            *(*more, "--compare_sentence_examples"),
        ]
    }


def tokenizers() -> None:
    """Scores alone: what a tokeniser costs, and TER."""
    rows: list[list[object]] = []
    for files in test_sets():
        names = ["13a", "intl", "char", *(["zh"] if files.pair.endswith("zh") else [])]
        for name in names:
            commands = {
                "sacreBLEU": files.sacrebleu("-m", "bleu", "-tok", name, "-f", "text"),
                "mtassay": files.ours("-m", f"bleu:tokenize={name}", "--checks", "none", "--samples", "100"),
            }
            rows += compared(f"{files.what}, BLEU, {name}", commands, "sacreBLEU")
    files = test_sets()[0]
    first = Files(files.name, files.source, files.reference, files.outputs[:1], files.pair)
    commands = {
        "sacreBLEU": first.sacrebleu("-m", "ter", "-f", "text"),
        "mtassay": first.ours("-m", "ter", "--checks", "none", "--samples", "100"),
    }
    rows += compared(f"{first.what}, TER", commands, "sacreBLEU")
    write_section(
        "score-tokenizers",
        "Score: tokenisers and TER, scores alone (ours with intervals of 100 resamples)",
        table(["what", "CPU s", "wall s", "MB", "CPU of sacreBLEU ÷ this", "wall"], rows),
    )


def growth() -> None:
    """Lines made from the first test set by dropping words, so that every line is different."""
    rows: list[list[object]] = []
    for count in (10_000, 100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as folder:
            files = made_files(Path(folder), count)
            commands = {
                "mtassay --checks none": files.ours("--test", "bootstrap", "--checks", "none"),
                "mtassay": files.ours("--test", "bootstrap"),
                "mtassay --stream": files.ours("--stream"),
            }
            if count <= 100_000:
                peer = files.sacrebleu("-m", "bleu", "chrf", "--paired-bs", "-f", "text")
                commands = {"sacreBLEU": peer, **commands}
            costs = {name: cost(command) for name, command in commands.items()}
            for name, found in costs.items():
                ratio = costs["sacreBLEU"].cpu / found.cpu if "sacreBLEU" in costs else "–"
                per_line = 1e6 * found.cpu / count / len(files.outputs)
                rows.append(
                    [f"{count:,} lines, {name}", found.cpu, found.wall, round(found.memory), per_line]
                )
                rows[-1].append(ratio)
    write_section(
        "score-growth",
        "Score: growth, 2 systems of made lines, BLEU, chrF, 1,000 paired bootstrap resamples",
        table(
            ["what", "CPU s", "wall s", "MB", "µs of CPU a line and system", "CPU of sacreBLEU ÷ this"], rows
        ),
    )


def ten_million() -> None:
    """Only with --stream: nothing else has the memory."""
    rows: list[list[object]] = []
    for count in (10_000, 100_000, 1_000_000, 10_000_000):
        with tempfile.TemporaryDirectory() as folder:
            files = made_files(Path(folder), count)
            found = cost(files.ours("--stream", "--checks", "none"))
            per_line = 1e6 * found.cpu / count / len(files.outputs)
            rows.append([f"{count:,} lines", found.cpu, found.wall, round(found.memory), per_line])
    write_section(
        "score-stream",
        "Score: --stream up to ten million lines, 2 systems, BLEU, chrF, 1,000 resamples, no checks",
        table(["what", "CPU s", "wall s", "MB", "µs of CPU a line and system"], rows),
    )


def made_files(folder: Path, count: int) -> Files:
    files = test_sets()[0]
    parts = {"source": files.source, "reference": files.reference}
    parts |= {"a": files.outputs[0], "b": files.outputs[-1]}
    for name, sample in parts.items():
        make_lines(sample, folder / name, count)
    return Files("made", folder / "source", folder / "reference", [folder / "a", folder / "b"], files.pair)


def make_lines(sample: Path, target: Path, count: int) -> None:
    lines = [line.split() for line in sample.read_text(encoding="utf-8").split("\n") if line]
    rng = random.Random(0)
    with target.open("w", encoding="utf-8") as file:
        for i in range(count):
            line = lines[i % len(lines)]
            # One word is dropped: drawing for each word would take longer than scoring.
            place = rng.randrange(len(line)) if len(line) > 1 else -1
            file.write(" ".join(line[:place] + line[place + 1 :] if place >= 0 else line) + "\n")


def stages() -> None:
    """CPU seconds of each stage in this process."""
    empty = min(cost([sys.executable, "-c", "pass"]).cpu for _ in range(5))
    started = min(cost([sys.executable, "-c", "import mtassay.app.library"]).cpu for _ in range(5))
    listed = min(cost([sys.executable, "-m", "mtassay", "--help"]).cpu for _ in range(5))
    rows: list[list[object]] = [["Python", empty], ["imports of score", started - empty]]
    rows.append(["all of mtassay --help", listed])
    from mtassay.data.formats.textfiles import read_lines
    from mtassay.data.nouns import Segment
    from mtassay.measures.bleu import BLEU
    from mtassay.measures.check import CheckContext
    from mtassay.measures.check_run import choose_checks, run_checks, units_of
    from mtassay.measures.chrf import ChrF
    from mtassay.measures.tokenizers import split_texts

    for files in test_sets():
        source, target = files.pair.split("-")
        sides = zip(read_lines(files.source), read_lines(files.reference), strict=True)
        segments = [Segment(str(i), text, (reference,)) for i, (text, reference) in enumerate(sides)]
        outputs = {path.stem: read_lines(path) for path in files.outputs}
        bleu = BLEU(language=target)

        def stage(name: str, function: Callable[[], object], what: str = files.name) -> None:
            start = time.process_time()
            function()
            rows.append([f"{what}: {name}", time.process_time() - start])

        context = CheckContext(source, target)
        checks = choose_checks("default", (), context).checks
        units = {name: units_of(segments, texts) for name, texts in outputs.items()}
        stage("checks", partial(run_checks, checks, units, context, processes=1))
        joined = [text for texts in outputs.values() for text in texts]
        stage("splitting into words", partial(split_texts, joined, bleu.tokenizer))
        stage("BLEU, with splitting", partial(bleu.measure, segments, outputs))
        stage("chrF", partial(ChrF().measure, segments, outputs))
    write_section("score-stages", "Score: where the time goes", table(["stage", "CPU s"], rows))


def waiting() -> None:
    """What people wait for, with no peer beside it."""
    files = test_sets()[0]
    with tempfile.TemporaryDirectory() as folder:
        parts = {"source": files.source, "reference": files.reference, "output": files.outputs[0]}
        for name, path in parts.items():
            lines = path.read_text(encoding="utf-8").splitlines()[:1000]
            (Path(folder) / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        outputs = [Path(folder) / "output"]
        some = Files("some", Path(folder) / "source", Path(folder) / "reference", outputs, files.pair)
        none = Files("none", Path("no.txt"), Path("no.txt"), [Path("no.txt")], files.pair)
        kept = ["--workspace", f"{folder}/w.db"]
        subprocess.run(files.ours(*kept), stdout=subprocess.DEVNULL, check=True)
        report = [sys.executable, "-m", "mtassay", "report", "-o", f"{folder}/report.html", *kept]
        commands = {
            MISSING: none.ours(),
            f"score, 1,000 outputs of {files.pair}": some.ours(),
            f"score --judge ours, 1,000 outputs of {files.pair}": some.ours("--judge", "ours"),
            f"report of {files.what}": report,
        }
        rounds = [
            {name: cost(command, exit_code=2 * (name == MISSING)) for name, command in commands.items()}
            for _ in range(ROUNDS)
        ]
    rows = [[name, *_best_and_worst([costs[name] for costs in rounds])] for name in commands]
    write_section("score-waiting", "What people wait for", table(["what", "CPU s", "wall s", "MB"], rows))


def _best_and_worst(costs: Sequence[Cost]) -> list[object]:
    cpu, wall = ([c.cpu for c in costs], [c.wall for c in costs])
    spans = [f"{min(values):.2f}–{max(values):.2f}" for values in (cpu, wall)]
    return [*spans, round(max(c.memory for c in costs))]


def compared(what: str, commands: Mapping[str, Sequence[str]], peer: str) -> list[list[object]]:
    """A row for each command, run in turns, and how much longer the peer takes, by the best of each."""
    costs = [{name: cost(command) for name, command in commands.items()} for _ in range(ROUNDS)]
    best = {name: (min(c[name].cpu for c in costs), min(c[name].wall for c in costs)) for name in commands}
    return [
        [
            f"{what}: {name}",
            *_best_and_worst([c[name] for c in costs]),
            best[peer][0] / cpu,
            best[peer][1] / wall,
        ]
        for name, (cpu, wall) in best.items()
    ]


def cost(command: Sequence[str], *, exit_code: int = 0) -> Cost:
    """Run a command in an empty folder, and see what it takes."""
    code = (
        "import resource as r, subprocess as s, sys, time; start = time.perf_counter();"
        "done = s.run(sys.argv[2:], stdout=s.DEVNULL, stderr=s.DEVNULL);"
        "assert done.returncode == int(sys.argv[1]), done;"
        "wall = time.perf_counter() - start; used = r.getrusage(r.RUSAGE_CHILDREN);"
        "print(used.ru_utime + used.ru_stime, wall, used.ru_maxrss)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code, str(exit_code), *command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    cpu, wall, peak = map(float, done.stdout.split())
    return Cost(cpu, wall, peak / (1024 if sys.platform != "darwin" else 1024**2))


if __name__ == "__main__":
    main()
