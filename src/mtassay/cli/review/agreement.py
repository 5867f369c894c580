"""`mtassay review agreement`: how far reviewers agree."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.api.people import ReviewerAgreement, agreement, told
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    SeedOption,
    WorkspaceOption,
    echo,
    print_json,
    print_tables,
    screen_here,
)
from mtassay.reviews.subjects import SHORT
from mtassay.texts.marks import printable


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("agreement")(show_agreement)


def show_agreement(
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
    reviewer_agreement = agreement(question, seed=seed, workspace=workspace)
    if output_format is OutputFormat.json:
        print_json(reviewer_agreement.record(with_disputed=disputed))
        return
    table, *contested = reviewer_agreement.tables(with_disputed=disputed)
    print_tables([table], output_format)
    if not disputed:
        return
    echo()
    if output_format is OutputFormat.text:
        _print_disputed(reviewer_agreement)
    else:
        print_tables(contested, output_format)


def _print_disputed(reviewer_agreement: ReviewerAgreement) -> None:
    screen = screen_here()
    for subject, decision in reviewer_agreement.disputed:
        echo(f"{subject.id[:SHORT]} · {printable(subject.case_id)} · {told(decision)}")
        for source in subject.sources:
            echo(screen.line("  source", source or ""))
        for text in subject.outputs:
            echo(screen.line("  output", text))
