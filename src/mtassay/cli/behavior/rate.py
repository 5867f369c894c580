"""`mtassay behavior rate`: people rate generated pairs, on the scale of Wu, Liu, Yeung (2023)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import workspace_path
from mtassay.api.edited_pairs import read_sets
from mtassay.api.people import reviewer_name
from mtassay.cli.behavior.options import AgainstOption, CasesArgument, OriginalsOption
from mtassay.cli.common import (
    LimitOption,
    ReviewerOption,
    SeedOption,
    WorkspaceOption,
    check_sheet,
    echo,
    plural,
    say,
    screen_here,
)
from mtassay.cli.session import Session, read_key, read_line
from mtassay.errors import UsageError
from mtassay.formats.reviews import asked_record, write_records
from mtassay.methods.behavior.pair_quality import chosen_questions, to_rate
from mtassay.options import split_names
from mtassay.report.review_screen import Screen
from mtassay.reviews import decide
from mtassay.reviews.queue import Pending, waiting_for
from mtassay.stats import fixed_seed
from mtassay.store import Workspace
from mtassay.story import StoryAnswer


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("rate", short_help="Rate generated pairs: fluency and adequacy.")(rate)


def rate(
    cases: CasesArgument,
    against: AgainstOption = None,
    originals: OriginalsOption = True,
    question: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="What to rate: ssf, tsf, ta. Default: all, one after another."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="At most so many pairs of each set, at random.")
    ] = None,
    seed: SeedOption = None,
    reviewer: ReviewerOption = None,
    limit: LimitOption = None,
    sheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a sheet to fill in (.tsv or .jsonl) instead of asking."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a sheet that is there.")] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Rate generated pairs from 1 to 3: source fluency (ssf), target fluency (tsf), adequacy (ta).

    Pairs of all sets come mixed, in the same order for every rater with the same seed; who made a pair is
    not shown. Every answer is kept at once: go on with the same command. Fill a sheet in elsewhere, and
    read it with 'mtassay review import'. See the means with 'mtassay behavior quality'.

    \b
    Examples:
    mtassay behavior rate cases.jsonl --sample 100 --reviewer anna
    mtassay behavior rate lexicon=a.jsonl --against llm=b.jsonl --question ta
    mtassay behavior rate cases.jsonl --reviewer ben --sheet for-ben.tsv
    """
    if sheet is not None:
        check_sheet(sheet, force=force)
    questions = chosen_questions(split_names(question))
    sets = read_sets(cases, against or [], originals=originals, workspace=workspace)
    pending = to_rate(sets, questions, sample=sample, seed=fixed_seed(seed))
    name = reviewer_name(reviewer)
    store = Workspace(workspace_path(workspace))
    decisions = decide(store.reviews())
    queue = waiting_for(name, pending, decisions, double=True)
    shown = queue[:limit]
    if not queue:
        echo(f"{name} has rated everything ({plural(len(pending), 'rating')}).")
    elif sheet is not None:
        write_records(sheet, [asked_record(entry.subject, entry.question, reviewer=name) for entry in shown])
        say(f"mtassay: wrote {plural(len(shown), 'row')} to {sheet}")
        scale = ", ".join(f"{key} {answer}" for key, answer in questions[0].answers_by_key.items())
        say(f"mtassay: fill in the column 'answer' ({scale}), then: mtassay review import {sheet}")
    elif not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("Rating needs a terminal. Without one, write a sheet: --sheet FILE")
    else:
        terminal = screen_here()
        screen = PairScreen(terminal.width, terminal.color)
        session = Session(store, name, shown, screen, read_key, read_line, echo, double=True)
        echo(f"{plural(len(queue), 'rating')} to give, of {len(pending):,}.")
        echo(f"\n{session.run()}")


class PairScreen(Screen):
    """Shows of a pair only what the question is about."""

    def pending(self, pending: Pending, nearest: Sequence[StoryAnswer], *, show_systems: bool) -> str:
        return "\n".join(self.line(line.label or "", line.text) for line in pending.lines)
