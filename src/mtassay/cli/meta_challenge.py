"""`mtassay meta challenge`: does a metric prefer correct outputs?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.cli.common import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    cache_workspace,
    fixed_seed,
)
from mtassay.cli.meta_inputs import split_names
from mtassay.cli.show_challenge import Judged
from mtassay.errors import InputError, UsageError
from mtassay.formats.challenge import ChallengePair, read_challenge
from mtassay.languages import parse_pair
from mtassay.meta.challenge import Kind, MetricScores, Settings, between_kinds, pairwise
from mtassay.meta.estimation import discrimination
from mtassay.meta.measuring import measure_pairs, read_pairs_scores
from mtassay.metrics.base import Metric
from mtassay.options import build, split_specs
from mtassay.report.plots import check_plot
from mtassay.report.progress import Progress


def register(app: typer.Typer) -> None:
    """Add the command to the commands of `mtassay meta`."""
    app.command("challenge", short_help="Does a metric prefer the correct output?")(challenge)


def challenge(
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
    whole = read_challenge(challenge_set)
    pairs = [pair for pair in whole if pair.reference is not None] if referenced else whole
    if not pairs:
        raise InputError("no pair has a reference", path=challenge_set)
    wanted = metric or ([] if scores or qe_scores else ["bleu,chrf"])
    metrics = _metrics([spec for text in wanted for spec in split_specs(text)], pairs)
    settings = Settings(by, alpha, samples, fixed_seed(seed))
    elsewhere = _external(scores or [], qe_scores or [], split_names(lower_is_better), whole)
    if referenced:
        rows = [row for row, pair in enumerate(whole) if pair.reference is not None]
        elsewhere = [replace(m, correct=m.correct[rows], incorrect=m.incorrect[rows]) for m in elsewhere]
    _check_names([*metrics, *(each.name for each in elsewhere)])
    with Progress(quiet=quiet) as progress:
        measured = measure_pairs(
            metrics,
            pairs,
            workspace=cache_workspace(workspace) if cache else None,
            report=progress.report,
        )
        judged = [*measured, *elsewhere]
        progress.report("accuracy", 0, None)
        accuracy = pairwise(pairs, judged, settings)
        areas = discrimination(pairs, [each for each in judged if each.kind == "reference-free"], settings)
        between = between_kinds(pairs, judged, accuracy, settings)
    report = Judged(pairs, judged, settings, accuracy, areas, between)
    if plot is not None:
        report.draw(plot)
    report.print(output_format)


def _metrics(specs: Sequence[str], pairs: Sequence[ChallengePair]) -> dict[str, Metric]:
    langpairs = {pair.langpair for pair in pairs if pair.langpair}
    targets = {str(parse_pair(langpair).target) for langpair in langpairs}
    language = targets.pop() if len(targets) == 1 else ""
    return {spec: build("metric", spec, language=language) for spec in specs}


def _external(
    scores: Sequence[str], qe_scores: Sequence[str], lower: Sequence[str], whole: Sequence[ChallengePair]
) -> list[MetricScores]:
    """Files of scores belong to the whole challenge set, whatever part of it is judged."""
    found = []
    kinds: list[tuple[Kind, Sequence[str]]] = [("reference-based", scores), ("reference-free", qe_scores)]
    for kind, texts in kinds:
        for text in texts:
            name, equals, file = text.partition("=")
            if not equals or not name or not file:
                raise UsageError(f"'{text}' must be NAME=FILE.")
            higher = name not in lower
            found.append(read_pairs_scores(name, file, whole, kind=kind, higher_is_better=higher))
    strangers = [name for name in lower if name not in {each.name for each in found}]
    if strangers:
        raise UsageError(f"--lower-is-better: no file of scores is called '{strangers[0]}'.")
    return found


def _check_names(names: Sequence[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"Two metrics are called '{twice}'. Give one another name.")
