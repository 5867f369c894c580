"""What all commands that run a method share: its fields as options, how to run it, and how to show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.api import Run
from mtassay.cli.common import (
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    QuietOption,
    WorkspaceOption,
    print_run,
    say,
    say_failures,
)
from mtassay.cli.grouping import Command, grouped
from mtassay.core import Output, System
from mtassay.display import View
from mtassay.method import method_of
from mtassay.options import Option, options_of
from mtassay.systems.live import LiveSystem

__all__ = ["FRAME", "Frame", "framed", "framed_with", "parameters_of", "place"]

Values = Mapping[str, Any]


def parameters_of(cls: Any, *, without: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    """Gives a command the fields of a method as options, in the place of its parameter `parameters`."""
    options = {name: _typed(option) for name, option in options_of(cls).items() if name not in without}
    return grouped("parameters", options, dict)


def _typed(option: Option) -> tuple[Any, Any]:
    """An option as Typer wants it: a type with all that is known of it, and a default."""
    how = typer.Option(
        *option.flags,
        help=option.help,
        metavar=option.metavar,
        hidden=option.is_hidden,
        min=option.least,
        max=option.most,
    )
    return Annotated[option.kind, how], option.default


@dataclass(frozen=True)
class Frame:
    """How a method is run and shown."""

    max_calls: int | None = None
    max_characters: int | None = None
    save: bool = False
    output_format: OutputFormat = OutputFormat.text
    workspace: Path | None = None
    quiet: bool = False
    said: list[str] = field(default_factory=list)
    """The notes that were said while the method ran."""

    @property
    def options(self) -> dict[str, Any]:
        """The same for a function of the library. Notes are said as soon as they are known."""
        return {
            "max_calls": self.max_calls,
            "max_characters": self.max_characters,
            "save": self.save,
            "workspace": self.workspace,
            "quiet": self.quiet,
            "listen": self._listen,
            "creates": True,
        }

    def _listen(self, note: str) -> None:
        self.said.append(note)
        say(f"mtassay: {note}")

    def show(self, run: Run, **view: Any) -> None:
        """Print the run, say what can be done next, and stop with exit code 3 if an engine failed."""
        answered = any(answer.text is not None for answers in run.outputs.values() for answer in answers)
        if answered or not run.failures:
            print_run(run.record, self.output_format, view=View(**view), said=self.said)
        if self.save:
            say(f"mtassay: saved; see it again: mtassay runs show {run.id}{place(self.workspace)}")
        for line in method_of(run.record).advice(run.record, is_saved=self.save):
            say(f"mtassay: {line}{place(self.workspace) if f' {run.id}' in line else ''}")
        for name, errors in run.failures.items():
            count = f"{len(errors):,} of {len(run.outputs[name]):,}"
            say(f"mtassay: {name}: {count} not translated, the first because {errors[0].error}")
        if run.failures:
            raise typer.Exit(3)


def exit_if_failed(systems: Sequence[System], outputs: Mapping[str, Sequence[Output]]) -> None:
    """Say what live engines did not translate, and stop with exit code 3 if there is any."""
    live = [system.name for system in systems if isinstance(system, LiveSystem)]
    if say_failures({name: outputs[name] for name in live}):
        raise typer.Exit(3)


FRAME = Frame()

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "max_calls": (MaxCallsOption, None),
    "max_characters": (MaxCharactersOption, None),
    "save": (Annotated[bool, typer.Option("--save", help="Keep the run in the workspace.")], False),
    "output_format": (FormatOption, OutputFormat.text),
    "workspace": (WorkspaceOption, None),
    "quiet": (QuietOption, False),
}


def framed_with(*names: str) -> Callable[[Command], Command]:
    """Gives a command these options of a frame in the place of its parameter `frame`."""
    return grouped("frame", {name: _OPTIONS[name] for name in names}, lambda given: Frame(**given))


framed = framed_with(*_OPTIONS)
"""The command with all of these options in the place of its parameter `frame`."""


def place(workspace: Path | None) -> str:
    """How a command that goes on with a run names the workspace, where it is not the default."""
    return f" --workspace {workspace}" if workspace else ""
