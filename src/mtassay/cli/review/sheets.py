"""`mtassay review export` and `import`: reviews in files, and sheets to fill in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mtassay.api.exchange import ExchangeForm, export_as, export_tasks
from mtassay.api.people import import_reviews, pending, reviews
from mtassay.cli.common import (
    LimitOption,
    ReviewerOption,
    WorkspaceOption,
    check_targets,
    echo,
    plural,
    refuse_existing,
    say,
)
from mtassay.cli.frame import Values
from mtassay.cli.review.options import (
    AllOption,
    DoubleOption,
    OrderOption,
    QuestionOption,
    RunArgument,
    SettledOption,
    ShowSystemsOption,
    choosing,
    usual_sample,
)
from mtassay.errors import UsageError
from mtassay.formats.reviews import ENDINGS, write_records


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("export")(export_reviews)
    app.command("import")(import_file)


@choosing()
def export_reviews(
    run: RunArgument = "last",
    only_open: Annotated[
        bool, typer.Option("--open", help="A sheet of what is open in RUN, to fill in the column 'answer'.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="TSV, CSV, XLSX or JSONL by its ending. Default: stdout."
        ),
    ] = None,
    form: Annotated[
        ExchangeForm | None,
        typer.Option(
            "--as",
            help="For another program: entities (for nee), WMT's MQM files, mt-metrics-eval (mtme), ratings "
            "(for meta correlate), Label Studio, Pearmut.",
        ),
    ] = None,
    question: QuestionOption = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    every_run: AllOption = False,
    reviewer: ReviewerOption = None,
    double: DoubleOption = False,
    show_systems: ShowSystemsOption = False,
    limit: LimitOption = None,
    settled: SettledOption = False,
    choice: Values = {},  # noqa: B006
    order: OrderOption = "fair",
    workspace: WorkspaceOption = None,
) -> None:
    """Write reviews, or a sheet to fill in.

    Reviews carry the texts they are about. --open writes a sheet of what is open instead, and --settled one
    of what was settled without people, for 'review audit'. The options below that choose outputs are for
    these. With --reviewer the sheet leaves out what this person has answered, and bears the name.

    \b
    Examples:
    mtassay review export -o reviews.jsonl
    mtassay review export --open --reviewer anna -o for-anna.xlsx
    mtassay review export --settled --sample 100 -o audit.csv
    mtassay review export --open --question esa --as pearmut -o campaign.json
    mtassay review export last --as ratings -o ratings.tsv
    """
    if form is None and output is not None and not output.name.removesuffix(".gz").endswith(ENDINGS):
        raise UsageError(f"{output}: the ending says the format: {', '.join(ENDINGS)}.")
    only_open = only_open or settled
    chooses = (reviewer, double, show_systems, limit, *choice.values())
    if form is not None and not only_open:
        check_targets(output)
        refuse_existing(output, force=force)
        count = export_as(form, output or sys.stdout, run=run, question=question, workspace=workspace)
        if output is not None:
            say(f"mtassay: wrote {plural(count, 'record')} to {output}")
        return
    if form not in (None, "labelstudio", "pearmut"):
        raise UsageError(f"--as {form} writes what people answered: leave --open out.")
    if not only_open and (run != "last" or every_run or any(chooses) or question):
        raise UsageError("RUN and the options that choose outputs are for --open; reviews are written all.")
    check_targets(output)
    refuse_existing(output, force=force)  # it may be a sheet that somebody has filled in
    if only_open:
        name = (reviewer or "").strip()
        queue = pending(
            run,
            reviewer=name,
            every_run=every_run,
            double=double,
            question=question,
            settled=settled,
            order=order,
            **{**choice, "sample": choice["sample"] or usual_sample(settled)},
            workspace=workspace,
        )
        if form in ("labelstudio", "pearmut"):
            people = [name] if name else []
            count = export_tasks(form, output or sys.stdout, queue.waiting[:limit], reviewers=people)
            if output is not None:
                say(f"mtassay: wrote {plural(count, 'open output')} to {output}")
            return
        records = queue.records(show_systems=show_systems)[:limit]
    else:
        records = reviews(workspace=workspace)
    if not records:
        raise UsageError("Nothing is open." if only_open else "There are no reviews yet.")
    write_records(output or sys.stdout, records)
    if output is not None:
        what = plural(len(records), "open output" if only_open else "review")
        say(f"mtassay: wrote {what} to {output}")
        if only_open:
            say(f"mtassay: fill in the column 'answer', then: mtassay review import {output}")


def import_file(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Reviews or a filled sheet: TSV, CSV, XLSX, JSONL; or JSON of Label Studio or Pearmut.",
        ),
    ],
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
    done = import_reviews(file, reviewer=reviewer, workspace=workspace)
    echo(f"{done.added:,} added, {done.known:,} already there, {done.empty:,} left empty.")
    if reviewer is None and done.unsigned:
        answers = plural(done.unsigned, "answer")
        say(f"mtassay: the file does not say who gave {answers}: taken as {done.reviewer}'s")
