"""The reliability of judges of translations on the user's own texts: thresholds and figures.

A judge is anything that gives a number or a verdict per output: a metric, a detector of a saved run, a list
of scores from elsewhere. Functions also take settings for metrics: `workspace`, `cache` and `quiet`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, NamedTuple, Unpack

import numpy as np

from mtassay.app.arguments import Texts, known_keywords, listed
from mtassay.app.library import read_test_texts
from mtassay.app.metric_agreement import built_metrics
from mtassay.app.runs import Run, RunSettings, open_workspace
from mtassay.app.settings_types import RunOptions
from mtassay.data import nouns
from mtassay.data.errors import UsageError
from mtassay.data.formats.evaluation_files import FlagRow, read_flags
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.nouns import RunContext
from mtassay.data.settings import split_names
from mtassay.measures.judge import OURS
from mtassay.measures.metric import Metric, as_qualities
from mtassay.meta.detect import JudgedDetector, PairKey
from mtassay.meta.judge_tables import Calibration, JudgeComparison
from mtassay.meta.judges import (
    CalibratedJudge,
    CalibrationSettings,
    calibrate_judge,
    calibration_result,
    compare_judges,
)
from mtassay.meta.labelled_detectors import (
    Labels,
    check_detectors,
    detector_of_rows,
    detectors_of_runs,
    labels_from_file,
    labels_from_workspace,
    labels_of,
)
from mtassay.meta.measurement import score_outputs
from mtassay.methods.behavior.verdict_thresholds import thresholds_of
from mtassay.methods.engine import translate
from mtassay.stats.resampling import fixed_seed
from mtassay.systems.roster import AnySystems, name_and_rest, open_systems

Place = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class _Labelled:
    """Judges with the labels of the outputs they judged, and the origin of both."""

    judges: list[JudgedDetector]
    names: dict[str, str]
    metrics: dict[str, Metric]
    labels: Labels
    systems: Sequence[str]
    runs: Sequence[nouns.Run]
    sources: Mapping[str, str]


@known_keywords(RunOptions)
def calibrate(
    run: str | Run | nouns.Run | None = None,
    *,
    metrics: str | Sequence[str] | None = None,
    precision: float = 0.8,
    labels: Place | Mapping[Any, bool | str] | None = None,
    question: str | None = None,
    errors: str | Sequence[str] | None = None,
    source: Texts | None = None,
    references: Texts | Iterable[Texts] = (),
    systems: AnySystems = (),
    langpair: str | None = None,
    folds: int = 5,
    seed: int | None = None,
    **options: Unpack[RunOptions],
) -> Calibration:
    """Below which score is an output wrong? Thresholds for a wished precision, on one's own labels.

    Judged are the outputs of a saved `run`, by its detectors and by `metrics`, or `systems` on a test set of
    `source` and `references`. Labels are as in `judges`. Precision and recall are measured on outputs that
    were not used to find the threshold.
    """
    if not 0 < precision < 1:
        raise UsageError(f"`precision` is {precision:g}: give a share between 0 and 1, as 0.8.")
    settings = CalibrationSettings(precision, folds, fixed_seed(seed))
    how = RunSettings(**options)
    if run is None and labels is None:
        raise UsageError(
            "There is nothing to calibrate on: give a saved run with reviews, or outputs (`source`, "
            "`references`, `systems`) with `labels`."
        )
    given = _labelled(
        [] if run is None else [run], metrics, {}, labels, question, errors, source, references, systems,
        langpair, how,
    )  # fmt: skip
    judges = [
        _with_parameters(
            calibrate_judge(j, settings, sources=given.sources, label=given.names[j.name]), given, j
        )
        for j in given.judges
    ]
    return Calibration(calibration_result(judges), judges, settings, given.labels, given.systems)


@known_keywords(RunOptions)
def judges(
    runs: str | Sequence[str | Run | nouns.Run] = (),
    *,
    metrics: str | Sequence[str] | None = None,
    flagged: Mapping[str, Any] | Sequence[str] = (),
    thresholds: Mapping[str, float] | Sequence[str] = (),
    low_is_error: str | Sequence[str] | None = None,
    precision: float = 0.8,
    labels: Place | Mapping[Any, bool | str] | None = None,
    question: str | None = None,
    errors: str | Sequence[str] | None = None,
    source: Texts | None = None,
    references: Texts | Iterable[Texts] = (),
    systems: AnySystems = (),
    langpair: str | None = None,
    seed: int | None = None,
    **options: Unpack[RunOptions],
) -> JudgeComparison:
    """How good are detectors, judges and metrics at finding wrong translations, by people's labels?

    Precision, recall, F1 and AUC with intervals, agreement with the labels, and how many labels it would take
    to tell two of them apart.

    >>> found = judges(flagged={"short": ["1", "2"]}, labels={"1": True, "2": False, "3": True})
    >>> {record["name"]: round(record["value"], 1) for record in found.records()}
    {'precision': 50.0, 'recall': 50.0, 'f1': 50.0, 'kappa': -0.5}
    """
    settings = CalibrationSettings(precision, seed=fixed_seed(seed))
    lists = dict(flagged) if isinstance(flagged, Mapping) else dict(map(name_and_rest, flagged))
    limits = dict(thresholds) if isinstance(thresholds, Mapping) else dict(map(_threshold, thresholds))
    low = split_names(low_is_error)
    if unknown := [name for name in (*limits, *low) if name not in lists]:
        raise UsageError(f"No --flagged list is called '{unknown[0]}'. Available: {', '.join(lists)}.")
    several = [runs] if isinstance(runs, str | Run | nouns.Run) else list(runs)
    others = {name: _FlaggedList(what, limits.get(name), name in low) for name, what in lists.items()}
    how = RunSettings(**options)
    given = _labelled(
        several, metrics, others, labels, question, errors, source, references, systems, langpair, how
    )
    return JudgeComparison(
        *compare_judges(given.judges, set(given.metrics), settings, given.sources),
        given.names,
        settings,
        given.labels,
    )


class _FlaggedList(NamedTuple):
    """Flags of another judge: a file or rows, the score from which it flags, and the side of that score."""

    rows: Any
    threshold: float | None
    low_is_error: bool


def _threshold(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise UsageError(f"`threshold` '{text}': write NAME=SCORE, as length=0.5.") from None


def _labelled(
    runs: Sequence[str | Run | nouns.Run],
    metrics: str | Sequence[str] | None,
    lists: Mapping[str, _FlaggedList],
    labels: Place | Mapping[Any, bool | str] | None,
    question: str | None,
    errors: str | Sequence[str] | None,
    source: Texts | None,
    references: Texts | Iterable[Texts],
    systems: AnySystems,
    langpair: str | None,
    how: RunSettings,
) -> _Labelled:
    if not runs and not metrics and not lists:
        raise UsageError("There is no judge: give saved runs, `metrics='NAMES'`, or `flagged='NAME=FILE'`.")
    store = open_workspace(how.workspace) if labels is None or any(isinstance(r, str) for r in runs) else None
    opened = [opened_run(run, store) for run in runs]
    meant: dict[str, Any] = {"question": question, "errors": split_names(errors)}
    if isinstance(labels, Mapping):
        found = labels_of(labels, errors=meant["errors"])
    elif labels is not None:
        found = labels_from_file(labels, **meant)
    else:
        assert store is not None
        found = labels_from_workspace(store, opened[0] if opened else None, **meant)
    pair = _pair_of(opened, langpair)
    built = built_metrics([metrics] if isinstance(metrics, str) else metrics or (), pair)
    names_only = bool(opened or not built) and not isinstance(systems, Mapping)
    chosen = split_names(systems) if names_only else []
    fitting = found.only(chosen)
    detectors = detectors_of_runs(opened, fitting, systems=chosen) if opened else []
    detectors += [
        detector_of_rows(
            name,
            flag_rows(one.rows),
            fitting,
            systems=chosen,
            threshold=one.threshold,
            low_is_error=one.low_is_error,
        )
        for name, one in lists.items()
    ]
    names = {detector.name: detector.name for detector in detectors}
    asks_models = any(metric.asks_models for metric in built.values())
    with how.context(systems if not opened else (), is_live=asks_models) as context:
        if opened:
            first = opened[0]
            segments = list(first.segments)
            outputs = {
                system: [by_id.get(s.id) for s in segments]
                for system, by_id in (
                    (system, {o.id: o.text for o in answers}) for system, answers in first.outputs.items()
                )
                if not chosen or system in chosen
            }
            fitting = fitting.of_run(first)
        else:
            segments = read_test_texts(source, listed(references), None, pair) if built else []
            answers = translate(segments, open_systems(systems, segments, pair), context) if built else {}
            outputs = {system: [answer.text for answer in column] for system, column in answers.items()}
        for name, metric in built.items():
            detectors.append(_metric_judge(name, metric, segments, outputs, fitting, context))
            names[name] = metric.label
    check_detectors(detectors, found, chosen)
    everyone = list(outputs) or sorted({key.system for d in detectors for key in d.labels} - {""})
    sources = _sources([*segments, *(segment for run in opened[1:] for segment in run.segments)])
    return _Labelled(detectors, names, built, found, everyone, opened, sources)


def _sources(segments: Sequence[nouns.Segment]) -> dict[str, str]:
    """Map the id of each segment to its source, or to the source of the segment it was edited from."""
    texts = {segment.id: segment.source or segment.id for segment in segments}
    return {s.id: texts.get(nouns.original_of(s) or s.id, texts[s.id]) for s in segments}


def _metric_judge(
    name: str,
    metric: Metric,
    segments: Sequence[nouns.Segment],
    outputs: Mapping[str, Sequence[str | None]],
    labels: Labels,
    context: RunContext,
) -> JudgedDetector:
    """Return a metric as a judge of the labelled outputs alone; a low score means an error."""
    ids = {segment.id for segment in segments}
    rows: list[FlagRow] = []
    for system, texts in outputs.items():
        # Labels of a behavioural case are about the output to its edited source.
        places = [
            i
            for i, segment in enumerate(segments)
            if f"{segment.id}{nouns.EDITED}" not in ids
            and any(
                PairKey(key, who) in labels.pairs
                for key in (segment.id, segment.id.removesuffix(nouns.EDITED))
                for who in (system, "")
            )
        ]
        if not places:
            continue
        own = [segments[i] for i in places]
        scores = score_outputs(name, metric, own, [texts[i] for i in places], context, system=system)
        rows += [
            FlagRow(segment.id, system, None if math.isnan(score) else float(score), False, 0)
            for segment, score in zip(own, scores, strict=True)
        ]
    return detector_of_rows(name, rows, labels, systems=list(outputs), low_is_error=True)


def _pair_of(runs: Sequence[nouns.Run], langpair: str | None) -> Pair | None:
    pairs = [pair for run in runs if (pair := run.parameters.get("pair"))]
    if langpair is None and pairs:  # a run of `score` has two languages
        langpair = pairs[0] if isinstance(pairs[0], str) else ":".join(pairs[0])
    return None if langpair is None else parse_pair(langpair)


def _with_parameters(judge: CalibratedJudge, given: _Labelled, detector: JudgedDetector) -> CalibratedJudge:
    """Return the judge with the threshold's alpha, if qualities are measured, and the beta of the run."""
    if judge.threshold is None:
        return judge
    if detector.complement:
        known: dict[str, float] = {detector.complement: 1 - judge.threshold}
        betas = {thresholds_of(run).beta for run in given.runs if "max_change" in run.parameters}
        qualities = {"+".join(run.parameters.get("quality") or ()) for run in given.runs}
        if len(betas) != 1 or len(qualities) != 1:
            return judge
        return replace(judge, parameters=known | {"beta": betas.pop()}, quality=qualities.pop())
    by_evidence = bool(given.runs) and all(run.parameters.get("judge_by") == OURS for run in given.runs)
    if by_evidence and judge.name not in given.metrics:
        return replace(judge, parameters={"fail": judge.threshold}, quality=OURS)
    if (metric := given.metrics.get(judge.name)) is not None:
        if not metric.higher_is_better:  # scores were reversed to be judged
            judge = replace(judge, threshold=-judge.threshold, low_is_error=False)
        alpha = float(as_qualities(metric, np.array([judge.threshold or 0.0]))[0])
        return replace(judge, parameters={"alpha": alpha}, quality=judge.name)
    return judge


def opened_run(run: str | Run | nouns.Run, store: Any) -> nouns.Run:
    """Return a run, given itself or by its name in the workspace."""
    if isinstance(run, str):
        saved: nouns.Run = store.run(run)
        return saved
    return run.record if isinstance(run, Run) else run


def flag_rows(flagged: Any) -> list[FlagRow]:
    """Return the rows of a list of flagged pairs, from a file, ids, scores by id, or rows."""
    if isinstance(flagged, str | PathLike):
        return read_flags(flagged)
    if isinstance(flagged, Mapping):
        return [FlagRow(id_, "", score, None, 0) for id_, score in flagged.items()]
    return [row if isinstance(row, FlagRow) else FlagRow(str(row), "", None, None, 0) for row in flagged]
