"""`mtassay suite suggest`: rules that follow from what is settled."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    QuietOption,
    SystemOption,
    WorkspaceOption,
    echo,
    print_json,
    print_tables,
)
from mtassay.cli.progress import Progress
from mtassay.cli.suite.choosing import EVERYTHING, choosing
from mtassay.cli.suite.evidence import Evidence, RunOption, gather, subject_id
from mtassay.cli.suite.inputs import (
    Inputs,
    SuiteArgument,
    read_inputs,
)
from mtassay.cli.terminal import terminal_width
from mtassay.errors import UsageError
from mtassay.methods.suite.judging import Judge
from mtassay.methods.suite.known import known_outputs
from mtassay.methods.suite.selection import Choice
from mtassay.methods.suite.separating import common_words
from mtassay.methods.suite.suggest import Open, Suggestion
from mtassay.methods.suite.suggest import suggest as suggest_rules
from mtassay.report.table import Table
from mtassay.report.texts import printable, wrapped


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("suggest")(suggest)


@choosing
def suggest(
    suite: SuiteArgument,
    run: RunOption = None,
    system: SystemOption = None,
    choice: Choice = EVERYTHING,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Propose rules for outputs that are undecided, from those that are settled.

    Settled are outputs that reviewers decided, tokens, references, and what existing rules judge. For each
    undecided output the most similar settled one is shown, and for the item the smallest expressions
    that tell correct from incorrect ones. No proposal changes the verdict of a settled output.
    Read before you accept: few settled outputs make poor proposals.

    \b
    Examples:
    mtassay suite suggest my.yaml
    mtassay suite suggest my.yaml -t outputs/ --item negation-001
    """
    inputs = read_inputs(suite, choice)
    evidence = gather(inputs, system, run, workspace, quiet=quiet)
    if not evidence.outputs:
        raise UsageError("There are no outputs: add -t NAME=FILE, or save a run: mtassay suite run … --save")
    suggestions = _suggestions(inputs, evidence, quiet)
    if output_format is OutputFormat.json:
        print_json([_record(each, evidence) for each in suggestions])
    elif output_format is OutputFormat.text:
        words = _words(system, run, workspace)
        for each in suggestions:
            _print(each, evidence, suite, words)
        _print_summary(suggestions)
    else:
        rows = [
            [each.item.id, p.kind, p.pattern, f"{p.covers}/{p.of}", str(_settles(each, p.kind))]
            for each in suggestions
            for p in each.proposals
        ]
        print_tables([Table(["Item", "kind", "pattern", "covers", "settles"], rows)], output_format)


def _suggestions(inputs: Inputs, evidence: Evidence, quiet: bool) -> list[Suggestion]:
    """For every item with undecided outputs, in order."""
    judge = Judge(inputs.whole)
    common = common_words(evidence.outputs.values())
    found = []
    with Progress(quiet=quiet) as progress:
        for place, item in enumerate(inputs.suite.items):
            progress.report("suggesting", place, len(inputs.suite.items))
            outputs, decisions = evidence.outputs.get(item.id, {}), evidence.decisions(item.id)
            undecided = [
                text
                for text in outputs
                if text not in decisions and judge.judge(item, text).status == "undecided"
            ]
            if undecided:
                known = known_outputs(judge, item, outputs=outputs, decisions=decisions)
                found.append(suggest_rules(judge, item, known, undecided, common=common))
    return found


def _settles(suggestion: Suggestion, kind: str) -> int:
    wanted = "correct" if kind == "positive_regex" else "incorrect"
    return sum(each.becomes == wanted for each in suggestion.undecided)


def _record(suggestion: Suggestion, evidence: Evidence) -> dict[str, Any]:
    item = suggestion.item
    return {
        "item": item.id,
        "source": item.source,
        "proposals": [
            {**asdict(proposal), "settles": _settles(suggestion, proposal.kind)}
            for proposal in suggestion.proposals
        ],
        "why_not": suggestion.why_not,
        "undecided": [
            {
                "subject": subject_id(item, each.text),
                "output": each.text,
                "systems": evidence.outputs[item.id][each.text],
                "becomes": each.becomes,
                "nearest": asdict(each.nearest) if each.nearest else None,
            }
            for each in suggestion.undecided
        ],
    }


def _words(systems: Sequence[str] | None, run: str | None, workspace: Path | None) -> list[str]:
    """The options that make `accept` look at the same outputs."""
    words = [word for text in systems or () for word in ("-t", text)]
    words += ["--run", run] if run else []
    return [*words, "--workspace", str(workspace)] if workspace else words


def _print(suggestion: Suggestion, evidence: Evidence, where: str, words: list[str]) -> None:
    width = terminal_width()
    item = suggestion.item
    command = ["mtassay", "suite", "accept", where]
    echo(f"{item.id} · {item.category} › {item.phenomenon}")
    echo(wrapped(item.source, width=width, indent="  "))
    for each in suggestion.undecided:
        _print_open(each, len(evidence.outputs[item.id][each.text]), width)
    if suggestion.why_not:
        echo(f"  no expression: {suggestion.why_not}")
    for proposal in suggestion.proposals:
        side, answer = (
            ("positive", "--correct") if proposal.kind == "positive_regex" else ("negative", "--incorrect")
        )
        settles = f"{_settles(suggestion, proposal.kind)} of {len(suggestion.undecided)}"
        echo(f"  {side} {printable(proposal.pattern)}")
        echo(
            f"    matches {proposal.covers} of {proposal.of} known {answer[2:]} outputs and no other, "
            f"settles {settles}"
        )
        echo("    " + shlex.join([*command, item.id, answer, "--regex", proposal.pattern, *words]))
    left = [each.text for each in suggestion.undecided if each.becomes == "undecided"]
    if left:
        echo("  as a token, with --correct or --incorrect:")
    for text in left:
        echo("    " + shlex.join([*command, subject_id(item, text)[:8], *words, "--correct"]))
    echo()


def _print_open(each: Open, systems: int, width: int) -> None:
    becomes = "" if each.becomes == "undecided" else f" → {each.becomes}"
    echo(wrapped(each.text, width=width, indent=" " * 6, first=f"  undecided{becomes} ({systems} ×): "))
    if each.nearest:
        known = each.nearest.known
        first = f"    nearest, {known.verdict} by {known.by}, {100 * each.nearest.similarity:.0f} % alike: "
        echo(wrapped(known.text, width=width, indent=" " * 6, first=first))


def _print_summary(suggestions: Sequence[Suggestion]) -> None:
    outputs = [each for suggestion in suggestions for each in suggestion.undecided]
    settled = sum(each.becomes != "undecided" for each in outputs)
    if not outputs:
        echo("Nothing is undecided.")
        return
    proposals = sum(len(suggestion.proposals) for suggestion in suggestions)
    echo(
        f"Different undecided outputs: {len(outputs):,} (items: {len(suggestions):,}). "
        f"Proposed expressions: {proposals:,}; outputs they would settle: {settled:,}."
    )
