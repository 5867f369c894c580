"""`mtassay behavior sweep`: what other thresholds would have said, from qualities that are there already."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import edited_pairs
from mtassay.cli.behavior.options import WhereArgument, check_files
from mtassay.cli.common import OutputFormat, PairOption, SystemOption, print_json, print_tables
from mtassay.cli.frame import FRAME, RunFrame, Values, framed_without, parameters_of
from mtassay.errors import UsageError
from mtassay.methods.behavior.method import BehaviorMethod
from mtassay.methods.behavior.rates import sweep_run
from mtassay.methods.behavior.tables import sweep_figure, sweep_table
from mtassay.report.figures import check_plot, draw


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("sweep", short_help="Pass rates for other thresholds.")(sweep_thresholds)


@framed_without("save", "max_calls", "max_characters", "fresh")
@parameters_of(BehaviorMethod, only_given=True)
def sweep_thresholds(
    where: WhereArgument = "last",
    system: SystemOption = None,
    langpair: PairOption = None,
    alphas: Annotated[
        str, typer.Option(metavar="LIST", help="As 0.5,0.6,0.7. Default: in steps around that of the run.")
    ] = "",
    betas: Annotated[
        str, typer.Option(metavar="LIST", help="As 0.02,0.05. Default: in steps around that of the run.")
    ] = "",
    capability: Annotated[
        str | None, typer.Option("--capability", "-c", metavar="NAME", help="Only cases of this one.")
    ] = None,
    parameters: Values = {},  # noqa: B006
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw a heat map of each system (.svg or .png).")
    ] = None,
    frame: RunFrame = FRAME,
) -> None:
    """The pass rate that every alpha and beta would have given; nothing is translated or measured again.

    A saved run has its qualities; --quality and the like are for cases and outputs from files.

    \b
    Examples:
    mtassay behavior sweep last --plot thresholds.svg
    mtassay behavior sweep cases.jsonl -l en-zh -t a=a.jsonl --alphas 0.5,0.6,0.7,0.8 --betas 0.05,0.1
    """
    if plot:
        check_plot(plot)
    check_files(plot)
    steps = _numbers(alphas, "--alphas"), _numbers(betas, "--betas")
    run = edited_pairs.judged(where, system or [], langpair=langpair, **parameters, **frame.options)
    sweep = sweep_run(run.record, *steps, capability=capability)
    if plot:
        draw(sweep_figure(sweep.scores, chosen=sweep.chosen, title=sweep.title), plot)
    if frame.output_format is OutputFormat.json:
        print_json(sweep.record())
    else:
        table = sweep_table(sweep.scores, chosen=sweep.chosen, title=sweep.title)
        print_tables([table], frame.output_format)


def _numbers(text: str, option: str) -> list[float]:
    """Numbers from 0 to 1, separated by commas."""
    try:
        numbers = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        numbers = [-1.0]
    if not all(0 <= number <= 1 for number in numbers):
        raise UsageError(f"{option} is '{text}'. It must be numbers from 0 to 1: 0.5,0.6,0.7.")
    return list(dict.fromkeys(numbers))
