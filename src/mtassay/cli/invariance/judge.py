"""`mtassay invariance judge`: other structures and thresholds on translations that are there already."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.api import workspace_path
from mtassay.cli.common import (
    FindingsOption,
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    check_targets,
    write_findings,
)
from mtassay.cli.invariance.inputs import WhereArgument, read_material
from mtassay.cli.invariance.judging import JUDGING, Judging, judging
from mtassay.cli.invariance.show import print_invariance, say_next
from mtassay.engine import execute
from mtassay.report.progress import Progress
from mtassay.store import Workspace


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("judge", short_help="Judge stored translations again, in another way.")(judge)


@judging
def judge(
    where: WhereArgument = "last",
    system: SystemOption = None,
    langpair: PairOption = None,
    judging: Judging = JUDGING,
    issues: Annotated[
        int, typer.Option(min=0, metavar="N", help="Print so many issues of each system; 0 for none.")
    ] = 10,
    findings: FindingsOption = None,
    save: Annotated[bool, typer.Option("--save", help="Keep the result as a run of its own.")] = False,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Judge stored variants and outputs: translation is paid once, every structure can be tried on it.

    What is not said is as in the saved run.

    \b
    Examples:
    mtassay invariance judge last --structure raw
    mtassay invariance judge last --structure dependency --preset sure --filter parser,paraphrase
    mtassay invariance judge variants.jsonl -l en-de -t nmt=outputs.jsonl
    """
    check_targets(findings)
    material = read_material(where, system, langpair, workspace)
    method = judging.method(material.pair, material.parameters)
    store = Workspace(workspace_path(workspace)) if save else cache_workspace(workspace)
    with Progress(quiet=quiet) as progress:
        execution = execute(
            method, material.segments, material.systems, workspace=store, report=progress.report
        )
        if save and store:
            execution.save(store)
    write_findings(findings, execution.run)
    print_invariance(execution.run, output_format, issues=issues)
    say_next(execution.run, saved=save, workspace=workspace)
