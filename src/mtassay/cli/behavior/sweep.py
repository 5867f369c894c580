"""`mtassay behavior sweep`: what other thresholds would have said, from qualities that are there already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.behavior.inputs import (
    WhereArgument,
    check_files,
    is_file,
    read_material,
    refuse_for_saved,
    saved_run,
)
from mtassay.cli.behavior.judging import JUDGING, Judging, judging
from mtassay.cli.behavior.show import check_judged
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    print_json,
    print_tables,
)
from mtassay.core import Run
from mtassay.engine import execute
from mtassay.errors import UsageError
from mtassay.methods.behavior.capabilities.choose import ALIASES, in_usual_order
from mtassay.methods.behavior.method import thresholds_of
from mtassay.methods.behavior.sweeps import sweep
from mtassay.methods.behavior.tables import sweep_figure, sweep_table
from mtassay.report.figures import check_plot, draw
from mtassay.report.progress import Progress

# Wu, Liu, Yeung (2023), tables 9 to 11, go down from the alpha they chose; what a higher one finds, too, is
# worth knowing.
_ALPHA_STEPS = (-0.2, -0.1, 0.0, 0.05, 0.1)
_BETA_FACTORS = (0.4, 1.0, 1.6, 2.2)


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("sweep", short_help="Pass rates for other thresholds.")(sweep_thresholds)


@judging
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
    judging: Judging = JUDGING,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw a heat map of each system (.svg or .png).")
    ] = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
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
    chosen_alphas, chosen_betas = _numbers(alphas, "--alphas"), _numbers(betas, "--betas")
    if is_file(where):
        run = _judge(where, system, langpair, judging, workspace, quiet)
    else:
        run = saved_run(where, workspace)[1]
        refuse_for_saved(run, {"-t": system, "-l": langpair, **judging.given})
    check_judged(run)
    known = thresholds_of(run)
    scores = sweep(
        run.findings,
        chosen_alphas or [min(max(round(known.alpha + step, 4), 0.0), 1.0) for step in _ALPHA_STEPS],
        chosen_betas or [round(known.beta * factor, 4) for factor in _BETA_FACTORS],
        signed=bool(run.parameters.get("signed")),
        capability=_capability(run, capability),
    )
    chosen = f"alpha={known.alpha:g}|beta={known.beta:g}"
    title = f"Other thresholds, {capability}" if capability else "Other thresholds"
    if plot:
        draw(sweep_figure(scores, chosen=chosen, title=title), plot)
    if output_format is OutputFormat.json:
        print_json({"chosen": chosen, "scores": [asdict(score) for score in scores]})
    else:
        print_tables([sweep_table(scores, chosen=chosen, title=title)], output_format)


def _judge(
    where: str,
    system: list[str] | None,
    langpair: str | None,
    judging: Judging,
    workspace: Path | None,
    quiet: bool,
) -> Run:
    material = read_material(where, system, langpair, workspace)
    method = judging.method(material.pair)
    with Progress(quiet=quiet) as progress:
        return execute(
            method,
            material.segments,
            material.systems,
            workspace=cache_workspace(workspace),
            report=progress.report,
        ).run


def _capability(run: Run, name: str | None) -> str | None:
    if name is None:
        return None
    found = in_usual_order(str(finding.evidence.get("capability")) for finding in run.findings)
    wanted = ALIASES.get(name.lower(), name)
    if wanted not in found:
        raise UsageError(f"No case is of the capability '{name}'. There are: {', '.join(found)}.")
    return wanted


def _numbers(text: str, option: str) -> Sequence[float]:
    """Numbers from 0 to 1, separated by commas."""
    try:
        numbers = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        numbers = [-1.0]
    if not all(0 <= number <= 1 for number in numbers):
        raise UsageError(f"{option} is '{text}'. It must be numbers from 0 to 1: 0.5,0.6,0.7.")
    return list(dict.fromkeys(numbers))
