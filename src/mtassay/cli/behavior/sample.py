"""`mtassay behavior sample`: a blind sheet of translations to label."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.behavior.inputs import saved_run
from mtassay.cli.common import (
    SeedOption,
    WorkspaceOption,
    check_sheet,
    plural,
    say,
)
from mtassay.core import Run
from mtassay.errors import UsageError
from mtassay.formats.reviews import asked_record, write_records
from mtassay.options import split_names
from mtassay.reviews import Subject, find_question
from mtassay.reviews.pending import subjects_in
from mtassay.stats import fixed_seed
from mtassay.store import Workspace


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("sample", short_help="Write a blind sheet of translations to label.")(sample)


def sample(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A saved run: 'last', or its id.")] = "last",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The sheet to write (.tsv or .jsonl).")
    ] = Path("sheet.tsv"),
    count: Annotated[int, typer.Option("--count", "-n", min=1, metavar="N", help="So many cases.")] = 100,
    system: Annotated[
        list[str] | None, typer.Option("--system", "-t", metavar="NAMES", help="Only these systems.")
    ] = None,
    seed: SeedOption = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the file.")] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Write a sheet to label: what the systems made of the edited sources of cases drawn at random.

    Passed and failed cases alike, mixed, so that both precision and recall can be known; the sheet does not
    say which is which. Equal translations come once. Fill in the column 'answer' (correct, wrong, unsure),
    then: mtassay review import SHEET; mtassay meta detect.

    \b
    Example:
    mtassay behavior sample last -n 100 -o sheet.tsv
    """
    check_sheet(output, force=force)
    store, chosen = saved_run(run, workspace)
    systems = split_names(system) or list(chosen.systems)
    if unknown := [name for name in systems if name not in chosen.systems]:
        raise UsageError(
            f"Run {chosen.id} has no system '{unknown[0]}'. It has: {', '.join(chosen.systems)}."
        )
    subjects = _judged(store, chosen, systems)
    if not subjects:
        raise UsageError(f"No case of run {chosen.id} was judged, so there is nothing to label.")
    draw = random.Random(fixed_seed(seed))
    cases = draw.sample(sorted(subjects), min(count, len(subjects)))
    rows = [subject for case in cases for subject in subjects[case]]
    draw.shuffle(rows)
    question = find_question(chosen.method)
    write_records(output, [asked_record(subject, question) for subject in rows])
    say(
        f"mtassay: {plural(len(rows), 'translation')} of {plural(len(cases), 'case')} to label in {output}; "
        f"then: mtassay review import {output}"
    )


def _judged(store: Workspace, run: Run, systems: Sequence[str]) -> dict[str, list[Subject]]:
    """The translations of the edited source of each case that was judged, each one once."""
    segments, subjects = run.segments, subjects_in(run)
    judged = {(f.case_id, f.system) for f in run.findings if f.verdict in ("pass", "fail", "undecided")}
    found: dict[str, dict[Subject, None]] = {}
    for segment in segments:
        case = str(segment.tags.get("original", ""))
        for system in systems:
            if (case, system) in judged and (segment.id, system) in subjects:
                found.setdefault(case, {})[subjects[segment.id, system]] = None
    return {case: list(given) for case, given in found.items()}
