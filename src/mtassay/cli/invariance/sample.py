"""`mtassay invariance sample`: a blind sheet of pairs to label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import (
    PairOption,
    QuietOption,
    SeedOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    check_sheet,
    plural,
    say,
)
from mtassay.cli.invariance.inputs import WhereArgument, asked, read_material
from mtassay.cli.invariance.judging import JUDGING, Judging, judging, side_by_side
from mtassay.engine import EngineTools
from mtassay.errors import UsageError
from mtassay.formats.reviews import asked_record, write_records
from mtassay.methods.invariance.issues import Issue, Ranking, find_issues
from mtassay.methods.invariance.labels import QUESTION
from mtassay.methods.invariance.nouns import Answer
from mtassay.methods.invariance.sampling import blind_sample
from mtassay.report.progress import Progress
from mtassay.reviews import Subject, find_question
from mtassay.stats import fixed_seed


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("sample", short_help="Write a blind sheet of pairs to label.")(sample)


@judging
def sample(
    where: WhereArgument = "last",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The sheet to write (.tsv or .jsonl).")
    ] = Path("sheet.tsv"),
    system: SystemOption = None,
    langpair: PairOption = None,
    judging: Judging = JUDGING,
    structure: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Structures whose issues to label: raw,dependency. Default: the run's, or dependency.",
        ),
    ] = None,
    seed: SeedOption = None,
    force: Annotated[bool, typer.Option("--force", help="Write over the file.")] = False,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write a sheet to label: all reported pairs, mixed with as many variants that were not reported.

    The sheet says neither distance nor structure nor who was reported. Fill in the column 'answer' (correct,
    under, over, modification, mistranslation, logic, several, unsure), then: mtassay review import SHEET;
    mtassay invariance evaluate. What is not said (structure, threshold, filters …) is as in the saved run.

    \b
    Example:
    mtassay invariance sample last --structure raw,dependency -o sheet.tsv
    """
    check_sheet(output, force=force)
    material = read_material(where, system, langpair, workspace)
    if len(material.systems) != 1:
        raise UsageError("One system can be labelled at a time: give one with -t.")
    rankings: list[Ranking] = []
    issues: list[Issue] = []
    answers: dict[str, Answer] = {}
    top = 1
    with Progress(quiet=quiet) as progress:
        tools = EngineTools(cache_workspace(workspace), progress.report)
        for method in side_by_side(judging, structure).methods(material.pair, material.parameters):
            cases, outputs = asked(method, material, tools)
            (answered,) = method.compare(cases, outputs, tools).values()
            answers = {answer.id: answer for each in answered for answer in each.answers}
            rankings = list(method.measure(answered, tools).rankings)
            issues += find_issues(rankings, method.threshold)
            top = method.top
        tools.keep()
    chosen = blind_sample(rankings, issues, top=top, seed=fixed_seed(seed))
    if not chosen:
        raise UsageError("No issue is reported, so there is nothing to label. Try a lower --threshold.")
    question = find_question(QUESTION)
    write_records(output, [asked_record(_subject(answers[pair]), question) for pair in chosen])
    say(f"mtassay: {plural(len(chosen), 'pair')} to label in {output}; then: mtassay review import {output}")


def _subject(answer: Answer) -> Subject:
    return Subject(answer.id, (answer.source.text,), (answer.output.text,))
