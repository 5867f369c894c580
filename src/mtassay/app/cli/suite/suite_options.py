"""What the suite commands share: the suite argument, which items to take, which run, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app.cli.common import say, say_failures
from mtassay.app.cli.frame import Command, parameters_of
from mtassay.data.nouns import Output
from mtassay.data.settings import options_of
from mtassay.methods.suite.suite_method import CHOOSING, SuiteMethod

__all__ = [
    "RunOption",
    "SuiteArgument",
    "choosing",
    "say_all",
    "stop_if_failed",
    "warn_of_format",
]

SuiteArgument = Annotated[
    str,
    typer.Argument(
        metavar="SUITE",
        help="Suite file (YAML, JSONL, DFKI JSON), or the name of one that a language pack has.",
    ),
]
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="The saved run whose outputs count. Default: the newest of this suite."
    ),
]


def choosing(*others: str) -> Callable[[Command], Command]:
    """Gives a command the fields that choose items as options, and these other fields of the method."""
    field_names = (*CHOOSING, *others)
    return parameters_of(SuiteMethod, without=tuple(set(options_of(SuiteMethod)) - set(field_names)))


def say_all(lines: Iterable[str], *, quiet: bool = False) -> None:
    """Say each line on standard error, after our name; `quiet` says nothing."""
    for line in lines:
        say(f"mtassay: {line}", quiet=quiet)


def stop_if_failed(live: Mapping[str, Sequence[Output]]) -> None:
    """Say what live engines did not translate, and stop with exit code 3 if there is any."""
    if say_failures(live):
        raise typer.Exit(3)


def warn_of_format(path: Path, *, quiet: bool = False) -> None:
    """Say what is not kept in a file of the DFKI's format."""
    if path.suffix == ".json":
        say(
            f"mtassay: not in {path}: authors, dates, notes, focus words, references and context, for which "
            "the DFKI's format has no place. To keep them: mtassay suite convert",
            quiet=quiet,
        )
