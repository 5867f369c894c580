"""How often a gate fails a version that is as good as its baseline, and how often it stops one that is not.

usage: python bench/gates.py [level] [power] [proof] [--gates N]

Two versions are mixed from the outputs of two real systems: each takes, segment by segment, the output of
either by the toss of a coin. So both are equally good, and any alarm is false.

level  share of N gates (1,000) that fail, by rules; with Wilson's 95 % interval
power  the same after so many of the 20 items of one phenomenon were broken in the new version (N / 5 gates)
proof  how often `bleu not more than X lower, at 95 %` passes: two equal versions, and one that is worse by
       just X, which should pass in 5 % of the cases at most; drawn anew from the segments (N / 5 gates)

Files: WMT22 de-en and the DFKI suite from MTASSAY_DATA.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import mtassay as mt
from mtassay.changes.gate_checks import check_gates
from mtassay.data.nouns import Run
from mtassay.stats.proportions import wilson

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("MTASSAY_DATA", PROJECT.parent / "shared" / "data"))
SYSTEMS = ("Online-A", "Online-W")
TRIALS = 1000
PLANTED = 20
SEGMENTS = 600
"""So many of the items and segments; the level does not hang on their number, the power does."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", default=[])
    parser.add_argument("--gates", type=int, default=1000)
    arguments = parser.parse_args()
    parts = arguments.parts or ["level", "power", "proof"]
    if "level" in parts:
        level(arguments.gates)
    if "power" in parts:
        power(arguments.gates // 5)
    if "proof" in parts:
        proof(arguments.gates // 5)


def suite_run(*, few: bool = True) -> Run:
    """Both systems on items that both have settled."""
    folder = DATA / "dfki" / "de-en"
    systems = {name: str(folder / "outputs" / "wmt22" / f"{name}.tsv") for name in SYSTEMS}
    record = mt.suite(str(folder / "items.json"), systems, cache=False).record
    settled = Counter(f.case_id for f in record.findings if f.verdict in ("pass", "fail"))
    both = sorted(case for case, times in settled.items() if times == 2)
    both = set(np.random.default_rng(0).choice(both, size=SEGMENTS, replace=False).tolist() if few else both)
    return replace(
        record,
        findings=[f for f in record.findings if f.case_id in both],
        segments=[s for s in record.segments if s.id in both],
        outputs={},
    )


def score_run() -> Run:
    """Both systems by BLEU and chrF."""
    folder = DATA / "wmt22" / "de-en"
    systems = {name: str(folder / "outputs" / f"{name}.txt") for name in SYSTEMS}
    references = [str(folder / "references" / "A.txt")]
    return replace(mt.score(systems, references, samples=100, trials=100, cache=False).record, outputs={})


def first(run: Run, size: int) -> Run:
    """The run on its first segments."""
    ids = [segment.id for segment in run.segments[:size]]
    statistics = [replace(entry, ids=ids, values=entry.values[:size]) for entry in run.statistics]
    kept = set(ids)
    findings = [f for f in run.findings if f.case_id in kept]
    return replace(run, segments=run.segments[:size], statistics=statistics, findings=findings)


def mixed(run: Run, rng: np.random.Generator) -> Run:
    """One version: every unit by the toss of a coin from the first system or the second."""
    coin = dict(
        zip([s.id for s in run.segments], rng.integers(2, size=len(run.segments)).tolist(), strict=True)
    )
    findings = [
        replace(f, system="nmt") for f in run.findings if run.systems.index(f.system) == coin[f.case_id]
    ]
    statistics = []
    by_metric: dict[str, list] = {}
    for entry in run.statistics:
        by_metric.setdefault(entry.metric, []).append(entry)
    for first, second in by_metric.values():
        chosen = np.array([coin[unit] for unit in first.ids])[:, None]
        statistics.append(replace(first, system="nmt", values=np.where(chosen, second.values, first.values)))
    return replace(
        run, id=str(rng.integers(2**62)), systems=["nmt"], findings=findings, statistics=statistics
    )


def fails(rules: Sequence[str], old: Run, new: Run) -> bool:
    return not check_gates(rules, {"step": new}, {"step": old}, trials=TRIALS, seed=None).passed


def level(gates: int) -> None:
    """False alarms of rule sets."""
    suite, score = suite_run(), first(score_run(), SEGMENTS)
    sizes = Counter(s.tags["category"] for s in suite.segments)
    sizes |= Counter(s.tags["phenomenon"] for s in suite.segments)
    single = [f"{name}: accuracy not significantly worse" for name, _ in sizes.most_common(20)]
    categories = dict.fromkeys(s.tags["category"] for s in suite.segments)
    first_five = [f"{name}: accuracy not significantly worse" for name in list(categories)[:5]]
    sets = {
        "accuracy/micro not significantly worse": (suite, ["accuracy/micro not significantly worse"]),
        "the first 5 categories, a rule each": (suite, first_five),
        "the 5 largest categories and phenomena, a rule each": (suite, single[:5]),
        "the 20 largest, a rule each": (suite, single),
        "no phenomenon significantly worse": (suite, ["no phenomenon significantly worse"]),
        "bleu and chrf, a rule each": (score, [f"{m} not significantly worse" for m in ("bleu", "chrf")]),
    }
    print("| rules | tests | gates | false alarms | 95 % |\n|---|--:|--:|--:|---|")
    for name, (run, rules) in sets.items():
        rng = np.random.default_rng(1)
        tests = check_gates(rules, {"s": mixed(run, rng)}, {"s": mixed(run, rng)}, trials=100).tests
        hits = sum(fails(rules, mixed(run, rng), mixed(run, rng)) for _ in range(gates))
        print(f"| {name} | {tests} | {gates:,} | {share(hits, gates)} |", flush=True)


def power(gates: int) -> None:
    """How often a planted regression in one phenomenon of twenty items is found."""
    run = suite_run(few=False)
    counts = Counter(s.tags["phenomenon"] for s in run.segments)
    name = next(name for name, n in counts.most_common() if _is_mostly_right(run, name))
    items = [s.id for s in run.segments if s.tags["phenomenon"] == name]
    others = sorted(s.id for s in run.segments if s.id not in items)
    kept = set(np.random.default_rng(0).choice(others, size=SEGMENTS - PLANTED, replace=False).tolist())
    dropped = {s.id for s in run.segments} - kept - set(items[:PLANTED])
    run = replace(
        run,
        findings=[f for f in run.findings if f.case_id not in dropped],
        segments=[s for s in run.segments if s.id not in dropped],
    )
    sets = {
        "this phenomenon alone": [f"{name}: accuracy:phenomenon not significantly worse"],
        "no phenomenon significantly worse": ["no phenomenon significantly worse"],
    }
    print(f"\n{name}, {PLANTED} items\n\n| broken | {' | '.join(sets)} |\n|--:|--:|--:|")
    for broken in (0, 2, 4, 5, 6, 8, 10, 12):
        rng = np.random.default_rng(2)
        hits = dict.fromkeys(sets, 0)
        for _ in range(gates):
            old, new = mixed(run, rng), mixed(run, rng)
            new = damaged(new, items[:PLANTED], broken, rng)
            for key, rules in sets.items():
                hits[key] += fails(rules, old, new)
        print(f"| {broken} of {PLANTED} | {' | '.join(_of(n, gates) for n in hits.values())} |", flush=True)


def _is_mostly_right(run: Run, phenomenon: str) -> bool:
    items = {s.id for s in run.segments if s.tags["phenomenon"] == phenomenon}
    own = [f for f in run.findings if f.case_id in items]
    return len(items) >= PLANTED and sum(f.verdict == "pass" for f in own) >= 0.9 * len(own)


def damaged(run: Run, items: Iterable[str], broken: int, rng: np.random.Generator) -> Run:
    """So many of the items that are right are wrong now."""
    right = sorted({f.case_id for f in run.findings if f.verdict == "pass"} & set(items))
    chosen = set(rng.choice(right, size=min(broken, len(right)), replace=False).tolist())
    return replace(
        run, findings=[replace(f, verdict="fail") if f.case_id in chosen else f for f in run.findings]
    )


def proof(gates: int) -> None:
    """How often equal versions, and one at the margin, pass a rule that demands proof."""
    run = score_run()
    print("\n| segments | margin | new version | passes | 95 % |\n|--:|--:|---|--:|---|")
    for size in (500, 1984):
        for margin in (0.25, 0.5, 1.0):
            rng = np.random.default_rng(3)
            rules = [f"bleu not more than {margin} lower, at 95 %"]
            hits = sum(
                not fails(rules, *drawn(mixed(run, rng), mixed(run, rng), size, rng)) for _ in range(gates)
            )
            print(f"| {size:,} | {margin} | equal | {share(hits, gates)} |", flush=True)
        first, second = (_only(run, name) for name in SYSTEMS)
        values = [
            next(s.value for s in run.result.scores if s.name == "bleu" and s.system == n) for n in SYSTEMS
        ]
        old, new = (first, second) if values[0] > values[1] else (second, first)
        margin = abs(values[0] - values[1])
        rng = np.random.default_rng(4)
        rules = [f"bleu not more than {margin:.4f} lower, at 95 %"]
        hits = sum(not fails(rules, *drawn(old, new, size, rng)) for _ in range(gates))
        print(f"| {size:,} | {margin:.2f} | worse by just that | {share(hits, gates)} |", flush=True)


def _only(run: Run, system: str) -> Run:
    own = [replace(entry, system="nmt") for entry in run.statistics if entry.system == system]
    return replace(run, id=system, systems=["nmt"], statistics=own, findings=[])


def drawn(old: Run, new: Run, size: int, rng: np.random.Generator) -> tuple[Run, Run]:
    """Both on the same segments, drawn anew with replacement."""
    places = rng.integers(len(old.segments), size=size)
    segments = [old.segments[place]._replace(id=str(number)) for number, place in enumerate(places)]
    ids = [segment.id for segment in segments]
    first, second = (
        replace(
            run,
            segments=segments,
            findings=[],
            statistics=[replace(e, ids=ids, values=e.values[places]) for e in run.statistics],
        )
        for run in (old, new)
    )
    return first, second


def share(hits: int, n: int) -> str:
    low, high = wilson(hits, n)
    return f"{100 * hits / n:.1f} % | {100 * low:.1f}–{100 * high:.1f}"


def _of(hits: int, n: int) -> str:
    low, high = wilson(hits, n)
    return f"{100 * hits / n:.0f} % ({100 * low:.0f}–{100 * high:.0f})"


if __name__ == "__main__":
    main()
