"""`mtassay suite`: linguistic test suites, from the first item to a comparison of systems."""

from __future__ import annotations

from importlib import import_module

import typer

MODULES = (
    "authoring",
    "listing",
    "sample",
    "check",
    "run",
    "suggest",
    "accept",
    "rejudge",
    "challenge",
    "generate",
    "secrecy",
    "unscramble",
    "years",
    "diff",
)
"""Each adds one command or a few that belong together; in the order of the help."""


def register(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    app = typer.Typer(
        help="Linguistic test suites: which phenomena does a system get right?", no_args_is_help=True
    )
    app.callback()(_options)
    for name in MODULES:
        import_module(f"mtassay.cli.suite.{name}").register(app)
    parent.add_typer(app, name="suite")


def _options() -> None:
    """Linguistic test suites: which phenomena does a system get right?"""
