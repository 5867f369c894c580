"""Draws a run of a suite: categories or phenomena by system, as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mtassay.core import Case, Run, Segment
from mtassay.methods.suite.accuracy import phenomenon_groups
from mtassay.report.accuracy import accuracy_table
from mtassay.report.suite_plots import plot_heat_map

__all__ = ["draw_heat_map"]


def draw_heat_map(path: Path, run: Run, segments: Sequence[Segment], *, phenomena: bool, title: str) -> None:
    """The accuracies of the run; where it has two kinds, those on the items settled for all systems."""
    categories = phenomenon_groups([Case(s.id, s.id, (s.source,), tags=s.tags) for s in segments])
    by = "phenomenon" if phenomena else "category"
    table = accuracy_table(run.result, by=by, categories=categories)  # type: ignore[arg-type]
    plot_heat_map(path, table, title=title)
