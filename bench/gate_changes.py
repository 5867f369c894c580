"""What a gate says of harmless rewriting, of equal versions, and of negations that got lost.

usage: python bench/gate_changes.py [equal] [paraphrase] [negation] [--gates N]

equal       two versions mixed from Online-A and Online-W, segment by segment; every failure is a false alarm
paraphrase  one version, and the same with contractions, punctuation, quotes and spelling variants changed
            in a random share of the lines that have any
negation    so many negations are lost in 1,984 lines: the same engine otherwise, or one that was trained anew
            (a new mix of the two systems); how many gates fail

Paraphrases are of the second half of the lines. The margin is a convention and was not tuned on any of them.
Files: WMT22 de-en from MTASSAY_DATA.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from gates import DATA, SYSTEMS, share

import mtassay as mt
from mtassay.changes.gate_checks import check_gates
from mtassay.data.nouns import Finding, Run

RULES = (
    "bleu not significantly worse",
    "chrf not significantly worse",
    "no check significantly more frequent",
)
TRIALS = 1000
LOST = (0, 5, 10, 15, 30)
CHECK = "check:negation"
_NEGATED = re.compile(r"\b(?:nicht|kein\w*|nie|niemals|niemand\w*|nichts|ohne|weder)\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|without|neither|nor|cannot|un\w+)\b|n['’]t\b", re.IGNORECASE
)
_LOST = [
    (re.compile(r"\bcan(?:no|['’])t\b"), "can"),
    (re.compile(r"(?:n['’]t| not)\b"), ""),
    (re.compile(r"\bnever\b"), "always"),
    (re.compile(r"\b[Nn]o\b"), "a"),
    (re.compile(r"\b[Nn]othing\b"), "everything"),
    (re.compile(r"\bwithout\b"), "with"),
]
_PAIRS = [
    ("do not", "don't"),
    ("does not", "doesn't"),
    ("is not", "isn't"),
    ("did not", "didn't"),
    ("it is", "it's"),
]
_SPELLING = [
    ("ise", "ize"),
    ("our ", "or "),
    ("travelled", "traveled"),
    ("grey", "gray"),
    ("centre", "center"),
]


def contract(text: str) -> str:
    for long, short in _PAIRS:
        text = text.replace(long, short) if long in text else text.replace(short, long)
    return text


def punctuate(text: str) -> str:
    return (
        text.replace(", and ", " and ")
        if ", and " in text
        else text.replace(" - ", " – ").replace("...", "…")
    )


def quote(text: str) -> str:
    return re.sub('"([^"]*)"', "“\\1”", text).replace("'s", "’s")


def spell(text: str) -> str:
    for british, american in _SPELLING:
        text = text.replace(british, american)
    return text


REWRITES: dict[str, Callable[[str], str]] = {
    "contractions": contract,
    "punctuation": punctuate,
    "quotes": quote,
    "spelling": spell,
}


def lose(text: str) -> str:
    """The text without its first negation."""
    for pattern, instead in _LOST:
        changed, times = pattern.subn(instead, text, count=1)
        if times:
            return changed
    return text


def lines(path: str) -> list[str]:
    return (DATA / "wmt22" / "de-en" / path).read_text(encoding="utf-8").split("\n")[:-1]


class Bench:
    """Statistics of both systems, and of every rewritten output, line by line."""

    def __init__(self) -> None:
        self.source, self.reference = lines("source.txt"), lines("references/A.txt")
        self.outputs = {name: lines(f"outputs/{name}.txt") for name in SYSTEMS}
        versions = dict(self.outputs)
        for name in SYSTEMS:
            versions[f"{name} lost"] = [lose(text) for text in self.outputs[name]]
            versions |= {f"{name} {kind}": [f(t) for t in self.outputs[name]] for kind, f in REWRITES.items()}
        self.versions = versions
        run = mt.score(
            versions,
            [self.reference],
            source=self.source,
            samples=100,
            trials=100,
            checks="none",
            cache=False,
        )
        self.run: Run = run.record
        self.values = {(e.metric, e.system): e.values for e in self.run.statistics}
        self.ids = [segment.id for segment in self.run.segments]
        self.denied = np.array([bool(_NEGATED.search(text)) for text in self.source])
        self.denies = {
            name: np.array([bool(_DENIES.search(t)) for t in texts]) for name, texts in versions.items()
        }

    def version(self, picks: np.ndarray[Any, Any], rows: np.ndarray[Any, Any] | None = None) -> Run:
        """A run whose output to each line is that of the version with this number."""
        names = list(self.versions)
        rows = np.arange(len(self.ids)) if rows is None else rows
        statistics = []
        for entry in self.run.statistics[:: len(names)]:
            values = np.stack([self.values[entry.metric, name] for name in names])[picks[rows], rows]
            ids = [self.ids[row] for row in rows]
            statistics.append(replace(entry, system="nmt", ids=ids, values=values))
        denies = np.stack([self.denies[name] for name in names])[picks, np.arange(len(self.ids))]
        flagged = [row for row in rows if self.denied[row] and not denies[row]]
        findings = [Finding(self.ids[row], "nmt", CHECK, "fail") for row in flagged]
        result = replace(self.run.result, scores=[], comparisons=[], clusters=[])
        scores = [replace(s, system="nmt") for s in self.run.result.scores if s.system == names[0]]
        return replace(
            self.run,
            id=str(np.random.default_rng().integers(2**62)),
            systems=["nmt"],
            statistics=statistics,
            findings=findings,
            outputs={},
            segments=[self.run.segments[row] for row in rows],
            result=replace(result, scores=scores),
        )

    def number(self, name: str) -> int:
        return list(self.versions).index(name)

    def mix(self, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        return rng.choice([self.number(name) for name in SYSTEMS], size=len(self.ids))


def fails(old: Run, new: Run, rules: tuple[str, ...] = RULES) -> bool:
    return not check_gates(rules, {"step": new}, {"step": old}, trials=TRIALS, seed=None).passed


def equal(bench: Bench, gates: int) -> None:
    rng = np.random.default_rng(1)
    hits = sum(fails(bench.version(bench.mix(rng)), bench.version(bench.mix(rng))) for _ in range(gates))
    print(f"| equal versions | {gates:,} | {share(hits, gates)} |", flush=True)


def paraphrase(bench: Bench, gates: int) -> None:
    half = np.arange(len(bench.ids) // 2, len(bench.ids))
    rng = np.random.default_rng(2)
    for rules, what in (
        (RULES, "with the margin"),
        (tuple(f"{r} by more than 0" for r in RULES), "without it"),
    ):
        hits, losses = 0, []
        for number in range(gates):
            name = SYSTEMS[number % 2]
            picks = np.full(len(bench.ids), bench.number(name))
            kinds = rng.choice(list(REWRITES), size=rng.integers(1, 5), replace=False)
            changed = rng.random(len(picks)) < rng.random()
            other = np.array([bench.number(f"{name} {kind}") for kind in rng.choice(kinds, size=len(picks))])
            old, new = bench.version(picks, half), bench.version(np.where(changed, other, picks), half)
            hits += fails(old, new, rules)
            losses.append(sum(changed))
        print(f"| only rewritten, {what} | {gates:,} | {share(hits, gates)} |", flush=True)


def negation(bench: Bench, gates: int) -> None:
    print("\n| lost negations | same engine | 95 % | trained anew | 95 % |\n|--:|--:|---|--:|---|")
    for lost in LOST:
        cells = []
        for is_same in (True, False):
            rng = np.random.default_rng(lost)
            hits = 0
            for _ in range(gates):
                old = bench.mix(rng)
                new = old.copy() if is_same else bench.mix(rng)
                names = list(bench.versions)
                able = [
                    row
                    for row in np.flatnonzero(bench.denied)
                    if bench.denies[names[new[row]]][row] and not bench.denies[f"{names[new[row]]} lost"][row]
                ]
                for row in rng.choice(able, size=lost, replace=False):
                    new[row] = bench.number(f"{names[new[row]]} lost")
                hits += fails(bench.version(old), bench.version(new))
            cells.append(share(hits, gates))
        print(f"| {lost} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", default=[])
    parser.add_argument("--gates", type=int, default=1000)
    arguments = parser.parse_args()
    bench = Bench()
    parts = arguments.parts or ["equal", "paraphrase", "negation"]
    print("| versions | gates | fail | 95 % |\n|---|--:|--:|---|")
    if "equal" in parts:
        equal(bench, arguments.gates)
    if "paraphrase" in parts:
        paraphrase(bench, arguments.gates)
    if "negation" in parts:
        negation(bench, arguments.gates // 5)


if __name__ == "__main__":
    main()
