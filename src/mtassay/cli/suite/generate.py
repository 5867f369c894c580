"""`mtassay suite generate`: make the items of a template file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    QuietOption,
    check_targets,
    echo,
    plural,
    print_json,
    print_tables,
    say,
)
from mtassay.cli.suite.inputs import split
from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.formats.suite import Item, read_suite, write_suite
from mtassay.methods.suite.templates import Generated, carry_over, generate, read_templates
from mtassay.methods.suite.templates.generating import MAX_ITEMS
from mtassay.report.progress import Progress


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("generate", short_help="Make a suite from templates: whole paradigms.")(generate_suite)


def generate_suite(
    template: Annotated[Path, typer.Argument(metavar="TEMPLATE", help="Template file (YAML).")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="SUITE", help="Suite file to write.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Take at most N items of each template, by chance.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the sample.")] = 12345,
    max_items: Annotated[int, typer.Option(min=1, help="Stop if there would be more items.")] = MAX_ITEMS,
    inflector: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=MODULE:FUNCTION",
            help="A Python function for placeholders: {verb.pt|NAME(preterite, 3s)} calls "
            "FUNCTION('ler', 'preterite', '3s'). Repeat.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be made; write nothing.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Drop what people added to the file since it was generated.")
    ] = False,
    output_format: FormatOption = OutputFormat.text,
    quiet: QuietOption = False,
) -> None:
    """Make a suite from templates: one sentence pattern through all verbs, tenses and persons.

    A template is an item with slots, and its rules are made from the same slots. The same file always
    makes the same items; what people added to a suite that was generated before (tokens, rules with a
    date, approvals) is kept.

    \b
    Examples:
    mtassay suite generate verbs.en-pt.yaml --dry-run
    mtassay suite generate verbs.en-pt.yaml -o verbs.yaml
    mtassay suite generate verbs.en-pt.yaml -o small.yaml --sample 10 --seed 7
    """
    if output is None and not dry_run:
        raise UsageError("Where to? Add -o SUITE.yaml, or --dry-run to see what would be made.")
    check_targets(output)
    if output is not None and output.exists() and output.samefile(template):
        raise UsageError(f"{output} is the template file. Write the suite to another one.")
    with Progress(quiet=quiet) as progress:
        generated = generate(
            read_templates(template),
            sample=sample,
            seed=seed,
            max_items=max_items,
            inflectors=dict(map(_inflector, inflector or [])),
            report=progress.report,
        )
    _warn(generated)
    suite = generated.suite
    if output is not None and output.exists() and not overwrite:
        kept = carry_over(read_suite(output), suite)
        if kept.lost:
            raise UsageError(
                f"{output}: work of people is in {plural(len(kept.lost), 'item')} no longer made "
                f"({', '.join(kept.lost[:3])}{'…' if len(kept.lost) > 3 else ''}). Write to another file, "
                "or drop it with --overwrite."
            )
        suite = kept.suite
        if kept.items:
            say(f"mtassay: kept what people added to {plural(kept.items, 'item')} of {output}")
    if dry_run:
        _show(generated, output_format)
        return
    assert output is not None
    write_suite(output, suite)
    if output_format is OutputFormat.text:
        echo(f"{output}: {plural(len(suite.items), 'item')} of {plural(len(generated.counts), 'template')}.")
    else:
        _show(generated, output_format)


def _inflector(text: str) -> tuple[str, Any]:
    name, where = split(text)
    module, _, function = where.partition(":")
    sys.path.insert(0, "")  # a module in this folder, as with `python -m`
    try:
        return name, getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"Cannot load --inflector {text}: {error}. Write NAME=MODULE:FUNCTION.") from None
    finally:
        sys.path.remove("")


def _warn(generated: Generated) -> None:
    """What a person should look at before the items are used."""
    counts = generated.counts
    for number, what in (
        (sum(c.duplicates for c in counts), "left out: their source was there before"),
        (sum(c.empty_rules for c in counts), "rules left out: no form is left to look for"),
    ):
        if number:
            say(f"mtassay: {number:,} {what}")
    for count in counts:
        if not count.items:
            say(f"mtassay: the template '{count.id}' makes no items")
    if doubtful := generated.doubtful:
        item_id, status = next(iter(doubtful.items()))
        say(
            f"mtassay: {plural(len(doubtful), 'item')} with a reference that is not correct by the rules, "
            f"the first {item_id} ({status})"
        )


def _show(generated: Generated, form: OutputFormat) -> None:
    if form is OutputFormat.json:
        print_json(
            {
                "items": len(generated.suite.items),
                "templates": [asdict(count) for count in generated.counts],
                "doubtful": dict(generated.doubtful),
            }
        )
        return
    columns = ("combinations", "excluded", "duplicates", "sampled_out", "items")
    rows = [[c.id, *(f"{getattr(c, column):,}" for column in columns)] for c in generated.counts]
    totals = [sum(getattr(c, column) for c in generated.counts) for column in columns]
    rows.append(["all", *(f"{total:,}" for total in totals)])
    header = ["Template", *(column.replace("_", " ") for column in columns)]
    print_tables([Table(header, rows)], form)
    if form is OutputFormat.text:
        _show_examples(generated.suite.items, [count.items for count in generated.counts])


def _show_examples(items: Sequence[Item], sizes: Sequence[int]) -> None:
    """One item of each template, from its middle: the first one is the least telling."""
    place = 0
    for size in sizes:
        if size:
            item = items[place + size // 2]
            echo(f"\n{item.id}\n    {item.source}")
            for sign, rules in (("+", item.positive_regex), ("-", item.negative_regex)):
                for rule in rules:
                    echo(f"  {sign} {rule.text}")
        place += size
