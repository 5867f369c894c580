"""Prints a run of invariance, fresh or from the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from mtassay.cli.common import OutputFormat, echo, plural, print_json, print_tables, say
from mtassay.cli.terminal import shows_bold, terminal_width
from mtassay.core import Run
from mtassay.report.invariance import (
    companion_table,
    issue_block,
    issues_in,
    issues_table,
    seconds_table,
    summary_table,
)
from mtassay.report.scores import score_rows

__all__ = ["print_invariance", "say_next"]


def print_invariance(
    run: Run,
    form: OutputFormat,
    *,
    issues: int = 10,
    facts: str = "",
    seconds: Mapping[str, float] | None = None,
) -> None:
    """What was found, at most `issues` issues of each system in full, then all that was counted.

    `facts` is a line to begin with, `seconds` how long each step took.
    """
    if form is OutputFormat.json:
        findings = [asdict(finding) for finding in run.findings if finding.verdict != "pass"]
        told = {} if seconds is None else {"seconds": dict(seconds)}
        print_json({**run.result.as_dict(), **told, "findings": findings})
        return
    if form is OutputFormat.tsv:
        print_tables([score_rows(run.result)], form)
        return
    comment = "% " if form is OutputFormat.latex else ""
    if facts:
        echo(f"{comment}{facts}\n")
    if form is OutputFormat.text:
        _print_issues(run, issues)
    elif issues:
        print_tables([issues_table(run)], form)
        echo()
    times = seconds_table(seconds) if seconds else None
    print_tables([table for table in (summary_table(run), companion_table(run), times) if table], form)
    for signature in dict.fromkeys(score.signature for score in run.result.scores):
        echo(f"\n{comment}{signature}")


def _print_issues(run: Run, most: int) -> None:
    several = len(run.systems) > 1
    for system in run.systems if most else ():
        found = [finding for finding in issues_in(run) if finding.system == system]
        for finding in found[:most]:
            echo(issue_block(finding, width=terminal_width(), color=shows_bold(), show_system=several) + "\n")
        if len(found) > most:
            where = f" of {system}" if several else ""
            echo(f"… and {plural(len(found) - most, 'more issue')}{where}: --issues {len(found)}\n")


def say_next(run: Run, *, saved: bool, workspace: Path | None) -> None:
    """What can be done with this run, on standard error."""
    place = f" --workspace {workspace}" if workspace else ""
    if not saved:
        say("mtassay: not kept; add --save to review issues and to try other structures without asking again")
        return
    say(f"mtassay: saved; see it again: mtassay runs show {run.id}{place}")
    say(f"mtassay: other structures: mtassay invariance judge {run.id} --structure raw{place}")
    if any(counts["issues"] for counts in run.result.counts.values()):
        say(f"mtassay: which issues are errors? mtassay review next {run.id}{place}")
