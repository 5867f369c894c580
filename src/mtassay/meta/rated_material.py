"""What is compared with people: test set, outputs and scores, of a folder or of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.score_files import (
    ScoreColumn,
    chosen,
    column_from_ratings,
    column_of,
    match_systems,
    merged,
    read_score_file,
    renamed,
)
from mtassay.data.formats.segment_files import read_outputs
from mtassay.data.formats.test_sets import MtmeFolder, read_mtme
from mtassay.data.languages import Pair
from mtassay.data.nouns import Segment
from mtassay.meta.raters import RatingFrame


@dataclass(frozen=True, slots=True)
class RatedMaterial:
    """Everything under our names for systems. `outputs` may lack systems that only scores know of.

    `notes` say what was left out, and `facts` what was looked at.
    """

    systems: Sequence[str]
    segments: Sequence[Segment]
    outputs: dict[str, list[str | None]]
    humans: Sequence[ScoreColumn]
    metrics: Sequence[ScoreColumn] = ()
    notes: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def frame(self) -> RatingFrame:
        """Systems and segments in order; without a test set, the segments that scores know of."""
        documents = {segment.id: segment.document for segment in self.segments}
        ids = list(documents) or list(
            dict.fromkeys(
                segment_id
                for column in (*self.humans, *self.metrics)
                for row in column.by_segment.values()
                for segment_id in row
            )
        )
        return RatingFrame(self.systems, ids, documents)


def select(available: Sequence[str], wanted: Sequence[str], unwanted: Sequence[str]) -> list[str]:
    """The wanted systems, or all, without the unwanted; a name that is not available is an error."""
    for name in (*wanted, *unwanted):
        if name not in available:
            raise UsageError(f"No system called {name!r}. Available: {', '.join(available) or 'none'}.")
    return [name for name in wanted or available if name not in unwanted]


def matched(
    columns: Iterable[ScoreColumn], systems: Sequence[str], *, available: Sequence[str] = ()
) -> tuple[list[ScoreColumn], list[str]]:
    """The columns with our names, and notes on names that fit no system. `available` ones need no note."""
    result = []
    strangers: dict[str, list[str]] = {}
    unrated: dict[str, list[str]] = {}
    for column in columns:
        names = match_systems(column.systems, [*systems, *available])
        ours = renamed(column, {theirs: mine for theirs, mine in names.items() if mine in systems})
        if not ours.systems:
            first = ", ".join(column.systems[:3])
            raise UsageError(
                f"{column.name} rates none of these systems: {_few(systems)}. Its names begin with: {first}."
            )
        strangers.setdefault(_few([name for name in column.systems if name not in names]), []).append(
            column.name
        )
        unrated.setdefault(_few([name for name in systems if name not in ours.systems]), []).append(
            column.name
        )
        result.append(ours)
    notes = [f"Also in {', '.join(who)}, but not here: {what}." for what, who in strangers.items() if what]
    notes += [f"Without scores in {', '.join(who)}: {what}." for what, who in unrated.items() if what]
    return result, notes


def check_ids(column: ScoreColumn, ids: Sequence[str], *, path: str) -> list[str]:
    """A note on segments that are not in the test set; an error where none of them is."""
    id_set = set(ids)
    theirs = dict.fromkeys(segment_id for row in column.by_segment.values() for segment_id in row)
    if not id_set or not theirs:
        return []
    strangers = [segment_id for segment_id in theirs if segment_id not in id_set]
    if len(strangers) == len(theirs):
        raise InputError(
            f"none of its ids, such as {strangers[0]!r}, is in the test set, whose first is {ids[0]!r}",
            path=path,
        )
    if not strangers:
        return []
    return [f"{path} rates {len(strangers):,} segments that are not in the test set."]


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


Scores = Sequence[str] | Mapping[str, Mapping[str, Any]]
"""Files of scores; or scores by their names, each as `column_of` takes them."""


def material_from_files(
    segments: Sequence[Segment],
    outputs: Mapping[str, str | Sequence[str | None]],
    human_files: Scores,
    *,
    humans: Sequence[str] = (),
    metric_files: Scores = (),
    exclude: Sequence[str] = (),
    pair: Pair | None = None,
) -> RatedMaterial:
    """`outputs` are by system; `humans` names scores in `human_files`, and none means all of them.

    Without outputs, the systems are those that people rated.
    """
    ids = [segment.id for segment in segments]
    people, notes = _read(human_files, ids, humans)
    people = chosen(people, humans, what="human score")
    metrics, more = _read(metric_files, ids, ())
    available = list(outputs) or list(dict.fromkeys(name for column in people for name in column.systems))
    kept = select(available, (), exclude)
    if not kept:
        raise UsageError("No system is left.")
    human_columns, unmatched = matched(people, kept, available=available)
    metric_columns, unscored = matched(metrics, kept, available=available)
    texts = {
        name: read_outputs(what, segments, system=name, pair=pair) if isinstance(what, str) else list(what)
        for name, what in outputs.items()
        if name in kept
    }
    references = max((len(segment.references) for segment in segments), default=0)
    facts = [str(pair)] if pair else []
    if segments:
        facts += [f"{len(segments):,} segments", f"{references} reference{'s' * (references != 1)}"]
    return RatedMaterial(
        kept,
        segments,
        texts,
        human_columns,
        metric_columns,
        [*notes, *more, *unmatched, *unscored],
        facts,
        {"lang": str(pair)} if pair else {},
    )


def _read(files: Scores, ids: Sequence[str], wanted: Sequence[str]) -> tuple[list[ScoreColumn], list[str]]:
    columns: list[ScoreColumn] = []
    notes: list[str] = []
    for path in files:
        if isinstance(files, Mapping):
            new_columns = [column_of(path, files[path], ids)]
        else:
            new_columns = read_score_file(path, ids=ids, wanted=wanted)
        for column in new_columns:
            notes += check_ids(column, ids, path=path)
        columns += new_columns
    return merged(columns), list(dict.fromkeys(notes))


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
) -> RatedMaterial:
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
    human_columns, notes = matched(columns, kept, available=folder.system_names)
    metrics, more = matched(
        [_metric(folder, name) for name in _metric_names(folder, metric_scores, in_use)],
        kept,
        available=folder.system_names,
    )
    left_out = [name for name in people if name not in kept and name not in in_use and not with_humans]
    if left_out:
        notes.append(f"Left out as human translations: {', '.join(left_out)} (--with-humans takes them in).")
    return RatedMaterial(
        kept,
        segments,
        {name: folder.output(name) for name in kept} if with_outputs else {},
        human_columns,
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
            available = ", ".join(folder.reference_names) or "none"
            raise UsageError(f"No reference for {folder.key} called {name!r}. Available: {available}.")
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
        available = ", ".join([*folder.human_names, *folder.rating_names]) or "none"
        raise UsageError(f"No human scores for {folder.key} called {name!r}. Available: {available}.")
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
            available = ", ".join(folder.metric_names) or "none"
            raise UsageError(f"No metric scores for {folder.key} called {wish!r}. Available: {available}.")
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
