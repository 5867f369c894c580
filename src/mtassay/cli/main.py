"""The command `mtassay`: one thin function per subcommand, and one place where errors become one line."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Annotated, NoReturn

import typer

from mtassay import __version__
from mtassay.errors import MtassayError

COMMANDS = ("score", "translate", "meta", "systems", "runs")
"""Each is a module of this package with a function `register`; in the order of the help."""


def build_app(only: str | None = None) -> typer.Typer:
    """The command line; with `only` nothing but that command is loaded, so that it starts fast."""
    app = typer.Typer(
        help="Tests machine translation: which system is better, at what, and the sentences that prove it.",
        epilog="Exit codes: 0 fine, 1 a gate failed, 2 bad usage or input, 3 an engine or service failed.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help is easier to read in 80 columns
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in [only] if only in COMMANDS else COMMANDS:
        import_module(f"mtassay.cli.{name}").register(app)
    return app


def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error. Works anywhere in the line.")
    ] = False,
) -> None:
    """Shared by all commands; `main` looks for both before anything is loaded."""


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"mtassay {__version__}")  # noqa: T201
        sys.exit(0)
    debug = "--debug" in arguments
    try:
        words = [argument for argument in arguments if argument != "--debug"]
        build_app(words[0] if words else None)(args=words)
    except MtassayError as error:
        if debug:
            raise
        _say(f"mtassay: {' '.join(str(error).split())}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _say("mtassay: stopped.")
        sys.exit(130)
    except BrokenPipeError:
        # The reader, such as `head`, has gone; Python would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(0)


def _say(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201
