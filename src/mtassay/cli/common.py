"""What several commands share: options, systems on the command line, the workspace, printing."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.api import workspace_path
from mtassay.cli.terminal import shows_bold, terminal_width
from mtassay.core import Output, Run
from mtassay.display import PLAIN, Table, View
from mtassay.errors import UsageError, WorkspaceError
from mtassay.languages import Pair, parse_pair
from mtassay.report.run import render, render_tables
from mtassay.stats import fixed_seed as fixed_seed
from mtassay.store import DEFAULT, Workspace
from mtassay.texts.marks import printable


class OutputFormat(StrEnum):
    """How a table is printed."""

    text = "text"
    json = "json"
    tsv = "tsv"
    md = "md"
    latex = "latex"


FormatOption = Annotated[OutputFormat, typer.Option("--format", "-f", help="How to print the result.")]
PairOption = Annotated[
    str | None,
    typer.Option(
        "--langpair", "-l", metavar="SRC-TGT", help="Language pair: en-de, deen, eng_Latn-deu_Latn."
    ),
]
WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        metavar="FILE",
        help=f"The workspace file. Default: $MTASSAY_WORKSPACE or {DEFAULT}.",
        show_default=False,
    ),
]
SystemOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        "-t",
        metavar="NAME=WHAT",
        help="A system: a file of outputs, a folder of such files, or a live engine as scheme:rest "
        "(see 'mtassay systems list'). NAME is optional. Repeat.",
    ),
]
EngineOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        "-t",
        metavar="NAME=SCHEME:REST",
        help="A live engine (see 'mtassay systems list'). NAME is optional. Repeat.",
    ),
]
MaxCallsOption = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Stop asking a live engine after so many calls.")
]
MaxCharactersOption = Annotated[
    int | None,
    typer.Option("--max-characters", min=0, help="Stop asking a live engine after so many characters."),
]
AlphaOption = Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of significance.")]
SeedOption = Annotated[
    int | None, typer.Option(min=0, help="Seed of all draws. Default: $SACREBLEU_SEED or 12345.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]


def pair_of(text: str | None) -> Pair | None:
    """The language pair, where one was given."""
    return None if text is None else parse_pair(text)


def cache_workspace(chosen: Path | None) -> Workspace | None:
    """The workspace, or `None` where there is none and none can be made: a score does not need it."""
    path = workspace_path(chosen)
    try:
        return Workspace(path)
    except WorkspaceError:
        if chosen is not None or path.exists():
            raise
        return None


def newest_of(store: Workspace, name: str, *methods: str) -> str:
    """The name of a run; `last` is the newest of these methods, where there is one."""
    if name != "last":
        return name
    return next((run.id for run in store.runs() if run.method in methods), name)


def echo(text: str = "") -> None:
    """Print to standard output."""
    sys.stdout.write(text + "\n")


def say(text: str) -> None:
    """Print a line to standard error."""
    sys.stderr.write(printable(text) + "\n")


def say_failures(outputs: Mapping[str, Sequence[Output]]) -> bool:
    """Say what engines did not translate, and why; True if there is any."""
    failed = {name: [o for o in answers if o.error is not None] for name, answers in outputs.items()}
    for name, errors in failed.items():
        if errors:
            count = f"{len(errors):,} of {len(outputs[name]):,}"
            say(f"mtassay: {name}: {count} not translated, the first because {errors[0].error}")
    return any(failed.values())


def check_targets(*paths: Path | None) -> None:
    """Files that will be written at the end: better to say now that there is no such folder."""
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise UsageError(f"There is no folder {path.parent} to write {path.name} into.")


def refuse_existing(*paths: Path | None, force: bool = False, otherwise: str = "add --force") -> None:
    """Say that a file is there before anything is written over it; `otherwise` is what to do instead."""
    for path in paths:
        if path is not None and path.exists() and not force:
            raise UsageError(f"{path} is there already. Choose another name, or {otherwise}.")


def plural(number: int, word: str, many: str = "") -> str:
    """A number with its word.

    >>> plural(1, "item"), plural(1200, "item"), plural(2, "category", "categories")
    ('1 item', '1,200 items', '2 categories')
    """
    return f"{number:,} {word if number == 1 else many or word + 's'}"


def print_json(value: Any) -> None:
    """Print as indented JSON."""
    echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_run(
    run: Run, form: OutputFormat, *, view: View = PLAIN, facts: str | None = None, said: Collection[str] = ()
) -> None:
    """Print a run as wide as the terminal is; `facts` is its first line, `said` what was said before."""
    look = {"width": terminal_width(), "color": shows_bold()}
    echo(render(run, form.value, view=view, facts=facts, said=said, **look))  # type: ignore[arg-type]


def print_tables(tables: Iterable[Table], form: OutputFormat) -> None:
    """Print tables one after another."""
    echo(render_tables(list(tables), form.value, width=terminal_width(), color=shows_bold()))
