"""`mtassay invariance`: change one word, and see whether the translation keeps its structure."""

from __future__ import annotations

from importlib import import_module

import typer

COMMANDS = {
    "run": "run",
    "variants": "variants",
    "judge": "judge",
    "sample": "sample",
    "evaluate": "evaluate",
}
"""Which module has which command; in the order of the help."""


def register(parent: typer.Typer, only: str | None = None) -> None:
    """Add the commands to the command line; with `only`, no more than this one's module is loaded."""
    app = typer.Typer(no_args_is_help=True)
    app.callback()(_options)
    for name in [COMMANDS[only]] if only in COMMANDS else COMMANDS.values():
        import_module(f"mtassay.cli.invariance.{name}").register(app)
    parent.add_typer(app, name="invariance")


def _options() -> None:
    """Metamorphic tests: change one word, does the translation keep its structure? No reference needed."""
