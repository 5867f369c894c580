"""`mtassay suite rejudge`: which verdicts change when the rules do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    QuietOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    plural,
    say,
)
from mtassay.cli.suite.evidence import RunOption, ask, existing_workspace, suite_run
from mtassay.cli.suite.inputs import Inputs, SuiteArgument, read_inputs
from mtassay.cli.suite.newest import same_items
from mtassay.cli.suite.show_changes import Compared, print_changes
from mtassay.cli.suite.verdicts import judge_systems
from mtassay.core import Output
from mtassay.engine import execute
from mtassay.errors import UsageError
from mtassay.formats.suite import Suite, read_suite
from mtassay.methods.suite.changes import compare
from mtassay.methods.suite.method import SuiteMethod
from mtassay.report.progress import Progress
from mtassay.systems.stored import Replay, replays

_KEPT = ("items", "test", "alpha", "samples", "seed")
"""Parameters of the saved run that hold for the new judgement."""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("rejudge", short_help="Which verdicts changed with the rules of today?")(rejudge)


def rejudge(
    suite: SuiteArgument,
    run: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="A saved run. Default: the newest of this suite.")
    ] = None,
    run_option: RunOption = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="SUITE", help="The suite as it was, to compare two files on the outputs of -t."),
    ] = None,
    system: SystemOption = None,
    reviews: Annotated[bool, typer.Option(help="Let what reviewers decided settle outputs.")] = True,
    save: Annotated[bool, typer.Option("--save", help="Keep the new judgement as a run of its own.")] = False,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Judge the outputs of a saved run again with the rules of today, and show each verdict that changed.

    \b
    Examples:
    mtassay suite rejudge my.yaml
    mtassay suite rejudge my.yaml 20260801-101500-ab12 --save
    mtassay suite rejudge my.yaml --against my-old.yaml -t outputs/
    """
    if run and run_option:
        raise UsageError("Name the run once: as RUN or with --run.")
    run = run or run_option
    if against is not None:
        if run is not None or save:
            raise UsageError("--against compares two files on the outputs of -t: leave out RUN and --save.")
        if not system:
            raise UsageError("--against needs outputs to judge: add -t NAME=FILE.")
        found = _two_files(suite, against, system, reviews, workspace, quiet)
    else:
        if system:
            raise UsageError("A saved run has its outputs: leave out -t, or add --against SUITE.")
        found = _saved_run(suite, run, reviews, save, workspace, quiet)
    print_changes(found, output_format)


def _saved_run(
    where: str, name: str | None, reviews: bool, save: bool, workspace: Path | None, quiet: bool
) -> Compared:
    store = existing_workspace(workspace)
    content = read_suite(where)
    run_id = suite_run(store, name, content)
    if store is None or run_id is None:
        raise UsageError(f"There is no saved run of {where} yet: add --save to 'mtassay suite run'.")
    old, segments, outputs = store.run(run_id), store.segments(run_id), store.outputs(run_id)
    sources = {item.id: item.source for item in content.items}
    asked = {segment.id: segment.source for segment in segments}
    same = same_items(segments, content)
    left_out = {
        "items that are not in the file any more": sum(key not in sources for key in asked),
        "items whose source has changed since": sum(key in sources and key not in same for key in asked),
        "items that are new since": sum(key not in asked for key in sources),
    }
    if not same:
        raise UsageError(f"The run {run_id} has no item of {where}. See: mtassay runs list")
    inputs = Inputs(content, _only(content, same))
    kept = {key: old.parameters[key] for key in _KEPT if key in old.parameters}
    method = SuiteMethod(inputs.suite, **kept, reviews=reviews)
    with Progress(quiet=quiet) as progress:
        systems = replays(old)
        execution = execute(method, inputs.segments, systems, workspace=store, report=progress.report)
    if save:
        execution.save(store)
        place = f" --workspace {workspace}" if workspace else ""
        say(f"mtassay: saved; see it again: mtassay runs show {execution.run.id}{place}")
    changes = compare(old.findings, execution.run.findings, _texts(outputs))
    title = f"{run_id} · {plural(len(same), 'item')} · {plural(len(outputs), 'system')}"
    return Compared(title, changes, left_out)


def _two_files(
    where: str, against: str, texts: list[str], reviews: bool, workspace: Path | None, quiet: bool
) -> Compared:
    new, old = read_inputs(where), read_inputs(against)
    same = same_items(old.segments, new.suite)
    if not same:
        raise UsageError(f"{where} and {against} have no item in common.")
    before, now = (Inputs(each.whole, _only(each.suite, same)) for each in (old, new))
    answers = ask(now, now.systems(texts), store=cache_workspace(workspace), quiet=quiet)
    systems = [Replay(name, {o.id: o for o in given}) for name, given in answers.items()]
    first, second = (
        judge_systems(each, systems, reviews=reviews, workspace=workspace, quiet=quiet).run.findings
        for each in (before, now)
    )
    items = {item.id for each in (old, new) for item in each.suite.items}
    left_out = {
        f"items that only one of the files has, or with another source (of {len(old.suite.items):,} and "
        f"{len(new.suite.items):,})": len(items) - len(same)
    }
    title = f"{against} → {where} · {plural(len(same), 'item')} · {plural(len(systems), 'system')}"
    return Compared(title, compare(first, second, _texts(answers)), left_out)


def _only(suite: Suite, ids: set[str]) -> Suite:
    return replace(suite, items=tuple(item for item in suite.items if item.id in ids))


def _texts(outputs: Mapping[str, Sequence[Output]]) -> dict[tuple[str, str], str | None]:
    return {(system, output.id): output.text for system, given in outputs.items() for output in given}
