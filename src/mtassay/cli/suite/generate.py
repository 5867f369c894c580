"""`mtassay suite generate`: make the items of a template file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    QuietOption,
    SeedOption,
    check_targets,
    echo,
    plural,
    print_json,
    print_tables,
    say,
)
from mtassay.cli.suite.options import say_all
from mtassay.errors import UsageError
from mtassay.formats.suite import write_suite
from mtassay.methods.suite.templates import (
    MAX_ITEMS,
    GeneratedSuite,
    generate,
    keep_work,
    load_inflector,
    read_templates,
)
from mtassay.report.progress import Progress
from mtassay.stats import fixed_seed


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
    seed: SeedOption = None,
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
            seed=fixed_seed(seed),
            max_items=max_items,
            inflectors=dict(map(load_inflector, inflector or [])),
            report=progress.report,
        )
    say_all(generated.remarks(), quiet=quiet)
    suite = generated.suite
    if output is not None and output.exists() and not overwrite:
        kept = keep_work(output, suite)
        suite = kept.suite
        if kept.items:
            say(f"mtassay: kept what people added to {plural(kept.items, 'item')} of {output}", quiet=quiet)
    if output is not None and not dry_run:
        write_suite(output, suite)
        if output_format is OutputFormat.text:
            templates = plural(len(generated.counts), "template")
            echo(f"{output}: {plural(len(suite.items), 'item')} of {templates}.")
            return
    _show(generated, output_format)


def _show(generated: GeneratedSuite, form: OutputFormat) -> None:
    if form is OutputFormat.json:
        print_json(generated.record())
        return
    print_tables([generated.table()], form)
    for item in generated.examples() if form is OutputFormat.text else ():
        echo(f"\n{item.id}\n    {item.source}")
        for sign, rules in (("+", item.positive_regex), ("-", item.negative_regex)):
            for rule in rules:
                echo(f"  {sign} {rule.text}")
