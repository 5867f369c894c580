"""`mtassay suite years`: how the best systems, and single systems, develop over years."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.cli.common import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    QuietOption,
    SeedOption,
    WorkspaceOption,
)
from mtassay.cli.suite.choosing import EVERYTHING, choosing
from mtassay.cli.suite.inputs import SuiteArgument, read_inputs, split
from mtassay.cli.suite.saved import Group, read_groups
from mtassay.cli.suite.show_items import print_items
from mtassay.cli.suite.show_years import Years, plot_years, print_years
from mtassay.cli.suite.verdicts import judge_systems
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_lines
from mtassay.methods.suite.development import Comparing
from mtassay.methods.suite.method import case_of, grades_of
from mtassay.methods.suite.selection import Choice
from mtassay.methods.suite.system_names import Entry, folded, join_names
from mtassay.report.figures import check_plot
from mtassay.stats import default_seed


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("years", short_help="Follow systems over years.")(years)


@choosing
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
    choice: Choice = EVERYTHING,
    items: Annotated[
        Literal["fair", "settled"],
        typer.Option(help="Count items settled for all that is compared, or for each its own."),
    ] = "fair",
    test: Annotated[
        Literal["exact", "bootstrap", "z", "t"],
        typer.Option(help="How two are compared: paired by item (exact, bootstrap) or not (z, t)."),
    ] = "exact",
    phenomena: Annotated[
        bool, typer.Option("--phenomena", help="Show every phenomenon, not only categories.")
    ] = False,
    alpha: AlphaOption = 0.05,
    samples: Annotated[
        int, typer.Option(min=100, help="Draws of the bootstrap and permutation test.")
    ] = 1000,
    seed: SeedOption = None,
    reviews: Annotated[bool, typer.Option(help="Let what reviewers decided settle outputs.")] = True,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw systems over the groups (.svg or .png).")
    ] = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
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
    inputs = read_inputs(suite, replace(choice, ids=item or ()))
    given = read_groups([*(group or []), *(groups or [])], inputs, workspace)
    if len(given) < 2:
        raise UsageError("Development needs two groups at least: add --group NAME=FOLDER for each year.")
    entries = _entries(given, alias or [], aliases, fold=fold)
    chosen = [_system(name, entries, fold=fold) for name in system or []]
    execution = judge_systems(
        inputs,
        [each for one in given for each in one.systems],
        reviews=reviews,
        workspace=workspace,
        quiet=quiet,
        numbered=True,
    )
    if item:
        print_items(execution, inputs.suite, entries, chosen[0] if chosen else None, output_format)
        return
    seed = seed if seed is not None else default_seed()
    numbers = [str(number) for number in range(len(entries))]
    found = Years.of(
        grades_of(execution.run.findings, [case_of(each) for each in inputs.suite.items], numbers),
        entries,
        [execution.run.result.counts[number] for number in numbers],
        Comparing(items, test, alpha, samples, seed),
        best=best,
        systems=chosen,
    )
    if plot:
        plot_years(plot, found)
    print_years(found, output_format, phenomena=phenomena, fold=fold)


def _entries(groups: Sequence[Group], alias: Sequence[str], table: Path | None, *, fold: bool) -> list[Entry]:
    names = {group.name: [system.name for system in group.systems] for group in groups}
    given = dict(map(split, alias))
    key = folded if fold else str
    known = {key(name) for group in names.values() for name in group}
    for old in given:
        if key(old) not in known and key(old) not in map(key, given.values()):
            raise UsageError(f"--alias {old}={given[old]}: no system is called '{old}'.")
    return join_names(names, aliases={**(_read_aliases(table) if table else {}), **given}, fold=fold)


def _read_aliases(path: Path) -> Mapping[str, str]:
    """The name of each alias. The table has the columns `name` and `alias`, in any order."""
    header, *lines = [line.split("\t") for line in read_lines(path)] or [[]]
    if not {"name", "alias"} <= set(header):
        raise InputError("the first line must name the columns: name, alias", path=path, line=1)
    found = {}
    for number, cells in enumerate(lines, 2):
        if len(cells) != len(header):
            what = f"{len(cells)} columns, expected {len(header)}"
            raise InputError(what, path=path, line=number)
        row = dict(zip(header, cells, strict=True))
        if not row["name"] or not row["alias"]:
            raise InputError("a name or an alias is missing", path=path, line=number)
        found[row["alias"]] = row["name"]
    return found


def _system(name: str, entries: Sequence[Entry], *, fold: bool) -> str:
    key = folded if fold else str
    for entry in entries:
        if key(name) in (key(entry.system), key(entry.name)):
            return entry.system
    known = ", ".join(dict.fromkeys(entry.system for entry in entries))
    raise UsageError(f"No system '{name}'. Available: {known}.")
