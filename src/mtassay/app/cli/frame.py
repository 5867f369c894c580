"""Parts of several commands: options, the workspace, printing; how to run a method and show its results."""

from __future__ import annotations

import inspect
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, get_type_hints

import typer

from mtassay.app.cli.interruption import on_stderr
from mtassay.data.display import PLAIN, Look, Table
from mtassay.data.errors import UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.marks import json_text, printable, safe
from mtassay.data.method import view_of
from mtassay.data.settings import Option, options_of
from mtassay.report.run_text import render, render_tables
from mtassay.runtime.database import DEFAULT

if TYPE_CHECKING:
    from mtassay.app.runs import Run
    from mtassay.data import nouns
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


ExecutorName = Literal["local", "processes", "ray"]
"""The places of large computations."""
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
AlphaOption = Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level of significance.")]
SavedRunsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RUN]...",
        help="Saved runs: an id, RUN:SYSTEM, or a system (its newest run). Default: the newest run.",
        show_default=False,
    ),
]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of it, or 'last'.")
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
        help="Show where two systems differ: N segments in each direction.",
    ),
]
BetweenOption = Annotated[
    str | None,
    typer.Option(
        "--between",
        metavar="A,B",
        help="The two systems for --examples. Default: the baseline and the best other system.",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors on standard error.")]


def pair_of(text: str | None) -> Pair | None:
    """Return the language pair, if one was given."""
    return None if text is None else parse_pair(text)


def terminal() -> dict[str, Any]:
    """Return the width of the terminal, and whether it shows bold, for what renders a text."""
    return {"width": terminal_width(), "color": shows_bold()}


def terminal_width() -> int:
    """Return the width in columns, at least 60; 80 without a terminal."""
    return max(shutil.get_terminal_size((80, 24)).columns, 60)


def shows_bold() -> bool:
    """Whether standard output is a terminal that shows bold, and nobody switched that off."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def echo(text: str = "") -> None:
    """Print to standard output, without control codes for the terminal."""
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


def print_record(record: Any, tables: Iterable[Table], form: OutputFormat) -> None:
    """Print a record as JSON, or the tables of it in any other format."""
    if form is OutputFormat.json:
        print_json(record)
    else:
        print_tables(tables, form)


def print_run(
    run: nouns.Run,
    form: OutputFormat,
    *,
    look: Look = PLAIN,
    facts: str | None = None,
    seen_notes: Collection[str] = (),
) -> None:
    """Print a run in the width of the terminal; `facts` is its first line, `seen_notes` are known already."""
    echo(render(run, form.value, look=look, facts=facts, seen_notes=seen_notes, **terminal()))


def print_rendered(what: Rendered, form: OutputFormat) -> None:
    """Print a renderable value in the width of the terminal."""
    echo(what.render(form.value, **terminal()))


def print_tables(tables: Iterable[Table], form: OutputFormat) -> None:
    """Print tables below each other."""
    echo(render_tables(list(tables), form.value, **terminal()))


def write_findings(path: Path | None, run: nouns.Run) -> None:
    """Write all findings as JSONL, if a file is asked for."""
    if path is not None:
        write_jsonl(path, [asdict(finding) for finding in run.findings])


# Running a method, and showing its results ------------------------------------------------------------------

Values = Mapping[str, Any]
Command = Callable[..., None]


def grouped(
    parameter: str, options: Mapping[str, tuple[Any, Any]], make: Callable[[dict[str, Any]], Any]
) -> Callable[[Command], Command]:
    """Give a command these options in the place of one parameter, which gets the result of `make`.

    `options` are the annotation and default of each one, by name. The command's own option of the same name
    has priority.
    """

    def decorate(command: Command) -> Command:
        hints = get_type_hints(command, include_extras=True)
        parameters = inspect.signature(command).parameters
        chosen = [name for name in options if name not in parameters]
        written: list[inspect.Parameter] = []
        for argument in parameters.values():
            if argument.name != parameter:
                written.append(argument.replace(annotation=hints[argument.name]))
                continue
            for name in chosen:
                kind, default = options[name]
                written.append(inspect.Parameter(name, argument.kind, default=default, annotation=kind))

        @wraps(command)
        def filled(**values: Any) -> None:
            group_values = {name: values.pop(name) for name in chosen}
            command(**{parameter: make(group_values)}, **values)

        del filled.__wrapped__  # or Typer would read the options of the command inside
        filled.__signature__ = inspect.Signature(written)  # type: ignore[attr-defined]
        filled.__annotations__ = {argument.name: argument.annotation for argument in written}
        return filled

    return decorate


def parameters_of(
    cls: Any,
    *,
    without: tuple[str, ...] = (),
    into: str = "parameters",
    only_given: bool = False,
    plain: bool = False,
) -> Callable[[Command], Command]:
    """Give a command the fields of a dataclass as options, in the place of its parameter `into`.

    With `only_given`, a missing option is `None`, for a command that takes it from a saved run. With `plain`,
    fields that are not marked as options become options too. Fields for plans alone are left out.
    """
    options: dict[str, tuple[Any, Any]] = {}
    for name, option in options_of(cls, plain=plain).items():
        if name not in without and not option.is_hidden:
            shown, default = option, ""
            if only_given:
                shown = replace(option, kind=option.kind | None, default=None)
                default = f"{_default(option)}, or the saved run's" if option.default else ""
            options[name] = _typed(shown, default)

    return grouped(into, options, dict)


def _default(option: Option) -> str:
    """Return the default as a person would write it."""
    value = option.default
    return option.written(value).lstrip("-") if isinstance(value, bool) else str(value)


def _typed(option: Option, default: str = "") -> tuple[Any, Any]:
    """Return an option for Typer: a type with all known facts about it, and a default.

    `default` is the help's text about it, if that is more than the default itself.
    """
    how = typer.Option(
        *option.flags,
        help=option.told,
        metavar=option.metavar,
        show_default=default or True,
        min=option.least,
        max=option.most,
    )
    return Annotated[option.kind, how], option.default


@dataclass(frozen=True)
class RunFrame:
    """How to run a method and show its results."""

    max_calls: int | None = None
    max_characters: int | None = None
    fresh: bool = False
    save: bool = False
    output_format: OutputFormat = OutputFormat.text
    workspace: Path | None = None
    quiet: bool = False
    dry_run: bool = False
    executor: ExecutorName | None = None
    ray_address: str | None = None
    notes: list[str] = field(default_factory=list)
    """The notes that were printed while the method ran."""

    @property
    def options(self) -> dict[str, Any]:
        """Return the same for a function of the library. Notes are printed at once."""
        return {
            "max_calls": self.max_calls,
            "max_characters": self.max_characters,
            "fresh": self.fresh,
            "save": self.save,
            "temporary": True,
            "workspace": self.workspace,
            "quiet": self.quiet,
            "listen": self._listen,
            "creates": True,
            **({"dry_run": True} if self.dry_run else {}),
            **({"executor": self.executor} if self.executor else {}),
            **({"ray_address": self.ray_address} if self.ray_address else {}),
        }

    def _listen(self, note: str) -> None:
        if not self.quiet:  # a note that was not printed is with the result
            self.notes.append(note)
            say(f"mtassay: {note}")

    def say(self, remark: str) -> None:
        """Print a remark to standard error; nothing with -q."""
        say(f"mtassay: {remark}", quiet=self.quiet)

    def show(self, run: Run, *, empty: bool = False, **look: Any) -> None:
        """Print the run, suggest the next step, and stop with exit code 3 if an engine failed.

        If engines failed at everything, a run is printed only if `empty` allows it.
        """
        answered = any(answer.text is not None for answers in run.outputs.values() for answer in answers)
        if empty or answered or not run.failures:
            # Do not repeat notes that were printed on the screen; a file must have them.
            is_seen = self.output_format is OutputFormat.text and sys.stdout.isatty()
            seen = self.notes if is_seen else ()
            print_run(run.record, self.output_format, look=Look(**look), seen_notes=seen)
        if run.trouble:
            say(f"mtassay: not kept: {run.trouble}")
        elif self.save:
            self.say(f"kept as {run.id}; see it again: mtassay runs show{place(self.workspace)}")
        advice = [] if self.quiet else view_of(run.record).advice(is_saved=self.save and not run.trouble)
        for line in advice:
            self.say(f"{line}{place(self.workspace) if f' {run.id}' in line else ''}")
        for name, errors in run.failures.items():
            count = f"{len(errors):,} of {len(run.outputs[name]):,}"
            say(f"mtassay: {name}: {count} not translated, the first because {errors[0].error}")
        if run.failures:
            raise typer.Exit(3)


FRAME = RunFrame()

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "max_calls": (MaxCallsOption, None),
    "max_characters": (MaxCharactersOption, None),
    "fresh": (FreshOption, False),
    "no_save": (
        Annotated[bool, typer.Option("--no-save", help="Do not keep the run in the workspace.")],
        False,
    ),
    "output_format": (FormatOption, OutputFormat.text),
    "workspace": (WorkspaceOption, None),
    "quiet": (QuietOption, False),
    "executor": (ExecutorOption, None),
    "ray_address": (RayAddressOption, None),
}


def _frame_of(values: dict[str, Any]) -> RunFrame:
    """Return the frame of these options; a command without --no-save has nothing to keep."""
    return RunFrame(save=not values.pop("no_save", True), **values)


_DRY_HELP = "Ask no engine; show how many calls and how much text it would take."
_DRY = {"dry_run": (Annotated[bool, typer.Option("--dry-run", help=_DRY_HELP)], False)}


def framed_with(*names: str) -> Callable[[Command], Command]:
    """Give a command these options of a frame in the place of its parameter `frame`."""
    return grouped("frame", {name: _OPTIONS[name] for name in names}, _frame_of)


def framed(command: Command) -> Command:
    """Give the command all of these options, and --dry-run, in the place of its parameter `frame`."""
    return framed_but()(command)


def framed_but(*names: str) -> Callable[[Command], Command]:
    """Give it the same without some of these options, which the command has itself."""
    options = {name: option for name, option in {**_OPTIONS, **_DRY}.items() if name not in names}

    def decorate(command: Command) -> Command:
        @wraps(command)
        def planned(**values: Any) -> None:
            from mtassay.app.runs import DryRun  # slow to load

            try:
                command(**values)
            except DryRun as plan:
                for line in plan.lines:
                    print(line)  # noqa: T201

        return grouped("frame", options, _frame_of)(planned)

    return decorate


def framed_without(*names: str) -> Callable[[Command], Command]:
    """Give it the same without some of these options, as `no_save` if there is nothing to keep."""
    options = {name: option for name, option in _OPTIONS.items() if name not in names}
    return grouped("frame", options, _frame_of)


def place(workspace: Path | None) -> str:
    """Write the workspace option for a suggested command, if it is not the default."""
    return f" --workspace {workspace}" if workspace else ""
