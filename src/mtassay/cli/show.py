"""Prints a run's result, fresh or from the workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables
from mtassay.core import Finding, Output, Run, Segment
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
    look = _look(run)
    tables = [main_table(result, look), *group_tables(result, look)]
    more = (comparison_table(result, look, all_pairs=all_pairs), guard_table(result))
    signatures = signature_lines(result, look)
    before, after = {
        OutputFormat.text: ("", ""),
        OutputFormat.md: ("```\n", "\n```"),
        OutputFormat.latex: ("% ", ""),
    }[form]
    echo(f"% {facts}\n" if form is OutputFormat.latex else f"{facts}\n")
    print_tables([*tables, *filter(None, more)], form)
    echo("\n" + before + ("\n% " if form is OutputFormat.latex else "\n").join(signatures) + after)


def findings_with_texts(
    findings: Sequence[Finding], segments: Sequence[Segment], outputs: Mapping[str, Sequence[Output]]
) -> list[dict[str, Any]]:
    """Findings as records, each with the texts it is about where its case is a segment."""
    by_id = {segment.id: segment for segment in segments}
    texts = texts_by_id(outputs)
    records = []
    for finding in findings:
        record: dict[str, Any] = asdict(finding)
        if segment := by_id.get(finding.case_id):
            record["source"] = segment.source
            record["references"] = list(segment.references)
            record["output"] = texts[finding.system].get(segment.id)
        records.append(record)
    return records


def texts_by_id(outputs: Mapping[str, Sequence[Output]]) -> dict[str, dict[str, str | None]]:
    """What each system answered to each segment; who was not asked has no entry."""
    return {system: {answer.id: answer.text for answer in answers} for system, answers in outputs.items()}


def _look(run: Run) -> Look:
    """Labels and decimals of the metrics, as far as this installation knows them."""
    metrics = {}
    for name in {score.name for score in run.result.scores}:
        try:
            metrics[name] = build("metric", name)
        except MtassayError:
            continue
    shared = Counter(metric.label for metric in metrics.values())
    return Look(
        # Two variants of one metric are told apart by what was asked for.
        labels={n: metric.label if shared[metric.label] == 1 else n for n, metric in metrics.items()},
        decimals={name: metric.decimals for name, metric in metrics.items()},
        baseline=run.parameters.get("baseline") or run.systems[0],
        alpha=run.parameters.get("alpha", 0.05),
        test=run.parameters.get("test", "bootstrap"),
        correction=run.parameters.get("correction", "none"),
    )
