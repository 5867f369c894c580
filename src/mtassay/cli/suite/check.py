"""`mtassay suite check`: what is wrong with a suite, before a system is judged by it."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.api import curation
from mtassay.cli.common import OutputFormat, SystemOption, echo, print_json, print_tables
from mtassay.cli.frame import FRAME, RunFrame, framed_with
from mtassay.cli.suite.options import SuiteArgument


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("check", short_help="Look for mistakes in a suite.")(check)


@framed_with("fresh", "output_format", "workspace", "quiet")
def check(
    suite: SuiteArgument,
    system: SystemOption = None,
    runs: Annotated[
        bool, typer.Option("--runs", help="Look for rules that applied to no output of all saved runs.")
    ] = False,
    min_items: Annotated[int, typer.Option(min=1, help="What a phenomenon should have at least.")] = 5,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="Only these problems: bad-pattern,no-rule or error,warning."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="All but these problems: draft,few-items or info."),
    ] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Look for mistakes in a suite: patterns, tokens, duplicates, items that nothing can judge.

    Each problem is one line: where, how bad, its name, what is wrong and what to do. The exit code is 1 if
    there is an error, so that it can guard a repository.

    \b
    Examples:
    mtassay suite check my.yaml
    mtassay suite check my.yaml --select error --ignore duplicate-source
    mtassay suite check my.yaml -t outputs/ --select never-fires
    """
    problems = curation.check(
        suite,
        system or [],
        runs=runs,
        min_items=min_items,
        select=select or [],
        ignore=ignore or [],
        **frame.options,
    )
    if frame.output_format is OutputFormat.json:
        print_json(problems.record())
    elif frame.output_format is OutputFormat.text:
        for line in problems.lines():
            echo(line)
    else:
        print_tables([problems.table()], frame.output_format)
    if problems.has_errors:
        raise typer.Exit(1)
