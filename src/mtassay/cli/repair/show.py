"""What a repair brought, as tables and as one record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mtassay.cli.common import OutputFormat, echo, print_json, print_tables
from mtassay.core import Result, Score
from mtassay.display import Table
from mtassay.repair.measure import Repaired, count_outcomes, errors_fixed
from mtassay.texts.marks import printable

__all__ = ["print_report", "report_record"]

_WHAT = {"equal": "equal to the correction", "changed": "changed at all"}


def report_record(
    repaired: Sequence[Repaired], bleu: Result | None, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything, as JSON: facts, counts, shares, BLEU, and each error with its outcome."""
    return {
        **facts,
        "outcomes": count_outcomes(repaired),
        "errors_fixed": [asdict(score) for score in errors_fixed(repaired)],
        "validation": None if bleu is None else bleu.as_dict(),
        "errors": [
            {**asdict(r.correction), "before": r.before, "after": r.after, "outcome": r.outcome}
            for r in repaired
        ],
    }


def print_report(
    repaired: Sequence[Repaired],
    bleu: Result | None,
    record: Mapping[str, Any],
    form: OutputFormat,
    *,
    show: int,
) -> None:
    """The tables, and in plain text the errors that are not fixed, `show` of them at most."""
    if form is OutputFormat.json:
        print_json(record)
        return
    tables = [_fixed_table(repaired)]
    if bleu is not None:
        tables.append(_bleu_table(bleu))
    print_tables(tables, form)
    if form is OutputFormat.text:
        _print_rest([r for r in repaired if r.outcome not in ("fixed", "right before")], show)


def _fixed_table(repaired: Sequence[Repaired]) -> Table:
    rows = [
        [_WHAT[score.name], _count(score), _percent(score.value), _interval(score), str(score.n)]
        for score in errors_fixed(repaired)
    ]
    counts = count_outcomes(repaired)
    notes = ["n: errors, that is corrections which the model did not give before."]
    if counts["right before"]:
        notes.append(f"Not among them: {counts['right before']:,} that were right before.")
    if counts["failed"]:
        notes.append(f"Among them: {counts['failed']:,} that the model could not translate.")
    return Table(["Outputs now", "number", "share", "95 % interval", "n"], rows, notes=notes)


def _bleu_table(bleu: Result) -> Table:
    rows = []
    for score in bleu.scores:
        ends = "–" if score.low is None or score.high is None else f"{score.low:.2f} to {score.high:.2f}"
        rows.append([score.system, "–" if score.value is None else f"{score.value:.2f}", ends, str(score.n)])
    notes = [f"Δ {c.delta:+.2f}, p = {c.p:.3f} (paired bootstrap)." for c in bleu.comparisons]
    if missing := {name: count["missing"] for name, count in bleu.counts.items() if count["missing"]}:
        told = ", ".join(f"{count:,} {name}" for name, count in missing.items())
        notes.append(f"Left out, for want of a translation: {told}.")
    notes += [bleu.scores[0].signature]
    return Table(["Validation", "BLEU", "95 % interval", "n"], rows, notes=notes)


def _print_rest(rest: Sequence[Repaired], show: int) -> None:
    if not rest or not show:
        return
    echo(f"\nNot equal to the correction: {len(rest):,}")
    for each in rest[:show]:
        echo(f"\n{printable(each.correction.id)} · {each.outcome}")
        texts = {
            "source": each.correction.source,
            "before": each.before,
            "after": each.after,
            "correction": each.correction.correction,
        }
        for name, text in texts.items():
            echo(f"  {name:<10} {printable(text) if text is not None else '(no translation)'}")
    if len(rest) > show:
        echo(f"\n… and {len(rest) - show:,} more: --show N, or repair.json in the new folder.")


def _count(score: Score) -> str:
    return "–" if score.value is None else str(round(score.value * score.n))


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _interval(score: Score) -> str:
    return f"{_percent(score.low)} to {_percent(score.high)}" if score.low is not None else "–"
