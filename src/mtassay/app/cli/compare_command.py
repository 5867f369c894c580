"""`mtassay compare`: what changed from one saved run to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.app import history
from mtassay.app.cli.common import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    SeedOption,
    WorkspaceOption,
    check_targets,
    echo,
    say,
    shows_bold,
    terminal_width,
)
from mtassay.changes.change_tables import render_changes
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.stats.resampling import chosen_seed


def register(parent: typer.Typer) -> None:
    """Add the command to the command line."""
    parent.command("compare", short_help="What changed from one saved run to another?")(compare)


def compare(
    old: Annotated[
        str | None,
        typer.Argument(
            metavar="[OLD]",
            help="A run's id, RUN:SYSTEM, a system (its newest run), or a baseline file. Default: the newest "
            "run before NEW with the same cases.",
        ),
    ] = None,
    new: Annotated[str, typer.Argument(metavar="[NEW]", help="The same, for what came later.")] = "last",
    everything: Annotated[
        bool, typer.Option("--all", help="List every case that was fixed, lost, opened or settled too.")
    ] = False,
    examples: Annotated[
        int, typer.Option("--examples", min=0, metavar="N", help="How many cases to tell of each kind.")
    ] = 5,
    detail: Annotated[
        bool, typer.Option("--detail", help="Show the finest groups too, such as every phenomenon.")
    ] = False,
    findings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every case whose verdict changed there (JSONL)."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write it as a page there (.html or .md)."),
    ] = None,
    alpha: AlphaOption = 0.05,
    trials: Annotated[int, typer.Option(min=100, help="Trials of the randomization test.")] = 10000,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Compare two saved runs of any method: scores, fixed and broken cases, the sentences.

    \b
    Examples:
    mtassay compare
    mtassay compare 20260801-101500-a1b2
    mtassay compare last:nmt-v1 last:nmt-v2 --detail
    mtassay compare baseline.json last --all -f md
    mtassay compare last:nmt-v1 last:nmt-v2 -o changes.html
    """
    check_targets(findings, output)
    changes = history.compare(
        old, new, alpha=alpha, trials=trials, seed=chosen_seed(seed), workspace=workspace
    )
    echo(
        render_changes(
            changes,
            output_format.value,
            everything=everything,
            examples=examples,
            detail=detail,
            width=terminal_width(),
            color=shows_bold(),
        )
    )
    if output is not None:
        from mtassay.app.reports import write_changes  # large, and seldom used

        say(f"mtassay: the page is {write_changes(changes, output)}")
    if findings is not None:
        write_jsonl(findings, changes.record()["cases"])
