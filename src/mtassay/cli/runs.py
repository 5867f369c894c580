"""`mtassay runs`: what is in the workspace."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    WorkspaceOption,
    echo,
    open_workspace,
    print_json,
    print_tables,
    say,
)
from mtassay.cli.show import findings_with_texts, print_run, texts_by_id
from mtassay.cli.suite.show import print_suite
from mtassay.cli.terminal import shows_bold, terminal_width
from mtassay.core import Run
from mtassay.errors import UsageError
from mtassay.formats import segment_record, write_jsonl
from mtassay.methods.suite.method import SuiteMethod
from mtassay.report.behavior_failures import case_block, cases_table, worth_a_look
from mtassay.report.findings import why
from mtassay.report.table import Table

app = typer.Typer(help="See, export and delete the runs kept with --save.", no_args_is_help=True)


def register(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    parent.add_typer(app, name="runs")


RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of it, or 'last'.")
]


@app.command("list")
def list_runs(output_format: FormatOption = OutputFormat.text, workspace: WorkspaceOption = None) -> None:
    """List all runs, newest first."""
    runs = open_workspace(workspace).runs()
    if output_format is OutputFormat.json:
        print_json([_summary(run) for run in runs])
        return
    rows = [[run.id, run.method, _short(_about(run), 24), _short(", ".join(run.systems), 24)] for run in runs]
    print_tables([Table(["Run", "method", "about", "systems"], rows)], output_format)


@app.command("show")
def show_run(
    run: RunArgument = "last",
    findings: Annotated[bool, typer.Option("--findings", help="Show the segments worth a look too.")] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Show all pairs, not only the baseline's.")] = False,
    phenomena: Annotated[
        bool, typer.Option("--phenomena", help="Of a suite, show every phenomenon, not only categories.")
    ] = False,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show one run's result again."""
    store = open_workspace(workspace)
    found = store.run(run)
    if output_format is OutputFormat.json:
        print_json(
            {
                **_summary(found),
                **found.result.as_dict(),
                "findings": [asdict(finding) for finding in found.findings],
            }
        )
        return
    facts = f"{found.id} · {found.method} · {found.started}"
    if found.method == SuiteMethod.name:
        print_suite(
            found,
            store.segments(found.id),
            store.outputs(found.id),
            output_format,
            facts=facts,
            phenomena=phenomena,
        )
    elif found.method == "invariance":
        from mtassay.cli.invariance.show import print_invariance

        print_invariance(found, output_format, facts=facts)
        place = f" --workspace {workspace}" if workspace else ""
        say(f"mtassay: as judged then; with later reviews: mtassay invariance judge {found.id}{place}")
    elif found.method == "behavior":
        from mtassay.cli.behavior.show import print_behavior

        print_behavior(found, output_format, facts=facts, failures=0 if findings else 5)
        if findings:
            _print_cases(found, output_format)
            return
    else:
        print_run(found, output_format, all_pairs=pairs, facts=facts)
    if findings:
        echo("\nFindings")
        for record in findings_with_texts(found.findings, store.segments(found.id), store.outputs(found.id)):
            where = " · ".join((record["case_id"], record["system"], record["detector"]))
            echo(f"\n{where}: {why(record['evidence'])}")
            for key in ("source", "output"):
                if record.get(key):
                    echo(f"    {key}: {record[key]}")


def _print_cases(run: Run, form: OutputFormat) -> None:
    """The failed and undecided cases of a behaviour run for a person; for a program (tsv) every finding."""
    shown = run.findings if form is OutputFormat.tsv else worth_a_look(run)
    title = f"Findings: {len(shown):,}"
    if form is not OutputFormat.text:
        echo()
        print_tables([cases_table(shown, title=title)], form)
        return
    echo(f"\n{title}")
    several = len(run.systems) > 1
    for finding in shown:
        echo("\n" + case_block(finding, width=terminal_width(), color=shows_bold(), show_system=several))


@app.command("export")
def export_run(
    run: RunArgument = "last",
    what: Annotated[
        str, typer.Option(help="What to export: scores, findings, or segments (with all outputs).")
    ] = "segments",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write. Default: standard output.")
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Write a run as JSONL."""
    store = open_workspace(workspace)
    found = store.run(run)
    if what == "scores":
        records = [asdict(score) for score in found.result.scores]
    elif what == "findings":
        records = [asdict(finding) for finding in found.findings]
    elif what == "segments":
        texts = texts_by_id(store.outputs(found.id))
        records = [
            segment_record(segment, outputs={name: given.get(segment.id) for name, given in texts.items()})
            for segment in store.segments(found.id)
        ]
    else:
        raise UsageError(f"Cannot export '{what}'. Available: scores, findings, segments.")
    write_jsonl(output or sys.stdout, records)


@app.command("delete")
def delete_run(run: Annotated[str, typer.Argument(metavar="RUN")], workspace: WorkspaceOption = None) -> None:
    """Delete a run with its outputs and findings."""
    echo(f"Deleted run {open_workspace(workspace).delete_run(run)}.")


def _summary(run: Run) -> dict[str, object]:
    return {
        "id": run.id,
        "method": run.method,
        "started": run.started,
        "systems": list(run.systems),
        "parameters": dict(run.parameters),
        "versions": dict(run.versions),
    }


def _about(run: Run) -> str:
    """The suite of a run, or its language pair."""
    suite = str(run.parameters.get("suite") or "").rpartition(" (")[0]
    pair = run.parameters.get("pair") or ()
    return suite or (pair if isinstance(pair, str) else "-".join(pair))


def _short(text: str, width: int = 40) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
