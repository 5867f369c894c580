"""The demo: one plan with all four methods, and what is most worth knowing of what came out.

The plan is `mtassay.yaml` beside this file, and `mtassay run` does the same; only the words are from here.
"""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import mtassay as mt
from mtassay.api.plans import StepRun
from mtassay.core import Score
from mtassay.report.run import render_tables

HERE = Path(__file__).resolve().parent
QUESTIONS = {
    "score": "Which system is better? 166 sentences of ours with references.",
    "suite": "What does each get right? 476 items, each with rules for one phenomenon.",
    "invariance": "Which sentences are wrong, without references? Change a word, translate again.",
    "behavior": "Which capabilities does it lack? Change words on both sides of our corpus.",
}
SHOWN = {"score": 1, "suite": 2, "invariance": 2, "behavior": 1}
"""How many of the tables of each step are shown here; the report has all."""


def main() -> None:
    say("An engine that runs here and now, English to Portuguese, as its package gives it")
    say("and as its model says it (raw), beside stored outputs of Apertium. Four methods,")
    say("one plan: demo/mtassay.yaml. It takes about two minutes.\n")
    done = mt.run_plan(HERE, told=tell)
    if done.exit_code:
        sys.exit(done.exit_code)
    say("What came out, in three findings\n")
    for number, finding in enumerate(findings(done.runs), 1):
        say(f"{number}. {textwrap.fill(finding[0], 77, subsequent_indent='   ')}")
        for line in finding[1:]:
            say(textwrap.fill(line, 80, initial_indent="     ", subsequent_indent=" " * 16))
        say("")
    say("Go on from here:\n")
    say("  . .venv/bin/activate && cd demo")
    for run in done.runs.values():
        say(f"  mtassay runs show {run.id}   # all of {run.record.method}")
    say("  mtassay explain 14                        # one sentence with all that is known of it")
    say("  mtassay review next                       # settle what is open, one key each")
    say("  mtassay run                               # again: only what changed")


def tell(step: StepRun) -> None:
    """What came out of a step, on one screen."""
    say(f"== {step.title}")
    say(f"{QUESTIONS[step.name]}\n")
    for line in step.lines:
        say(line)
    if step.run is not None:
        say(f"{render_tables(step.run.tables()[: SHOWN[step.name]], 'text')}\n")


def findings(runs: Mapping[str, mt.Run]) -> list[list[str]]:
    """The three findings, each a sentence and the lines that prove it."""
    return [better(runs["score"]), cause(runs["invariance"]), weakness(runs["suite"])]


def better(run: mt.Run, first: str = "packaged", second: str = "raw") -> list[str]:
    """Which of two systems is better by the first metric, and how sure that is."""
    name = run.result.scores[0].name
    values = {score.system: score for score in run.result.scores if (score.name, score.group) == (name, "all")}
    [test] = [c for c in run.result.comparisons if (c.name, c.group, {c.a, c.b}) == (name, "all", {first, second})]
    best, other = sorted((values[first], values[second]), key=lambda score: -score.value)
    numbers = (
        f"{best.label or name} {best.value:.1f} and {other.value:.1f} on {best.n:,} segments, p = {test.p:.2g}"
    )
    if test.p >= 0.05:
        return [f"{first} and {second} cannot be told apart: {numbers}."]
    return [f"{best.system} is better than {other.system}: {numbers}."]


def cause(run: mt.Run, worse: str = "packaged", than: str = "raw") -> list[str]:
    """What is seen oftenest in the outputs of one system and not in those of another, with a sentence."""
    flagged = {(score.group, score.system): score for score in run.result.scores if score.name == "flagged"}
    detectors = {detector for detector, _ in flagged}
    most = max(sorted(detectors), key=lambda d: flagged[d, worse].value - flagged[d, than].value)
    cases = [record for record in run.records("findings") if record["detector"] == most]
    here = [record for record in cases if record["system"] == worse]
    if not here:
        return [f"No detector sees more in {worse} than in {than}."]
    why = Counter(record["evidence"]["why"] for record in here).most_common(1)[0][0]
    there = {record["case_id"] for record in cases if record["system"] == than}
    shown = [r for r in here if r["case_id"] not in there and r["evidence"]["why"] == why]
    proof = min(shown, key=lambda record: len(record["source"]))
    outputs = {r["system"]: r["output"] for r in run.records("outputs") if r["id"] == proof["case_id"]}
    rates = f"{share(flagged[most, worse])} outputs of {worse}, {share(flagged[most, than])} of {than}"
    return [
        f"What {worse} does and {than} does not: {why}. In {rates}.",
        *labelled({"source": proof["source"], worse: outputs[worse], than: outputs[than]}),
    ]


def weakness(run: mt.Run, system: str = "raw") -> list[str]:
    """The category of a suite that a system is worst at, with a sentence."""
    rates = [
        score
        for score in run.result.scores
        if (score.name, score.system) == ("accuracy", system) and score.group not in ("micro", "macro")
    ]
    worst = min(rates, key=lambda score: score.value)
    category = {segment.id: segment.tags.get("category") for segment in run.segments}
    failed = [
        record
        for record in run.records("findings")
        if (record["system"], record["verdict"]) == (system, "fail") and category[record["case_id"]] == worst.group
    ]
    proof = min(failed, key=lambda record: len(record["source"]))
    return [
        f"{system} is worst at {worst.group}: right in {share(worst)} items.",
        *labelled({"source": proof["source"], system: proof["output"], "why": proof["evidence"]["why"]}),
    ]


def share(score: Score) -> str:
    """A rate as a count of all, in percent with its interval."""
    low, high = f"{score.low:.0f}", f"{score.high:.0f}"
    return f"{round(score.value * score.n / 100):,} of {score.n:,} ({score.value:.1f} %, {low}–{high})"


def labelled(lines: Mapping[str, str]) -> Iterator[str]:
    """Texts behind their labels, in one column."""
    return (f"{label:<10} {text}" for label, text in lines.items())


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
