"""Prints a ranking by human scores."""

from __future__ import annotations

from mtassay.cli.common import OutputFormat, print_json, print_tables
from mtassay.core import Result
from mtassay.display import Cell, Table
from mtassay.report.run import score_rows


def print_ranking(result: Result, form: OutputFormat, *, alpha: float) -> None:
    """Systems best first with mean, interval, number of rated segments, wins and rank."""
    if form is OutputFormat.json:
        print_json(result.as_dict())
        return
    if form is OutputFormat.tsv:
        print_tables([score_rows(result)], form)
        return
    ranks = {system: cluster.rank for cluster in result.clusters for system in cluster.systems}
    rows: list[list[Cell | str]] = []
    for score in result.scores:
        half = "–" if score.low is None or score.high is None else f"{(score.high - score.low) / 2:.3f}"
        wins = result.counts[score.system]["wins"]
        shown = Cell(f"{score.value:.3f}", strong=ranks[score.system] == 1)
        rows.append([score.system, shown, half, f"{score.n:,}", str(wins), str(ranks[score.system])])
    notes = [
        f"wins: systems it is significantly better than (one-sided rank-sum test, p < {alpha:g}).",
        "#: rank. A new one begins where all systems above are better than all below.",
    ]
    table = Table(["System", result.scores[0].name, "±", "n", "wins", "#"], rows, notes=notes)
    print_tables([table], form)
