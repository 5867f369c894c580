"""`mtassay invariance variants`: what would be asked, and what it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

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
    refuse_existing,
    say,
    shows_bold,
    terminal_width,
)
from mtassay.cli.invariance.inputs import NeededPairOption, SentencesArgument, needed_pair, read_sentences
from mtassay.cli.invariance.making import MAKING, Making, making
from mtassay.core import Segment
from mtassay.formats import segment_record, write_jsonl
from mtassay.methods.invariance.nouns import original_of
from mtassay.methods.invariance.variant_tables import cost_table, variant_lines, variants_table
from mtassay.report.progress import Progress


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("variants", short_help="See what would be asked, and what it costs.")(variants)


@making
def variants(
    sentences: SentencesArgument,
    langpair: NeededPairOption,
    making: Making = MAKING,
    phrases: Annotated[
        bool, typer.Option("--phrases", help="Also noun phrases, for the detector 'referential'.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write them (JSONL) for 'translate' and 'judge'."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the file.")] = False,
    output_format: FormatOption = OutputFormat.text,
    quiet: QuietOption = False,
) -> None:
    """Make variants and translate nothing: what would be asked of an engine, and how much that is.

    Every variant differs from its original in one word of the same part of speech and inflection.

    \b
    Examples:
    mtassay invariance variants sentences.txt -l en-pt
    mtassay invariance variants sentences.txt -l en-pt --pos noun,verb --variants 5 -o variants.jsonl
    """
    pair = needed_pair(langpair)
    check_targets(output)
    refuse_existing(output, force=force)
    segments = read_sentences(sentences, pair)
    with Progress(quiet=quiet) as progress:
        made = making.variants(segments, pair, progress.report)
        if phrases:
            made = making.with_phrases(made, pair)
    if output is not None:
        write_jsonl(output, made)
    if output_format is OutputFormat.json:
        print_json([segment_record(segment) for segment in made])
        return
    if output is None:
        _print_variants(made, output_format)
    print_tables([cost_table(made)], output_format)
    for reason, count in _skipped(made).most_common():
        say(f"mtassay: {plural(count, 'sentence')} without variants: {reason}")


def _print_variants(made: Sequence[Segment], form: OutputFormat) -> None:
    if form is OutputFormat.text:
        for line in variant_lines(made, width=terminal_width(), color=shows_bold()):
            echo(line)
    else:
        print_tables([variants_table(made)], form)
    echo()


def _skipped(segments: Sequence[Segment]) -> Counter[str]:
    return Counter(str(s.tags["skip"]) for s in segments if original_of(s) is None and s.tags.get("skip"))
