"""The command `mtassay`: one thin function per subcommand, and one place where errors become one line."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from mtassay import __version__
from mtassay.cli import runs, score
from mtassay.errors import MtassayError

app = typer.Typer(
    help="Tests machine translation: which system is better, at what, and the sentences that prove it.",
    epilog="Docs: docs/overview.md. Exit codes: 0 fine, 1 a gate failed, 2 bad usage or input, "
    "3 an engine or service failed.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("score")(score.score)
app.add_typer(runs.app, name="runs")


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error. Works anywhere in the line.")
    ] = False,
) -> None:
    """Shared by all commands."""


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"mtassay {__version__}")  # noqa: T201
        sys.exit(0)
    debug = "--debug" in arguments
    try:
        app(args=[argument for argument in arguments if argument != "--debug"])
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
