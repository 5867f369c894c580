"""`mtassay review`: what rules could not settle, people do."""

from __future__ import annotations

from importlib import import_module

import typer

COMMANDS = {
    "next": "next",
    "decide": "decide",
    "export": "files",
    "import": "files",
    "agreement": "agreement",
}
"""Which module has which command; in the order of the help."""


def register(parent: typer.Typer, only: str | None = None) -> None:
    """Add the commands to the command line; with `only`, no more than this one's module is loaded."""
    app = typer.Typer(no_args_is_help=True)
    app.callback()(_options)
    for name in [COMMANDS[only]] if only in COMMANDS else dict.fromkeys(COMMANDS.values()):
        import_module(f"mtassay.cli.review.{name}").register(app)
    parent.add_typer(app, name="review")


def _options() -> None:
    """Settle what rules could not: look at outputs and decide."""
