"""Prints and draws a run of a suite, fresh or from the workspace."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from mtassay.cli.common import OutputFormat, echo, plural, print_json, print_tables, say
from mtassay.cli.terminal import shows_bold, terminal_width
from mtassay.core import Case, Output, Run, Segment
from mtassay.methods.suite.accuracy import costliest, phenomenon_groups
from mtassay.methods.suite.method import DETECTOR, grades_of
from mtassay.report.accuracy import accuracy_table, status_table, system_table
from mtassay.report.scores import score_rows
from mtassay.report.suite_plots import plot_heat_map
from mtassay.report.table import Table

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
    if form is OutputFormat.json:
        print_json(run.result.as_dict())
        return
    if form is OutputFormat.tsv:
        print_tables([score_rows(run.result)], form)
        return
    comment = "% " if form is OutputFormat.latex else ""
    lines = textwrap.wrap(facts, terminal_width()) if form is OutputFormat.text else [facts]
    echo("\n".join(f"{comment}{line}" for line in lines) + "\n")
    mark = "*" if form is OutputFormat.text and not shows_bold() else ""
    print_tables([status_table(run.result.counts)], form)
    for line in _warnings(run, segments, outputs):
        wrapped = textwrap.fill(line, terminal_width()) if form is OutputFormat.text else line
        echo(f"\n{comment}{wrapped}")
    echo()
    print_tables(_tables(run, segments, phenomena, mark), form)
    signatures = dict.fromkeys(score.signature for score in run.result.scores)
    echo("\n" + "\n".join(f"{comment}accuracy|{signature}" for signature in signatures))


def _tables(run: Run, segments: Sequence[Segment], phenomena: bool, mark: str) -> list[Table]:
    by, categories = _by(phenomena), phenomenon_groups(_cases(segments))
    tables: list[Table] = []
    both = run.parameters.get("items") == "both"
    for suffix, title in (
        ("", "Items settled for all systems" if both else ""),
        (":settled", "Each its own"),
    ):
        if suffix and not both:
            continue
        if len(run.systems) > MANY:
            tables.append(system_table(run.result, suffix=suffix, title=title))
        tables.append(
            accuracy_table(run.result, by=by, categories=categories, suffix=suffix, title=title, mark=mark)
        )
    return tables


def draw_heat_map(path: Path, run: Run, segments: Sequence[Segment], *, phenomena: bool, title: str) -> None:
    """The accuracies of the run; where it has two kinds, those on the items settled for all systems."""
    categories = phenomenon_groups(_cases(segments))
    plot_heat_map(path, accuracy_table(run.result, by=_by(phenomena), categories=categories), title=title)


def _by(phenomena: bool) -> Literal["category", "phenomenon"]:
    return "phenomenon" if phenomena else "category"


def _cases(segments: Sequence[Segment]) -> list[Case]:
    return [Case(s.id, s.id, (s.source,), tags=s.tags) for s in segments]


def _warnings(run: Run, segments: Sequence[Segment], outputs: Mapping[str, Sequence[Output]]) -> list[str]:
    """What a reader of the tables must know: conflicts, slow rules, twins, who makes the comparison small."""
    lines = []
    conflicts = [
        f"{finding.case_id} ({finding.system})"
        for finding in run.findings
        if finding.detector == DETECTOR and finding.evidence.get("status") == "conflict"
    ]
    if conflicts:
        lines.append(f"Watch out: rules contradict each other: {_some(conflicts)}.")
    if disputed := dict.fromkeys(f.case_id for f in run.findings if f.evidence.get("disputed")):
        lines.append(f"Reviewers disagree: {_some(list(disputed))}. See: mtassay review agreement --disputed")
    slow = dict.fromkeys(f.case_id for f in run.findings if f.evidence.get("timed_out"))
    if slow:
        lines.append(f"Rules took too long and settled nothing: {_some(list(slow))}.")
    lines += [f"{' and '.join(names)} gave the same outputs." for names in _twins(outputs)]
    cost = costliest(grades_of(run.findings, _cases(segments), run.systems))
    if cost and cost.without > 1.1 * cost.fair and run.parameters.get("items") != "settled":
        lines.append(
            f"{cost.system} leaves {cost.unsettled:,} items open: without it {cost.without:,} items could be "
            f"compared instead of {cost.fair:,}."
        )
    return lines


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SOME} more" if len(names) > _SOME else ""
    return f"{', '.join(names[:_SOME])}{more}"


def _twins(outputs: Mapping[str, Sequence[Output]]) -> list[list[str]]:
    """Systems that answered everything alike: likely one system under two names."""
    same: dict[tuple[str | None, ...], list[str]] = {}
    for system, answers in outputs.items():
        same.setdefault(tuple(answer.text for answer in answers), []).append(system)
    return [names for texts, names in same.items() if len(names) > 1 and any(texts)]


def say_next(run: Run, *, saved: bool, place: str) -> None:
    """What can be done with this run, on standard error."""
    if saved:
        say(f"mtassay: saved; see it again: mtassay runs show {run.id}{place}")
    if still_open := sum(c.get("undecided", 0) + c.get("conflict", 0) for c in run.result.counts.values()):
        how = f"mtassay review next {run.id}{place}" if saved else "add --save, then: mtassay review next"
        what = plural(still_open, "output is", "outputs are")
        say(f"mtassay: {what} not settled. To settle: {how}")
