"""`mtassay suite list`: what a suite holds, and which suites come with mtassay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from mtassay.cli.common import FormatOption, OutputFormat, plural, print_json, print_tables
from mtassay.display import Table
from mtassay.formats.suite import Item, Suite, own_suites, read_suite


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
        _print([_summary(name, read_suite(path)) for name, path in own_suites().items()], output_format)
        return
    content = read_suite(suite)
    nested = output_format is OutputFormat.text
    records = _phenomena(content.items, nested=nested)
    if output_format is not OutputFormat.json:
        all_ = {"category": "all"} if nested else {"category": "all", "phenomenon": ""}
        records.append({**all_, **_counts(content.items)})
    title = f"{content.name or suite} · {content.langpair} · {plural(len(content.items), 'item')}"
    _print(records, output_format, title=title)


def _summary(name: str, suite: Suite) -> dict[str, Any]:
    return {
        "suite": name,
        "langpair": suite.langpair,
        "categories": len({item.category for item in suite.items}),
        "phenomena": len({(item.category, item.phenomenon) for item in suite.items}),
        **_counts(suite.items),
    }


def _phenomena(items: Sequence[Item], *, nested: bool) -> list[dict[str, Any]]:
    """One record a phenomenon; `nested` puts them below their category, so that they fit on a screen."""
    records = []
    for category in dict.fromkeys(item.category for item in items):
        within = [item for item in items if item.category == category]
        if nested:
            records.append({"category": category, **_counts(within)})
        for phenomenon in dict.fromkeys(item.phenomenon for item in within):
            counts = _counts([item for item in within if item.phenomenon == phenomenon])
            names = {"category": category, "phenomenon": phenomenon}
            records.append({**({"category": f"· {phenomenon}"} if nested else names), **counts})
    return records


def _counts(items: Sequence[Item]) -> dict[str, int]:
    return {
        "items": len(items),
        "with_rules": sum(item.has_rules for item in items),
        "drafts": sum(item.is_draft for item in items),
        "hidden": sum(not item.public for item in items),
    }


def _print(records: Sequence[dict[str, Any]], form: OutputFormat, *, title: str = "") -> None:
    if form is OutputFormat.json:
        print_json(records)
        return
    names = [key.replace("_", " ") for key in records[0]]
    rows = [[str(value) for value in record.values()] for record in records]
    print_tables([Table([names[0].capitalize(), *names[1:]], rows, title=title)], form)
