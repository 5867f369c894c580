"""`mtassay suite rejudge`: which verdicts change when the rules do."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.api import curation
from mtassay.cli.common import OutputFormat, SystemOption, echo, print_json, print_tables, terminal_width
from mtassay.cli.frame import FRAME, RunFrame, framed_with, place
from mtassay.cli.suite.options import RunOption, SuiteArgument
from mtassay.errors import UsageError
from mtassay.methods.suite.rejudgement import ComparedJudgements, StatusChange
from mtassay.texts.marks import printable, wrapped


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("rejudge", short_help="Which verdicts changed with the rules of today?")(rejudge)


@framed_with("fresh", "output_format", "workspace", "quiet")
def rejudge(
    suite: SuiteArgument,
    run: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="A saved run. Default: the newest of this suite.")
    ] = None,
    run_option: RunOption = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="SUITE", help="The suite as it was, to compare two files on the outputs of -t."),
    ] = None,
    system: SystemOption = None,
    reviews: Annotated[bool, typer.Option(help="Let what reviewers decided settle outputs.")] = True,
    save: Annotated[bool, typer.Option("--save", help="Keep the new judgement as a run of its own.")] = False,
    frame: RunFrame = FRAME,
) -> None:
    """Judge the outputs of a saved run again with the rules of today, and show each verdict that changed.

    \b
    Examples:
    mtassay suite rejudge my.yaml
    mtassay suite rejudge my.yaml 20260801-101500-ab12 --save
    mtassay suite rejudge my.yaml --against my-old.yaml -t outputs/
    """
    if run and run_option:
        raise UsageError("Name the run once: as RUN or with --run.")
    run = run or run_option
    if against is not None:
        if run is not None or save:
            raise UsageError("--against compares two files on the outputs of -t: leave out RUN and --save.")
        if not system:
            raise UsageError("--against needs outputs to judge: add -t NAME=FILE.")
        comparison = curation.compare_rules(suite, against, system, reviews=reviews, **frame.options)
    else:
        if system:
            raise UsageError("A saved run has its outputs: leave out -t, or add --against SUITE.")
        comparison = curation.rejudge(suite, run, reviews=reviews, **{**frame.options, "save": save})
    if comparison.run:
        frame.say(f"saved; see it again: mtassay runs show {comparison.run}{place(frame.workspace)}")
    _print(comparison, frame.output_format)


def _print(comparison: ComparedJudgements, form: OutputFormat) -> None:
    """All changes in this format; in a table of text with the outputs and the reasons."""
    if form is OutputFormat.json:
        print_json(comparison.record())
        return
    if form is OutputFormat.tsv:
        print_tables([comparison.rows()], form)
        return
    comment = "% " if form is OutputFormat.latex else ""
    echo(f"{comment}{comparison.title}\n")
    print_tables([comparison.table()], form)
    for what, count in comparison.left_out.items():
        echo(f"\n{comment}Left out: {what}: {count:,}")
    if form is OutputFormat.text:
        if not comparison.changes.changes:
            echo("\nNo verdict changed.")
        for change in comparison.changes.changes:
            _print_change(change)


def _print_change(change: StatusChange) -> None:
    width = terminal_width()
    echo(f"\n{change.item}: {change.old} → {change.new} ({', '.join(map(printable, change.systems))})")
    if change.output is not None:
        echo(wrapped(change.output, width=width, indent="  "))
    echo(wrapped(f"before: {change.old_why}", width=width, indent="    ", first="  "))
    echo(wrapped(f"now: {change.why}", width=width, indent="    ", first="  "))
