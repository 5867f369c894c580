"""`mtassay suite list`: what a suite holds, and which suites come with mtassay."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from mtassay.cli.common import FormatOption, OutputFormat, plural, print_json, print_tables
from mtassay.formats.suite import Item, Suite, own_suites, read_suite
from mtassay.report.table import Table


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
        records = [_summary(name, read_suite(path)) for name, path in own_suites().items()]
        title = ""
    else:
        content = read_suite(suite)
        groups: dict[tuple[str, str], list[Item]] = {}
        for item in content.items:
            groups.setdefault((item.category, item.phenomenon), []).append(item)
        order = list(dict.fromkeys(item.category for item in content.items))
        records = [
            {"category": category, "phenomenon": phenomenon, **_counts(items)}
            for (category, phenomenon), items in sorted(groups.items(), key=lambda g: order.index(g[0][0]))
        ]
        title = f"{content.name or suite} · {content.langpair} · {plural(len(content.items), 'item')}"
    if output_format is OutputFormat.json:
        print_json(records)
        return
    header = list(records[0]) if records else ["category", "phenomenon", "items"]
    rows = [[str(value) for value in record.values()] for record in records]
    if suite is not None and output_format is OutputFormat.text:
        header, rows = _nested(records)
    if suite is not None:
        total = {"category": "all", "phenomenon": "", **_counts(list(content.items))}
        rows.append([str(value) for key, value in total.items() if key in ("category", *header)])
    names = [key.replace("_", " ") for key in header]
    print_tables([Table([names[0].capitalize(), *names[1:]], rows, title=title)], output_format)


def _summary(name: str, suite: Suite) -> dict[str, Any]:
    phenomena = {(item.category, item.phenomenon) for item in suite.items}
    return {
        "suite": name,
        "langpair": suite.langpair,
        "categories": len({item.category for item in suite.items}),
        "phenomena": len(phenomena),
        **_counts(list(suite.items)),
    }


def _counts(items: list[Item]) -> dict[str, int]:
    counts = Counter(
        name
        for item in items
        for name, is_so in (
            ("with_rules", item.has_rules),
            ("drafts", item.is_draft),
            ("hidden", not item.public),
        )
        if is_so
    )
    return {"items": len(items), **{name: counts[name] for name in ("with_rules", "drafts", "hidden")}}


def _nested(records: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Phenomena below their category, so that the table fits on a screen."""
    header = ["category", "items", "with_rules", "drafts", "hidden"]
    rows: list[list[str]] = []
    for category in dict.fromkeys(record["category"] for record in records):
        below = [record for record in records if record["category"] == category]
        rows.append([category, *(str(sum(record[key] for record in below)) for key in header[1:])])
        rows += [[f"· {r['phenomenon']}", *(str(r[key]) for key in header[1:])] for r in below]
    return header, rows
