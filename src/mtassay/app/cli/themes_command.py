"""`mtassay themes`: what the failures of a system have in common."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.app.cli.common import (
    FormatOption,
    OutputFormat,
    SavedRunsArgument,
    SeedOption,
    WorkspaceOption,
    echo,
    shows_bold,
    terminal_width,
)
from mtassay.app.reports import find_themes
from mtassay.changes.theme_search import ALPHA
from mtassay.stats.resampling import chosen_seed


def register(parent: typer.Typer) -> None:
    """Add the command to the command line."""
    parent.command("themes", short_help="What do the failures of a system have in common?")(themes)


def themes(
    runs: SavedRunsArgument = None,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", metavar="NAME", help="Only this system; * stands for anything. Repeat."),
    ] = None,
    examples: Annotated[
        int, typer.Option("--examples", min=0, max=3, metavar="N", help="How many examples of each theme.")
    ] = 3,
    alpha: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="Level at which a theme is claimed.")
    ] = ALPHA,
    trials: Annotated[int, typer.Option(min=100, help="Deals of the failures for the test.")] = 999,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Say what the failures of a system have in common, across methods: words, phenomena, lost numbers…

    One cause is one theme: a sentence with how many failures it explains, how sure that is, and examples.
    Several runs of a system are put together.

    \b
    Examples:
    mtassay themes
    mtassay themes 20260801-101500-a1b2 last --system nmt
    mtassay themes last -f md --examples 1
    """
    found = find_themes(
        runs or "last",
        systems=system or (),
        alpha=alpha,
        trials=trials,
        seed=chosen_seed(seed),
        workspace=workspace,
    )
    width, bold = terminal_width(), shows_bold()
    echo(found.render(output_format.value, examples=examples, width=width, color=bold))
