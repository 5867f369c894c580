"""Prints and draws a run of a suite, fresh or from the workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mtassay.cli.common import OutputFormat, plural, print_run, say
from mtassay.core import Output, Run, Segment
from mtassay.display import View
from mtassay.methods.suite.tables import accuracy_figure
from mtassay.report.figures import draw

__all__ = ["draw_heat_map", "print_suite", "say_next"]

MANY = 6
"""With more systems than this, averages get a table of their own, one system a line."""

_SOME = 5


def print_suite(
    run: Run,
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[Output]],
    form: OutputFormat,
    *,
    facts: str,
    phenomena: bool = False,
) -> None:
    """All tables of a run in this format; `facts` is a line to begin with."""
    print_run(run, form, view=View(detail=phenomena), facts=facts)


def draw_heat_map(path: Path, run: Run, segments: Sequence[Segment], *, phenomena: bool, title: str) -> None:
    """The accuracies of the run; where it has two kinds, those on the items settled for all systems."""
    draw(accuracy_figure(replace(run, segments=segments), View(detail=phenomena), title=title), path)


def say_next(run: Run, *, saved: bool, place: str) -> None:
    """What can be done with this run, on standard error."""
    if saved:
        say(f"mtassay: saved; see it again: mtassay runs show {run.id}{place}")
    if still_open := sum(c.get("undecided", 0) + c.get("conflict", 0) for c in run.result.counts.values()):
        how = f"mtassay review next {run.id}{place}" if saved else "add --save, then: mtassay review next"
        what = plural(still_open, "output is", "outputs are")
        say(f"mtassay: {what} not settled. To settle: {how}")
