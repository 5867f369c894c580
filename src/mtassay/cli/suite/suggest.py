"""`mtassay suite suggest`: rules that follow from what is settled."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Annotated

import typer

from mtassay.api import curation
from mtassay.cli.common import OutputFormat, SystemOption, echo, print_json, print_tables, terminal_width
from mtassay.cli.frame import FRAME, RunFrame, Values, framed_with
from mtassay.cli.suite.options import RunOption, SuiteArgument, choosing
from mtassay.methods.suite.material import subject_id
from mtassay.methods.suite.suggestions import Open, Suggested, suggestion_table, summary
from mtassay.reviews.subjects import SHORT
from mtassay.texts.marks import printable, wrapped


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("suggest", short_help="Propose rules for what is undecided.")(suggest)


@framed_with("fresh", "output_format", "workspace", "quiet")
@choosing()
def suggest(
    suite: SuiteArgument,
    run: RunOption = None,
    system: SystemOption = None,
    parameters: Values = {},  # noqa: B006
    everything: Annotated[
        bool, typer.Option("--all", help="Also expressions that would settle no output.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, metavar="N", help="At most so many items.")] = None,
    frame: RunFrame = FRAME,
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
    suggestions = curation.suggest(suite, system or [], run=run, **parameters, **frame.options)
    shown = (suggestions if everything else [suggested.without_idle() for suggested in suggestions])[:limit]
    if frame.output_format is OutputFormat.json:
        print_json([suggested.record() for suggested in shown])
    elif frame.output_format is not OutputFormat.text:
        print_tables([suggestion_table(shown)], frame.output_format)
    else:
        words = [word for text in system or () for word in ("-t", text)]
        words += ["--run", run] if run else []
        words += ["--workspace", str(frame.workspace)] if frame.workspace else []
        for suggested in shown:
            _print(suggested, ["mtassay", "suite", "accept", suite], words)
        echo(summary(suggestions, shown=len(shown)))


def _print(suggested: Suggested, command: Sequence[str], words: Sequence[str]) -> None:
    """One item; `command` accepts a rule, and `words` make it look at the same outputs."""
    width = terminal_width()
    suggestion = suggested.suggestion
    item = suggestion.item
    echo(f"{item.id} · {item.category} › {item.phenomenon}")
    echo(wrapped(item.source, width=width, indent="  "))
    for output in suggestion.undecided:
        _print_open(output, len(suggested.outputs[output.text]), width)
    for text, votes in suggested.disputed.items():
        first = f"  disputed ({len(suggested.outputs[text])} ×): "
        echo(wrapped(text, width=width, indent=" " * 6, first=first))
        echo(f"    {printable(votes)}; one more person decides:")
        echo(f"    mtassay review decide {subject_id(item, text)[:SHORT]} correct")
    if suggestion.why_not and suggestion.undecided:
        echo(f"  no expression: {suggestion.why_not}")
    for proposal in suggestion.proposals:
        side, answer = (
            ("positive", "--correct") if proposal.kind == "positive_regex" else ("negative", "--incorrect")
        )
        echo(f"  {side} {printable(proposal.pattern)}")
        echo(
            f"    matches {proposal.covers} of {proposal.of} known {answer[2:]} outputs and no other, "
            f"settles {proposal.settles} of {len(suggestion.undecided)}"
        )
        accept = [*command, item.id, answer, "--regex", proposal.pattern, *words]
        echo("    " + printable(shlex.join(accept)))
    left = [output.text for output in suggestion.undecided if output.becomes == "undecided"]
    if left:
        echo("  as a token, with --correct or --incorrect:")
    for text in left:
        echo("    " + shlex.join([*command, subject_id(item, text)[:SHORT], *words, "--correct"]))
    echo()


def _print_open(output: Open, systems: int, width: int) -> None:
    becomes = "" if output.becomes == "undecided" else f" → {output.becomes}"
    echo(wrapped(output.text, width=width, indent=" " * 6, first=f"  undecided{becomes} ({systems} ×): "))
    if output.nearest:
        nearest = output.nearest.known
        likeness = f"{100 * output.nearest.similarity:.0f} % alike"
        first = f"    nearest, {nearest.verdict} by {nearest.by}, {likeness}: "
        echo(wrapped(nearest.text, width=width, indent=" " * 6, first=first))
