"""`mtassay method`: any method by its name, those of other packages too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, cast

import typer

from mtassay import api
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    PairOption,
    SystemOption,
    check_targets,
    echo,
    print_json,
    print_tables,
    terminal_width,
)
from mtassay.cli.frame import FRAME, RunFrame, Values, framed, parameters_of
from mtassay.display import Table
from mtassay.formats import write_jsonl
from mtassay.method import Method
from mtassay.options import options_of, read_values
from mtassay.registry import find, names
from mtassay.texts.marks import wrapped


def register(parent: typer.Typer, words: Sequence[str] = ()) -> None:
    """Add the commands to the command line; of `run NAME`, no more than this one method is loaded."""
    app = typer.Typer(help="Run any method by its name, those of other packages too.", no_args_is_help=True)
    app.command("list")(list_methods)
    running = typer.Typer(help="Run a method on segments: its fields are the options.", no_args_is_help=True)
    method_names = names("method")
    first, second = [*words, "", ""][:2]
    for name in [second] if first == "run" and second in method_names else method_names:
        method = cast("type[Method]", find("method", name))
        running.command(name, short_help=_about(method))(_command(method))
    app.add_typer(running, name="run")
    parent.add_typer(app, name="method")


def list_methods(output_format: FormatOption = OutputFormat.text) -> None:
    """List all methods that are installed, with their parameters."""
    methods = {name: cast("type[Method]", find("method", name)) for name in names("method")}
    if output_format is OutputFormat.json:
        print_json(
            [
                {"name": name, "about": _about(method), "parameters": list(options_of(method, plain=True))}
                for name, method in methods.items()
            ]
        )
        return
    if output_format is not OutputFormat.text:
        rows = [[name, _about(method)] for name, method in methods.items()]
        print_tables([Table(["Method", "what it does"], rows)], output_format)
        return
    column = max(map(len, methods)) + 2
    for name, method in methods.items():
        echo(wrapped(_about(method), width=terminal_width(), indent=" " * column, first=name.ljust(column)))


def _about(method: type[Method]) -> str:
    return (method.__doc__ or "").strip().partition("\n")[0]


def _command(method: type[Method]) -> Callable[..., None]:
    """The command that runs a method, with its fields as options."""

    @framed
    @parameters_of(method, plain=True)
    def run(
        segments: Annotated[
            Path,
            typer.Argument(metavar="SEGMENTS", help="Sources, one a line, or JSONL, TSV … with references."),
        ],
        system: SystemOption = None,
        reference: Annotated[
            list[Path] | None,
            typer.Option("--reference", "-r", help="A reference in a file of its own. Repeat."),
        ] = None,
        langpair: PairOption = None,
        parameters: Values = {},  # noqa: B006
        findings: Annotated[
            Path | None, typer.Option(metavar="FILE", help="Write every finding with its texts (JSONL).")
        ] = None,
        cases: Annotated[
            int | None, typer.Option(min=0, metavar="N", help="Show so many cases of each system in full.")
        ] = None,
        frame: RunFrame = FRAME,
    ) -> None:
        check_targets(findings)
        inputs = api.read(segments, reference or (), langpair=langpair)
        values = read_values(method, parameters)
        done = api.run(method.name, inputs, system or [], langpair=langpair, **values, **frame.options)
        if findings is not None:
            write_jsonl(findings, done.records("findings"))
        frame.show(done, cases=cases)

    run.__doc__ = method.__doc__
    return run
