"""The material of a comparison with people: test set, outputs and scores, of a folder or of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

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
from mtassay.data.nouns import Cluster, Comparison, Result, Score, Segment, Statistics
from mtassay.measures.metric import Metric
from mtassay.stats import comparisons, correlation, proportions
from mtassay.stats.correlation_rows import divided
from mtassay.stats.resampling import Aggregate

# Ranks systems by human scores of segments, with WMT's rank-sum test and clusters.


def rank_systems(column: ScoreColumn, *, alpha: float = 0.05, seed: int | None) -> Result:
    """Rank systems by mean score, with one-sided Wilcoxon rank-sum p-values for every pair (a better than b).

    Segments without a score do not count. `counts[system]["wins"]` is how many systems a system beats.
    """
    rated = {
        system: np.array([score for score in scores.values() if score is not None], np.float64)
        for system, scores in column.by_segment.items()
    }
    rated = {system: scores for system, scores in rated.items() if len(scores)}
    if len(rated) < 2:
        raise UsageError(
            f"{column.name} rates the segments of {len(rated)} systems; ranking needs two or more."
        )
    systems = sorted(rated, key=lambda system: -float(rated[system].mean()))
    p = np.ones((len(systems), len(systems)))
    for i, a in enumerate(systems):
        for j, b in enumerate(systems):
            if i != j:
                p[i, j] = correlation.rank_sum(rated[a], rated[b])
    wins = comparisons.win_counts(p, alpha=alpha)
    grouped = comparisons.clusters(range(len(systems)), p, alpha=alpha)
    return Result(
        scores=[_score(column.name, system, rated[system], seed) for system in systems],
        comparisons=[
            Comparison(
                name=column.name,
                group="all",
                a=a,
                b=b,
                delta=float(rated[a].mean() - rated[b].mean()),
                p=float(p[i, j]),
            )
            for i, a in enumerate(systems)
            for j, b in enumerate(systems)
            if i < j
        ],
        clusters=[
            Cluster(column.name, "all", 1 + sum(map(len, grouped[:k])), tuple(systems[i] for i in members))
            for k, members in enumerate(grouped)
        ],
        counts={s: {"rated": len(rated[s]), "wins": int(wins[i])} for i, s in enumerate(systems)},
    )


def _score(name: str, system: str, scores: NDArray[np.float64], seed: int | None) -> Score:
    low, high = proportions.bootstrap_interval(lambda sample: float(sample.mean()), [scores], seed=seed)
    return Score(
        name=name,
        system=system,
        group="all",
        value=float(scores.mean()),
        n=len(scores),
        low=low,
        high=high,
        signature=f"test:rank-sum|bs:1000|seed:{str(seed).lower()}",
    )


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Data for resampling: statistics (units, systems, columns), whose sums `aggregate` turns into scores.

    `ids` has ids of segments, or of documents if the metric counts per document.
    """

    kind: Literal["segments", "documents"]
    ids: Sequence[str]
    statistics: NDArray[Any]
    aggregate: Aggregate


@dataclass(frozen=True, slots=True, eq=False)
class Rater:
    """Scores of one metric, or one kind of human scores, for systems in a fixed order.

    `points` (systems,) and `segments` (systems, segments) are nan if unrated. `segments` is `None` without
    scores per segment. `units` is `None` without statistics that add up to the points, and `why` then says
    so. `undefined` is a reason not to compute any agreement.
    """

    name: str
    label: str
    points: Floats
    segments: Floats | None = None
    units: Units | None = None
    why: str = ""
    higher_is_better: bool = True
    signature: str = ""
    undefined: str = ""

    @property
    def sign(self) -> int:
        """The factor that makes higher scores better."""
        return 1 if self.higher_is_better else -1


@dataclass(frozen=True, slots=True)
class RatingFrame:
    """The systems and segments that all raters of an analysis share; `documents` is by segment."""

    systems: Sequence[str]
    ids: Sequence[str]
    documents: Mapping[str, str | None] = field(default_factory=dict)


def rater_from_column(column: ScoreColumn, frame: RatingFrame) -> Rater:
    """Make a rater from the scores of a file; without system scores, they are means over rated segments."""
    segments = _matrix(column, frame)
    if segments is None:
        points = np.array([_number(column.by_system.get(system)) for system in frame.systems])
        return Rater(column.name, column.name, points, why=f"no scores per segment: {column.name}")
    statistics = rated_statistics(segments)
    means = mean_of_rated(statistics.sum(axis=0))
    points = means
    why = ""
    if column.by_system:
        points = np.array([_number(column.by_system.get(system)) for system in frame.systems])
        if not _same(means, points):
            why = f"system scores are no means of segment scores: {column.name}"
    units = None if why else Units("segments", frame.ids, statistics, mean_of_rated)
    return Rater(column.name, column.name, points, segments, units, why=why)


def rater_from_statistics(
    name: str,
    metric: Metric,
    measured: Sequence[Statistics],
    frame: RatingFrame,
    *,
    with_segments: bool = True,
) -> Rater:
    """Make a rater from a metric's measurements, one for each system of the frame, in order.

    Scores per segment take time to compute, so they are only computed for `with_segments`.
    """
    ids = measured[0].ids
    statistics = np.stack([entry.values for entry in measured], axis=1)
    points = np.asarray(metric.aggregate(statistics.sum(axis=0, dtype=np.float64)), dtype=np.float64)
    at = {segment_id: i for i, segment_id in enumerate(frame.ids)}
    segments = None
    kind: Literal["segments", "documents"] = "documents"
    # Documents may have ids like segments ("1", "2"…); a metric of documents has all of them.
    if at.keys() >= set(ids) and not (len(ids) < len(at) and set(ids) == set(frame.documents.values())):
        kind = "segments"
    if kind == "segments" and with_segments:
        segments = np.full((len(frame.systems), len(frame.ids)), np.nan)
        segments[:, [at[unit] for unit in ids]] = [metric.unit_scores(entry.values) for entry in measured]
    return Rater(
        name,
        metric.label,
        points,
        segments,
        Units(kind, ids, statistics, metric.aggregate),
        higher_is_better=metric.higher_is_better,
        signature=measured[0].signature,
    )


def told_apart(raters: Sequence[Rater]) -> list[Rater]:
    """Use names as labels of raters with the same label, such as `BLEU` with two settings."""
    shared = Counter(rater.label for rater in raters)
    return [replace(rater, label=rater.name) if shared[rater.label] > 1 else rater for rater in raters]


def mean_of_rated(sums: NDArray[Any]) -> Floats:
    """The `aggregate` of people's scores; the last axis has the sum and number of ratings. nan if unrated.

    >>> mean_of_rated(np.array([[6.0, 4.0], [0.0, 0.0]])).tolist()
    [1.5, nan]
    """
    return divided(sums[..., 0], sums[..., 1])


def rated_statistics(segments: Floats) -> Floats:
    """Turn scores (systems, segments) into the input of `mean_of_rated` (segments, systems, 2)."""
    rated = ~np.isnan(segments)
    return np.stack((np.where(rated, segments, 0.0), rated), axis=2).transpose(1, 0, 2)


def _matrix(column: ScoreColumn, frame: RatingFrame) -> Floats | None:
    if not column.by_segment:
        return None
    empty: Mapping[str, float | None] = {}
    rows = [column.by_segment.get(system, empty) for system in frame.systems]
    values = np.array([[_number(row.get(segment_id)) for segment_id in frame.ids] for row in rows])
    return None if np.isnan(values).all() else values.reshape(len(rows), len(frame.ids))


def _number(score: float | None) -> float:
    return np.nan if score is None else score


def _same(means: Floats, points: Floats) -> bool:
    """Whether means equal points up to rounding, which is a hundredth of the points' spread."""
    both = ~(np.isnan(means) | np.isnan(points))
    if not both.any():
        return False
    return bool((np.abs(means - points)[both] <= 0.01 * np.ptp(points[both]) + 1e-9).all())


# The material of a comparison with people: test set, outputs and scores, of a folder or of files.


@dataclass(frozen=True, slots=True)
class RatedMaterial:
    """Test set, outputs and scores, with our names of systems. `outputs` may lack systems that have scores.

    `notes` say what was left out; `facts` describe the material.
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
        """Systems and segments in order; without a test set, the segments of the scores."""
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
    """Select the wanted systems (default: all) without the unwanted; an unknown name is an error."""
    for name in (*wanted, *unwanted):
        if name not in available:
            raise UsageError(f"No system called {name!r}. Available: {', '.join(available) or 'none'}.")
    return [name for name in wanted or available if name not in unwanted]


def matched(
    columns: Iterable[ScoreColumn], systems: Sequence[str], *, available: Sequence[str] = ()
) -> tuple[list[ScoreColumn], list[str]]:
    """Rename columns to our names, and note names without a system, except for `available` ones."""
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
    """Note segments that are not in the test set; raise an error if none is."""
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
"""Files of scores, or scores by name in a form that `column_of` accepts."""


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
    """Read material; `outputs` is by system, `humans` names scores in `human_files` (empty means all).

    Without outputs, the systems are the ones that people rated.
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
    """Read segments, outputs and scores of a folder. Lists have names; an empty list means the default.

    Defaults are the first reference, all human scores, and all systems except for human translations, which
    are also references. `with_humans` includes human translations, except for the reference in use.
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
    """Read one set of human judgements: scores or error spans."""
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
    """Complete metric names: `COMET` means `COMET-refA` if refA is the reference."""
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
