"""`mtassay repair`: from confirmed errors to corrections, and to a model that makes them no more."""

from __future__ import annotations

from importlib import import_module

import typer

COMMANDS = {"export": "export", "train": "train"}
"""Which module has which command; in the order of the help."""


def register(parent: typer.Typer, only: str | None = None) -> None:
    """Add the commands to the command line; with `only`, no more than this one's module is loaded."""
    app = typer.Typer(no_args_is_help=True)
    app.callback()(_options)
    for name in [COMMANDS[only]] if only in COMMANDS else dict.fromkeys(COMMANDS.values()):
        import_module(f"mtassay.cli.repair.{name}").register(app)
    parent.add_typer(app, name="repair")


def _options() -> None:
    """Turn confirmed errors into corrections, and train on them."""
