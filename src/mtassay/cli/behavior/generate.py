"""`mtassay behavior generate`: new test cases with pseudo-references from a parallel text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import edited_pairs
from mtassay.cli.behavior.options import NeededPairOption, ReferenceOption, SourceOption, check_files
from mtassay.cli.common import OutputFormat, plural, print_json, print_tables, refuse_existing
from mtassay.cli.frame import FRAME, RunFrame, Values, framed_without, parameters_of
from mtassay.formats import write_jsonl
from mtassay.methods.behavior.files import write_cases
from mtassay.methods.behavior.recipe import Recipe
from mtassay.methods.behavior.tables import generated_tables


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("generate", short_help="Make test cases from a parallel text.")(generate)


@framed_without("save")
@parameters_of(Recipe)
def generate(
    source: SourceOption,
    reference: ReferenceOption,
    langpair: NeededPairOption,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Write the cases there (JSONL).")
    ],
    parameters: Values = {},  # noqa: B006
    dropped: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every edit that was dropped, with the reason (JSONL)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the files.")] = False,
    frame: RunFrame = FRAME,
) -> None:
    """Make test cases: a word or phrase becomes another in a source and in its reference alike.

    The edited reference, the pseudo-reference, tells what a good translation of the edited source is. Every
    edit is checked; what was dropped, and why, is counted. A language model's answers are kept: run the same
    command again to go on after a stop.

    \b
    Examples:
    mtassay behavior generate -s src.txt -r ref.txt -l en-pt -o cases.jsonl
    mtassay behavior generate -s src.txt -r ref.txt -l en-zh -c noun,verb --infill llm:openai:gpt-5-mini
        --sample 1000 -o cases.jsonl
    """
    check_files(output, dropped)
    refuse_existing(output, dropped, force=force)
    generated = edited_pairs.make(source, reference, langpair=langpair, **parameters, **frame.options)
    if dropped is not None:
        write_jsonl(dropped, generated.refused)
    if frame.output_format is OutputFormat.json:
        print_json(generated.record())
    else:
        print_tables(generated_tables(generated), frame.output_format)
    if generated.cases:
        write_cases(output, generated.cases)
        frame.say(f"wrote {plural(len(generated.cases), 'case')} to {output}")
    generated.check()
