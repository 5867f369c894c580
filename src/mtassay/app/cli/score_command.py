"""`mtassay score`: corpus metrics with intervals, significance and clusters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from mtassay.app import library
from mtassay.app.cli.frame import (
    FRAME,
    BetweenOption,
    ExamplesOption,
    PairOption,
    RunFrame,
    SystemOption,
    Values,
    check_targets,
    framed,
    parameters_of,
    side_by_side,
)
from mtassay.data.errors import UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.formats.tables import write_tsv
from mtassay.methods.score.score_method import ScoreMethod


@framed
@parameters_of(ScoreMethod)
def score(
    system: SystemOption = None,
    reference: Annotated[
        list[Path] | None,
        typer.Option(
            "--reference", "-r", help="Reference translation; with --test-set the name of one. Repeat."
        ),
    ] = None,
    source: Annotated[Path | None, typer.Option("--source", "-s", help="Source text.")] = None,
    langpair: PairOption = None,
    test_set: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Source, references and outputs together: an mt-metrics-eval folder, a "
            "JSONL/TSV/XML/TMX/XLIFF file, "
            "or a sacreBLEU test set such as wmt22.",
        ),
    ] = None,
    documents: Annotated[Path | None, typer.Option(help="Document of each line.")] = None,
    entities: Annotated[Path | None, typer.Option(help="The reference with marked names, for nee.")] = None,
    parameters: Values = {},  # noqa: B006
    pairs: Annotated[bool, typer.Option("--pairs", help="Show all pairs, not only the baseline's.")] = False,
    examples: ExamplesOption = 0,
    between: BetweenOption = None,
    segment_scores: Annotated[
        Path | None, typer.Option(help="Write scores of segments (TSV, JSONL).")
    ] = None,
    findings: Annotated[Path | None, typer.Option(help="Write segments to look at (JSONL).")] = None,
    cache: Annotated[bool, typer.Option(help="Reuse statistics measured before.")] = True,
    stream: Annotated[
        bool,
        typer.Option(
            "--stream",
            help="Read files in blocks: scores millions of lines in little memory, without findings.",
        ),
    ] = False,
    frame: RunFrame = FRAME,
) -> None:
    """Score systems against references: which one is better, and is the difference real?

    BLEU, chrF and TER equal sacreBLEU's to the last digit. All pairs of systems are tested.

    \b
    Examples:
    mtassay score -s src.txt -r ref.txt -t old=old.txt -t new=new.txt -l en-de
    mtassay score -r refA.txt -r refB.txt -t outputs/ -m bleu,chrf++,ter -f md
    mtassay score --test-set wmt23/ -l en-de -m bleu --by domain
    mtassay score -r ref.txt -t old.txt -t new.txt --examples 5
    """
    if stream and (segment_scores or findings or examples):
        raise UsageError(
            "--stream does not look at single segments: leave out --segment-scores, --findings, --examples."
        )
    check_targets(segment_scores, findings)
    if stream:
        frame = replace(frame, save=False)  # there are no segments to keep
    compared = side_by_side(examples, between)
    run = library.score(
        system or [],
        reference or [],
        source,
        langpair=langpair,
        test_set=test_set,
        documents=documents,
        entities=entities,
        evidence=frame.save or findings is not None,
        cache=cache,
        stream=stream,
        **parameters,
        **frame.options,
    )
    if segment_scores is not None:
        (write_jsonl if segment_scores.suffix == ".jsonl" else write_tsv)(
            segment_scores, run.records("units")
        )
    if findings is not None:
        write_jsonl(findings, run.records("findings"))
    frame.show(run, pairs=pairs, **compared)
