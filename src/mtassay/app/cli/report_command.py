"""`mtassay report`: saved runs as one page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app.cli.common import QuietOption, SavedRunsArgument, WorkspaceOption, say
from mtassay.app.reports import ReportForm, write_report


class PageFormat(StrEnum):
    """How a report is written."""

    html = "html"
    md = "md"


def register(parent: typer.Typer) -> None:
    """Add the command to the command line."""
    parent.command("report", short_help="Write saved runs as one page that opens anywhere.")(report)


def report(
    runs: SavedRunsArgument = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write it. Default: report.html, or report.md.",
            show_default=False,
        ),
    ] = None,
    output_format: Annotated[
        PageFormat | None,
        typer.Option("--format", "-f", help="Default: what the file ends in.", show_default=False),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="OLD", help="Say what got worse since this run, system or file of baselines."
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="What stands at the top. Default: the systems.")] = "",
    no_themes: Annotated[
        bool, typer.Option("--no-themes", help="Do not look for what failures have in common.")
    ] = False,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write saved runs of any method as one page: what matters first, charts, tables, every sentence.

    The page is one file that loads nothing: it opens from a mail, prints, and is read by screen readers. As
    Markdown it fits a pull request.

    \b
    Examples:
    mtassay report
    mtassay report 20260801-101500-a1b2 20260801-102000-c3d4 -o news.html
    mtassay report last --against baseline.json -o report.md
    """
    form: ReportForm | None = None if output_format is None else output_format.value
    target = output or Path(f"report.{form or 'html'}")
    path = write_report(
        runs or ["last"],
        target,
        form=form,
        against=against,
        title=title,
        themes=not no_themes,
        workspace=workspace,
        quiet=quiet,
    )
    say(f"mtassay: the report is {path}", quiet=quiet)
