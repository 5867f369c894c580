"""`mtassay explain`: one case with every output, all evidence, all decisions, and its history."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.app.cli.common import (
    FormatOption,
    OutputFormat,
    WorkspaceOption,
    echo,
    print_json,
    print_tables,
    screen_here,
    terminal_width,
)
from mtassay.app.runs import open_workspace
from mtassay.data.errors import UsageError
from mtassay.report.case_text import case_record, case_tables, case_text
from mtassay.review.case_history import tell_case


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("explain", context_settings={"allow_extra_args": True})(explain)


def explain(
    context: typer.Context,
    case: Annotated[str, typer.Argument(metavar="CASE", help="The id of a segment or suite item.")],
    run: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="A saved run. Default: the newest that has the case."),
    ] = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show one case with all there is to know.

    Every system's output, why it was judged so, what people decided, and what earlier runs said. Equal
    outputs that were judged alike are shown once. What a rule matched is marked.

    \b
    Examples:
    mtassay explain negation-001
    mtassay explain negation-001 --run 20260131
    mtassay explain 17 -f json
    """
    if context.args:
        raise UsageError("Give one case; its run goes with --run: mtassay explain CASE --run RUN")
    story = tell_case(open_workspace(workspace), case, run=run)
    if output_format is OutputFormat.json:
        print_json(case_record(story))
    elif output_format is OutputFormat.text:
        echo(case_text(story, screen_here(), width=terminal_width()))
    else:
        print_tables(case_tables(story), output_format)
