"""Prints a run of behavioural tests, fresh or from the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from mtassay.cli.common import OutputFormat, echo, plural, print_json, print_tables, say
from mtassay.cli.terminal import shows_bold, terminal_width
from mtassay.core import Run, System
from mtassay.errors import UsageError
from mtassay.methods.behavior.nouns import edited_id
from mtassay.methods.behavior.sweeps import error_positions
from mtassay.methods.behavior.thresholds import caution
from mtassay.report.behavior import pass_rate_table, position_table, status_table
from mtassay.report.behavior_failures import case_block, failures_in, failures_table
from mtassay.report.scores import score_rows
from mtassay.systems.live import LiveSystem

__all__ = ["check_judged", "print_behavior", "say_next"]


def print_behavior(run: Run, form: OutputFormat, *, failures: int = 5, facts: str = "") -> None:
    """At most `failures` failed cases of each system in full, then pass rates and all that was counted.

    `facts` is a line to begin with.
    """
    positions = error_positions(run.findings)
    if form is OutputFormat.json:
        findings = [asdict(finding) for finding in run.findings if finding.verdict != "pass"]
        where = [asdict(score) for score in positions]
        print_json({**run.result.as_dict(), "positions": where, "findings": findings})
        return
    if form is OutputFormat.tsv:
        print_tables([score_rows(run.result)], form)
        return
    comment = "% " if form is OutputFormat.latex else ""
    if facts:
        echo(f"{comment}{facts}\n")
    if form is OutputFormat.text:
        _print_failures(run, failures, more=f"mtassay behavior judge {run.id} " if facts else "")
    elif failures:
        print_tables([failures_table(run, most=failures)], form)
        echo()
    mark = "*" if form is OutputFormat.text and not shows_bold() else ""
    tables = [
        pass_rate_table(
            run.result, alpha=float(run.parameters.get("level", 0.05)), mark=mark, caution=_caution(run)
        ),
        status_table(run),
        position_table(positions, run.findings),
    ]
    print_tables([table for table in tables if table], form)
    for signature in dict.fromkeys(score.signature for score in run.result.scores):
        echo(f"\n{comment}{signature}")


def _caution(run: Run) -> str:
    given = run.parameters
    quality, pair = "+".join(given.get("quality") or ()), str(given.get("pair", ""))
    direct = bool(given.get("direct", True))
    return caution(quality, pair, alpha=given.get("alpha"), beta=given.get("beta"), direct=direct)


def _print_failures(run: Run, most: int, *, more: str) -> None:
    """`more` is the command that shows more of them, where it is not this one."""
    several = len(run.systems) > 1
    for system in run.systems if most else ():
        found = [finding for finding in failures_in(run) if finding.system == system]
        for finding in found[:most]:
            block = case_block(finding, width=terminal_width(), color=shows_bold(), show_system=several)
            echo(block + "\n")
        if len(found) > most:
            where = f" of {system}" if several else ""
            left = plural(len(found) - most, "more failed case")
            echo(f"… and {left}{where}: {more}--failures {len(found)}\n")


def check_judged(run: Run) -> None:
    """An error if not one case could be judged, with what was in the way of the first."""
    if not run.findings or any(finding.verdict != "skipped" for finding in run.findings):
        return
    first = run.findings[0]
    side = first.evidence.get("side")
    if side is None:
        why = f"{first.case_id}: {first.evidence.get('reason')}"
    else:
        source = edited_id(first.case_id) if side == "edited" else first.case_id
        why = f"{first.system} has no output for {source}"
    raise UsageError(f"All cases were skipped, nothing is judged. The first: {why}.")


def say_next(
    run: Run, systems: Sequence[System], *, saved: bool, workspace: Path | None, quiet: bool
) -> None:
    """What can be done with this run, on standard error."""
    place = f" --workspace {workspace}" if workspace else ""
    if not saved:
        if not quiet and any(isinstance(system, LiveSystem) for system in systems):
            say("mtassay: not kept; add --save to try other thresholds without asking again")
        return
    say(f"mtassay: saved; see it again: mtassay runs show {run.id}{place}")
    say(f"mtassay: other thresholds: mtassay behavior sweep {run.id}{place}")
