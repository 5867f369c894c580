"""`mtassay gate`: whether a saved run keeps its rules; for CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.app import history
from mtassay.app.cli.common import (
    AlphaOption,
    FormatOption,
    OutputFormat,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    check_targets,
    print_rendered,
    say,
)
from mtassay.data.errors import UsageError
from mtassay.data.marks import plural
from mtassay.methods.paired_scores import Snapshot, write_baseline
from mtassay.stats.resampling import chosen_seed


def register(parent: typer.Typer) -> None:
    """Add the command to the command line."""
    parent.command("gate", short_help="Does a run keep the rules? For CI.")(gate)


def gate(
    run: Annotated[
        str,
        typer.Argument(metavar="[RUN]", help="A run's id, RUN:SYSTEM, a system (its newest run), or 'last'."),
    ] = "last",
    rule: Annotated[
        list[str] | None, typer.Option("--rule", metavar="RULE", help="A rule to keep. Repeat.")
    ] = None,
    rules: Annotated[Path | None, typer.Option("--rules", metavar="FILE", help="Rules, one a line.")] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="What rules that compare hold the run against: a run, RUN:SYSTEM, a system of this run or "
            "of an earlier one, or a file of --write-baseline.",
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system", metavar="NAME", help="Only this system. Repeat. Default: all but the baseline."
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML there, for a CI server.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Write Markdown there, for a pull request."),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--write-baseline",
            metavar="FILE",
            help="Keep the run there as the baseline of later ones, if it passes; small enough for git.",
        ),
    ] = None,
    alpha: AlphaOption = 0.05,
    trials: Annotated[int, typer.Option(min=100, help="Trials of the randomization test.")] = 10000,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Check a saved run of any method against rules; exit with 1 if one is not kept.

    \b
    Examples:
    mtassay gate last --rule 'bleu >= 30' --rule 'undecided <= 5 %'
    mtassay gate last --baseline nmt-v1 --rule 'no phenomenon significantly worse'
    mtassay gate last --baseline base.json --rules gates.txt --junit gate.xml
    mtassay gate last --write-baseline base.json
    """
    check_targets(junit, markdown, keep)
    all_rules = [*(rule or []), *(history.read_rules(rules) if rules else [])]
    if not all_rules and keep is None:
        raise UsageError("There is no rule: add --rule 'bleu >= 30', --rules FILE, or --write-baseline FILE.")
    record = history.load_run(run, workspace=workspace)
    passed = True
    if all_rules:
        report = history.gate(
            record,
            *all_rules,
            baseline=baseline,
            systems=system or (),
            alpha=alpha,
            trials=trials,
            seed=chosen_seed(seed),
            workspace=workspace,
        )
        passed = report.passed
        print_rendered(report, output_format)
        if junit is not None:
            junit.write_text(report.junit(), encoding="utf-8")
        if markdown is not None:
            markdown.write_text(report.markdown(), encoding="utf-8")
    if keep is not None and passed:
        names = system or list(record.systems)
        write_baseline(keep, [Snapshot.of(record, name) for name in names])
        say(f"mtassay: kept {plural(len(names), 'system')} of run {record.id} in {keep}", quiet=quiet)
    if not passed:
        raise typer.Exit(1)
