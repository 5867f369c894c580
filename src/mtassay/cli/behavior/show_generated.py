"""Prints what came of generating cases: how many there are, and what was dropped and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import typer

from mtassay.cli.common import OutputFormat, plural, print_json, print_tables, say
from mtassay.display import Cell, Table
from mtassay.errors import UsageError
from mtassay.formats import write_jsonl
from mtassay.methods.behavior.capabilities.choose import in_usual_order
from mtassay.methods.behavior.generated import NO_REPLY, Generated

__all__ = ["check_generated", "print_generated", "say_generated", "write_dropped"]


def print_generated(generated: Generated, capabilities: Sequence[str], form: OutputFormat) -> None:
    """The counts, as tables or as JSON; capabilities in the usual order."""
    capabilities = in_usual_order(capabilities)
    if form is OutputFormat.json:
        print_json(
            {
                "sources": generated.sources,
                "left_out": [each._asdict() for each in generated.left_out],
                "capabilities": {name: _counts(generated, name) for name in capabilities},
            }
        )
        return
    tables = [_cases_table(generated, capabilities)]
    if generated.dropped:
        tables.append(_reasons_table(generated, capabilities))
    print_tables(tables, form)


def say_generated(generated: Generated) -> None:
    """The same in a few lines on standard error."""
    asked = sum(generated.asked.values())
    reasons = Counter(each.reason for each in generated.dropped)
    why = ", ".join(f"{reason} {n:,}" for reason, n in reasons.most_common())
    dropped = f"; {len(generated.dropped):,} dropped: {why}" if why else ""
    left_out = f"; {plural(len(generated.left_out), 'source')} left out" if generated.left_out else ""
    cases = plural(len(generated.cases), "case")
    say(f"mtassay: {cases} of {plural(asked, 'edit')} that were tried{dropped}{left_out}")


def write_dropped(path: Path | None, generated: Generated) -> None:
    """Every edit that was dropped as JSONL, if a file is asked for."""
    if path is not None:
        write_jsonl(path, [each._asdict() for each in generated.dropped])


def check_generated(generated: Generated) -> None:
    """An error if there is no case; exit code 3 if a language model did not answer."""
    unanswered = [each for each in generated.dropped if each.reason == NO_REPLY]
    if unanswered:
        say(f"mtassay: {plural(len(unanswered), 'edit')} without a reply, the first: {unanswered[0].reply}")
        raise typer.Exit(3)
    if not generated.cases:
        raise UsageError("There is no case: every edit was dropped, or there was nothing to edit.")


def _counts(generated: Generated, capability: str) -> dict[str, object]:
    drops, without = generated.drops, generated.without
    return {
        "cases": sum(case.capability == capability for case in generated.cases),
        "tried": generated.asked[capability],
        "dropped": {reason: n for (name, reason), n in drops.items() if name == capability},
        "without": {reason: n for (name, reason), n in without.items() if name == capability},
    }


def _cases_table(generated: Generated, capabilities: Sequence[str]) -> Table:
    cases = Counter(case.capability for case in generated.cases)
    dropped = Counter(each.capability for each in generated.dropped)
    no_place = {name: generated.without[name, "no place to edit"] for name in capabilities}
    no_case = {name: generated.without[name, "nothing came of it"] for name in capabilities}
    columns = (cases, generated.asked, dropped, no_case, no_place)
    rows: list[list[Cell | str]] = [
        [name, *(f"{column[name]:,}" for column in columns)] for name in capabilities
    ]
    if len(capabilities) > 1:
        sums = [sum(column[name] for name in capabilities) for column in columns[:3]]
        rows.append([Cell("all", strong=True), *(f"{n:,}" for n in sums), "", ""])
    notes = [
        f"Of {plural(generated.sources, 'source')}. Each edit that was tried became a case or was dropped. "
        "No case: sources all of whose edits were dropped; no place: sources with nothing to edit."
    ]
    reasons = Counter(each.reason for each in generated.left_out)
    if reasons:
        notes.append("Left out: " + ", ".join(f"{why} ({n:,})" for why, n in reasons.most_common()) + ".")
    return Table(["Capability", "cases", "tried", "dropped", "no case", "no place"], rows, notes=notes)


def _reasons_table(generated: Generated, capabilities: Sequence[str]) -> Table:
    drops = generated.drops
    totals = Counter(each.reason for each in generated.dropped)
    shown = [name for name in capabilities if any(drops[name, reason] for reason in totals)]
    rows: list[list[Cell | str]] = [
        [reason, f"{total:,}", *(f"{drops[name, reason]:,}" for name in shown)]
        for reason, total in totals.most_common()
    ]
    return Table(["Dropped because", "all", *shown], rows)
