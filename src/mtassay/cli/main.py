"""The command `mtassay`: one thin function per subcommand, and one place where errors become one line."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import dropwhile
from typing import Annotated, NoReturn

import typer

from mtassay import __version__
from mtassay.cli import bugs
from mtassay.cli.interruption import STOPPED
from mtassay.errors import MtassayError

COMMANDS = {
    "init": "Look at a folder, and write a plan for what is in it.",
    "run": "Do all steps of a plan; what has not changed is not done again.",
    "plan": "Look for mistakes in a plan; describe plans to editors.",
    "score": "Which system is better, and is the difference real?",
    "suite": "Linguistic suites: what does a system get right?",
    "invariance": "Metamorphic tests: change one word, and see what moves.",
    "behavior": "Behavioural tests: new cases from a parallel text.",
    "review": "Settle what rules could not: look at outputs and decide.",
    "explain": "Show one case with all there is to know.",
    "repair": "Turn confirmed errors into corrections, and train on them.",
    "translate": "Translate a file with live engines.",
    "meta": "How good are the metrics themselves?",
    "systems": "Which engines there are, and whether one answers.",
    "runs": "See, export, back up and delete the runs kept with --save.",
    "report": "Write saved runs as one page that opens anywhere.",
    "compare": "What changed from one saved run to another?",
    "history": "Follow a system over its saved runs.",
    "themes": "What do the failures of a system have in common?",
    "gate": "Does a run keep the rules? For CI.",
    "method": "Run any method by its name, those of other packages too.",
    "doctor": "What is installed here, what works, what is missing.",
}
"""Each is a module of this package with a function `register`, and what the help says of it, in its order."""


GROUPS = ("suite", "behavior", "review", "meta")
"""Those that load only the one of their own commands that is called."""


def build_app(words: Sequence[str] | None = None) -> typer.Typer:
    """The command line, so much of it as is needed for these words: one command, or the help on all.

    All of it is loaded where no words are given.
    """
    app = typer.Typer(
        help="Tests machine translation: which system is better, at what, and the sentences that prove it.",
        epilog="Exit codes: 0 fine, 1 a check failed, 2 bad usage or input, 3 an engine or service failed, "
        "70 a bug of ours, 130 stopped.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # plain help is easier to read in 80 columns
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    if words is None:
        for name in COMMANDS:
            _register(app, name, ())
        return app
    rest = list(dropwhile(lambda word: word.startswith("-"), words))
    if rest and rest[0] in COMMANDS:
        _register(app, rest[0], rest[1:])
    else:
        for name, about in COMMANDS.items():
            app.command(name, short_help=about)(_not_loaded)
    return app


def _register(app: typer.Typer, name: str, words: Sequence[str]) -> None:
    with _one_thread_for_matrices():
        module = import_module(f"mtassay.cli.{name}")
    if name == "method":
        module.register(app, words)
    elif name in GROUPS:
        module.register(app, only=next(iter(words), ""))
    else:
        module.register(app)


@contextmanager
def _one_thread_for_matrices() -> Iterator[None]:
    """NumPy, where it is loaded meanwhile, multiplies in one thread, unless the user says otherwise.

    Our matrices are narrow: more threads wait for each other longer than they compute, and take the cores
    from our other processes. Programs that we start are not told.
    """
    name = "OPENBLAS_NUM_THREADS"
    if name in os.environ:
        yield
        return
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]


def _not_loaded() -> None:
    """Stands in the help for a command that is loaded where it is called."""


def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error. Works anywhere in the line.")
    ] = False,
) -> None:
    """Shared by all commands; `main` looks for both before anything is loaded."""


def main() -> NoReturn:
    """Run the command line and exit with its code; `KeyboardInterrupt` where it was stopped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows few characters still shows the rest
    words = [word for word in sys.argv[1:] if word != "--debug"]
    if words == ["--version"]:
        print(f"mtassay {__version__}")  # noqa: T201
        sys.exit(0)
    try:
        code = build_app(words)(args=words, prog_name="mtassay", standalone_mode=False)
        sys.stdout.flush()
        if code == STOPPED:  # what Typer makes of Ctrl-C
            raise KeyboardInterrupt
    except Exception as error:
        if isinstance(error, BrokenPipeError):
            _stop_writing()
        if "--debug" in sys.argv:
            _show_traceback(error)
        code = _explain(error)
    except SystemExit as stop:  # what Typer makes of a reader that has gone
        if isinstance(stop.__context__, BrokenPipeError):
            _stop_writing()
        raise
    sys.exit(code if isinstance(code, int) else 0)


def _stop_writing() -> NoReturn:
    """End well: the reader, such as `head`, has what it wants. Python must not complain when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(0)


def _explain(error: Exception) -> int:
    """One line on standard error, and its exit code: for what a person can mend, or for a bug of ours."""
    kind = type(error).__name__
    if kind == "NoArgsIsHelpError":
        _say(str(error))
        return 2
    if kind == "Abort":  # what older versions of Typer make of it
        raise KeyboardInterrupt from None
    if isinstance(error, MtassayError):
        _say(f"mtassay: {_shown(str(error))}")
        return error.exit_code
    if isinstance(error, OSError):
        _say(f"mtassay: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        return 2
    if hasattr(error, "format_message"):  # Typer's word for a mistake in the line
        context = getattr(error, "ctx", None)
        command = " ".join(context.command_path.split()[1:]) if context else ""
        _say(
            f"mtassay: {_shown(error.format_message())} Try: {' '.join(('mtassay', command)).strip()} --help"
        )
        return 2
    return bugs.tell(error)


def _show_traceback(error: Exception) -> None:
    from mtassay.packages import redact

    _say(redact("".join(traceback.format_exception(error))).rstrip("\n"))


def _shown(text: str) -> str:
    """One line that cannot steer the terminal, whatever a file or an engine put into it."""
    from mtassay.texts.marks import printable

    return printable(" ".join(text.split()))


def _say(line: str) -> None:
    print(line, file=sys.stderr)  # noqa: T201
