"""`mtassay review export` and `import`: reviews in files, and sheets to fill in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.app.campaign_work import still_open
from mtassay.app.cli.common import (
    FormatOption,
    LimitOption,
    OutputFormat,
    ReviewerOption,
    SeedOption,
    WorkspaceOption,
    check_targets,
    echo,
    print_json,
    print_tables,
    refuse_existing,
    say,
    screen_here,
)
from mtassay.app.cli.frame import Command, Values, grouped
from mtassay.app.exchange import ExchangeForm, export_as, export_tasks
from mtassay.app.reviewing import (
    ReviewerAgreement,
    agreement,
    import_reviews,
    pending,
    reviews,
    told,
)
from mtassay.data.errors import UsageError
from mtassay.data.formats.review_files import ENDINGS, write_records
from mtassay.data.marks import plural, printable
from mtassay.data.subjects import SHORT
from mtassay.review.pending import Order

# What the review commands share: which run, which of its outputs, which question, which campaign.


RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of it, or 'last'.")
]
AllOption = Annotated[bool, typer.Option("--all", help="The outputs of all saved runs, each one once.")]
DoubleOption = Annotated[
    bool, typer.Option("--double", help="Also what others settled, to measure agreement.")
]
ShowSystemsOption = Annotated[
    bool, typer.Option("--show-systems", help="Name the systems. Reviewers should not know them.")
]
CategoryOption = Annotated[
    list[str] | None, typer.Option("--category", metavar="NAME", help="Only this category; * works. Repeat.")
]
PhenomenonOption = Annotated[
    list[str] | None,
    typer.Option("--phenomenon", metavar="NAME", help="Only this phenomenon; * works. Repeat."),
]
ItemOption = Annotated[
    list[str] | None, typer.Option("--item", metavar="ID", help="Only this item; * works. Repeat.")
]
SystemOption = Annotated[
    list[str] | None, typer.Option("--system", metavar="NAME", help="Only what this system gave. Repeat.")
]
SampleOption = Annotated[
    int | None, typer.Option("--sample", min=1, metavar="N", help="A random sample of N.")
]
OrderOption = Annotated[
    Order,
    typer.Option(
        "--order",
        help="First: items that need few answers (fair), outputs of most systems, or as in the run.",
    ),
]
QuestionOption = Annotated[
    str | None,
    typer.Option(
        "--question",
        metavar="NAME",
        help="Ask this of all outputs: entities, mqm, esa, adequacy, fluency, informativeness, da.",
    ),
]
CampaignOption = Annotated[
    str | None, typer.Option("--campaign", metavar="NAME", help="A campaign of several reviewers, or 'last'.")
]
AdjudicateOption = Annotated[
    bool, typer.Option("--adjudicate", help="With --campaign: settle what its reviewers see differently.")
]


def choosing() -> Callable[[Command], Command]:
    """Gives a command the options that choose outputs, in the place of its parameter `choice`."""
    options: dict[str, tuple[Any, Any]] = {
        "category": (CategoryOption, None),
        "phenomenon": (PhenomenonOption, None),
        "item": (ItemOption, None),
        "system": (SystemOption, None),
        "sample": (SampleOption, None),
        "seed": (SeedOption, None),
    }
    names = ("category", "phenomenon", "item", "system")
    return grouped(
        "choice", options, lambda values: {**values, **{name: values[name] or () for name in names}}
    )


# `mtassay review export` and `import`: reviews in files, and sheets to fill in.


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("export")(export_reviews)
    app.command("import")(import_file)
    app.command("agreement")(show_agreement)


@choosing()
def export_reviews(
    run: RunArgument = "last",
    only_open: Annotated[
        bool, typer.Option("--open", help="A sheet of what is open in RUN, to fill in the column 'answer'.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="TSV, CSV, XLSX or JSONL.")] = None,
    form: Annotated[
        ExchangeForm | None,
        typer.Option(
            "--as",
            help="For another program: entities (for nee), WMT's MQM files, mt-metrics-eval (mtme), WMT's "
            "ESA records, ratings (for meta correlate), Label Studio, Pearmut.",
        ),
    ] = None,
    question: QuestionOption = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    every_run: AllOption = False,
    reviewer: ReviewerOption = None,
    double: DoubleOption = False,
    show_systems: ShowSystemsOption = False,
    limit: LimitOption = None,
    choice: Values = {},  # noqa: B006
    order: OrderOption = "fair",
    workspace: WorkspaceOption = None,
) -> None:
    """Write reviews, or with --open a sheet to fill in.

    \b
    Examples:
    mtassay review export -o reviews.jsonl
    mtassay review export --open --reviewer anna -o for-anna.xlsx
    mtassay review export --open --question esa --as pearmut -o campaign.json
    mtassay review export last --as ratings -o ratings.tsv
    """
    if form is None and output is not None and not output.name.removesuffix(".gz").endswith(ENDINGS):
        raise UsageError(f"{output}: the ending says the format: {', '.join(ENDINGS)}.")
    chooses = (reviewer, double, show_systems, limit, *choice.values())
    if form is not None and not only_open:
        check_targets(output)
        refuse_existing(output, force=force)
        count = export_as(form, output or sys.stdout, run=run, question=question, workspace=workspace)
        if output is not None:
            say(f"mtassay: wrote {plural(count, 'record')} to {output}")
        _say_unfinished(workspace)
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
            order=order,
            **choice,
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
    if not only_open:
        _say_unfinished(workspace)


def _say_unfinished(workspace: Path | None) -> None:
    for line in still_open(workspace=workspace):
        say(f"mtassay: {printable(line)}")


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

    One bad row means that nothing is added. Rows without an answer are left out.

    \b
    Examples:
    mtassay review import for-anna.tsv
    mtassay review import sheet.tsv --reviewer ben
    """
    done = import_reviews(file, reviewer=reviewer, workspace=workspace)
    echo(str(done))
    if reviewer is None and done.unsigned:
        answers = plural(done.unsigned, "answer")
        say(f"mtassay: the file does not say who gave {answers}: taken as {done.reviewer}'s")


def show_agreement(
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            metavar="NAME",
            help="Which question, by its name. Default: suite, or the only one with answers.",
        ),
    ] = None,
    disputed: Annotated[bool, typer.Option("--disputed", help="List outputs without a majority.")] = False,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show how far reviewers agree with each other.

    Kappa and alpha are 1 for full agreement and 0 for chance.

    \b
    Examples:
    mtassay review next --double --reviewer ben
    mtassay review agreement --disputed
    """
    reviewer_agreement = agreement(question, seed=seed, workspace=workspace)
    if output_format is OutputFormat.json:
        print_json(reviewer_agreement.record(with_disputed=disputed))
        return
    table, *contested = reviewer_agreement.tables(with_disputed=disputed)
    print_tables([table], output_format)
    if not disputed:
        return
    echo()
    if output_format is OutputFormat.text:
        _print_disputed(reviewer_agreement)
    else:
        print_tables(contested, output_format)


def _print_disputed(reviewer_agreement: ReviewerAgreement) -> None:
    screen = screen_here()
    for subject, decision in reviewer_agreement.disputed:
        echo(f"{subject.id[:SHORT]} · {printable(subject.case_id)} · {told(decision)}")
        for source in subject.sources:
            echo(screen.line("  source", source or ""))
        for text in subject.outputs:
            echo(screen.line("  output", text))
