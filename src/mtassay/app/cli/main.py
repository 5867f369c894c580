"""The command `mtassay`: one thin function per subcommand, and one place where errors become one line."""

from __future__ import annotations

import io
import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import dropwhile
from typing import Annotated, Any, NoReturn

import typer

from mtassay import __version__
from mtassay.app.cli.help_text import SECTIONS, HelpfulGroup, make_helpful
from mtassay.app.cli.interruption import STOPPED, on_stderr, tell_bug
from mtassay.data.errors import MtassayError, PluginWarning

COMMANDS = {name: about for section in SECTIONS.values() for name, about in section.items()}
MODULES = {
    **dict.fromkeys(("translate", "doctor"), "engine_commands"),
    **dict.fromkeys(("init", "run"), "plan_commands"),
    **dict.fromkeys(("compare", "history", "gate", "themes"), "change_commands"),
    **dict.fromkeys(("report", "explain", "runs"), "run_commands"),
    "serve": "review_people",
}
"""Modules of commands that share one; any other command is in `NAME_command`."""
GROUPS = ("behavior", "invariance", "meta", "review", "suite")
"""Commands that are groups, whose module adds their subcommands."""


def build_app(words: Sequence[str] | None = None) -> typer.Typer:
    """Build the part of the command line that these words need: one command, or the help on all.

    Without words, all of it is loaded.
    """
    app = typer.Typer(
        cls=HelpfulGroup,
        help="Tests machine translation: which system is better, and which sentences show it.",
        epilog="--version prints the version; --debug shows the traceback of an error. "
        "Exit codes: 0 fine, 1 a check failed, 2 bad usage or input, 3 an engine or service failed, "
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
        make_helpful(app)
        return app
    rest = list(dropwhile(lambda word: word.startswith("-"), words))
    if rest and rest[0] in COMMANDS:
        _register(app, rest[0], rest[1:])
    else:
        for name, about in COMMANDS.items():
            app.command(name, short_help=about)(_not_loaded)
    make_helpful(app)
    return app


def _register(app: typer.Typer, name: str, words: Sequence[str]) -> None:
    """Add a command by its name; its function, or its group of commands, has the same name."""
    module = _load(MODULES.get(name, f"{name}_command"))
    command: Any = getattr(module, name, None)
    if name in GROUPS:
        group = typer.Typer(no_args_is_help=True)
        group.callback(help=COMMANDS[name])(_group_options)
        module.register(group)
        called = [known for known in group.registered_commands if known.name in words[:1]]
        group.registered_commands = called or group.registered_commands
        app.add_typer(group, name=name)
    elif name == "method":
        module.register(app, words)
    elif isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name, short_help=COMMANDS[name])(command)


def _load(module: str) -> Any:
    with _one_thread_for_matrices():
        return import_module(f"mtassay.app.cli.{module}")


def _group_options() -> None:
    """A group has no options of its own."""


@contextmanager
def _one_thread_for_matrices() -> Iterator[None]:
    """Let NumPy, if it is loaded meanwhile, multiply in one thread, unless the user says otherwise.

    Our matrices are narrow: more threads wait for each other longer than they compute, and take the cores
    from our other processes. Programs that we start do not inherit this.
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
    """Shown in the help for a command that is loaded where it is called."""


def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
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
        with _warnings_in_a_line():
            code = build_app(words)(args=words, prog_name="mtassay", standalone_mode=False)
        sys.stdout.flush()
        if code == STOPPED:  # Typer's exception for Ctrl-C
            raise KeyboardInterrupt
    except Exception as error:
        if isinstance(error, BrokenPipeError):
            _stop_writing()
        if "--debug" in sys.argv:
            _say("".join(traceback.format_exception(error)).rstrip("\n"))
        code = _explain(error)
    except SystemExit as stop:  # Typer's exception for a reader that has ended
        if isinstance(stop.__context__, BrokenPipeError):
            _stop_writing()
        raise
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Print warnings about skipped parts of another package like our errors; other warnings as usual."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, PluginWarning):
                _say(f"mtassay: {_shown(str(message))}")
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = show
        yield


def _stop_writing() -> NoReturn:
    """End without error: the reader, such as `head`, has enough. Python must not complain when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(0)


def _explain(error: Exception) -> int:
    """Print one line on standard error, and return its exit code: for a user's mistake, or a bug of ours."""
    kind = type(error).__name__
    if kind == "NoArgsIsHelpError":
        _say(str(error))
        return 2
    if kind == "Abort":  # the same in older versions of Typer
        raise KeyboardInterrupt from None
    if isinstance(error, MtassayError):
        _say(f"mtassay: {_shown(_with_options(str(error)))}")
        return error.exit_code
    if hasattr(error, "format_message"):  # Typer's exception for a mistake in the line
        context = getattr(error, "ctx", None)
        command = " ".join(context.command_path.split()[1:]) if context else ""
        _say(
            f"mtassay: {_shown(error.format_message())} Try: {' '.join(('mtassay', command)).strip()} --help"
        )
        return 2
    from mtassay.data.registry import blamed

    if other := blamed(error):
        _say(f"mtassay: {_shown(other)} Tell its authors; --debug shows the traceback.")
        return 2
    if isinstance(error, OSError):
        _say(f"mtassay: {error.strerror or error}{f': {error.filename}' if error.filename else ''}")
        return 2
    return tell_bug(error)


_OPTIONS = {
    "every_run": "--all",
    "form": "--format",
    "groups": "--group",
    "langpair": "-l",
    "metrics": "-m",
    "references": "-r",
    "source": "-s",
    "systems": "-t",
}
"""Options with other names than the library's parameters."""
_PARAMETER = re.compile(r"`([a-z][a-z_]*)(?:=([^`]*))?`")


def _with_options(text: str) -> str:
    """Return an error of the library, with the command line's options for parameters in backticks.

    >>> _with_options("`stream=True` needs references: add `references='FILE'`. See `max_calls`.")
    '--stream needs references: add -r FILE. See --max-calls.'
    >>> _with_options("Write `systems=['old=FILE', 'new=FILE']`, or `fold=False`.")
    'Write -t old=FILE -t new=FILE, or --no-fold.'
    """

    def option(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        flag = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
        if value == "False":
            return f"--no-{name.replace('_', '-')}"
        if value is None or value == "True":
            return flag
        values = value.strip("[]").split(", ") if value.startswith("[") else [value]
        return " ".join(f"{flag} {each.strip(chr(39))}" for each in values)

    return _PARAMETER.sub(option, text)


def _shown(text: str) -> str:
    """Return one line that cannot steer the terminal, even if a file or an engine wrote it."""
    from mtassay.data.marks import printable

    return printable(" ".join(text.split()))


def _say(line: str) -> None:
    from mtassay.runtime.http_calls import redact

    print("\n".join(map(on_stderr, redact(line).split("\n"))), file=sys.stderr)  # noqa: T201
