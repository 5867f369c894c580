"""`mtassay meta`: how good are the metrics themselves?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.api.agreement import challenge, correlate, detect, rank
from mtassay.api.judges import blindspots, calibrate, judges
from mtassay.cli.common import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    check_targets,
    print_rendered,
)
from mtassay.formats.challenge import write_challenge
from mtassay.formats.thresholds import write_thresholds
from mtassay.options import split_names
from mtassay.report.figures import check_plot
from mtassay.report.progress import Progress

SourceOption = Annotated[Path | None, typer.Option("--source", "-s", help="Source text, without a run.")]
ReferencesOption = Annotated[
    list[str] | None,
    typer.Option("--reference", "-r", metavar="FILE", help="Its reference, without a run. Repeat."),
]
OutputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system", "-t", metavar="NAME=FILE", help="Outputs that are labelled; of a run, only these systems."
    ),
]
LabelsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Reviews, or rows of id and label. Default: the reviews in the workspace."
    ),
]
QuestionOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Reviews: which question. Default: the one of the run.")
]
ErrorOption = Annotated[
    list[str] | None,
    typer.Option(metavar="LABELS", help="Which answers or labels mean an error: under,over."),
]
PrecisionOption = Annotated[
    float, typer.Option(min=0.01, max=0.99, help="Of what is called wrong, this share must be wrong.")
]

app = typer.Typer(help="How good are the metrics themselves?", no_args_is_help=True)


def register(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    parent.add_typer(app, name="meta")


@app.callback()
def options() -> None:
    """How good are the metrics themselves?"""


@app.command("correlate")
def correlate_command(
    mtme: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Test set, outputs and human scores: a folder of mt-metrics-eval. Needs -l.",
        ),
    ] = None,
    human_scores: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Human scores, where there is no folder. Repeat."),
    ] = None,
    human: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Which human scores: mqm,da-sqm. Default: all."),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAMES",
            help="Metrics with options: bleu,chrf++,ter. Default: bleu,chrf.",
        ),
    ] = None,
    metric_scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Metrics run elsewhere: names in the folder (COMET-refA, COMET, all), or a score file.",
        ),
    ] = None,
    level: Annotated[
        Literal["system", "segment"], typer.Option(help="Agree on systems, or on single translations.")
    ] = "system",
    grouping: Annotated[
        Literal["none", "item", "system"],
        typer.Option(help="Segment level: compare all translations, those of one segment, or of one system."),
    ] = "none",
    ngram_sweep: Annotated[
        str | None, typer.Option(metavar="1-16", help="BLEU of each of these n-gram lengths.")
    ] = None,
    human_vs_human: Annotated[
        bool, typer.Option("--human-vs-human", help="How well human scores agree: the ceiling.")
    ] = False,
    metric_vs_metric: Annotated[
        bool, typer.Option("--metric-vs-metric", help="How well metrics agree with each other.")
    ] = False,
    test: Annotated[
        Literal["randomization", "wmt"],
        typer.Option(help="Which metric is better: whole segments swapped, or ranks as WMT gives them."),
    ] = "randomization",
    alpha: AlphaOption = 0.05,
    resample: Annotated[
        Literal["segments", "systems"] | None,
        typer.Option(
            help="System level: draw these anew for intervals. Default: segments where all metrics allow it."
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system", "-t", metavar="NAME=FILE", help="Outputs of a system, or its name in the folder."
        ),
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="NAMES", help="Systems to leave out.")] = None,
    with_humans: Annotated[
        bool, typer.Option("--with-humans", help="Score human translations of the folder like systems.")
    ] = False,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            "-r",
            metavar="FILE",
            help="Reference, or its name in the folder, where the default is the first (refA). Repeat.",
        ),
    ] = None,
    source: Annotated[Path | None, typer.Option("--source", "-s", help="Source text.")] = None,
    documents: Annotated[
        Path | None, typer.Option(help="Document id per line, or 'domain<TAB>document'.")
    ] = None,
    entities: Annotated[
        Path | None, typer.Option(help="The reference with its named entities marked, for the metric nee.")
    ] = None,
    langpair: PairOption = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw it (.svg or .png): the sweep, or metric against people."),
    ] = None,
    samples: Annotated[int, typer.Option(min=100, help="Resamples for the intervals.")] = 1000,
    trials: Annotated[int, typer.Option(min=100, help="Permutations of the tests.")] = 1000,
    seed: SeedOption = None,
    cache: Annotated[bool, typer.Option(help="Reuse statistics measured before.")] = True,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """How well does a metric agree with people?

    Pearson, Spearman, Kendall, pairwise and soft pairwise accuracy, accuracy
    with calibrated ties, and the prediction error 1 − R², each with a 95 %
    interval; and which metric is significantly better than which.

    \b
    mtassay meta correlate --mtme wmt23/ -l en-de -m bleu,chrf --human mqm
    mtassay meta correlate -r ref.txt -t A=a.txt -t B=b.txt --human-scores da.csv
    mtassay meta correlate --mtme wmt23/ -l en-de --ngram-sweep 1-16 --plot a.svg
    """
    if plot is not None:
        check_plot(plot)
    assessment = correlate(
        system or [],
        reference or [],
        source,
        human_scores=human_scores or [],
        human=human,
        metrics=metric,
        metric_scores=split_names(metric_scores),
        mtme=mtme,
        langpair=langpair,
        level=level,
        grouping=grouping,
        ngram_sweep=ngram_sweep,
        human_vs_human=human_vs_human,
        metric_vs_metric=metric_vs_metric,
        test=test,
        alpha=alpha,
        resample=resample,
        exclude=exclude,
        with_humans=with_humans,
        documents=documents,
        entities=entities,
        samples=samples,
        trials=trials,
        seed=seed,
        workspace=workspace,
        cache=cache,
        creates=True,
        quiet=quiet,
    )
    if plot is not None:
        assessment.draw(plot)
    print_rendered(assessment, output_format)


@app.command("rank", short_help="Rank systems by what people said, as WMT does.")
def rank_command(
    human_scores: Annotated[
        str | None, typer.Option(metavar="FILE", help="Human scores of segments, in any format of ours.")
    ] = None,
    mtme: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Or a folder of mt-metrics-eval. Needs -l.")
    ] = None,
    human: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which human score. Default: the first.")
    ] = None,
    langpair: PairOption = None,
    alpha: AlphaOption = 0.05,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    quiet: QuietOption = False,
) -> None:
    """Rank systems by what people said of their segments, as WMT does.

    Every pair of systems is compared with the one-sided Wilcoxon rank-sum test; a new rank begins where
    all systems above are significantly better than all below.

    \b
    Examples:
    mtassay meta rank --human-scores seg-scores.csv --human Z.SCR
    mtassay meta rank --mtme wmt23/ -l en-de --human mqm
    """
    with Progress(quiet=quiet) as progress:
        progress.report("ranking", 0, None)
        ranking = rank(human_scores, human=human, mtme=mtme, langpair=langpair, alpha=alpha, seed=seed)
    print_rendered(ranking, output_format)


@app.command("challenge", short_help="Does a metric prefer the correct output?")
def challenge_command(
    challenge_set: Annotated[
        str, typer.Argument(metavar="FILE", help="Challenge set, made by 'mtassay suite challenge'.")
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAMES",
            help="Metrics with options: bleu,chrf,ter,use:against=source. Default: bleu,chrf.",
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE", help="Scores of a metric with references that was run elsewhere. Repeat."
        ),
    ] = None,
    qe_scores: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="The same of a metric without references. Repeat."),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Scores in which lower is better.")
    ] = None,
    referenced: Annotated[
        bool,
        typer.Option("--referenced", help="Only pairs with a reference, the same for all metrics."),
    ] = False,
    by: Annotated[
        Literal["category", "phenomenon"], typer.Option(help="What makes a row of the tables.")
    ] = "category",
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the pairwise accuracies (.svg or .png).")
    ] = None,
    alpha: AlphaOption = 0.05,
    samples: Annotated[int, typer.Option(min=100, help="Draws of the permutation tests.")] = 1000,
    seed: SeedOption = None,
    cache: Annotated[bool, typer.Option(help="Reuse statistics measured before.")] = True,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Which metric tells a correct output from an incorrect one, and in which phenomena?

    Pairwise accuracy per category, with 95 % intervals; metrics that read references and metrics that
    read the source alone in two tables. The latter are judged as quality estimation too: by how well
    they tell all correct outputs of a category from all incorrect ones (AUC).

    \b
    Examples:
    mtassay meta challenge c.jsonl -m bleu,chrf,ter
    mtassay meta challenge c.jsonl -m chrf,use:against=source --plot a.svg
    mtassay meta challenge c.jsonl --scores comet=a.txt --qe-scores kiwi=b.tsv
    """
    if plot is not None:
        check_plot(plot)
    discrimination = challenge(
        challenge_set,
        metrics=metric,
        scores=scores or [],
        qe_scores=qe_scores or [],
        lower_is_better=lower_is_better,
        referenced=referenced,
        by=by,
        alpha=alpha,
        samples=samples,
        seed=seed,
        workspace=workspace,
        cache=cache,
        creates=True,
        quiet=quiet,
    )
    if plot is not None:
        discrimination.draw(plot)
    print_rendered(discrimination, output_format)


@app.command("detect", short_help="Precision and recall of detectors of wrong translations.")
def detect_command(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN", help="Saved runs ('last', or ids), each of their detectors apart."),
    ] = None,
    flagged: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="Pairs that a detector flags: id[, system][, score][, flagged] (TSV or JSONL). Repeat.",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Reviews, or rows of id and label. Default: the reviews in the workspace."
        ),
    ] = None,
    question: Annotated[
        str | None, typer.Option(metavar="NAME", help="Reviews: which question. Default: the one of the run.")
    ] = None,
    error: Annotated[
        list[str] | None,
        typer.Option(metavar="LABELS", help="Which answers or labels mean an error: under,over."),
    ] = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", "-t", metavar="NAMES", help="Only these systems.")
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SCORE", help="Flag the pairs of this list with at least this score."),
    ] = None,
    low_is_error: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Lists in which a low score means an error."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw precision against recall (.svg or .png).")
    ] = None,
    samples: Annotated[int, typer.Option(min=100, help="Resamples for the interval of F1.")] = 1000,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """How good are detectors of wrong translations, by what people said of the same pairs?

    Precision and recall of every detector of saved runs (what it lets fail is flagged), and of lists of
    flagged pairs made elsewhere. Pairs without a label are counted and shown, and taken for neither right
    nor wrong.

    \b
    Examples:
    mtassay meta detect last
    mtassay meta detect last 3f2a --labels labels.tsv --plot curve.svg
    mtassay meta detect --flagged short=flagged.tsv --labels labels.tsv
    """
    if plot is not None:
        check_plot(plot)
    with Progress(quiet=quiet) as progress:
        progress.report("detectors", 0, None)
        detection = detect(
            runs or [],
            flagged=flagged or [],
            labels=labels,
            question=question,
            errors=error,
            systems=system,
            thresholds=threshold or [],
            low_is_error=low_is_error,
            samples=samples,
            seed=seed,
            workspace=workspace,
        )
    if plot is not None:
        detection.draw(plot)
    print_rendered(detection, output_format)


@app.command("blindspots", short_help="Which errors does a metric see, on your own test set?")
def blindspots_command(
    source: Annotated[Path, typer.Option("--source", "-s", help="Source text.")],
    reference: Annotated[
        list[str],
        typer.Option("--reference", "-r", metavar="FILE", help="What metrics hold texts against. Repeat."),
    ],
    langpair: Annotated[str, typer.Option("--langpair", "-l", help="Language pair, for example en-de.")],
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            "-t",
            metavar="NAME=FILE",
            help="A good output to put errors into. Default: the last of several references, or the one.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAMES", help="Metrics with options. Default: bleu,chrf,ter."),
    ] = None,
    error: Annotated[
        list[str] | None, typer.Option(metavar="KINDS", help="Only these kinds: negation,number.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Draw so many texts, if there are more.")] = 500,
    write: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all corruptions (.jsonl), as 'meta challenge' reads them."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw maps (.svg or .png).")] = None,
    samples: Annotated[int, typer.Option(min=100, help="Resamples for the intervals.")] = 1000,
    seed: SeedOption = None,
    cache: Annotated[bool, typer.Option(help="Reuse statistics measured before.")] = True,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Which errors does a metric see, in your own texts?

    Errors are put into good translations, one at a time: negations turned round, other numbers, names and
    words, words dropped, doubled or left in the source language, endings left out. For each metric and kind
    of error: how often the corrupted text scores lower, by how much, and whether the score alone would tell.

    \b
    Examples:
    mtassay meta blindspots -s s.txt -r a.txt -r b.txt -l de-en -m bleu,chrf,use
    mtassay meta blindspots -s s.txt -r a.txt -t nmt=o.txt -l de-en --plot a.svg
    """
    if plot is not None:
        check_plot(plot)
    found = blindspots(
        reference,
        source,
        system,
        langpair=langpair,
        metrics=metric,
        errors=error,
        most=most,
        samples=samples,
        seed=seed,
        workspace=workspace,
        cache=cache,
        creates=True,
        quiet=quiet,
    )
    if write is not None:
        write_challenge(write, found.corruptions())
    if plot is not None:
        found.draw(plot)
    print_rendered(found, output_format)


@app.command("calibrate", short_help="From which score on is an output wrong? Thresholds for your engine.")
def calibrate_command(
    run: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="A saved run ('last', or its id) with labels.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAMES", help="Metrics as judges, besides those of the run."),
    ] = None,
    precision: PrecisionOption = 0.8,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write what '--thresholds FILE' reads (.json)."),
    ] = None,
    labels: LabelsOption = None,
    question: QuestionOption = None,
    error: ErrorOption = None,
    source: SourceOption = None,
    reference: ReferencesOption = None,
    system: OutputsOption = None,
    langpair: PairOption = None,
    share: Annotated[
        float,
        typer.Option(min=0.01, max=0.99, help="Without labels: put errors into this share of the texts."),
    ] = 0.3,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the sources that are held out in turn.")] = 5,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """From which score on is an output wrong?

    The threshold of each judge for a wished precision, from 60 to 200 labelled outputs of your own engine,
    and what it does on outputs that had no part in it. A judge that cannot be trusted so far gets none.
    Without labels, errors are put into a share of the references (-s, -r, -l), as in 'meta blindspots'.

    \b
    Examples:
    mtassay meta calibrate last --precision 0.8 -o thresholds.json
    mtassay meta calibrate last -m use,chrf --labels labels.tsv
    mtassay meta calibrate -s s.txt -r r.txt -t nmt=o.txt -m chrf --labels l.tsv
    """
    if output is not None:
        check_targets(output)
    found = calibrate(
        run,
        metrics=metric,
        precision=precision,
        labels=labels,
        question=question,
        errors=error,
        source=source,
        references=reference or (),
        systems=system or (),
        langpair=langpair,
        share=share,
        folds=folds,
        seed=seed,
        workspace=workspace,
        quiet=quiet,
    )
    if output is not None and (thresholds := found.thresholds()):
        write_thresholds(output, thresholds)
    print_rendered(found, output_format)


@app.command("judges", short_help="What does trust cost? Judges of labelled outputs side by side.")
def judges_command(
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="RUN", help="Saved runs ('last', or ids) with labels.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAMES", help="Metrics as judges, besides those of the runs."),
    ] = None,
    flagged: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="What another judge flags: id[, system][, score][, flagged]."),
    ] = None,
    precision: PrecisionOption = 0.8,
    labels: LabelsOption = None,
    question: QuestionOption = None,
    error: ErrorOption = None,
    source: SourceOption = None,
    reference: ReferencesOption = None,
    system: OutputsOption = None,
    langpair: PairOption = None,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """What does trust cost? Judges of the same labelled outputs side by side.

    Precision, recall and AUC, agreement with the labels, seconds, calls and price for 1,000 outputs; every
    two judges together; and how many labels would tell two of them apart.

    \b
    Examples:
    mtassay meta judges last -m use,chrf
    mtassay meta judges -s s.txt -r r.txt -t nmt=o.txt -m use,chrf --labels l.tsv
    """
    found = judges(
        runs or [],
        metrics=metric,
        flagged=flagged or [],
        precision=precision,
        labels=labels,
        question=question,
        errors=error,
        source=source,
        references=reference or (),
        systems=system or (),
        langpair=langpair,
        seed=seed,
        workspace=workspace,
        quiet=quiet,
    )
    print_rendered(found, output_format)
