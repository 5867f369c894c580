"""`mtassay suite accept`: what people settled becomes rules of the suite."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.api import curation
from mtassay.api.people import reviewer_name
from mtassay.cli.common import ReviewerOption, SystemOption, echo, plural
from mtassay.cli.frame import FRAME, RunFrame, framed_with
from mtassay.cli.suite.options import RunOption, SuiteArgument, say_all, warn_of_format
from mtassay.methods.suite.acceptance import Wish


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("accept", short_help="Write what people settled into the suite as rules.")(accept)


@framed_with("fresh", "workspace", "quiet")
def accept(
    suite: SuiteArgument,
    subjects: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SUBJECT…]", help="Reviewed outputs (the beginning of an id), or items."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All that reviewers have settled.")] = False,
    form: Annotated[
        Literal["token", "regex"],
        typer.Option("--as", help="Write the whole output, or the expression that 'suggest' would propose."),
    ] = "token",
    regex: Annotated[
        str | None,
        typer.Option(metavar="PATTERN", help="Write this expression, if it breaks no known verdict."),
    ] = None,
    correct: Annotated[
        bool | None, typer.Option("--correct/--incorrect", help="Your answer where there is no review.")
    ] = None,
    note: Annotated[str, typer.Option(help="A note for the rules. Default: the reviewer's.")] = "",
    reviewer: ReviewerOption = None,
    run: RunOption = None,
    system: SystemOption = None,
    frame: RunFrame = FRAME,
) -> None:
    """Write what people settled into the suite as rules, so that they hold for everybody from now on.

    Without --as or --regex each reviewed output becomes a token. Disputed outputs are left alone, and so
    is what the rules say already. Only the lines concerned change in the file. An item whose rules change
    must be approved again.

    \b
    Examples:
    mtassay suite accept my.yaml --all
    mtassay suite accept my.yaml 3f2a91c0 --as regex
    mtassay suite accept my.yaml negation-001 --correct -t new.tsv
    mtassay suite accept my.yaml negation-001 --correct --regex 'nada|nunca'
    """
    wish = Wish(reviewer_name(reviewer), tuple(subjects or ()), everything, form, regex, correct, note)
    outcome = curation.accept(suite, wish, system or [], run=run, **frame.options)
    if outcome.rules:
        warn_of_format(Path(suite), quiet=frame.quiet)
    for line in outcome.lines:
        echo(line)
    say_all(outcome.remarks, quiet=frame.quiet)
    if drafts := outcome.drafts:
        names = " ".join(map(shlex.quote, drafts[:5])) + (" …" if len(drafts) > 5 else "")
        what = plural(len(drafts), "item is", "items are")
        frame.say(f"{what} a draft again, since the rules changed: mtassay suite approve {suite} {names}")
    count = sum(map(len, outcome.rules.values()))
    echo(f"{plural(count, 'rule')} added to {suite}")
    if count:
        frame.say(f"see what it changes: mtassay suite rejudge {suite}")
