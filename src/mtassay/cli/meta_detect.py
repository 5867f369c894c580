"""`mtassay meta detect`: how many errors a detector finds, and how many of its findings are errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import open_workspace
from mtassay.cli.common import (
    FormatOption,
    OutputFormat,
    SeedOption,
    WorkspaceOption,
    fixed_seed,
    print_json,
    print_tables,
)
from mtassay.cli.meta_inputs import split_names
from mtassay.core import Result
from mtassay.errors import UsageError
from mtassay.formats.detections import read_flags
from mtassay.meta.detect import Curve, CurvePoint, Detector, Settings, curve, detect
from mtassay.meta.detect_labels import Labels, labels_from_file, labels_from_reviews
from mtassay.meta.detectors import detector_of_rows, detectors_of_run
from mtassay.report.detect import curve_figure, detection_table
from mtassay.report.figures import check_plot, draw
from mtassay.report.run import score_rows
from mtassay.reviews import find_question, question_of
from mtassay.systems.roster import name_and_rest


def register(app: typer.Typer) -> None:
    """Add the command to the commands of `mtassay meta`."""
    app.command("detect", short_help="Precision and recall of detectors of wrong translations.")(
        detect_command
    )


def detect_command(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN", help="Saved runs ('last', or ids), each of their detectors apart."),
    ] = None,
    flagged: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="Pairs that a detector flags: id[, system][, score][, flagged] (TSV or JSONL). Repeat.",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Reviews, or rows of id and label. Default: the reviews in the workspace."
        ),
    ] = None,
    question: Annotated[
        str | None, typer.Option(metavar="NAME", help="Reviews: which question. Default: the one of the run.")
    ] = None,
    error: Annotated[
        list[str] | None,
        typer.Option(metavar="LABELS", help="Which answers or labels mean an error: under,over."),
    ] = None,
    system: Annotated[
        list[str] | None, typer.Option("--system", "-t", metavar="NAMES", help="Only these systems.")
    ] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SCORE", help="Flag the pairs of this list with at least this score."),
    ] = None,
    low_is_error: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Lists in which a low score means an error."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw precision against recall (.svg or .png).")
    ] = None,
    samples: Annotated[int, typer.Option(min=100, help="Resamples for the interval of F1.")] = 1000,
    seed: SeedOption = None,
    output_format: FormatOption = OutputFormat.text,
    workspace: WorkspaceOption = None,
) -> None:
    """How good are detectors of wrong translations, by what people said of the same pairs?

    Precision and recall of every detector of saved runs (what it lets fail is flagged), and of lists of
    flagged pairs made elsewhere. Pairs without a label are counted and shown, and taken for neither right
    nor wrong.

    \b
    Examples:
    mtassay meta detect last
    mtassay meta detect last 3f2a --labels labels.tsv --plot curve.svg
    mtassay meta detect --flagged short=flagged.tsv --labels labels.tsv
    """
    if plot is not None:
        check_plot(plot)
    if not runs and not flagged:
        raise UsageError("There is nothing to judge: give saved runs, or --flagged NAME=FILE.")
    systems = split_names(system)
    given = _labels(labels, question, split_names(error), runs or [], workspace)
    chosen = given.only(systems)
    detectors = _of_runs(runs or [], chosen, systems, workspace)
    detectors += _of_lists(flagged or [], chosen, systems, threshold or [], split_names(low_is_error))
    _check(detectors, given, systems)
    result = detect(detectors, settings=Settings(samples, fixed_seed(seed)))
    curves = {detector.name: found for detector in detectors if (found := curve(detector))}
    if plot is not None:
        _draw(plot, result, curves, detectors)
    best = [_best(detector, curves[detector.name]) for detector in detectors if detector.name in curves]
    _print(result, curves, chosen, best, output_format)


def _labels(
    file: Path | None,
    question: str | None,
    errors: Sequence[str],
    runs: Sequence[str],
    workspace: Path | None,
) -> Labels:
    if file is not None:
        return labels_from_file(file, question=question, errors=errors)
    store = open_workspace(workspace)
    first = store.run(runs[0]) if runs else None
    asked = question_of(first) if first else None
    name = question or (asked.name if asked else None)
    if name is None and first is not None:
        raise UsageError(
            f"There are no labels: a run of '{first.method}' is not reviewed. Write a file of id, system and "
            "label (ERR or NOT) about what its systems made of the cases, and add --labels FILE."
        )
    if name is None:
        raise UsageError("There are no labels: add --labels FILE, or choose reviews with --question NAME.")
    chosen = find_question(name)
    if not chosen.is_of_runs:
        raise UsageError(
            f"The reviews of '{name}' are about generated pairs, not about outputs of systems: see 'mtassay "
            "behavior quality'. For outputs, add --labels FILE."
        )
    reviews = store.reviews(name)
    others = sorted(
        {review.question for review in store.reviews() if find_question(review.question).is_of_runs}
    )
    if not reviews and others:
        raise UsageError(
            f"There are no answers to the question '{name}' in {store.path}. There are some to "
            f"{' and '.join(others)}: choose with --question."
        )
    return labels_from_reviews(reviews, store.subjects(), chosen, errors=errors, origin=str(store.path))


def _of_runs(
    names: Sequence[str], labels: Labels, systems: Sequence[str], workspace: Path | None
) -> list[Detector]:
    detectors: list[Detector] = []
    store = open_workspace(workspace) if names else None
    for name in names:
        assert store is not None
        run = store.run(name)
        if systems and not set(systems) & set(run.systems):
            raise UsageError(f"Run {run.id} has none of these systems. It has: {', '.join(run.systems)}.")
        prefix = f"{run.id[-6:]} " if len(names) > 1 else ""
        detectors += detectors_of_run(run, labels.of_run(run), systems=systems, prefix=prefix)
        if not detectors:
            raise UsageError(f"Run {run.id} is of the method {run.method}, which flags nothing.")
    return detectors


def _of_lists(
    texts: Sequence[str],
    labels: Labels,
    systems: Sequence[str],
    thresholds: Sequence[str],
    low_is_error: Sequence[str],
) -> list[Detector]:
    files = dict(map(name_and_rest, texts))
    limits = dict(map(_threshold, thresholds))
    if unknown := [name for name in (*limits, *low_is_error) if name not in files]:
        raise UsageError(f"No --flagged list is called '{unknown[0]}'. Available: {', '.join(files)}.")
    return [
        detector_of_rows(
            name,
            read_flags(path),
            labels,
            systems=systems,
            threshold=limits.get(name),
            low_is_error=name in low_is_error,
        )
        for name, path in files.items()
    ]


def _threshold(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise UsageError(f"--threshold '{text}': write NAME=SCORE, as length=0.5.") from None


def _check(detectors: Sequence[Detector], labels: Labels, systems: Sequence[str]) -> None:
    names = [detector.name for detector in detectors]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"Two detectors are called '{twice}'. Name a list otherwise: --flagged NAME=FILE.")
    if any(detector.labels for detector in detectors):
        return
    count = len(labels.pairs) or len(labels.subjects)
    if not count:
        raise UsageError(
            f"There are no settled labels in {labels.origin}. Review the run (mtassay review next, or a sheet"
            " of 'mtassay invariance sample' or 'mtassay behavior sample'), or add --labels FILE."
        )
    none = f"None of the {count:,} labels" if count > 1 else "Not even the one label"
    theirs = {key.system for key in labels.pairs} - {""}
    ours = set(systems) or {key.system for d in detectors for key in (*d.flagged, *d.scores)} - {""}
    if theirs and ours and not theirs & ours:
        raise UsageError(
            f"{none} of {labels.origin} is about {' or '.join(sorted(ours))}: the labels are about "
            f"{', '.join(sorted(theirs))}. The names of the systems must be the same."
        )
    raise UsageError(f"{none} of {labels.origin} is about these pairs: their ids must be the same.")


def _print(
    result: Result, curves: Mapping[str, Curve], labels: Labels, best: Sequence[str], form: OutputFormat
) -> None:
    if form is OutputFormat.json:
        drawn = {
            name: {"average_precision": found.average, "points": [point._asdict() for point in found.points]}
            for name, found in curves.items()
        }
        print_json({**result.as_dict(), "unsettled": labels.unsettled, "curves": drawn})
        return
    if form is OutputFormat.tsv:
        print_tables([score_rows(result)], form)
        return
    sizes = {(counts["labelled"], counts["errors"]) for counts in result.counts.values()}
    notes = []
    if len(sizes) == 1:
        (n, wrong) = sizes.pop()
        verb = "is" if wrong == 1 else "are"
        notes.append(f"Labelled pairs: {n:,}, of which {wrong:,} {verb} wrong ({100 * wrong / n:.1f} %).")
    else:
        notes += [
            f"{name}: {c['labelled']:,} labelled pairs, {c['errors']:,} of them wrong."
            for name, c in result.counts.items()
        ]
    if labels.unsettled:
        notes.append(f"Looked at and not settled (disputed, unsure or empty): {labels.unsettled:,}.")
    print_tables([detection_table(result, notes=[*notes, *best])], form)


def _best(detector: Detector, found: Curve) -> str:
    best = found.best
    where = f"{detector.one_less} {1 - best.threshold:.3g}" if detector.one_less else f"{best.threshold:g}"
    return (
        f"{detector.name}: with another threshold F1 would be at most {100 * best.f1:.1f}, at {where}, "
        "which is chosen on these very labels."
    )


def _draw(path: Path, result: Result, curves: Mapping[str, Curve], detectors: Sequence[Detector]) -> None:
    scores = {(score.name, score.system): score.value for score in result.scores}
    marks = {}
    for name in result.counts:
        precision, recall = scores["precision", name], scores["recall", name]
        if precision is not None and recall is not None:
            marks[name] = CurvePoint(0.0, 0, precision / 100, recall / 100)
    shares = {sum(d.labels.values()) / len(d.labels) for d in detectors if d.labels}
    points = {name: found.points for name, found in curves.items()}
    draw(curve_figure(points, marks, share=shares.pop() if len(shares) == 1 else None), path)
