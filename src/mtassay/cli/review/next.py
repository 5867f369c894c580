"""`mtassay review next`: what is open, one by one or as a list."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer

from mtassay.api import open_workspace
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    WorkspaceOption,
    echo,
    plural,
    print_json,
    print_tables,
)
from mtassay.cli.review.inputs import (
    AllOption,
    DoubleOption,
    LimitOption,
    ReviewerOption,
    RunArgument,
    ShowSystemsOption,
    load_pending,
    shown_record,
    who,
)
from mtassay.cli.review.keys import read_key, read_line
from mtassay.cli.review.screen import Screen
from mtassay.cli.review.session import Session
from mtassay.display import Table
from mtassay.formats.suite import read_suite
from mtassay.reviews import decide
from mtassay.reviews.pending import Pending, waiting_for
from mtassay.reviews.subjects import SHORT
from mtassay.texts.marks import marked, printable


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("next")(next_open)


def next_open(
    run: RunArgument = "last",
    every_run: AllOption = False,
    reviewer: ReviewerOption = None,
    double: DoubleOption = False,
    show_systems: ShowSystemsOption = False,
    limit: LimitOption = None,
    suite: Annotated[
        str | None,
        typer.Option("--suite", metavar="SUITE", help="Take the newest run of this suite; show its rules."),
    ] = None,
    as_list: Annotated[
        bool, typer.Option("--list", help="Print what is open instead of asking; so does --format.")
    ] = False,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Decide on open outputs, one key for each.

    Open is what no rule of a suite settles, or rules of both kinds claim, what is shown with an issue of
    an invariance run, what fails in a behaviour run, and what reviewers dispute. Equal outputs of several
    systems come once, those of most systems first. Every answer is kept at once: stop whenever you like, and
    go on with the same command. Without a terminal it prints a list.

    \b
    Examples:
    mtassay review next
    mtassay review next --reviewer anna --limit 20
    mtassay review next --all --double
    mtassay review next --suite en-pt
    mtassay review next --format tsv > open.tsv
    """
    store = open_workspace(workspace)
    name = who(reviewer)
    decisions = decide(store.reviews())
    content = read_suite(suite) if suite else None
    pending = load_pending(store, decisions, run=run, every_run=every_run, suite=content)
    queue = waiting_for(name, pending, decisions, double=double)
    shown = queue[:limit]
    if output_format is not OutputFormat.text:
        _print(shown, output_format, show_systems=show_systems)
    elif not queue:
        where = "any run" if every_run else f"run {pending[0].run}" if pending else "this run"
        echo(f"Nothing is open for {name} in {where} ({len(pending):,} outputs were).")
    elif as_list or not (sys.stdin.isatty() and sys.stdout.isatty()):
        _print_list(shown, len(queue), show_systems=show_systems)
    else:
        items = {item.id: item for item in content.items} if content else {}
        session = Session(
            store,
            name,
            shown,
            Screen.here(),
            read_key,
            read_line,
            echo,
            double=double,
            show_systems=show_systems,
            items=items,
        )
        echo(f"{len(queue):,} open for {name}{_summary(queue)}.")
        echo(f"\n{session.run()}")


def _summary(queue: Sequence[Pending]) -> str:
    """How many of each status; a blind question has its name instead."""
    kinds = Counter(p.question.name if p.question.is_blind else p.status for p in queue)
    if len(kinds) == 1 and queue[0].question.is_blind:
        return f" (question: {queue[0].question.name})"
    return ": " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())


def _print_list(shown: Sequence[Pending], total: int, *, show_systems: bool) -> None:
    screen = Screen.here()
    for pending in shown:
        record = shown_record(pending, with_case=False)
        given = ", ".join(pending.systems) if show_systems else plural(len(pending.systems), "system")
        head = (pending.subject.id[:SHORT], record["status"], given, record["phenomenon"], record["case_id"])
        echo(" · ".join(marked(part, limit=60) for part in head if part))
        echo(screen.line("  source", pending.segment.source or ""))
        for text in pending.subject.outputs:
            echo(screen.line("  output", text))
    more = "" if len(shown) == total else f", {len(shown):,} shown"
    echo(f"\n{total:,} open{more}. Settle one: mtassay review decide {shown[0].subject.id[:SHORT]} correct")


def _print(shown: Sequence[Pending], form: OutputFormat, *, show_systems: bool) -> None:
    records = [shown_record(pending, show_systems=show_systems, with_case=False) for pending in shown]
    if form is OutputFormat.json:
        print_json(records)
        return
    columns = ["subject", "status", "n_systems", "case_id", "phenomenon", "sources", "outputs"]
    columns += ["systems"] * show_systems
    rows = [[_cell(record[column]) for column in columns] for record in records]
    header = ["source" if c == "sources" else "output" if c == "outputs" else c for c in columns]
    print_tables([Table(header, rows)], form)


def _cell(value: object) -> str:
    return printable(" | ".join(map(str, value)) if isinstance(value, list) else str(value))
