"""`mtassay suite rejudge`: which verdicts change when the rules do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

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
from mtassay.cli.progress import Progress
from mtassay.cli.suite.evidence import RunOption, ask, existing_workspace, suite_run
from mtassay.cli.suite.inputs import Inputs, SuiteArgument, read_inputs
from mtassay.cli.suite.newest import same_items
from mtassay.cli.suite.show_changes import Compared, print_changes
from mtassay.core import Output, Request, Run, System
from mtassay.engine import Execution, execute
from mtassay.errors import UsageError
from mtassay.formats.suite import Suite, read_suite
from mtassay.methods.suite.changes import compare
from mtassay.methods.suite.method import SuiteMethod, segment_of
from mtassay.store import Workspace


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
    chosen = replace(content, items=tuple(item for item in content.items if item.id in same))
    execution = _judge(chosen, _replayed(old, outputs), old.parameters, reviews, store, quiet)
    if save:
        execution.save(store)
        place = f" --workspace {workspace}" if workspace else ""
        say(f"mtassay: saved; see it again: mtassay runs show {execution.run.id}{place}")
    texts = {(system, o.id): o.text for system, answers in outputs.items() for o in answers}
    changes = compare(old.findings, execution.run.findings, texts)
    title = f"{run_id} · {plural(len(same), 'item')} · {plural(len(outputs), 'system')}"
    return Compared(title, changes, _present(left_out))


def _two_files(
    where: str, against: str, texts: list[str], reviews: bool, workspace: Path | None, quiet: bool
) -> Compared:
    store = cache_workspace(workspace)
    new, old = read_inputs(where), read_inputs(against)
    before = {item.id: item.source for item in old.suite.items}
    same = {item.id for item in new.suite.items if before.get(item.id) == item.source}
    if not same:
        raise UsageError(f"{where} and {against} have no item in common.")
    inputs = Inputs(new.whole, replace(new.suite, items=tuple(i for i in new.suite.items if i.id in same)))
    answers = ask(inputs, inputs.systems(texts), store=store, quiet=quiet)
    systems: list[System] = [_Replay(name, {o.id: o for o in given}) for name, given in answers.items()]
    older = replace(old.suite, items=tuple(i for i in old.suite.items if i.id in same))
    first = _judge(older, systems, {}, reviews, store, quiet)
    second = _judge(inputs.suite, systems, {}, reviews, store, quiet)
    left_out = {
        f"items that only one of the files has, or with another source (of {len(before):,} and "
        f"{len(new.suite.items):,})": len(set(before) | {item.id for item in new.suite.items}) - len(same)
    }
    outputs = {(name, o.id): o.text for name, given in answers.items() for o in given}
    changes = compare(first.run.findings, second.run.findings, outputs)
    title = f"{against} → {where} · {plural(len(same), 'item')} · {plural(len(systems), 'system')}"
    return Compared(title, changes, _present(left_out))


def _present(counts: Mapping[str, int]) -> dict[str, int]:
    return {what: count for what, count in counts.items() if count}


def _judge(
    suite: Suite,
    systems: Sequence[System],
    parameters: Mapping[str, Any],
    reviews: bool,
    store: Workspace | None,
    quiet: bool,
) -> Execution:
    kept = {
        key: parameters[key] for key in ("items", "test", "alpha", "samples", "seed") if key in parameters
    }
    method = SuiteMethod(suite, **kept, reviews=reviews)
    with Progress(quiet=quiet) as progress:
        segments = [segment_of(item) for item in suite.items]
        return execute(method, segments, systems, workspace=store, report=progress.report)


@dataclass(frozen=True)
class _Replay(System):
    """A system that says again what it said, failures too."""

    name: str
    outputs: Mapping[str, Output]

    @property
    def signature(self) -> str:
        return f"saved:{self.name}"

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        absent = Output("", None, "no stored output", {"skipped": True})
        return [self.outputs.get(request.id, absent)._replace(id=request.id) for request in requests]


def _replayed(run: Run, outputs: Mapping[str, Sequence[Output]]) -> list[System]:
    """The systems of a run. Whether an output was skipped or failed is known from its finding."""
    skipped = {(f.system, f.case_id) for f in run.findings if f.verdict == "skipped"}
    return [
        _Replay(
            name,
            {o.id: o._replace(meta={"skipped": True}) if (name, o.id) in skipped else o for o in answers},
        )
        for name, answers in outputs.items()
    ]
