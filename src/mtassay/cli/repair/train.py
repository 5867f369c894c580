"""`mtassay repair train`: fine-tune a model on corrections, and say what that brought."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.caller import Tally, translate_all
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    PairOption,
    QuietOption,
    SeedOption,
    check_targets,
    fixed_seed,
    pair_of,
    plural,
    say,
)
from mtassay.cli.repair.show import print_report, report_record
from mtassay.core import Request, Result, Segment
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_segments, read_test_set
from mtassay.languages import Pair
from mtassay.repair.corrections import Correction
from mtassay.repair.files import read_corrections
from mtassay.repair.finetune import Example, Lessons, Training, fine_tune, working_folder
from mtassay.repair.measure import Repaired, compare_bleu
from mtassay.report.progress import Progress
from mtassay.systems.transformers_engine import Transformers


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("train")(train)


def train(
    model: Annotated[Path, typer.Option(metavar="FOLDER", help="The model, as transformers saves one.")],
    data: Annotated[Path, typer.Option(metavar="FILE", help="Corrections, as 'repair export' writes them.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="The new model. It must not be there yet."),
    ],
    langpair: PairOption = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often every correction is learned.")] = 15,
    learning_rate: Annotated[
        float, typer.Option("--learning-rate", help="At the start; it falls in a straight line to 0.")
    ] = 1e-4,
    batch: Annotated[int, typer.Option(min=1, help="Pairs in one step.")] = 16,
    mix: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ordinary pairs (.tsv, .jsonl, .tmx) to learn beside corrections."),
    ] = None,
    mix_ratio: Annotated[
        float,
        typer.Option(
            "--mix-ratio", min=0.0, help="Ordinary pairs for each correction, drawn anew each epoch."
        ),
    ] = 4.0,
    validation: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="SRC REF", help="Sources and references for BLEU before and after."),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1 or mps.")] = "cpu",
    prefix: Annotated[
        str, typer.Option(help="What stands before every source, for models that need it.")
    ] = "",
    beam_size: Annotated[
        int | None, typer.Option("--beam-size", min=1, help="For translating. Default: the model's own.")
    ] = None,
    show: Annotated[
        int, typer.Option(min=0, metavar="N", help="List so many errors that are not fixed.")
    ] = 10,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    quiet: QuietOption = False,
) -> None:
    """Fine-tune a transformers model on corrections, and say how many errors that fixed.

    The model translates the corrected sources, and the validation set, before and after. The new folder
    appears when all is done, with repair.json: what it was made of and every outcome. Stopped, the same
    command goes on after the last full epoch.

    \b
    Example:
    mtassay repair train --model my-model --data fixes.jsonl -l en-pt -o repaired
      --validation valid.en valid.pt --mix train.tsv
    """
    pair = pair_of(langpair)
    if pair is None:
        raise UsageError("Say which languages the model translates: add -l SRC-TGT.")
    if not model.is_dir():
        raise UsageError(f"There is no folder {model}. Give one that transformers saved a model into.")
    check_targets(output)
    if output.exists():
        raise UsageError(f"{output} is there already. Choose another folder.")
    training = Training(
        epochs=epochs,
        learning_rate=learning_rate,
        batch=batch,
        seed=fixed_seed(seed),
        device=device,
        prefix=prefix,
    )
    corrections = read_corrections(data)
    lessons = Lessons(
        [Example(c.source, c.correction) for c in corrections],
        _ordinary(mix, corrections, pair) if mix else [],
        round(mix_ratio * len(corrections)),
    )
    segments = read_segments(validation[0], [validation[1]], pair=pair) if validation else []
    facts = {
        "corrections": len(corrections),
        "by": dict(Counter(c.by for c in corrections)),
        "mixed": lessons.size - len(corrections),
        "model": model.name,
        "pair": str(pair),
    }
    sources = [*(c.source for c in corrections), *(s.source for s in segments)]
    if working_folder(output).exists():
        say(f"mtassay: {working_folder(output)} was left by a training; if it is this one, it goes on")
    with Progress(quiet=quiet) as progress:
        before = _translate("before", model, sources, pair, training, beam_size, progress)
        fine_tune(model, lessons, output, training, pair=pair, facts=facts, report=progress.report)
        after = _translate("after", output, sources, pair, training, beam_size, progress)
    cut = len(corrections)
    repaired = [
        Repaired(c, was, now) for c, was, now in zip(corrections, before[:cut], after[:cut], strict=True)
    ]
    bleu = _bleu(segments, before[cut:], after[cut:], pair, training.seed)
    record = report_record(repaired, bleu, facts)
    _keep(output, record)
    print_report(repaired, bleu, record, output_format, show=show)
    say(f"mtassay: {plural(lessons.size, 'pair')} learned in each epoch; the model is in {output}")


def _ordinary(path: Path, corrections: list[Correction], pair: Pair) -> list[Example]:
    """Pairs to mix in; none may teach another translation of a corrected source."""
    known = {correction.source for correction in corrections}
    ordinary = [
        Example(segment.source, segment.references[0])
        for segment in read_test_set(path, pair=pair).segments
        if segment.source and segment.references and segment.references[0] and segment.source not in known
    ]
    if not ordinary:
        raise InputError("it holds no pair of source and translation to mix in", path=path)
    return ordinary


def _translate(
    name: str,
    folder: Path,
    sources: list[str | None],
    pair: Pair,
    training: Training,
    beam_size: int | None,
    progress: Progress,
) -> list[str | None]:
    engine = Transformers(
        name=name,
        pair=pair,
        model=str(folder),
        device=training.device,
        prefix=training.prefix,
        beam_size=beam_size,
        batch=32,
    )
    # Texts of like length together, so that little is padded.
    order = sorted(range(len(sources)), key=lambda i: len(sources[i] or ""))
    requests = [Request(str(i), sources[i]) for i in order]

    def report(tally: Tally) -> None:
        progress.report(f"translating {name}", tally.done, tally.total)

    outputs = {output.id: output.text for output in translate_all(engine, requests, report=report)}
    return [outputs[str(i)] for i in range(len(sources))]


def _bleu(
    segments: list[Segment], before: list[str | None], after: list[str | None], pair: Pair, seed: int
) -> Result | None:
    if not segments:
        return None
    return compare_bleu(segments, before, after, language=pair.target.code, seed=seed)


def _keep(folder: Path, record: dict[str, Any]) -> None:
    """Add what came out to what the training wrote down."""
    path = folder / "repair.json"
    known = json.loads(path.read_text(encoding="utf-8"))
    new = folder / "repair.json.new"
    new.write_text(json.dumps({**known, **record}, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    new.replace(path)
