"""`mtassay suite list`: what a suite holds, and which suites come with mtassay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from mtassay.cli.common import FormatOption, OutputFormat, plural, print_json, print_tables
from mtassay.display import Table
from mtassay.formats.suite import read_suite
from mtassay.methods.suite.selection import contents, overview


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("list", short_help="What a suite holds; or which suites there are.")(list_suites)


def list_suites(
    suite: Annotated[
        str | None, typer.Argument(metavar="[SUITE]", help="A suite. Default: those that come with mtassay.")
    ] = None,
    output_format: FormatOption = OutputFormat.text,
) -> None:
    """What a suite holds, category by category; or which suites come with mtassay.

    \b
    Examples:
    mtassay suite list
    mtassay suite list en-pt -f md
    """
    if suite is None:
        _print(overview(), output_format)
        return
    content = read_suite(suite)
    records = contents(
        content,
        nested=output_format is OutputFormat.text,
        total=output_format is not OutputFormat.json,
    )
    title = f"{content.name or suite} · {content.langpair} · {plural(len(content.items), 'item')}"
    _print(records, output_format, title=title)


def _print(records: Sequence[dict[str, Any]], form: OutputFormat, *, title: str = "") -> None:
    if form is OutputFormat.json:
        print_json(records)
        return
    names = [key.replace("_", " ") for key in records[0]]
    rows = [[str(value) for value in record.values()] for record in records]
    print_tables([Table([names[0].capitalize(), *names[1:]], rows, title=title)], form)
