"""`mtassay suite accept`: what people settled becomes rules of the suite."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.cli.common import (
    QuietOption,
    ReviewerOption,
    SystemOption,
    WorkspaceOption,
    echo,
    plural,
    say,
)
from mtassay.cli.suite.accepting import Wish, rules_to_add
from mtassay.cli.suite.evidence import RunOption, gather
from mtassay.cli.suite.inputs import SuiteArgument, read_inputs, warn_of_format
from mtassay.errors import UsageError
from mtassay.formats.suite.editing import add_rules, editable
from mtassay.people import reviewer_name
from mtassay.texts.marks import marked

_SHOWN = 200  # characters of a rule


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("accept", short_help="Write what people settled into the suite as rules.")(accept)


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
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
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
    if not subjects and not everything:
        raise UsageError("Say what to accept: subjects, items, or --all for all that is settled.")
    if regex and (everything or len(subjects or ()) != 1):
        raise UsageError("--regex PATTERN goes with one SUBJECT.")
    editable(suite)
    inputs = read_inputs(suite)
    evidence = gather(inputs, system, run, workspace, quiet=quiet)
    wish = Wish(tuple(subjects or ()), form, regex, correct, note, reviewer_name(reviewer))
    outcome = rules_to_add(inputs.suite, evidence, wish)
    if outcome.rules:
        add_rules(suite, outcome.rules)
        warn_of_format(Path(suite))
    for item_id, rules in outcome.rules.items():
        for name, rule in rules:
            kind = name.replace("_regex", " expression").replace("_tokens", " token")
            echo(f"{item_id}: {kind} {marked(rule.text, limit=_SHOWN)}")
    for line in outcome.remarks:
        say(f"mtassay: {line}")
    approved = [item.id for item in inputs.suite.items if item.approver and item.id in outcome.rules]
    if approved:
        names = " ".join(map(shlex.quote, approved[:5])) + (" …" if len(approved) > 5 else "")
        what = plural(len(approved), "item is", "items are")
        say(f"mtassay: {what} a draft again, since the rules changed: mtassay suite approve {suite} {names}")
    count = sum(map(len, outcome.rules.values()))
    echo(f"{plural(count, 'rule')} added to {suite}")
    if count:
        say(f"mtassay: see what it changes: mtassay suite rejudge {suite}")
