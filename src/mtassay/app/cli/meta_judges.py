"""`mtassay meta calibrate` and `judges`: how far to trust a judge."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.app.cli.common import (
    FormatOption,
    OutputFormat,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    check_targets,
    print_rendered,
)
from mtassay.app.cli.meta_agreement import (
    PrecisionOption,
    outputs_labelled,
)
from mtassay.app.judge_trust import calibrate, judges
from mtassay.data.formats.evaluation_files import write_thresholds


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command(
        "calibrate", short_help="From which score on is an output wrong? Thresholds for your engine."
    )(calibrate_command)
    app.command("judges", short_help="Who finds wrong translations? Detectors, judges, metrics by labels.")(
        judges_command
    )


@outputs_labelled
def calibrate_command(
    run: Annotated[str | None, typer.Argument(metavar="[RUN]", help="A saved run with labels.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metrics", "-m", metavar="NAMES", help="Metrics as judges, besides those of the run."),
    ] = None,
    precision: PrecisionOption = 0.8,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the thresholds (.json).")
    ] = None,
    labelled: Mapping[str, Any] = {},
    folds: Annotated[int, typer.Option(min=2, help="Parts of the sources that are held out in turn.")] = 5,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """From which score on is an output wrong?

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
        seed=seed,
        workspace=workspace,
        quiet=quiet,
    )
    if output is not None and (thresholds := found.thresholds()):
        write_thresholds(output, thresholds)
    print_rendered(found, output_format)


@outputs_labelled
def judges_command(
    runs: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="Saved runs with labels.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metrics", "-m", metavar="NAMES", help="Metrics as judges, besides the runs' own."),
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
        typer.Option(metavar="NAME=SCORE", help="Flag the pairs of this list with at least this score."),
    ] = None,
    low_is_error: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Lists in which a low score means an error.")
    ] = None,
    precision: PrecisionOption = 0.8,
    labelled: Mapping[str, Any] = {},
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
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
        seed=seed,
        workspace=workspace,
        quiet=quiet,
    )
    print_rendered(found, output_format)
