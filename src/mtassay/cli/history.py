"""`mtassay history`: how a system develops over its saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.api.history import history as read_history
from mtassay.cli.common import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    SeedOption,
    WorkspaceOption,
    echo,
    shows_bold,
    terminal_width,
)
from mtassay.errors import UsageError
from mtassay.report.figures import check_plot, draw
from mtassay.report.history import history_figures, render_history
from mtassay.stats import chosen_seed


def register(parent: typer.Typer) -> None:
    """Add the command to the command line."""
    parent.command("history", short_help="Follow a system over its saved runs.")(history)


def history(
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...", help="A system, or several that are versions of one; * stands for anything."
        ),
    ],
    score: Annotated[
        list[str] | None,
        typer.Option("--score", metavar="NAME", help="Only this score, as bleu or accuracy. Repeat."),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="NAME",
            help="This group of the scores: a category, a capability… Repeat. Default: the widest.",
        ),
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", metavar="NAME", help="Only runs of this method.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the scores over the runs (.svg or .png).")
    ] = None,
    alpha: AlphaOption = 0.05,
    trials: Annotated[int, typer.Option(min=100, help="Trials of the randomization test.")] = 10000,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Follow a system over its saved runs: every score with its interval, and what changed from run to run.

    Runs of one method on one test set are a line. Each run is held against the one before it, on the same
    cases.

    \b
    Examples:
    mtassay history nmt
    mtassay history nmt-v1 nmt-v2 nmt-v3 --plot versions.svg
    mtassay history 'nmt-*' --score accuracy --group Negation
    """
    if plot:
        check_plot(plot)
    courses = read_history(
        *systems,
        scores=score or (),
        groups=group or (),
        method=method,
        alpha=alpha,
        trials=trials,
        seed=chosen_seed(seed),
        workspace=workspace,
    )
    if not courses.courses:
        raise UsageError("No saved run of it has such a score. See what there is: mtassay runs show RUN")
    if plot:
        if not (figures := history_figures(courses)):
            raise UsageError("There is nothing to draw: a line needs two runs on one test set.")
        draw(figures, plot)
    echo(render_history(courses, output_format.value, width=terminal_width(), color=shows_bold()))
