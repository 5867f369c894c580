"""`mtassay meta`: how good are the metrics themselves?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.cli import meta_challenge, meta_detect
from mtassay.cli.common import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    cache_workspace,
    fixed_seed,
    pair_of,
)
from mtassay.cli.meta_inputs import Inputs, read_human_column, split_names
from mtassay.cli.show_agreement import Agreement
from mtassay.cli.show_ranking import print_ranking
from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.meta.correlate import Settings, correlate
from mtassay.meta.measuring import measure_raters
from mtassay.meta.ranking import rank_systems
from mtassay.meta.rater import Rater, rater_from_column
from mtassay.meta.sweep import Sweep, parse_orders
from mtassay.metrics.base import Metric
from mtassay.metrics.bleu import BLEU
from mtassay.options import build, split_specs
from mtassay.report.figures import check_plot
from mtassay.report.progress import Progress
from mtassay.stats import default_seed

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
    trials: Annotated[int, typer.Option(min=100, help="Permutations for soft pairwise accuracy.")] = 1000,
    seed: SeedOption = None,
    cache: Annotated[bool, typer.Option(help="Reuse statistics measured before.")] = True,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """How well does a metric agree with people?

    Pearson, Spearman, Kendall, pairwise and soft pairwise accuracy, and the
    prediction error 1 − R², each with a 95 % interval.

    \b
    mtassay meta correlate --mtme wmt23/ -l en-de -m bleu,chrf --human mqm
    mtassay meta correlate -r ref.txt -t A=a.txt -t B=b.txt --human-scores da.csv
    mtassay meta correlate --mtme wmt23/ -l en-de --ngram-sweep 1-16 --plot a.svg
    """
    if plot is not None:
        check_plot(plot)
    pair = pair_of(langpair)
    wanted = metric or ([] if ngram_sweep or metric_scores or human_vs_human else ["bleu,chrf"])
    metrics = _metrics(wanted, pair)
    sweep = _sweep(ngram_sweep, metrics, pair)
    inputs = Inputs(
        pair=pair,
        human_scores=human_scores or [],
        humans=split_names(human),
        metric_scores=split_names(metric_scores),
        systems=system or [],
        exclude=split_names(exclude),
        with_humans=with_humans,
        references=reference or [],
        source=source,
        documents=documents,
        entities=entities,
        measured=bool(metrics or sweep),
    )
    material = inputs.from_files() if mtme is None else inputs.from_folder(mtme)
    settings = Settings(level, grouping, samples, trials, fixed_seed(seed))
    frame = material.frame
    with Progress(quiet=quiet) as progress:
        measured = measure_raters(
            metrics,
            sweep,
            material.segments,
            material.outputs,
            frame,
            settings=settings,
            labels=material.labels,
            workspace=cache_workspace(workspace) if cache else None,
            report=progress.report,
        )
        progress.report("agreement", 0, None)
        humans = [rater_from_column(column, frame) for column in material.humans]
        raters = [*measured.metrics, *(rater_from_column(column, frame) for column in material.metrics)]
        raters += humans if human_vs_human else []
        _check_raters(raters, humans, human_vs_human)
        main = correlate(raters, humans, frame=frame, settings=settings)
        swept = correlate(measured.sweep, humans, frame=frame, settings=settings, soft=False)
    report = Agreement(material, settings, raters, humans, measured.sweep, main, swept)
    if plot is not None:
        report.draw(plot)
    report.print(output_format)


def _check_raters(raters: Sequence[Rater], humans: Sequence[Rater], human_vs_human: bool) -> None:
    """Results tell raters apart by name, and people need other people to be compared with."""
    if human_vs_human and len(humans) < 2:
        raise UsageError(f"There is only one human score, {humans[0].name}: nothing to compare it with.")
    names = [rater.name for rater in raters]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"Two metrics are called '{twice}'. Leave one out, or rename it in its file.")


def _metrics(specs: Sequence[str], pair: Pair | None) -> dict[str, Metric]:
    language = str(pair.target) if pair else ""
    return {spec: build("metric", spec, language=language) for text in specs for spec in split_specs(text)}


def _sweep(text: str | None, metrics: dict[str, Metric], pair: Pair | None) -> Sweep | None:
    """The orders to sweep, with the settings of the first BLEU among the metrics."""
    if text is None:
        return None
    orders = parse_orders(text)
    for spec, metric in metrics.items():
        if isinstance(metric, BLEU):
            return Sweep.of(spec, metric, orders)
    return Sweep.of("bleu", BLEU(language=str(pair.target) if pair else ""), orders)


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
) -> None:
    """Rank systems by what people said of their segments, as WMT does.

    Every pair of systems is compared with the one-sided Wilcoxon rank-sum test; a new rank begins where
    all systems above are significantly better than all below.

    \b
    Examples:
    mtassay meta rank --human-scores seg-scores.csv --human Z.SCR
    mtassay meta rank --mtme wmt23/ -l en-de --human mqm
    """
    column = read_human_column(human_scores, mtme, human, pair_of(langpair))
    result = rank_systems(column, alpha=alpha, seed=seed if seed is not None else default_seed())
    print_ranking(result, output_format, alpha=alpha)


meta_challenge.register(app)
meta_detect.register(app)
