"""`mtassay meta correlate`, `rank`, `challenge` and `detect`: metrics and detectors held against people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from mtassay.api.agreement import challenge, correlate, detect, rank
from mtassay.cli.common import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    print_rendered,
)
from mtassay.cli.meta.options import (
    MEASURING,
    Measuring,
    labels_chosen,
    measured,
)
from mtassay.options import split_names
from mtassay.report.figures import check_plot
from mtassay.report.progress import Progress


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("correlate")(correlate_command)
    app.command("rank", short_help="Rank systems by what people said, as WMT does.")(rank_command)
    app.command("challenge", short_help="Does a metric prefer the correct output?")(challenge_command)
    app.command("detect", short_help="Precision and recall of detectors of wrong translations.")(
        detect_command
    )


@measured
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
    how: Measuring = MEASURING,
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
        **how.options,
    )
    if plot is not None:
        assessment.draw(plot)
    print_rendered(assessment, how.output_format)


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


@measured
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
    how: Measuring = MEASURING,
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
        **how.options,
    )
    if plot is not None:
        discrimination.draw(plot)
    print_rendered(discrimination, how.output_format)


@labels_chosen
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
    labelled: Mapping[str, Any] = {},
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
            **labelled,
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
