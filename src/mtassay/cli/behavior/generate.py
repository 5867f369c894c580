"""`mtassay behavior generate`: new test cases with pseudo-references from a parallel text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.behavior.asking import Asker
from mtassay.cli.behavior.inputs import (
    NeededPairOption,
    ReferenceOption,
    SourceOption,
    check_files,
)
from mtassay.cli.behavior.making import MAKING, Making, making
from mtassay.cli.behavior.parallel import read_parallel
from mtassay.cli.behavior.show_generated import check_generated, print_generated, write_dropped
from mtassay.cli.common import (
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    QuietOption,
    WorkspaceOption,
    cache_workspace,
    plural,
    refuse_existing,
    say,
)
from mtassay.engine import EngineTools
from mtassay.languages import parse_pair
from mtassay.methods.behavior.files import write_cases
from mtassay.report.progress import Progress


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("generate", short_help="Make test cases from a parallel text.")(generate)


@making
def generate(
    source: SourceOption,
    reference: ReferenceOption,
    langpair: NeededPairOption,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Write the cases there (JSONL).")
    ],
    making: Making = MAKING,
    dropped: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write every edit that was dropped, with the reason (JSONL)."),
    ] = None,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the files.")] = False,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
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
    pair = parse_pair(langpair)
    making.check()
    check_files(output, dropped)
    refuse_existing(output, dropped, force=force)
    segments = read_parallel(source, reference, pair)
    store = cache_workspace(workspace)
    with Progress(quiet=quiet) as progress:
        tools = EngineTools(store, progress.report)
        ask = Asker(store, progress.report, max_calls, max_characters)
        generated = making.generate(segments, pair, tools, ask)
        tools.keep()
    write_dropped(dropped, generated)
    print_generated(generated, making.capabilities, output_format)
    if generated.cases:
        write_cases(output, generated.cases)
        say(f"mtassay: wrote {plural(len(generated.cases), 'case')} to {output}")
    check_generated(generated)
