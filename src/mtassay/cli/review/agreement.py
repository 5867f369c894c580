"""`mtassay review agreement`: how far reviewers agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mtassay.api import open_workspace
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    SeedOption,
    WorkspaceOption,
    echo,
    print_json,
    print_tables,
)
from mtassay.cli.review.inputs import Decisions
from mtassay.cli.review.screen import Screen
from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.report.progress import Progress
from mtassay.reviews import UNSURE, Decision, Subject, decide, find_question
from mtassay.reviews.subjects import SHORT
from mtassay.stats import default_seed
from mtassay.texts.marks import printable

if TYPE_CHECKING:
    from mtassay.reviews.agreement import Agreement

_USUAL = "suite"
_LABELS = {
    "agreement": "agreement",
    "cohen": "Cohen's kappa",
    "fleiss": "Fleiss' kappa",
    "krippendorff": "Krippendorff's alpha",
}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("agreement")(agreement)


def agreement(
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            metavar="NAME",
            help="Which question, by its name. Default: suite, or the only one with answers.",
        ),
    ] = None,
    disputed: Annotated[
        bool, typer.Option("--disputed", help="List the outputs on which there is no majority.")
    ] = False,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show how far reviewers agree.

    There is a line for each pair of them, and for all. Each reviewer's newest answer counts, and unsure
    is no rating. Kappa and alpha are 1 for full agreement and 0 for what chance would give.

    \b
    Examples:
    mtassay review next --double --reviewer ben
    mtassay review agreement
    mtassay review agreement --disputed
    """
    chosen = find_question(question).name if question is not None else None
    store = open_workspace(workspace)
    answered = list(dict.fromkeys(review.question for review in store.reviews()))
    asked = chosen or _only_one(answered)
    decisions = decide(store.reviews(asked))
    if not decisions and answered:
        what = f"Nobody has answered the question '{asked}' yet."
        raise UsageError(f"{what} There are answers to: {', '.join(answered)}. Add --question NAME")
    found = _measure(decisions, asked, seed if seed is not None else default_seed())
    disputes = {subject: decision for (subject, _), decision in decisions.items() if decision.is_disputed}
    known = store.subjects() if disputed else {}
    contested = [(known[subject], decision) for subject, decision in disputes.items()] if disputed else []
    if output_format is OutputFormat.json:
        record: dict[str, Any] = {"question": asked, "n_disputed": len(disputes)}
        record["agreement"] = [asdict(entry) for entry in found]
        if disputed:
            record["disputed"] = [
                {**asdict(subject), "subject": subject.id, "answers": decision.ratings}
                for subject, decision in contested
            ]
        print_json(record)
        return
    unsure = sum(r.answer == UNSURE for decision in decisions.values() for r in decision.latest.values())
    table = _table(found, unsure, len(disputes), is_listed=disputed)
    if asked != _USUAL:
        table = replace(table, notes=[f"Question: {asked}.", *table.notes])
    print_tables([table], output_format)
    if disputed:
        echo()
        _print_disputed(contested, output_format)


def _only_one(answered: Sequence[str]) -> str:
    """The question that is meant where none is named."""
    return answered[0] if len(answered) == 1 else _USUAL


def _measure(decisions: Decisions, question: str, seed: int | None) -> list[Agreement]:
    from mtassay.reviews.agreement import agreements

    found = []
    with Progress() as progress:
        for number, entry in enumerate(agreements(decisions, question, seed=seed), start=1):
            found.append(entry)
            progress.report(f"resampling, {number} done", 0, None)
    if not found:
        names = sorted({name for decision in decisions.values() for name in decision.ratings})
        so_far = f"so far only {names[0]} has answered" if names else "nobody has answered yet"
        raise UsageError(f"Agreement needs two reviewers; {so_far}. See: mtassay review next --double")
    return found


def _table(found: Sequence[Agreement], unsure: int, disputes: int, *, is_listed: bool) -> Table:
    everyone = [e for e in found if len(e.reviewers) > 2 or e.measure in ("fleiss", "krippendorff")]
    rows = [
        [
            "all" if entry in everyone else printable(" × ".join(entry.reviewers)),
            _LABELS[entry.measure],
            "–" if entry.value is None else _number(entry, entry.value),
            ""
            if entry.low is None or entry.high is None
            else f"{_number(entry, entry.low)} to {_number(entry, entry.high)}",
            f"{entry.n:,}",
        ]
        for entry in found
        if entry.n or entry in everyone
    ]
    strangers = sum(entry.n == 0 and entry.measure == "cohen" for entry in found)
    remarks = {f"{_LABELS[entry.measure]} is {entry.remark}." for entry in found if entry.remark and entry.n}
    see = "; see --disputed" if disputes and not is_listed else ""
    notes = [
        "n: outputs that two or more of the line's reviewers rated.",
        f"Answers 'unsure', which are no ratings: {unsure:,}." if unsure else "",
        f"Pairs of reviewers with no output in common, not shown: {strangers:,}." if strangers else "",
        f"Disputed, that is without a majority: {disputes:,}{see}.",
    ]
    return Table(
        ["reviewers", "measure", "value", "95 % interval", "n"],
        rows,
        notes=[*sorted(remarks), *filter(None, notes)],
    )


def _number(entry: Agreement, value: float) -> str:
    return f"{100 * value:.1f} %" if entry.measure == "agreement" else f"{value:.3f}"


def _print_disputed(contested: Sequence[tuple[Subject, Decision]], form: OutputFormat) -> None:
    if form is not OutputFormat.text:
        rows = [[s.id, s.case_id, _said(d), printable(" | ".join(s.outputs))] for s, d in contested]
        print_tables([Table(["subject", "case", "answers", "output"], rows, title="Disputed")], form)
        return
    screen = Screen.here()
    for subject, decision in contested:
        echo(f"{subject.id[:SHORT]} · {printable(subject.case_id)} · {_said(decision)}")
        for source in subject.sources:
            echo(screen.line("  source", source or ""))
        for text in subject.outputs:
            echo(screen.line("  output", text))


def _said(decision: Decision) -> str:
    return printable(", ".join(f"{name}: {answer}" for name, answer in sorted(decision.ratings.items())))
