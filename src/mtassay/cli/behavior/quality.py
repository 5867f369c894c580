"""`mtassay behavior quality`: how good generated pairs are, by people and by a reference-free measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.behavior.pairs import AgainstOption, CasesArgument, OriginalsOption, read_sets
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    cache_workspace,
    pair_of,
    print_json,
    print_tables,
)
from mtassay.core import Result, Review
from mtassay.engine import EngineTools
from mtassay.formats.reviews import read_reviews
from mtassay.methods.behavior.filtering import default_filter
from mtassay.methods.behavior.pair_quality import adequacy, agreement, mean_ratings
from mtassay.methods.behavior.pair_tables import pair_quality_table
from mtassay.options import build, split_specs
from mtassay.report.progress import Progress
from mtassay.report.run import score_rows
from mtassay.stats import fixed_seed
from mtassay.store import Workspace


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
    drawn = fixed_seed(seed)
    sets = read_sets(cases, against or [], originals=originals, workspace=workspace)
    store = cache_workspace(workspace)
    reviews = _reviews(labels, store)
    pair = pair_of(langpair)
    language = str(pair.target) if pair else ""
    specs = [] if measure == "none" else split_specs(measure or default_filter())
    metrics = {spec: build("metric", spec, language=language) for spec in specs}
    scores = mean_ratings(sets, reviews)
    every = [each for pairs in sets.values() for each in pairs]
    scores += agreement(every, reviews, seed=drawn)
    if metrics:
        with Progress(quiet=quiet) as progress:
            tools = EngineTools(store, progress.report)
            scores += adequacy(sets, metrics, tools, seed=drawn)
            tools.keep()
    result = Result(scores, counts={name: {"pairs": len(pairs)} for name, pairs in sets.items()})
    _print(result, output_format)


def _reviews(labels: Path | None, store: Workspace | None) -> list[Review]:
    if labels is not None:
        return [row.review for row in read_reviews(labels, reviewer="unknown").rows]
    return store.reviews() if store else []


def _print(result: Result, form: OutputFormat) -> None:
    if form is OutputFormat.json:
        print_json(result.as_dict())
    elif form is OutputFormat.tsv:
        print_tables([score_rows(result)], form)
    else:
        print_tables([pair_quality_table(result)], form)
