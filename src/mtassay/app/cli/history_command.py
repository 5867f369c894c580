"""`mtassay history`: how systems develop over their saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.app import history as app_history
from mtassay.app.cli.common import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    SeedOption,
    WorkspaceOption,
    echo,
    shows_bold,
    terminal_width,
)
from mtassay.changes.change_tables import (
    history_figures,
    render_cases,
    render_development,
    render_history,
)
from mtassay.data.errors import UsageError
from mtassay.report.plots import check_plot, draw
from mtassay.stats.resampling import chosen_seed


def register(parent: typer.Typer) -> None:
    """Add the command to the command line."""
    parent.command("history", short_help="Follow systems over saved runs.")(history)


def history(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM...|NAME=RUN...",
            help="A system, or several that are versions of one; * stands for anything. Or groups of "
            "systems, such as years: a saved run each, in order.",
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
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME",
            help="Of groups: follow this system. Repeat. Default: all that stayed.",
        ),
    ] = None,
    alias: Annotated[
        list[str] | None,
        typer.Option("--alias", metavar="OLD=NEW", help="A system that changed its name. Repeat."),
    ] = None,
    aliases: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Such names as a table (TSV): columns name and alias."),
    ] = None,
    case: Annotated[
        list[str] | None,
        typer.Option(
            "--case", metavar="ID", help="Of groups: show the outputs of this case instead; * works. Repeat."
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the scores (.svg or .png).")] = None,
    alpha: AlphaOption = 0.05,
    trials: Annotated[int, typer.Option(min=100, help="Trials of the randomization test.")] = 10000,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Follow a system over its saved runs, or many systems over groups of runs, such as years.

    Of a system: every score with its interval, and how it changed from the run before, on the same cases.
    Of groups: the best system of each, what changed from the first to the last, and systems that stayed.

    \b
    Examples:
    mtassay history nmt
    mtassay history nmt-v1 nmt-v2 nmt-v3 --plot versions.svg
    mtassay history 'nmt-*' --score accuracy --group Negation
    mtassay history 2021=1f0c 2022=ab12 2023=last --alias Lan-Bridge=Lan-BridgeMT
    mtassay history 2021=1f0c 2023=last --case 00001001 --system Online-A
    """
    if plot:
        check_plot(plot)
    form: dict[str, Any] = {"width": terminal_width(), "color": shows_bold()}
    how: dict[str, Any] = {"alpha": alpha, "trials": trials, "seed": chosen_seed(seed)}
    runs = dict(map(_name_and_value, what)) if any("=" in text for text in what) else {}
    if runs and len(runs) < len(what):
        raise UsageError("Two groups have one name. Call each by another: NAME=RUN.")
    if runs and (group or method):
        raise UsageError("--group and --method are for the runs of one system: leave them out.")
    if case and plot:
        raise UsageError("--case shows outputs, which cannot be drawn: leave out --plot.")
    names: dict[str, Any] = {
        "alias": dict(map(_name_and_value, alias or [])),
        "aliases": aliases,
        "workspace": workspace,
    }
    if runs and case:
        cases = app_history.cases_over_groups(runs, case, system=system[0] if system else None, **names)
        echo(render_cases(cases, output_format.value, **form))
    elif runs:
        found = app_history.development(
            runs, systems=system or (), score=score[0] if score else None, **names, **how
        )
        if plot:
            draw(found.figures(), plot)
        echo(render_development(found, output_format.value, **form))
    else:
        if system or alias or aliases or case:
            raise UsageError("--system, --alias, --aliases and --case are for groups: NAME=RUN for each.")
        _show_courses(what, score, group, method, plot, output_format, workspace, how, form)


def _show_courses(
    systems: list[str],
    score: list[str] | None,
    group: list[str] | None,
    method: str | None,
    plot: Path | None,
    output_format: OutputFormat,
    workspace: Path | None,
    how: dict[str, Any],
    form: dict[str, Any],
) -> None:
    courses = app_history.history(
        *systems, scores=score or (), groups=group or (), method=method, workspace=workspace, **how
    )
    if not courses.courses:
        raise UsageError("No saved run of it has such a score. See what there is: mtassay runs show RUN")
    if plot:
        if not (figures := history_figures(courses)):
            raise UsageError("There is nothing to draw: a line needs two runs on one test set.")
        draw(figures, plot)
    echo(render_history(courses, output_format.value, **form))


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise UsageError(f"'{text}' must be NAME=VALUE.")
    return name, value
