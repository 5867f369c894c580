"""What the review commands share: who reviews, and what is open in which runs."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from typing import Annotated

import typer

from mtassay.cli.progress import Progress
from mtassay.cli.suite.newest import newest_run
from mtassay.errors import UsageError
from mtassay.formats.suite import Suite
from mtassay.reviews import Decision
from mtassay.reviews.pending import Pending, merge_pending, pending_in, question_of
from mtassay.store import Workspace

__all__ = [
    "AllOption",
    "Decisions",
    "DoubleOption",
    "LimitOption",
    "ReviewerOption",
    "RunArgument",
    "ShowSystemsOption",
    "load_pending",
    "who",
]

Decisions = Mapping[tuple[str, str], Decision]

RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of it, or 'last'.")
]
AllOption = Annotated[bool, typer.Option("--all", help="The outputs of all saved runs, each one once.")]
ReviewerOption = Annotated[
    str | None,
    typer.Option(
        "--reviewer", metavar="NAME", help="Who reviews. Default: $MTASSAY_REVIEWER or your login name."
    ),
]
DoubleOption = Annotated[
    bool, typer.Option("--double", help="Also what others settled, to measure agreement.")
]
ShowSystemsOption = Annotated[
    bool, typer.Option("--show-systems", help="Name the systems. Reviewers should not know them.")
]
LimitOption = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="At most so many.")]


def who(chosen: str | None) -> str:
    """The reviewer's name: as given, from the environment, or the login name."""
    name = (chosen or os.environ.get("MTASSAY_REVIEWER") or _login()).strip()
    if not name or not name.isprintable():
        raise UsageError("Say who reviews: --reviewer NAME, or set MTASSAY_REVIEWER.")
    return name


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def load_pending(
    store: Workspace,
    decisions: Decisions,
    *,
    run: str = "last",
    every_run: bool = False,
    suite: Suite | None = None,
) -> list[Pending]:
    """What is open in one run or in all of them.

    `last` is the newest whose outputs can be reviewed; with a suite, the newest that asked for its items.
    """
    if suite and run == "last" and not every_run:
        run = newest_run(store, suite) or ""
        if not run:
            raise UsageError(f"There is no saved run of {suite.path} yet: add --save to 'mtassay suite run'.")
    runs = [entry for entry in store.runs() if question_of(entry) is not None]
    if not every_run and run == "last" and runs:
        runs = runs[:1]
    elif not every_run:
        chosen = store.run(run)
        if question_of(chosen) is None:
            raise UsageError(f"Run {chosen.id} is of the method {chosen.method}, which asks people nothing.")
        runs = [chosen]
    elif not runs:
        raise UsageError(f"No run in {store.path} has outputs to review: mtassay suite run … --save")
    known = store.subjects() if any(decision.is_disputed for decision in decisions.values()) else {}
    disputed = {known[subject] for (subject, _), decision in decisions.items() if decision.is_disputed}
    parts = []
    with Progress() as progress:
        for number, entry in enumerate(runs):
            progress.report("reading runs", number, len(runs))
            found, segments, outputs = store.run(entry.id), store.segments(entry.id), store.outputs(entry.id)
            parts.append(pending_in(found, segments, outputs, disputed=disputed))
    return merge_pending(parts)
