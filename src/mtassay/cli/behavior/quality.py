"""`mtassay behavior quality`: how good generated pairs are, by people and by a reference-free measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import edited_pairs
from mtassay.cli.behavior.options import AgainstOption, CasesArgument, OriginalsOption
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    print_json,
    print_tables,
)
from mtassay.methods.behavior.pair_quality import pair_quality_table
from mtassay.report.run import score_rows


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("quality", short_help="How good generated pairs are, by people and by a measure.")(quality)


def quality(
    cases: CasesArgument,
    against: AgainstOption = None,
    originals: OriginalsOption = True,
    labels: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ratings (JSONL or TSV). Default: those in the workspace."),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            "--quality",
            metavar="NAMES",
            help="Reference-free measure of adequacy. Default: COMET-QE if installed, else "
            "use:against=source; none: ratings only.",
        ),
    ] = None,
    langpair: PairOption = None,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """How good generated pairs are: ratings of people, how far these agree, and a measure of adequacy.

    The original pairs stand beside them as Ref, and those of other infillers. Rate pairs with 'mtassay
    behavior rate'.

    \b
    Examples:
    mtassay behavior quality cases.jsonl
    mtassay behavior quality lexicon=a.jsonl --against llm=b.jsonl --labels ratings.jsonl
    """
    sets = edited_pairs.read_sets(cases, against or [], originals=originals, workspace=workspace)
    how = {"workspace": workspace, "quiet": quiet, "creates": True}
    result = edited_pairs.measure(sets, labels=labels, quality=measure, langpair=langpair, seed=seed, **how)
    if output_format is OutputFormat.json:
        print_json(result.as_dict())
    else:
        table = score_rows(result) if output_format is OutputFormat.tsv else pair_quality_table(result)
        print_tables([table], output_format)
