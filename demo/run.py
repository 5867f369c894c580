"""The demo: one plan with all four methods, and what is most worth knowing of what came out.

The plan is `mtassay.yaml` beside this file, and `mtassay run` does the same; only the words are from here.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import mtassay as mt
from mtassay.app.plans.plan_steps import StepRun
from mtassay.data.nouns import Score
from mtassay.report.run_text import render_tables

HERE = Path(__file__).resolve().parent
QUESTIONS = {
    "score": "Which system is better? Sentences of ours with references.",
    "suite": "What does each get right? Items with rules, each for one phenomenon.",
    "draft": "What do rules leave to people? A suite at its beginning, one rule an item.",
    "invariance": "Which sentences are wrong, without references? Change a word, translate again.",
    "behavior": "Which capabilities does it lack? Change words in source and reference.",
}
SHOWN = {"score": 1, "suite": 2, "draft": 1, "invariance": 2, "behavior": 1}
"""How many tables of each step are shown; `mtassay runs show` has all."""


@dataclass(frozen=True)
class Lesson:
    """One thing that a run taught: a sentence, and the case that proves it, text by label."""

    sentence: str
    case: str = ""
    proof: Mapping[str, str] | None = None


def main() -> None:
    say("A neural engine, English to Portuguese, that runs here and now: as its package")
    say("gives it, and as its model says it (raw); beside it what Apertium said earlier.")
    say("Four methods, one plan: demo/mtassay.yaml. It takes two minutes or so.\n")
    done = mt.run_plan(HERE, on_step=tell)
    if done.exit_code:
        sys.exit(done.exit_code)
    runs = done.runs
    lessons = [better(runs["score"]), cause(runs), weakness(runs["suite"])]
    say("== Three things to know\n")
    for number, lesson in enumerate(lessons, 1):
        say(textwrap.fill(f"{number}. {lesson.sentence}", 80, subsequent_indent="   "))
        for label, text in (lesson.proof or {}).items():
            say(textwrap.fill(f"   {label:<10}{text}", 80, subsequent_indent=" " * 13))
        say("")
    if done.report is not None:
        say(f"All of it, with every sentence: {done.report}\n")
    say("== Go on\n")
    say("   . .venv/bin/activate && cd demo")
    for what, command in {
        "all of a run": f"runs show {runs['score'].id}",
        "one case with all that is known of it": f"explain {lessons[1].case}",
        "and one of the suite": f"explain {lessons[2].case}",
        "settle what is open, in a browser": "serve",
        "again: only what changed": "run",
    }.items():
        say(f"   mtassay {command:<32}  # {what}")


def tell(step: StepRun) -> None:
    """What came out of a step, on one screen."""
    say(f"== {step.title}\n{QUESTIONS[step.name]}\n")
    for line in step.lines:
        say(line)
    if step.run is not None:
        say(f"{render_tables(step.run.tables(mark='*')[: SHOWN[step.name]], 'text')}\n")


def better(run: mt.Run, first: str = "packaged", second: str = "raw") -> Lesson:
    """Which of two systems is better by the first metric, and how sure that is."""
    name = run.result.scores[0].name
    scores = {
        score.system: score for score in run.result.scores if (score.name, score.group) == (name, "all")
    }
    [p] = [
        c.p
        for c in run.result.comparisons
        if c.group == "all" and c.name == name and {c.a, c.b} == {first, second}
    ]
    best, other = sorted((scores[first], scores[second]), key=lambda score: -score.value)
    numbers = f"{best.label} {best.value:.1f} and {other.value:.1f} on {best.n:,} segments, p = {p:.2g}"
    told = "is better than" if p < 0.05 else "does not differ significantly from"
    return Lesson(f"{best.system} {told} {other.system}: {numbers}.")


def cause(runs: Mapping[str, mt.Run]) -> Lesson:
    """What failures have in common: the first theme of all runs together, with its clearest example."""
    themes = mt.find_themes(list(runs.values()))
    if not themes:
        return Lesson("Failures have nothing in common that chance does not explain.")
    theme, example = themes[0], themes[0].examples[0]
    low, high = theme.interval
    return Lesson(
        f"Why {theme.system} fails: {theme.sentence} (odds × {theme.odds:.0f}, {low:.0f}–{high:.0f}).",
        example.title,
        {line.label or "": line.text for line in example.lines},
    )


def weakness(run: mt.Run, system: str = "raw") -> Lesson:
    """The category of a suite that a system is worst at."""
    category = {segment.id: segment.tags["category"] for segment in run.segments}
    rates = [s for s in run.result.scores if (s.name, s.system) == ("accuracy", system)]
    worst = min((score for score in rates if score.group in category.values()), key=lambda score: score.value)
    failed = [
        record
        for record in run.records("findings")
        if (record["system"], record["verdict"]) == (system, "fail")
        and category[record["case_id"]] == worst.group
    ]
    sentence = f"{system} is worst at {worst.group}: {share(worst)} items are right."
    if not failed:
        return Lesson(sentence)
    clearest = min(failed, key=lambda record: len(record["source"]))
    matches = [m for m in clearest["evidence"].get("matches", []) if m["kind"].startswith("negative")]
    why = f"a rule finds '{matches[0]['match']}'" if matches else clearest["evidence"]["why"]
    return Lesson(
        sentence, clearest["case_id"], {"source": clearest["source"], system: clearest["output"], "why": why}
    )


def share(score: Score) -> str:
    """A rate as a count of all, in percent with its 95 % interval."""
    count = round(score.value * score.n / 100)
    return f"{count:,} of {score.n:,} ({score.value:.1f} %, {score.low:.0f}–{score.high:.0f})"


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
