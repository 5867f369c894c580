"""Parts of several commands: options, systems on the command line, the workspace, printing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from mtassay.app.cli.interruption import on_stderr
from mtassay.data.display import PLAIN, Look, Table
from mtassay.data.errors import UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.marks import json_text, printable, safe
from mtassay.data.nouns import Run
from mtassay.report.run_text import render, render_tables
from mtassay.runtime.workspace_file import DEFAULT

if TYPE_CHECKING:
    from mtassay.report.case_text import Screen


class Rendered(Protocol):
    """A value that can be printed in any format."""

    def render(self, form: Any = "text", *, width: int = 80, color: bool = False) -> str:
        """Return the value in this format."""


class OutputFormat(StrEnum):
    """The formats of a table."""

    text = "text"
    json = "json"
    tsv = "tsv"
    md = "md"
    latex = "latex"


class ExecutorName(StrEnum):
    """The places of large computations."""

    local = "local"
    processes = "processes"
    ray = "ray"


ExecutorOption = Annotated[
    ExecutorName | None,
    typer.Option(
        "--executor",
        help="Where large work is computed: in this process, in one per core, or on a Ray cluster. "
        "Default: local.",
    ),
]
RayAddressOption = Annotated[
    str | None,
    typer.Option(
        "--ray-address",
        metavar="HOST:PORT",
        help="The Ray cluster for --executor ray. Default: one is started on this machine.",
    ),
]
FormatOption = Annotated[OutputFormat, typer.Option("--format", "-f", help="Output format.")]
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
        help=f"The workspace file. Default: $MTASSAY_WORKSPACE, or {DEFAULT} here or in a folder above.",
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
        "(see 'mtassay doctor'). NAME is optional. Repeat.",
    ),
]
EngineOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        "-t",
        metavar="NAME=SCHEME:REST",
        help="A live engine (see 'mtassay doctor'). NAME is optional. Repeat.",
    ),
]
MaxCallsOption = Annotated[
    int | None, typer.Option("--max-calls", min=0, help="Stop asking a live engine after N calls.")
]
MaxCharactersOption = Annotated[
    int | None,
    typer.Option("--max-characters", min=0, help="Stop asking a live engine after N characters."),
]
FreshOption = Annotated[
    bool,
    typer.Option(
        "--fresh", help="Ask live engines again, even for texts they answered before. Both answers are kept."
    ),
]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Ask no engine; show how many calls and how much text it would take."),
]
AlphaOption = Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of significance.")]
SavedRunsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RUN]...",
        help="Saved runs: an id, RUN:SYSTEM, or a system (its newest run). Default: the newest run.",
        show_default=False,
    ),
]
SeedOption = Annotated[
    int | None, typer.Option(min=0, help="Seed of all draws. Default: $SACREBLEU_SEED or 12345.")
]
ReviewerOption = Annotated[
    str | None,
    typer.Option(
        "--reviewer", metavar="NAME", help="Who reviews. Default: $MTASSAY_REVIEWER or your login name."
    ),
]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="At most N.")]
FindingsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write every finding with its evidence to this file (JSONL); replaces its content.",
    ),
]
ExamplesOption = Annotated[
    int,
    typer.Option(
        "--examples",
        min=0,
        metavar="N",
        help="Show where two systems differ, in N segments each way.",
    ),
]
BetweenOption = Annotated[
    str | None,
    typer.Option(
        "--between",
        metavar="A,B",
        help="The two for --examples. Default: the baseline and the best other.",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors on standard error.")]


def pair_of(text: str | None) -> Pair | None:
    """Return the language pair, if one was given."""
    return None if text is None else parse_pair(text)


def terminal_width() -> int:
    """Return the width in columns, at least 60; 80 without a terminal."""
    return max(shutil.get_terminal_size((80, 24)).columns, 60)


def shows_bold() -> bool:
    """Whether standard output is a terminal that shows bold, and nobody switched that off."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def echo(text: str = "") -> None:
    """Print to standard output; no text can steer the terminal."""
    sys.stdout.write(safe(text) + "\n")


def say(text: str, *, quiet: bool = False) -> None:
    """Print a line to standard error; nothing with `quiet`, which is not for errors."""
    if not quiet:
        sys.stderr.write(on_stderr(printable(text)) + "\n")


def screen_here() -> Screen:
    """Return the terminal of this process, with the best layout for long texts."""
    from mtassay.report.case_text import Screen  # slow to load

    return Screen(min(terminal_width(), 120), shows_bold())


def side_by_side(examples: int, between: str | None) -> dict[str, Any]:
    """Return the settings to show where two systems differ."""
    if between and not examples:
        raise UsageError("--between goes with --examples N.")
    return {"examples": examples, "between": tuple(between.split(",")) if between else ()}


def check_targets(*paths: Path | None) -> None:
    """Refuse files to be written at the end if their folder does not exist."""
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise UsageError(f"There is no folder {path.parent} to write {path.name} into.")


def check_sheet(sheet: Path, *, force: bool) -> None:
    """Raise an error if a sheet cannot be written: for its ending, its folder, or an existing file."""
    if not sheet.name.removesuffix(".gz").endswith((".tsv", ".jsonl", ".ndjson")):
        raise UsageError(f"{sheet}: a sheet ends in .tsv or .jsonl.")
    check_targets(sheet)
    refuse_existing(sheet, force=force)


def refuse_existing(*paths: Path | None, force: bool = False, otherwise: str = "add --force") -> None:
    """Refuse to overwrite an existing file; `otherwise` is the advice."""
    for path in paths:
        if path is not None and path.is_dir():
            raise UsageError(f"{path} is a folder: give the name of a file.")
        if path is not None and path.exists() and not force:
            raise UsageError(f"{path} is there already. Choose another name, or {otherwise}.")


def print_json(value: Any) -> None:
    """Print as indented JSON."""
    echo(json_text(value, indent=2))


def print_run(
    run: Run,
    form: OutputFormat,
    *,
    look: Look = PLAIN,
    facts: str | None = None,
    seen_notes: Collection[str] = (),
) -> None:
    """Print a run in the width of the terminal; `facts` is its first line, `seen_notes` are known already."""
    width, color = terminal_width(), shows_bold()
    echo(render(run, form.value, look=look, facts=facts, width=width, color=color, seen_notes=seen_notes))


def print_rendered(what: Rendered, form: OutputFormat) -> None:
    """Print a renderable value in the width of the terminal."""
    echo(what.render(form.value, width=terminal_width(), color=shows_bold()))


def print_tables(tables: Iterable[Table], form: OutputFormat) -> None:
    """Print tables below each other."""
    echo(render_tables(list(tables), form.value, width=terminal_width(), color=shows_bold()))


def write_findings(path: Path | None, run: Run) -> None:
    """Write all findings as JSONL, if a file is asked for."""
    if path is not None:
        write_jsonl(path, [asdict(finding) for finding in run.findings])
