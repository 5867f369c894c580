"""Takes the material of an analysis from a folder in the layout of mt-metrics-eval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mtassay.core import Segment
from mtassay.errors import UsageError
from mtassay.formats import MtmeFolder, read_mtme
from mtassay.languages import Pair
from mtassay.meta.columns import ScoreColumn
from mtassay.meta.material import Material, matched, select
from mtassay.meta.reading import column_from_ratings

ALL = "all"


def material_from_folder(
    path: Path,
    pair: Pair,
    *,
    humans: Sequence[str] = (),
    metric_scores: Sequence[str] = (),
    references: Sequence[str] = (),
    systems: Sequence[str] = (),
    exclude: Sequence[str] = (),
    with_humans: bool = False,
    with_outputs: bool = True,
) -> Material:
    """Segments, outputs and scores of a folder. Every list holds names; an empty one means the default.

    Defaults are the first reference, all human scores, and all systems but human translations: those that
    are also listed as references. `with_humans` takes these too, except for the reference in use.
    """
    folder = read_mtme(path, pair)
    in_use = list(references) or folder.reference_names[:1]
    segments = _segments(folder, in_use)
    people = [name for name in folder.system_names if name in folder.reference_names]
    barred = in_use if with_humans else [*people, *in_use]
    for name in systems:
        if name in barred:
            hint = "it is the reference in use" if name in in_use else "it is a reference: add --with-humans"
            raise UsageError(f"'{name}' cannot be scored: {hint}.")
    available = [name for name in folder.system_names if name not in barred]
    kept = select(available, systems, [name for name in exclude if name not in barred])
    if not kept:
        raise UsageError(f"{path}: no system is left.")
    columns = [_human(folder, name) for name in humans or folder.human_names or folder.rating_names]
    if not columns:
        raise UsageError(f"{path}: there are no human scores for {folder.key}.")
    found, notes = matched(columns, kept, known=folder.system_names)
    metrics, more = matched(
        [_metric(folder, name) for name in _metric_names(folder, metric_scores, in_use)],
        kept,
        known=folder.system_names,
    )
    left_out = [name for name in people if name not in kept and name not in in_use and not with_humans]
    if left_out:
        notes.append(f"Left out as human translations: {', '.join(left_out)} (--with-humans takes them in).")
    return Material(
        kept,
        segments,
        {name: folder.output(name) for name in kept} if with_outputs else {},
        found,
        metrics,
        notes + more,
        [str(pair), f"{len(segments):,} segments", f"reference {' + '.join(in_use)}"]
        if in_use
        else [str(pair), f"{len(segments):,} segments"],
        {"test": folder.name, "lang": str(pair)},
    )


def _segments(folder: MtmeFolder, names: Sequence[str]) -> list[Segment]:
    for name in names:
        if name not in folder.reference_names:
            known = ", ".join(folder.reference_names) or "none"
            raise UsageError(f"No reference for {folder.key} called {name!r}. Available: {known}.")
    places = [folder.reference_names.index(name) for name in names]
    return [
        segment._replace(references=tuple(segment.references[i] for i in places))
        for segment in folder.segments
    ]


def _human(folder: MtmeFolder, name: str) -> ScoreColumn:
    """What people said under a name: scores, or else error spans."""
    if name not in folder.human_names:
        if name in folder.rating_names:
            path = folder.folder / "human-scores" / f"{folder.key}.{name}.seg.rating"
            return column_from_ratings(name, folder.ratings(name), _ids(folder), path=str(path))
        known = ", ".join([*folder.human_names, *folder.rating_names]) or "none"
        raise UsageError(f"No human scores for {folder.key} called {name!r}. Available: {known}.")
    levels = folder.human_names[name]
    systems = folder.human_scores(name, "sys") if "sys" in levels else {}
    segments = folder.human_scores(name, "seg") if "seg" in levels else {}
    return _column(name, systems, segments, folder)


def _metric_names(folder: MtmeFolder, wanted: Sequence[str], references: Sequence[str]) -> list[str]:
    """Full names: `COMET` stands for `COMET-refA` where refA is the reference."""
    if ALL in wanted:
        return list(folder.metric_names)
    names = []
    for wish in wanted:
        full = [wish, *(f"{wish}-{reference}" for reference in references)]
        fitting = next((name for name in full if name in folder.metric_names), None)
        if fitting is None:
            known = ", ".join(folder.metric_names) or "none"
            raise UsageError(f"No metric scores for {folder.key} called {wish!r}. Available: {known}.")
        names.append(fitting)
    return list(dict.fromkeys(names))


def _metric(folder: MtmeFolder, name: str) -> ScoreColumn:
    levels = folder.metric_names[name]
    systems = folder.metric_scores(name, "sys") if "sys" in levels else {}
    segments = folder.metric_scores(name, "seg") if "seg" in levels else {}
    return _column(name, systems, segments, folder)


def _column(
    name: str,
    systems: dict[str, list[float | None]],
    segments: dict[str, list[float | None]],
    folder: MtmeFolder,
) -> ScoreColumn:
    ids = _ids(folder)
    return ScoreColumn(
        name,
        {system: column[0] for system, column in systems.items()},
        {system: dict(zip(ids, column, strict=True)) for system, column in segments.items()},
    )


def _ids(folder: MtmeFolder) -> list[str]:
    return [segment.id for segment in folder.segments]
