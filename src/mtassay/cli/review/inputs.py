"""What the review commands share: who reviews, and what is open in which runs."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.cli.common import check_targets, refuse_existing
from mtassay.core import Run
from mtassay.curation import newest_run
from mtassay.errors import UsageError
from mtassay.formats.reviews import pending_record
from mtassay.formats.suite import Suite
from mtassay.report.progress import Progress
from mtassay.reviews import Decision, Question, question_of
from mtassay.reviews.pending import Pending, merge_pending, pending_in
from mtassay.store import Workspace

__all__ = [
    "AllOption",
    "Decisions",
    "DoubleOption",
    "LimitOption",
    "ReviewerOption",
    "RunArgument",
    "ShowSystemsOption",
    "asked_in",
    "check_sheet",
    "load_pending",
    "shown_record",
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


def check_sheet(sheet: Path, *, force: bool) -> None:
    """An error where a sheet cannot be written: by its ending, its folder, or what is there."""
    if not sheet.name.removesuffix(".gz").endswith((".tsv", ".jsonl", ".ndjson")):
        raise UsageError(f"{sheet}: a sheet ends in .tsv or .jsonl.")
    check_targets(sheet)
    refuse_existing(sheet, force=force)


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
    runs = _all_runs(store) if every_run else [_one_run(store, run, suite)]
    known = store.subjects() if any(decision.is_disputed for decision in decisions.values()) else {}
    disputed = {known[subject] for (subject, _), decision in decisions.items() if decision.is_disputed}
    parts = []
    with Progress() as progress:
        for number, name in enumerate(runs):
            progress.report("reading runs", number, len(runs))
            parts.append(pending_in(store.run(name), disputed=disputed))
    return merge_pending(parts)


def asked_in(run: Run) -> Question:
    """What a run asks people; a `UsageError` if it asks nothing."""
    question = question_of(run)
    if question is None:
        raise UsageError(f"Run {run.id} is of the method {run.method}, which asks people nothing.")
    return question


def shown_record(
    pending: Pending, *, reviewer: str = "", show_systems: bool = False, with_case: bool = True
) -> dict[str, Any]:
    """What a reviewer may see of an open output.

    To a blind question that is no status and no reference, which the output was held against, and without
    `with_case` no case either: its id can tell a variant. A sheet needs the case to be read back.
    """
    record = pending_record(pending, reviewer=reviewer, show_systems=show_systems)
    if pending.question.is_blind:
        record |= {"status": "", "references": []}
        if not with_case:
            record["case_id"] = ""
    return record


def _all_runs(store: Workspace) -> list[str]:
    runs = [run.id for run in store.runs() if question_of(run)]
    if not runs:
        raise UsageError(
            f"No run in {store.path} has outputs to review: add --save to 'suite run', 'invariance run' or "
            "'behavior run'."
        )
    return runs


def _one_run(store: Workspace, name: str, suite: Suite | None) -> str:
    if name == "last" and suite:
        newest = newest_run(store, suite)
        if newest is None:
            raise UsageError(f"There is no saved run of {suite.path} yet: add --save to 'mtassay suite run'.")
        return newest
    asking = (run.id for run in store.runs() if question_of(run))
    if name == "last" and (newest := next(asking, None)):
        return newest
    chosen = store.run(name)
    asked_in(chosen)
    return chosen.id
