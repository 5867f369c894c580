"""How often each method claims a difference where there is none, and how often it finds one that is there.

usage: python bench/significance.py [score] [suite] [invariance] [behavior] [--tables N] [--systems 2,9,18]

The default test of a method is tried on N tables (1,000), the others on a fifth of that.

For every table, systems are mixed from the outputs of two real ones: each takes, segment by segment, the
output of either by the toss of a coin. So all are equally good, and any claim in the table is false. For the
power, the first system of the table takes the better output of the two on a share of the segments instead.

level  share of tables with any claim where nothing differs, with Wilson's 95 % interval
power  share of tables in which the first system, which is better, differs from at least one other

Files: WMT22 de-en, the DFKI suite and btpgbt from MTASSAY_DATA.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from behavior_data import SYSTEMS, read_btpgbt
from numpy.typing import NDArray

import mtassay as mt
from mtassay.data.nouns import Finding, Judgement, Output, Result, Segment
from mtassay.data.words import edit_distance
from mtassay.methods.behavior.pairs import edited_id
from mtassay.methods.behavior.pass_rates import pass_rates
from mtassay.methods.engine import EngineContext
from mtassay.methods.invariance.issues import stability
from mtassay.methods.score.score_method import ScoreMethod
from mtassay.methods.suite.accuracy import Grades, accuracies
from mtassay.methods.suite.suite_method import SuiteMethod, case_of, grades_of
from mtassay.stats.proportions import wilson

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
SEGMENTS = 600
"""So many of the segments, items or cases; the level does not hang on their number, the power does."""
ALPHA = 0.05
TRIALS = 1000
SHARES = {"score": 0.15, "suite": 0.5, "invariance": 0.25, "behavior": 0.5}
"""On how many segments the better system takes the better output."""

Picks = NDArray[np.bool_]
"""(segments, systems): whose output each system takes."""


@dataclass(frozen=True)
class Pair:
    """Two real systems: how good each output of theirs is (segments, 2), and what a table says of a mix."""

    goodness: NDArray[np.float64]
    conclude: Callable[[Picks, str], Result]
    tests: Sequence[str]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("methods", nargs="*", default=list(PAIRS))
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--systems", default="2,9,18")
    chosen = parser.parse_args()
    print(f"Tables of {SEGMENTS} segments; p < {ALPHA:g}\n")
    print("| method | test | systems | tables | level | 95 % | power |\n|---|---|---|---|---|---|---|")
    with Pool(2) as pool:
        for method in chosen.methods:
            for systems in map(int, chosen.systems.split(",")):
                for place, test in enumerate(PAIRS[method]().tests):
                    # The first is the default; the others are there to compare with.
                    tables = chosen.tables if place == 0 else chosen.tables // 5
                    jobs = [(method, test, systems, seed) for seed in range(tables)]
                    claims = list(pool.starmap(_table, jobs, chunksize=5))
                    false, found = (sum(column) for column in zip(*claims, strict=True))
                    low, high = wilson(false, tables)
                    print(
                        f"| {method} | {test} | {systems} | {tables:,} | {100 * false / tables:.1f} % "
                        f"| {100 * low:.1f}–{100 * high:.1f} | {100 * found / tables:.0f} % |",
                        flush=True,
                    )


def _table(method: str, test: str, systems: int, seed: int) -> tuple[bool, bool]:
    """Whether a table of equals claims something, and whether one with a better system finds it."""
    pair = PAIRS[method]()
    rng = np.random.default_rng(seed)
    picks = rng.integers(2, size=(len(pair.goodness), systems), dtype=bool)
    false = any(True for _ in _claims(pair.conclude(picks, test)))
    better = rng.random(len(picks)) < SHARES[method]
    picks[better, 0] = pair.goodness[better, 1] > pair.goodness[better, 0]
    return false, any("s00" in pairs for pairs in _claims(pair.conclude(picks, test)))


def _claims(result: Result) -> Iterator[tuple[str, str]]:
    """The pairs of systems that a table tells apart."""
    for comparison in result.comparisons:
        if comparison.name != "accuracy:phenomenon" and comparison.p is not None and comparison.p < ALPHA:
            yield comparison.a, comparison.b


@cache
def score_pair() -> Pair:
    """BLEU and chrF of two good systems of WMT22 de-en."""
    folder = DATA / "wmt22" / "de-en"
    texts = {name: _lines(folder / "outputs" / f"{name}.txt") for name in ("Online-A", "Online-W")}
    method = ScoreMethod.resolve({"metrics": "bleu,chrf", "samples": 100, "trials": TRIALS, "checks": "none"})
    references = _lines(folder / "references" / "A.txt")
    segments = [Segment(str(i), None, (text,)) for i, text in enumerate(references)]
    outputs = {
        name: [Output(s.id, text) for s, text in zip(segments, lines, strict=True)]
        for name, lines in texts.items()
    }
    context = EngineContext(None, lambda *_: None)
    kept = list(method.judge(method.cases(segments, context), outputs, context).statistics)
    columns = {m: [entry for entry in kept if entry.metric == m] for m in method.metrics}
    goodness = np.stack([method.metrics["chrf"].unit_scores(e.values) for e in columns["chrf"]], axis=1)

    def conclude(picks: Picks, test: str) -> Result:
        name, _, correction = test.partition(", ")
        asked = replace(method, test=name, correction=correction)
        mixed = [
            replace(a, system=f"s{number:02}", values=np.where(pick[:, None], b.values, a.values))
            for a, b in columns.values()
            for number, pick in enumerate(picks.T)
        ]
        return asked.score(Judgement([], mixed, {}), context)

    tests = (
        "randomization, max-t",
        "randomization, holm",
        "randomization, none",
        "bootstrap, none",
        "sacrebleu-randomization, none",
    )
    return Pair(goodness, conclude, tests)


@cache
def suite_pair() -> Pair:
    """The verdicts on two systems of WMT22 in the DFKI suite, where both are settled."""
    folder = DATA / "dfki" / "de-en"
    names = ("Online-A", "Online-W")
    method = SuiteMethod.resolve({"suite": folder / "items.json"})
    run = mt.suite(method.suite, [str(folder / "outputs" / "wmt22" / f"{name}.tsv") for name in names])
    cases = [case_of(item) for item in method.chosen.items]
    grades = grades_of(run.findings, cases, run.systems)
    settled = np.flatnonzero((grades.values >= 0).all(axis=1))
    chosen = np.sort(np.random.default_rng(1).choice(settled, SEGMENTS, replace=False))
    items, values = [grades.items[i] for i in chosen], grades.values[chosen]

    def conclude(picks: Picks, test: str) -> Result:
        mixed = np.where(picks, values[:, [1]], values[:, [0]])
        names = [f"s{number:02}" for number in range(picks.shape[1])]
        return accuracies(Grades(items, names, mixed), test=test, trials=TRIALS)  # type: ignore[arg-type]

    return Pair(values.astype(float), conclude, ("randomization", "z"))


@cache
def _btpgbt() -> tuple[list[str], list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Sources, capabilities; for two systems: whether a case passes, and how far its outputs are apart."""
    cases, outputs = read_btpgbt(DATA / "btpgbt")
    cases = [case for case in cases if case.pseudo_reference != case.reference]
    chosen = np.random.default_rng(1).choice(len(cases), SEGMENTS, replace=False)
    cases = [cases[i] for i in sorted(chosen)]
    passed, apart = np.zeros((len(cases), 2)), np.zeros((len(cases), 2))
    for column, system in enumerate(SYSTEMS[:2]):
        for row, case in enumerate(cases):
            first, second = (outputs[system][key] or "" for key in (case.id, edited_id(case.id)))
            wanted = edit_distance(case.reference, case.pseudo_reference)
            apart[row, column] = edit_distance(first, second)
            passed[row, column] = apart[row, column] <= 2 * wanted
    sources = [case.source for case in cases]
    return sources, [case.capability for case in cases], passed, apart


@cache
def behavior_pair() -> Pair:
    """Cases of Wu et al. that two systems pass if outputs move at most twice as far as the references."""
    sources, capabilities, passed, _ = _btpgbt()

    def conclude(picks: Picks, test: str) -> Result:
        names = [f"s{number:02}" for number in range(picks.shape[1])]
        # All cases of a sentence are taken from the same system.
        first = {source: row for row, source in reversed(list(enumerate(sources)))}
        rows = [first[source] for source in sources]
        mixed = np.where(picks[rows], passed[:, [1]], passed[:, [0]])
        findings = [
            Finding(
                str(row),
                name,
                "behavior",
                "pass" if mixed[row, column] else "fail",
                evidence={"capability": capabilities[row], "source": sources[row], "status": "x"},
            )
            for column, name in enumerate(names)
            for row in range(len(mixed))
        ]
        return pass_rates(findings, names, {name: {} for name in names}, level=ALPHA, trials=TRIALS)

    return Pair(passed, conclude, ("randomization",))


@cache
def invariance_pair() -> Pair:
    """Sentences whose two translations are nearer than the median, for two systems."""
    _, _, _, apart = _btpgbt()
    stable = apart <= np.median(apart)

    def conclude(picks: Picks, test: str) -> Result:
        names = [f"s{number:02}" for number in range(picks.shape[1])]
        mixed = np.where(picks, stable[:, [1]], stable[:, [0]])
        findings = [
            Finding(str(row), name, "x", "pass" if mixed[row, column] else "fail")
            for column, name in enumerate(names)
            for row in range(len(mixed))
        ]
        counts = {name: {"pairs": len(mixed)} for name in names}
        return stability(
            findings, counts, detector="x", companions=(), alpha=ALPHA, signature="", trials=TRIALS
        )

    return Pair(stable.astype(float), conclude, ("randomization",))


def _lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    chosen: Iterable[int] = sorted(np.random.default_rng(1).choice(len(lines), SEGMENTS, replace=False))
    return [lines[i] for i in chosen]


PAIRS: dict[str, Callable[[], Pair]] = {
    "score": score_pair,
    "suite": suite_pair,
    "invariance": invariance_pair,
    "behavior": behavior_pair,
}

if __name__ == "__main__":
    if not DATA.is_dir():
        sys.exit("bench/significance.py: MTASSAY_DATA is not there.")
    main()
