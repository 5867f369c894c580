"""A group of commands, each in a module of its own, of which no more is loaded than is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

import typer

__all__ = ["CommandGroup"]


@dataclass(frozen=True)
class CommandGroup:
    """A group by its name, with what its help says and which module of its package has which command.

    The modules stand in the order of the help; `short` is for the list of all commands, where that says less.
    """

    name: str
    about: str
    modules: Mapping[str, str]
    short: str | None = None

    def register(self, parent: typer.Typer, only: str | None = None) -> None:
        """Add the commands to the command line; with `only`, no more than this one's module is loaded."""
        app = typer.Typer(no_args_is_help=True)
        app.callback(help=self.about)(_options)
        called = self.modules.get(only or "")
        for module in [called] if called else dict.fromkeys(self.modules.values()):
            import_module(f"mtassay.app.cli.{self.name}.{module}").register(app)
        parent.add_typer(app, name=self.name, short_help=self.short)


def _options() -> None:
    """A group has no options of its own."""
