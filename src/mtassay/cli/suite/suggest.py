"""`mtassay suite suggest`: rules that follow from what is settled."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.cli.common import FormatOption, OutputFormat, QuietOption, SystemOption, WorkspaceOption
from mtassay.cli.suite.choosing import EVERYTHING, choosing
from mtassay.cli.suite.evidence import Evidence, RunOption, gather
from mtassay.cli.suite.inputs import Inputs, SuiteArgument, read_inputs
from mtassay.cli.suite.show_suggestions import Found, print_suggestions
from mtassay.errors import UsageError
from mtassay.methods.suite.judging import Judge
from mtassay.methods.suite.known import known_outputs
from mtassay.methods.suite.selection import Choice
from mtassay.methods.suite.separating import common_words
from mtassay.methods.suite.suggest import suggest as suggest_rules
from mtassay.report.progress import Progress


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("suggest", short_help="Propose rules for what is undecided.")(suggest)


@choosing
def suggest(
    suite: SuiteArgument,
    run: RunOption = None,
    system: SystemOption = None,
    choice: Choice = EVERYTHING,
    everything: Annotated[
        bool, typer.Option("--all", help="Also expressions that would settle no output.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="At most so many items.")] = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Propose rules for outputs that are undecided, from those that are settled.

    Settled are outputs that reviewers decided, tokens, references, and what existing rules judge. For each
    undecided output the most similar settled one is shown, and for the item the smallest expressions
    that tell correct from incorrect ones. No proposal changes the verdict of a settled output. Items of
    which most outputs would be settled come first. Read before you accept: few settled outputs make poor
    proposals.

    \b
    Examples:
    mtassay suite suggest my.yaml
    mtassay suite suggest my.yaml --limit 10
    mtassay suite suggest my.yaml -t outputs/ --item negation-001
    """
    inputs = read_inputs(suite, choice)
    evidence = gather(inputs, system, run, workspace, quiet=quiet)
    if not evidence.outputs:
        raise UsageError(
            f"There are no outputs of {suite}: add -t NAME=FILE, or save a run: mtassay suite run … --save"
        )
    found = _search(inputs, evidence, quiet)
    words = [word for text in system or () for word in ("-t", text)]
    words += ["--run", run] if run else []
    words += ["--workspace", str(workspace)] if workspace else []
    command = ["mtassay", "suite", "accept", suite]
    print_suggestions(found, command, words, output_format, everything=everything, limit=limit)


def _search(inputs: Inputs, evidence: Evidence, quiet: bool) -> list[Found]:
    """For every item with outputs that are open; those first of which most would be settled."""
    judge = Judge(inputs.whole)
    common = common_words(evidence.outputs.values())
    found = []
    with Progress(quiet=quiet) as progress:
        for place, item in enumerate(inputs.suite.items):
            progress.report("suggesting", place, len(inputs.suite.items))
            outputs, decisions = evidence.outputs.get(item.id, {}), evidence.decisions(item.id)
            open_ = [
                text
                for text in outputs
                if text not in decisions and judge.judge(item, text).status == "undecided"
            ]
            if open_:
                disputes = evidence.disputes(item.id)
                undecided = [text for text in open_ if text not in disputes]
                known = known_outputs(judge, item, outputs=outputs, decisions=decisions)
                suggestion = suggest_rules(judge, item, known, undecided, common=common)
                disputed = {text: disputes[text] for text in open_ if text in disputes}
                found.append(Found(suggestion, outputs, disputed))
    return sorted(found, key=lambda each: -each.suggestion.settles)
