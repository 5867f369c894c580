"""Parts of all commands that run a method: its fields as options, how to run it, and how to show it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from mtassay.app.cli.common import (
    DryRunOption,
    ExecutorName,
    ExecutorOption,
    FormatOption,
    FreshOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    QuietOption,
    RayAddressOption,
    WorkspaceOption,
    print_run,
    say,
)
from mtassay.app.runs import DryRun, Run
from mtassay.data.display import Look
from mtassay.data.method import view_of
from mtassay.data.settings import Option, options_of

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
            **({"executor": self.executor.value} if self.executor else {}),
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

        A run in which engines failed at everything is printed only if it has results even so (`empty`).
        """
        answered = any(answer.text is not None for answers in run.outputs.values() for answer in answers)
        if empty or answered or not run.failures:
            # Who read the notes on the screen need not read them twice; a file must have them.
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


_DRY: dict[str, tuple[Any, Any]] = {"dry_run": (DryRunOption, False)}


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
