"""`mtassay review`: what rules could not settle, people do."""

from __future__ import annotations

from importlib import import_module

import typer

MODULES = ("next", "decide", "files", "agreement")
"""Each adds one command or a few that belong together; in the order of the help."""


def register(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    app = typer.Typer(help="Settle what rules could not: look at outputs and decide.", no_args_is_help=True)
    for name in MODULES:
        import_module(f"mtassay.cli.review.{name}").register(app)
    parent.add_typer(app, name="review")
