"""`mtassay method`: methods of other packages. Ours have commands of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app import library
from mtassay.app.cli.frame import (
    FRAME,
    PairOption,
    RunFrame,
    SystemOption,
    Values,
    check_targets,
    framed,
    parameters_of,
)
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.method import Method
from mtassay.data.registry import each_named, find, is_known, is_ours
from mtassay.data.settings import read_values


def register(parent: typer.Typer, words: Sequence[str] = ()) -> None:
    """Add the commands to the command line; for `run NAME`, load only this one method."""
    app = typer.Typer(help="Run a method of another package by its name.", no_args_is_help=True)
    running = typer.Typer(help="Run a method on segments. Its fields are the options.", no_args_is_help=True)
    first, second = [*words, "", ""][:2]
    is_one = first == "run" and is_known("method", second)
    methods: Iterable[tuple[str, type[Method]]] = (
        [(second, find("method", second))] if is_one else each_named("method")
    )
    for name, method in methods:
        if not is_ours("method", name):
            running.command(name, short_help=_about(method))(_command(method))
    app.add_typer(running, name="run")
    parent.add_typer(app, name="method")


def _about(method: type[Method]) -> str:
    return (method.__doc__ or "").strip().partition("\n")[0]


def _command(method: type[Method]) -> Callable[..., None]:
    """Return the command that runs a method, with its fields as options."""

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
        findings: Annotated[Path | None, typer.Option(help="Write every finding (JSONL).")] = None,
        cases: Annotated[
            int | None, typer.Option(min=0, help="Cases to show of each system in full.")
        ] = None,
        frame: RunFrame = FRAME,
    ) -> None:
        check_targets(findings)
        inputs = library.read(segments, reference or (), langpair=langpair)
        values = read_values(method, parameters)
        done = library.run(method.name, inputs, system or [], langpair=langpair, **values, **frame.options)
        if findings is not None:
            write_jsonl(findings, done.records("findings"))
        frame.show(done, cases=cases)

    run.__doc__ = method.__doc__
    return run
