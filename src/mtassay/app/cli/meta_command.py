"""`mtassay meta`: metrics, judges and systems compared with people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from mtassay.app.cli.frame import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    check_targets,
    grouped,
    print_rendered,
)
from mtassay.app.judge_trust import calibrate, judges
from mtassay.app.metric_agreement import correlate
from mtassay.app.metric_agreement import rank as rank_by_people
from mtassay.data.formats.evaluation_files import write_thresholds
from mtassay.data.settings import split_names
from mtassay.report.plots import check_plot

# Parts of the meta commands: labels, labelled outputs, settings of metrics.


SourceOption = Annotated[Path | None, typer.Option("--source", "-s", help="Source text, if there is no run.")]
ReferencesOption = Annotated[
    list[str] | None,
    typer.Option("--reference", "-r", metavar="FILE", help="Its reference, if there is no run. Repeat."),
]
OutputsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system", "-t", metavar="NAME=FILE", help="The labelled outputs; for a run, the systems to use."
    ),
]
LabelsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Reviews, or rows of id and label. Default: the reviews in the workspace."
    ),
]
QuestionOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The question of the reviews. Default: the question of the run."),
]
ErrorOption = Annotated[
    list[str] | None,
    typer.Option(metavar="LABELS", help="Answers or labels that mean an error: under,over."),
]
PrecisionOption = Annotated[
    float,
    typer.Option(min=0.01, max=0.99, help="The share of outputs called wrong that must really be wrong."),
]

_LABELLED = {
    "labels": (LabelsOption, None),
    "question": (QuestionOption, None),
    "error": (ErrorOption, None),
    "source": (SourceOption, None),
    "reference": (ReferencesOption, None),
    "system": (OutputsOption, None),
    "langpair": (PairOption, None),
}


def _labelled_outputs(values: Mapping[str, Any]) -> dict[str, Any]:
    """The labels to use and the outputs they are about, as the library takes them."""
    return {
        "labels": values["labels"],
        "question": values["question"],
        "errors": values["error"],
        "source": values["source"],
        "references": values["reference"] or (),
        "systems": values["system"] or (),
        "langpair": values["langpair"],
    }


outputs_labelled = grouped("labelled", _LABELLED, _labelled_outputs)


@dataclass(frozen=True)
class Measuring:
    """How to measure and show metrics."""

    seed: int | None = None
    output_format: OutputFormat = OutputFormat.text
    workspace: Path | None = None
    quiet: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """The same for a function of the library."""
        return {"seed": self.seed, "workspace": self.workspace, "quiet": self.quiet}


MEASURING = Measuring()
measured = grouped(
    "how",
    {
        "seed": (SeedOption, None),
        "output_format": (FormatOption, OutputFormat.text),
        "workspace": (WorkspaceOption, None),
        "quiet": (QuietOption, False),
    },
    lambda values: Measuring(**values),
)


# `mtassay meta correlate`: metrics and systems compared with people.


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
        list[str] | None, typer.Option(metavar="FILE", help="Human scores, if there is no folder. Repeat.")
    ] = None,
    human: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Human scores. Default: all.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="NAMES",
            help="Metrics with options: bleu,chrf++,ter. Default: bleu,chrf.",
        ),
    ] = None,
    metric_scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Metrics that were run elsewhere: names in the folder (COMET-refA, COMET, all), or a score "
            "file.",
        ),
    ] = None,
    level: Annotated[Literal["system", "segment"], typer.Option(help="Systems, or translations.")] = "system",
    grouping: Annotated[
        Literal["none", "item", "system"],
        typer.Option(
            help="Segment level: compare all translations (none), translations of one segment "
            "(item), or translations by one system (system)."
        ),
    ] = "none",
    ngram_sweep: Annotated[
        str | None, typer.Option(metavar="1-16", help="Correlate BLEU with these longest n-grams.")
    ] = None,
    human_vs_human: Annotated[bool, typer.Option("--human-vs-human", help="Compare human scores.")] = False,
    metric_vs_metric: Annotated[bool, typer.Option("--metric-vs-metric", help="Compare metrics.")] = False,
    rank: Annotated[
        bool, typer.Option("--rank", help="Rank the systems by human scores, as WMT does.")
    ] = False,
    test: Annotated[
        Literal["randomization", "wmt"],
        typer.Option(
            help="The test that compares metrics: swap whole segments, or rank metrics as WMT does."
        ),
    ] = "randomization",
    alpha: AlphaOption = 0.05,
    resample: Annotated[
        Literal["segments", "systems"] | None,
        typer.Option(
            help="System level: what intervals resample. Default: segments, if all metrics allow it."
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system", "-t", metavar="NAME=FILE", help="The outputs of a system, or its name in the folder."
        ),
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="NAMES", help="Systems to leave out.")] = None,
    with_humans: Annotated[
        bool, typer.Option("--with-humans", help="Score human translations, too.")
    ] = False,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            "-r",
            metavar="FILE",
            help="Reference, or its name in the folder. Default in a folder: the first (refA). Repeat.",
        ),
    ] = None,
    source: Annotated[Path | None, typer.Option("--source", "-s", help="Source text.")] = None,
    documents: Annotated[Path | None, typer.Option(help="Document of each line.")] = None,
    entities: Annotated[Path | None, typer.Option(help="The reference with marked names, for nee.")] = None,
    langpair: PairOption = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the sweep or the agreement (.svg, .png).")] = None,
    samples: Annotated[int, typer.Option(min=100, help="Resamples for the intervals.")] = 1000,
    trials: Annotated[int, typer.Option(min=100, help="Permutations of the tests.")] = 1000,
    how: Measuring = MEASURING,
) -> None:
    """How well does a metric agree with people?

    Correlations, pairwise accuracies and prediction error, with 95 % intervals, and which metric is better.
    With --rank, systems are ranked by human scores.

    \b
    mtassay meta correlate --mtme wmt23/ -l en-de -m bleu,chrf --human mqm
    mtassay meta correlate -r ref.txt -t A=a.txt -t B=b.txt --human-scores da.csv
    mtassay meta correlate --mtme wmt23/ -l en-de --ngram-sweep 1-16 --plot a.svg
    mtassay meta correlate --rank --human-scores seg-scores.csv --human Z.SCR
    """
    if plot is not None:
        check_plot(plot)
    if rank:
        ranking = rank_by_people(
            human_scores or None,
            human=human,
            mtme=mtme,
            langpair=langpair,
            alpha=alpha,
            seed=how.seed,
        )
        print_rendered(ranking, how.output_format)
        return
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
        creates=True,
        **how.options,
    )
    if plot is not None:
        assessment.draw(plot)
    print_rendered(assessment, how.output_format)


@measured
@outputs_labelled
def calibrate_command(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="A saved run with labels.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics", "-m", metavar="NAMES", help="Metrics to use as judges, besides those of the run."
        ),
    ] = None,
    precision: PrecisionOption = 0.8,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the thresholds (.json).")
    ] = None,
    labelled: Mapping[str, Any] = {},
    folds: Annotated[
        int, typer.Option(min=2, help="Into how many parts the sources are split; each is held out once.")
    ] = 5,
    how: Measuring = MEASURING,
) -> None:
    """Find the score below which an output is wrong.

    Thresholds for a wanted precision, from 60 to 200 labelled outputs of your own engine.

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
        **labelled,
        folds=folds,
        **how.options,
    )
    if output is not None and (thresholds := found.thresholds()):
        write_thresholds(output, thresholds)
    print_rendered(found, how.output_format)


@measured
@outputs_labelled
def judges_command(
    runs: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="Saved runs with labels.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics", "-m", metavar="NAMES", help="Metrics to use as judges, besides those of the runs."
        ),
    ] = None,
    flagged: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="What another judge flags: id[, system][, score][, flagged] (TSV or JSONL). Repeat.",
        ),
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SCORE", help="Flag the pairs of this list that have at least this score."),
    ] = None,
    low_is_error: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Lists in which a low score means an error.")
    ] = None,
    precision: PrecisionOption = 0.8,
    labelled: Mapping[str, Any] = {},
    how: Measuring = MEASURING,
) -> None:
    """How good are detectors, judges and metrics at finding wrong translations, by people's labels?

    Precision, recall, F1 and AUC.

    \b
    Examples:
    mtassay meta judges last -m use,chrf
    mtassay meta judges --flagged short=flagged.tsv --labels labels.tsv
    mtassay meta judges -s s.txt -r r.txt -t nmt=o.txt -m use,chrf --labels l.tsv
    """
    found = judges(
        runs or [],
        metrics=metric,
        flagged=flagged or [],
        thresholds=threshold or [],
        low_is_error=low_is_error,
        precision=precision,
        **labelled,
        **how.options,
    )
    print_rendered(found, how.output_format)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("correlate")(correlate_command)
    app.command("calibrate", short_help="Find the score below which an output of your engine is wrong.")(
        calibrate_command
    )
    app.command("judges", short_help="Compare detectors, judges and metrics with labels.")(judges_command)
