"""`mtassay review export` and `import`: reviews and sheets as files."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import open_workspace, workspace_path
from mtassay.cli.common import WorkspaceOption, check_targets, echo, plural, refuse_existing, say
from mtassay.cli.review.inputs import (
    AllOption,
    Decisions,
    DoubleOption,
    LimitOption,
    ReviewerOption,
    RunArgument,
    ShowSystemsOption,
    load_pending,
    shown_record,
    who,
)
from mtassay.errors import UsageError
from mtassay.formats.reviews import ReviewRow, read_reviews, review_record, write_records
from mtassay.reviews import decide
from mtassay.reviews.pending import waiting_for
from mtassay.store import Workspace


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("export")(export_reviews)
    app.command("import")(import_reviews)


def export_reviews(
    run: RunArgument = "last",
    only_open: Annotated[
        bool, typer.Option("--open", help="A sheet of what is open in RUN, to fill in the column 'answer'.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="TSV or JSONL by its ending. Default: stdout."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    every_run: AllOption = False,
    reviewer: ReviewerOption = None,
    double: DoubleOption = False,
    show_systems: ShowSystemsOption = False,
    limit: LimitOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Write reviews, or a sheet to fill in.

    Reviews carry the texts they are about. --open writes a sheet of what is open instead. Of the options
    below, those that choose outputs are for --open. With --reviewer the sheet leaves out what this person
    has answered, and bears the name.

    \b
    Examples:
    mtassay review export -o reviews.jsonl
    mtassay review export --open --reviewer anna -o for-anna.tsv
    """
    if output is not None and not output.name.removesuffix(".gz").endswith((".tsv", ".jsonl")):
        raise UsageError(f"{output}: the ending says the format: .tsv or .jsonl.")
    if not only_open and (run != "last" or every_run or reviewer or double or show_systems or limit):
        raise UsageError("RUN and the options that choose outputs are for --open; reviews are written all.")
    check_targets(output)
    refuse_existing(output, force=force)  # it may be a sheet that somebody has filled in
    store = open_workspace(workspace)
    reviews = store.reviews()
    if only_open:
        decisions = decide(reviews)
        pending = load_pending(store, decisions, run=run, every_run=every_run)
        name = (reviewer or "").strip()
        chosen = waiting_for(name, pending, decisions, double=double)[:limit]
        records = [shown_record(p, reviewer=name, show_systems=show_systems) for p in chosen]
    else:
        subjects = store.subjects()
        records = [review_record(review, subjects[review.subject]) for review in reviews]
    if not records:
        raise UsageError("Nothing is open." if only_open else "There are no reviews yet.")
    write_records(output or sys.stdout, records)
    if output is not None:
        what = plural(len(records), "open output" if only_open else "review")
        say(f"mtassay: wrote {what} to {output}")
        if only_open:
            say(f"mtassay: fill in the column 'answer', then: mtassay review import {output}")


def import_reviews(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Reviews or a filled sheet, TSV or JSONL.")],
    reviewer: Annotated[
        str | None,
        typer.Option(
            "--reviewer",
            metavar="NAME",
            help="Who answered, where the file does not say. Default: $MTASSAY_REVIEWER or your login name.",
        ),
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Read reviews, or a sheet filled in.

    The file is one that 'review export' wrote, here or elsewhere. Rows without an answer are left out.
    What is there already is not added again, and one bad row means that nothing is. Answers without a
    date get that of the file.

    \b
    Examples:
    mtassay review import for-anna.tsv
    mtassay review import sheet.tsv --reviewer ben
    """
    name = _default_reviewer(reviewer)
    found = read_reviews(file, reviewer=name, at=_changed(file))
    store = Workspace(workspace_path(workspace))
    known = decide(store.reviews())
    new = [row for row in found.rows if not _is_known(row, known)]
    added = store.add_reviews([row.review for row in new], [row.subject for row in new])
    echo(f"{added:,} added, {len(found.rows) - added:,} already there, {found.empty:,} left empty.")
    if reviewer is None and (unsigned := sum(not row.is_signed for row in found.rows)):
        say(f"mtassay: the file does not say who gave {plural(unsigned, 'answer')}: taken as {name}'s")


def _default_reviewer(chosen: str | None) -> str:
    """Whose the rows are that do not say it; empty where that is not known, as the file may say it."""
    try:
        return who(chosen)
    except UsageError:
        if chosen is not None:
            raise
        return ""


def _changed(file: str) -> datetime:
    """When the file was last written, but never a time to come."""
    now = datetime.now(UTC)
    path = Path(file)
    return min(datetime.fromtimestamp(path.stat().st_mtime, UTC), now) if path.is_file() else now


def _is_known(row: ReviewRow, known: Decisions) -> bool:
    """Whether an answer without a date is what this reviewer said last."""
    decision = known.get((row.review.subject, row.review.question))
    latest = decision.latest.get(row.review.reviewer) if decision else None
    same = latest is not None and (latest.answer, latest.note) == (row.review.answer, row.review.note)
    return same and not row.is_dated
