"""`mtassay suite challenge`: a challenge set for metrics and quality estimation from what a suite knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import curation
from mtassay.cli.common import (
    OutputFormat,
    SeedOption,
    SystemOption,
    check_targets,
    print_json,
    print_tables,
    refuse_existing,
)
from mtassay.cli.frame import FRAME, RunFrame, Values, framed_with
from mtassay.cli.suite.options import SuiteArgument, choosing, stop_if_failed
from mtassay.formats.challenge import LINE_FILES, write_challenge, write_challenge_lines
from mtassay.methods.suite.challenge import harvest_record, harvest_rows
from mtassay.report.agreement import harvest_table
from mtassay.stats import fixed_seed


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("challenge", short_help="Make a challenge set to test metrics with.")(challenge)


@framed_with("max_calls", "max_characters", "fresh", "output_format", "workspace", "quiet")
@choosing()
def challenge(
    suite: SuiteArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The challenge set to write (JSONL).")
    ],
    system: SystemOption = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="RUN", help="Take the outputs of this saved run too. Repeat."),
    ] = None,
    parameters: Values = {},  # noqa: B006
    per_item: Annotated[int, typer.Option(min=1, help="Most pairs of one item.")] = 1,
    lines: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Write source.txt, output.txt and reference.txt too, for other metrics."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    reviews: Annotated[bool, typer.Option(help="Take what reviewers decided into account.")] = True,
    seed: SeedOption = None,
    frame: RunFrame = FRAME,
) -> None:
    """Make a challenge set for metrics: does a metric prefer the correct output?

    Every item with a known correct and a known incorrect output gives pairs of both, and another correct
    output as the reference. Known are the tokens of the suite, what its rules say about the outputs of
    -t and --run, and what reviewers decided. Judge metrics by it with 'mtassay meta challenge'.

    \b
    Examples:
    mtassay suite challenge items.json -o challenge.jsonl
    mtassay suite challenge my.yaml -o c.jsonl -t outputs/ --per-item 4
    mtassay suite challenge my.yaml -o c.jsonl --run last --lines for-comet/
    """
    check_targets(output)
    refuse_existing(output, *((lines / name for name in LINE_FILES) if lines else ()), force=force)
    challenge_set = curation.challenge(
        suite,
        system or [],
        runs=run or [],
        per_item=per_item,
        seed=fixed_seed(seed),
        reviews=reviews,
        **parameters,
        **frame.options,
    )
    write_challenge(output, challenge_set.pairs)
    if lines is not None:
        write_challenge_lines(lines, challenge_set.pairs)
    if frame.output_format is OutputFormat.json:
        print_json(harvest_record(challenge_set.harvests))
    else:
        print_tables([harvest_table(harvest_rows(challenge_set.harvests))], frame.output_format)
    frame.say(f"wrote {output}; judge metrics by it: mtassay meta challenge {output}")
    stop_if_failed(challenge_set.answers.live)
