"""`mtassay behavior`: edit a pair on both sides, and see whether the translation stays as good."""

from __future__ import annotations

from importlib import import_module

import typer

COMMANDS = {
    "run": "run",
    "generate": "generate",
    "judge": "judge",
    "sweep": "sweep",
    "sample": "sample",
    "rate": "rate",
    "quality": "quality",
}
"""Which module has which command; in the order of the help."""


def register(parent: typer.Typer, only: str | None = None) -> None:
    """Add the commands to the command line; with `only`, no more than this one's module is loaded."""
    app = typer.Typer(no_args_is_help=True)
    app.callback()(_options)
    for name in [COMMANDS[only]] if only in COMMANDS else COMMANDS.values():
        import_module(f"mtassay.cli.behavior.{name}").register(app)
    about = "Behavioural tests: new cases from a parallel text."
    parent.add_typer(app, name="behavior", short_help=about)


def _options() -> None:
    """Behavioural tests: new cases with pseudo-references from a parallel text, pass rates by capability."""
