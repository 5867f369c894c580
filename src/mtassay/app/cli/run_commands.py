"""Commands about saved runs: `runs`, `explain` and `report`."""

from __future__ import annotations

import sys
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app.cli.frame import (
    BetweenOption,
    ExamplesOption,
    FormatOption,
    OutputFormat,
    QuietOption,
    RunArgument,
    SavedRunsArgument,
    WorkspaceOption,
    echo,
    place,
    print_json,
    print_record,
    print_run,
    print_tables,
    refuse_existing,
    say,
    screen_here,
    side_by_side,
    terminal,
    terminal_width,
)
from mtassay.app.reports import ReportForm, write_report
from mtassay.app.runs import Run as Loaded
from mtassay.app.runs import open_workspace, settled_run
from mtassay.data.display import Look, Table
from mtassay.data.errors import UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.marks import plural
from mtassay.data.method import view_of
from mtassay.data.nouns import Run
from mtassay.measures.metric import worth_table
from mtassay.methods.headlines import COLUMNS, columns_table
from mtassay.report.case_text import case_record, case_tables, case_text
from mtassay.report.run_text import block_text
from mtassay.review.case_history import tell_case


def explain(
    case: Annotated[
        str, typer.Argument(metavar="CASE", help="The id of a segment or item, or the word BLEU or columns.")
    ],
    run: Annotated[str | None, typer.Option(metavar="RUN", help="A saved run. Default: the newest.")] = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show one case: every output, why it was judged so, and what people decided.

    \b
    Examples:
    mtassay explain negation-001
    mtassay explain negation-001 --run 20260131
    mtassay explain 17 -f json
    mtassay explain BLEU
    mtassay explain columns
    """
    about = columns_table() if case == "columns" else worth_table(case)
    if run is None and about is not None:
        if case == "columns" and output_format is OutputFormat.text:
            for column in COLUMNS.items():
                echo(textwrap.fill(": ".join(column), terminal_width(), subsequent_indent="  "))
        else:
            print_tables([about], output_format)
        return
    story = tell_case(open_workspace(workspace), case, run=run)
    if output_format is OutputFormat.text:
        echo(case_text(story, screen_here(), width=terminal_width()))
    else:
        print_record(case_record(story), case_tables(story), output_format)


# `mtassay report`: saved runs as one page.


def report(
    runs: SavedRunsArgument = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write it. Default: report.html, or report.md.",
            show_default=False,
        ),
    ] = None,
    output_format: Annotated[
        ReportForm | None,
        typer.Option("--format", "-f", help="Default: by the ending of the file.", show_default=False),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="OLD", help="Say what got worse since this run, system or file of baselines."),
    ] = None,
    title: Annotated[str, typer.Option(help="The title of the page. Default: the systems.")] = "",
    no_themes: Annotated[bool, typer.Option("--no-themes", help="Leave out themes of failures.")] = False,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write saved runs of any method as one page: what matters first, charts, tables, every sentence.

    \b
    Examples:
    mtassay report
    mtassay report 20260801-101500-a1b2 20260801-102000-c3d4 -o news.html
    mtassay report last --against baseline.json -o report.md
    """
    target = output or Path(f"report.{output_format or 'html'}")
    path = write_report(
        runs or ["last"],
        target,
        form=output_format,
        against=against,
        title=title,
        themes=not no_themes,
        workspace=workspace,
        quiet=quiet,
    )
    say(f"mtassay: the report is {path}", quiet=quiet)


# `mtassay runs`: the contents of the workspace.


runs = typer.Typer(help="Show, export, back up and delete saved runs.", no_args_is_help=True)


@runs.command("list")
def list_runs(output_format: FormatOption = OutputFormat.text, workspace: WorkspaceOption = None) -> None:
    """List all runs, newest first."""
    store = open_workspace(workspace)
    runs = store.runs()
    for run_id, why in store.damaged.items():
        say(f"mtassay: run {run_id} cannot be read ({why}). Delete it: mtassay runs delete {run_id}")
    rows = [[run.id, run.method, _short(_about(run), 22), _short(", ".join(run.systems), 22)] for run in runs]
    table = Table(["Run", "method", "about", "systems"], rows)
    print_record([_summary(run) for run in runs], [table], output_format)


@runs.command("show")
def show_run(
    run: RunArgument = "last",
    findings: Annotated[
        bool, typer.Option("--findings", help="Also show the segments that you should look at.")
    ] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Show all pairs, not only the baseline's.")] = False,
    phenomena: Annotated[bool, typer.Option("--phenomena", help="Show every phenomenon.")] = False,
    examples: ExamplesOption = 0,
    between: BetweenOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show one run's result again.

    \b
    Examples:
    mtassay runs show
    mtassay runs show last --findings
    mtassay runs show last --examples 5 --between old,new
    """
    compared = side_by_side(examples, between)
    record = settled_run(open_workspace(workspace), run)
    view = view_of(record)
    look = Look(pairs=pairs, detail=phenomena, cases=0 if findings else None, is_saved=True, **compared)
    if output_format is OutputFormat.json:
        print_json(
            {
                **_summary(record),
                **record.result.as_dict(),
                "findings": [asdict(finding) for finding in record.findings],
                **view.differences_record(look),
            }
        )
        return
    facts = f"{record.id} · {record.method} · {record.started}"
    print_run(record, output_format, look=look, facts=facts)
    if findings:
        _print_findings(record, output_format)
    for line in view.saved_notes():
        say(f"mtassay: {line}{place(workspace)}")


def _print_findings(run: Run, form: OutputFormat) -> None:
    """Return findings to be read by a person; for a program (tsv) all of them, if they fit in a table."""
    view = view_of(run)
    table = view.findings_table(everything=form is OutputFormat.tsv)
    if form is not OutputFormat.text and table is not None:
        echo()
        print_tables([table], form)
        return
    blocks = view.finding_blocks()
    echo(f"\nFindings: {len(blocks):,}")
    for block in blocks:
        echo("\n" + block_text(block, **terminal()))


@runs.command("export")
def export_run(
    run: RunArgument = "last",
    what: Annotated[
        str,
        typer.Option(
            help="What to export: scores, findings, segments (with all outputs), outputs (one per line)."
        ),
    ] = "segments",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Default: standard output.")] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Write a run as JSONL."""
    record = settled_run(open_workspace(workspace), run)
    if what not in ("scores", "findings", "segments", "outputs"):
        raise UsageError(f"Cannot export '{what}'. Available: scores, findings, segments, outputs.")
    records = [asdict(f) for f in record.findings] if what == "findings" else Loaded(record).records(what)
    write_jsonl(output or sys.stdout, records)


@runs.command("delete")
def delete_runs(
    run: Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs by their ids, or 'last'.")],
    with_texts: Annotated[
        bool,
        typer.Option(
            "--with-texts",
            help="For confidential texts: also delete all answers, reviews and cached values with these "
            "texts, without a trace in the file.",
        ),
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Bring deleted runs back.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Delete nothing; show what would be deleted.")
    ] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Delete runs with their outputs and findings.

    The newest 20 deleted runs are kept for --undo. With --with-texts nothing is kept, except texts that
    another run has, too.

    \b
    Examples:
    mtassay runs delete last
    mtassay runs delete last --undo
    mtassay runs delete 20260801-101500-a1b2 --with-texts
    """
    store = open_workspace(workspace)
    if undo:
        for name in run:
            echo(f"Run {store.take_back(name)} is back.")
        return
    if not with_texts:
        for name in run:
            if dry_run:
                echo(f"Run {store.run(name).id} would be deleted.")
            else:
                echo(f"Deleted run {store.throw_away(name)}. Bring it back: --undo")
        return
    purged = store.purge(run, dry_run=dry_run)
    deed = "Would delete" if dry_run else "Deleted"
    echo(
        f"{deed} {plural(len(purged.runs), 'run')}, {plural(purged.answers, 'answer')} of engines, "
        f"{plural(purged.reviews, 'review')} and the cache."
        + ("" if purged.others or dry_run else " None of their texts is left in the file.")
    )
    if purged.others:
        say(
            f"mtassay: other runs have some of the same texts: {', '.join(purged.others)}. "
            "These texts, with their reviews, stay until you delete those runs with --with-texts, too."
        )


@runs.command("backup")
def backup(
    to: Annotated[Path, typer.Argument(metavar="FILE", help="Where to put the copy.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Copy the whole workspace as it is now, even while other commands write to it."""
    refuse_existing(to, force=force, otherwise="add --force")
    open_workspace(workspace).backup(to)
    echo(f"Copied to {to}.")


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
    """Return the suite of a run, or its language pair."""
    suite = str(run.parameters.get("suite") or "").rpartition(" (")[0]
    pair = run.parameters.get("pair") or ()
    return suite or (pair if isinstance(pair, str) else "-".join(pair))


def _short(text: str, width: int = 40) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
