"""Prints a run of behavioural tests, fresh or from the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mtassay.cli.common import OutputFormat, print_run, say
from mtassay.core import Run, System
from mtassay.display import View
from mtassay.errors import UsageError
from mtassay.methods.behavior.nouns import edited_id
from mtassay.systems.live import LiveSystem

__all__ = ["check_judged", "print_behavior", "say_next"]


def print_behavior(run: Run, form: OutputFormat, *, failures: int = 5, facts: str = "") -> None:
    """At most `failures` failed cases of each system in full, then pass rates and all that was counted.

    `facts` is a line to begin with.
    """
    print_run(run, form, view=View(cases=failures), facts=facts)


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
