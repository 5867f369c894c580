"""Prints a run's result, fresh or from the workspace."""

from __future__ import annotations

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables
from mtassay.core import Run
from mtassay.errors import MtassayError
from mtassay.options import build
from mtassay.report.scores import (
    Look,
    comparison_table,
    group_tables,
    guard_table,
    main_table,
    score_rows,
    signature_lines,
)


def print_run(run: Run, form: OutputFormat, *, facts: str, all_pairs: bool = False) -> None:
    """All tables of a run in this format; `facts` is a line to begin with."""
    result = run.result
    if form is OutputFormat.json:
        print_json(result.as_dict())
        return
    if form is OutputFormat.tsv:
        print_tables([score_rows(result)], form)
        return
    if form is OutputFormat.text:
        echo(f"{facts}\n")
    look = _look(run)
    tables = [main_table(result, look), *group_tables(result, look)]
    more = (comparison_table(result, look, all_pairs=all_pairs), guard_table(result))
    print_tables([*tables, *filter(None, more)], form)
    if form is not OutputFormat.latex:
        echo()
        for line in signature_lines(result, look):
            echo(line)


def _look(run: Run) -> Look:
    """Labels and decimals of the metrics, as far as this installation knows them."""
    metrics = {}
    for name in {score.name for score in run.result.scores}:
        try:
            metrics[name] = build("metric", name)
        except MtassayError:
            continue
    return Look(
        labels={name: metric.label for name, metric in metrics.items()},
        decimals={name: metric.decimals for name, metric in metrics.items()},
        baseline=run.parameters.get("baseline") or run.systems[0],
        alpha=run.parameters.get("alpha", 0.05),
    )
