"""`mtassay suite years`: how the best systems, and single systems, develop over years."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Annotated, Any, Literal

import typer

from mtassay.api import timeline
from mtassay.cli.common import OutputFormat, echo, print_json, print_tables, shows_bold, terminal_width
from mtassay.cli.frame import FRAME, RunFrame, Values, framed_with
from mtassay.cli.suite.options import SuiteArgument, choosing, name_and_value
from mtassay.methods.suite.item_tables import SystemItems, item_block, item_rows, items_table
from mtassay.methods.suite.year_tables import course_figure
from mtassay.methods.suite.years import Years
from mtassay.report.figures import check_plot, draw


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("years", short_help="Follow systems over years.")(years)


@framed_with("output_format", "workspace", "quiet")
@choosing("test", "alpha", "samples", "trials", "seed", "reviews")
def years(
    suite: SuiteArgument,
    groups: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=WHERE]...", help="More groups, after those of --group."),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="NAME=WHERE",
            help="A year: a folder or file of outputs, or the id of a saved run. In order. Repeat.",
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
    fold: Annotated[
        bool,
        typer.Option(help="Take names as one that differ only in case, hyphens, underscores or spaces."),
    ] = True,
    best: Annotated[
        Literal["pairs", "fair", "settled"],
        typer.Option(
            help="Choose the best of a group in pairs, each on the items both settled; on items settled for "
            "the whole group; or by each system's own."
        ),
    ] = "pairs",
    item: Annotated[
        list[str] | None,
        typer.Option("--item", metavar="ID", help="Show the outputs of this item instead; * works. Repeat."),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="NAME",
            help="Follow this system. Default: all in two groups or more; with --item, one of most.",
        ),
    ] = None,
    parameters: Values = {},  # noqa: B006
    items: Annotated[
        Literal["fair", "settled"],
        typer.Option(help="Count items settled for all that is compared, or for each its own."),
    ] = "fair",
    phenomena: Annotated[
        bool, typer.Option("--phenomena", help="Show every phenomenon, not only categories.")
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw systems over the groups (.svg or .png).")
    ] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Follow systems over years: the best of each, what changed, and systems that stayed.

    Everything is judged anew by the suite as it is now. The best system of a group is the one with the
    best macro-average over categories.

    \b
    Examples:
    mtassay suite years items.json outputs/wmt21 outputs/wmt22 outputs/wmt23
    mtassay suite years items.json --group 2021=old/ 2022=new/ --plot years.svg
    mtassay suite years items.json outputs/* --alias Lan-Bridge=Lan-BridgeMT
    mtassay suite years items.json outputs/* --item 00001001 --system Online-A
    """
    if plot:
        check_plot(plot)
    all_groups = [*(group or []), *(groups or [])]
    names: dict[str, Any] = {
        "alias": dict(map(name_and_value, alias or [])),
        "aliases": aliases,
        "fold": fold,
    }
    if item:
        followed = system[0] if system else None
        shown = timeline.items_over_years(
            suite, all_groups, system=followed, item=item, **names, **parameters, **frame.options
        )
        _print_items(shown, frame.output_format)
        return
    overview = timeline.years(
        suite,
        all_groups,
        best=best,
        systems=system or (),
        items=items,
        **names,
        **parameters,
        **frame.options,
    )
    if plot:
        overview.check_drawing()
        draw(course_figure(overview.courses, list(overview.best), note=overview.drawing_note), plot)
    _print_years(overview, frame.output_format, phenomena=phenomena)


def _print_items(system_items: SystemItems, form: OutputFormat) -> None:
    if form is OutputFormat.json:
        print_json(system_items.record())
    elif form is OutputFormat.tsv:
        print_tables([item_rows(system_items.items)], form)
    elif form is OutputFormat.text:
        echo(system_items.title)
        for item in system_items.items:
            echo(f"\n{item_block(item, width=terminal_width(), color=shows_bold())}")
    else:
        print_tables([items_table(system_items.items, title=system_items.title)], form)


def _print_years(overview: Years, form: OutputFormat, *, phenomena: bool) -> None:
    if form is OutputFormat.json:
        print_json(overview.record())
        return
    if form is OutputFormat.tsv:
        print_tables([overview.numbers()], form)
        return
    comment = "% " if form is OutputFormat.latex else ""
    mark = "*" if form is OutputFormat.text and not shows_bold() else ""
    print_tables(overview.tables(phenomena=phenomena, mark=mark), form)
    for line in overview.remarks():
        echo(f"\n{comment}{line if comment else fill(line, terminal_width(), break_on_hyphens=False)}")
    echo(f"\n{comment}{overview.signature}")
