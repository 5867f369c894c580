"""Prints a run of invariance, fresh or from the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mtassay.cli.common import OutputFormat, print_run, say
from mtassay.core import Run
from mtassay.display import View

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
    told = replace(run, seconds=seconds or {})
    print_run(told, form, view=View(cases=issues), facts=facts)


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
