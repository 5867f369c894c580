"""`mtassay behavior sample`: a blind sheet of translations to label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.api.edited_pairs import find_run
from mtassay.cli.common import SeedOption, WorkspaceOption, check_sheet, plural, say
from mtassay.formats.reviews import asked_record, write_records
from mtassay.methods.behavior.samples import draw_sheet
from mtassay.options import split_names
from mtassay.reviews import find_question
from mtassay.stats import fixed_seed


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
    saved_run = find_run(run, workspace=workspace)
    sheet = draw_sheet(saved_run.record, count, systems=split_names(system), seed=fixed_seed(seed))
    question = find_question(saved_run.method)
    write_records(output, [asked_record(subject, question) for subject in sheet.subjects])
    say(
        f"mtassay: {plural(len(sheet.subjects), 'translation')} of {plural(sheet.cases, 'case')} to label in "
        f"{output}; then: mtassay review import {output}"
    )
