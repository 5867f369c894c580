"""`mtassay suite`: linguistic test suites, from the first item to a comparison of systems."""

from __future__ import annotations

from importlib import import_module

import typer

COMMANDS = {
    "new": "authoring",
    "add": "authoring",
    "approve": "authoring",
    "convert": "authoring",
    "list": "listing",
    "sample": "sample",
    "check": "check",
    "run": "run",
    "suggest": "suggest",
    "accept": "accept",
    "rejudge": "rejudge",
    "years": "years",
    "diff": "diff",
    "generate": "generate",
    "scramble": "secrecy",
    "split": "secrecy",
    "unscramble": "secrecy",
    "challenge": "challenge",
}
"""Which module has which command; in the order of the help."""


def register(parent: typer.Typer, only: str | None = None) -> None:
    """Add the commands to the command line; with `only`, no more than this one's module is loaded."""
    app = typer.Typer(no_args_is_help=True)
    app.callback()(_options)
    for name in [COMMANDS[only]] if only in COMMANDS else dict.fromkeys(COMMANDS.values()):
        import_module(f"mtassay.cli.suite.{name}").register(app)
    parent.add_typer(app, name="suite")


def _options() -> None:
    """Linguistic suites: what does a system get right?"""
