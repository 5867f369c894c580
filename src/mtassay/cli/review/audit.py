"""`mtassay review audit`: how many verdicts are right that were reached without people."""

from __future__ import annotations

import typer

from mtassay.api.people import audit
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    WorkspaceOption,
    echo,
    print_json,
    print_tables,
    screen_here,
)
from mtassay.cli.frame import Values
from mtassay.cli.review.options import (
    AUDIT_SAMPLE,
    RunArgument,
    choosing,
)
from mtassay.texts.marks import printable


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("audit")(show_audit)


@choosing(sample=AUDIT_SAMPLE)
def show_audit(
    run: RunArgument = "last",
    choice: Values = {},  # noqa: B006
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """Show how many verdicts are right that were reached without people.

    On a sample drawn at random, by the answers of people who did not see the verdicts: those of 'review
    next --settled', or of a sheet from 'review export --settled'.

    \b
    Examples:
    mtassay review next --settled --sample 100
    mtassay review audit
    mtassay review audit last --category Negation --format json
    """
    result = audit(run, **choice, workspace=workspace)
    if output_format is OutputFormat.json:
        print_json(result.record())
        return
    print_tables([result.table()], output_format)
    if output_format is OutputFormat.text and result.wrong:
        screen = screen_here()
        echo(f"\nVerdicts that people find wrong: {len(result.wrong):,}")
        for entry in result.wrong:
            echo(f"\n{printable(entry.subject.case_id)} · {entry.status} by the rules")
            echo(screen.line("  source", entry.segment.source or ""))
            for text in entry.subject.outputs:
                echo(screen.line("  output", text))
