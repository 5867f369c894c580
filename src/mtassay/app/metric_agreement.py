"""Agreement of metrics with people, and ranks of systems by people, from files or from memory.

Functions that run metrics also take their settings, as all functions of `mtassay.app.library` do:
`workspace`, `cache` and `quiet`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from mtassay.app.arguments import Texts, known_keywords, listed
from mtassay.app.library import read_test_texts
from mtassay.app.runs import RunSettings
from mtassay.app.settings_types import RunOptions
from mtassay.data.errors import UsageError
from mtassay.data.formats.annotation_files import read_entities
from mtassay.data.formats.score_files import ScoreColumn, chosen, column_of, read_score_file
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.nouns import Result
from mtassay.data.settings import build, split_names, split_specs
from mtassay.measures.metric import Metric
from mtassay.meta.assessments import AgreementAssessment, RankingAssessment
from mtassay.meta.correlate import CorrelationSettings, Level, Resample, correlate_metrics
from mtassay.meta.correlate import correlate as correlate_raters
from mtassay.meta.error_spans import compare_spans
from mtassay.meta.measurement import (
    OrderSweep,
    measure_raters,
    parse_orders,
)
from mtassay.meta.rated_material import (
    RatedMaterial,
    Rater,
    Scores,
    material_from_files,
    material_from_folder,
    rank_systems,
    rater_from_column,
    told_apart,
)
from mtassay.meta.significance import MetricTestName
from mtassay.meta.system_level import Grouping
from mtassay.report.run_text import Progress
from mtassay.stats.resampling import chosen_seed, fixed_seed
from mtassay.systems.roster import AnySystems, named

METRICS = "bleu,chrf"
Place = str | PathLike[str]


@known_keywords(RunOptions)
def correlate(
    systems: AnySystems = (),
    references: Texts | Iterable[Texts] = (),
    source: Texts | None = None,
    *,
    human_scores: Place | Sequence[Place] | Mapping[str, Mapping[str, Any]] = (),
    human: str | Sequence[str] | None = None,
    metrics: str | Sequence[str] | None = None,
    metric_scores: Place | Sequence[Place] | Mapping[str, Mapping[str, Any]] = (),
    mtme: Place | None = None,
    langpair: str | None = None,
    level: Level = "system",
    grouping: Grouping = "none",
    ngram_sweep: str | None = None,
    human_vs_human: bool = False,
    metric_vs_metric: bool = False,
    test: MetricTestName = "randomization",
    alpha: float = 0.05,
    resample: Resample | None = None,
    exclude: str | Sequence[str] | None = None,
    with_humans: bool = False,
    documents: Place | None = None,
    entities: Place | None = None,
    samples: int = 1000,
    trials: int = 1000,
    seed: int | None = None,
    **options: Unpack[RunOptions],
) -> AgreementAssessment:
    """Compare metrics with people: correlations and accuracies, each with a 95 % interval, and ranks.

    Args:
        systems: Outputs by name; of an mt-metrics-eval folder, names of its systems.
        references: One reference or several; of a folder, names of its references.
        source: The source texts.
        human_scores: Files, or a mapping as `{"mqm": {"A": [-1.0, -5.0], "B": [0.0, -1.0]}}`, with a number
            for each segment or one for the system.
        human: Names of the human scores to use; by default all.
        metrics: Metrics to compute, as `"bleu,chrf"`.
        metric_scores: Scores of metrics that were run elsewhere, in the form of `human_scores`.
        mtme: A folder of mt-metrics-eval with test set, outputs and scores; needs `langpair`.
        langpair: The language pair, as `"en-de"`.
        level: `"system"` or `"segment"`.
        grouping: How segments are grouped: not (`"none"`), by `"item"` or by `"system"`.
        ngram_sweep: BLEU of these orders, as `"1-4"`.
        human_vs_human: Compare human scores with each other.
        metric_vs_metric: Correlate the metrics with each other; needs no human scores.
        test: The test between metrics: `"randomization"`, or `"wmt"` for the ranks of WMT's metrics task.
        alpha: The level of significance.
        resample: What is resampled for intervals: `"segments"` or `"systems"`.
        exclude: Systems to leave out.
        with_humans: Count human translations among the systems.
        documents: A file with the document of each line.
        entities: A file with marked names, for the metric `nee`.
        samples: Resamples for intervals.
        trials: Trials of each test.
        seed: Seed of all draws.
        options: How to run.

    Returns:
        Correlations and accuracies with their intervals, and the ranks of the metrics.

    Raises:
        UsageError: There are no scores to compare, or a parameter does not fit.

    >>> outputs = {"A": ["Ola mundo"], "B": ["Olá, mundo!"], "C": ["Oi"]}
    >>> people = {"da": {"A": 60, "B": 95, "C": 20}}
    >>> found = correlate(outputs, [["Olá, mundo!"]], human_scores=people, metrics="chrf", samples=100)
    >>> [round(score["value"], 2) for score in found.records() if score["group"] == "kendall"]
    [1.0]
    """
    pair = None if langpair is None else parse_pair(langpair)
    specs = [metrics] if isinstance(metrics, str) else list(metrics or ())
    if not specs and not (ngram_sweep or metric_scores or human_vs_human):
        specs = [METRICS]
    language = str(pair.target) if pair else ""
    built = built_metrics(specs, pair)
    sweep = None
    if ngram_sweep is not None:
        sweep = OrderSweep.among(built, parse_orders(ngram_sweep), language=language)
    names = {"humans": split_names(human), "exclude": split_names(exclude)}
    is_measured = bool(built or sweep)
    if mtme is not None:
        clash = {"human_scores": human_scores, "source": source, "documents": documents}
        if superfluous := [option for option, value in clash.items() if value]:
            raise UsageError(f"`mtme` already has test set and human scores: leave out `{superfluous[0]}`.")
        material = material_from_folder(
            Path(mtme),
            _needed(pair),
            metric_scores=split_names(map(str, _scores(metric_scores))),
            references=split_names(map(str, listed(references))),
            systems=split_names(systems),
            with_humans=with_humans,
            with_outputs=is_measured,
            **names,
        )
        if entities is not None:
            segments = read_entities(Path(entities), list(material.segments))
            material = replace(material, segments=segments)
    else:
        if with_humans:
            raise UsageError(
                "`with_humans=True` is about the references of an `mtme='FOLDER'`: leave it out."
            )
        people, theirs = _scores(human_scores), _scores(metric_scores)
        if not people and not metric_vs_metric:
            raise UsageError("There are no human scores: add `human_scores='FILE'`, or `mtme='FOLDER'`.")
        if is_measured and not systems:
            raise UsageError("There is no system to measure: add `systems=['NAME=FILE']`.")
        streams = listed(references)
        if is_measured and source is None and not streams:
            raise UsageError(
                "There is nothing to measure against: add `references='FILE'`, `source='FILE'` or both."
            )
        is_there = source is not None or streams
        segments = read_test_texts(source, streams, documents, pair) if is_there else []
        material = material_from_files(
            read_entities(Path(entities), segments) if entities else segments,
            {name: str(w) if isinstance(w, PathLike) else w for name, w in named(systems).items()},
            people,
            metric_files=theirs,
            pair=pair,
            **names,
        )
    settings = CorrelationSettings(
        level, grouping, samples, trials, fixed_seed(seed), test=test, alpha=alpha, resample=resample
    )
    how = RunSettings(**options)
    return _correlated(material, built, sweep, settings, how, human_vs_human, metric_vs_metric)


def _correlated(
    material: RatedMaterial,
    metrics: Mapping[str, Metric],
    sweep: OrderSweep | None,
    settings: CorrelationSettings,
    how: RunSettings,
    human_vs_human: bool,
    metric_vs_metric: bool,
) -> AgreementAssessment:
    frame = material.frame
    with Progress(quiet=how.is_quiet) as progress:
        measured = measure_raters(
            metrics,
            sweep,
            material.segments,
            material.outputs,
            frame,
            settings=settings,
            labels=material.labels,
            workspace=how.memory(is_live=any(metric.asks_models for metric in metrics.values())),
            report=progress.report,
        )
        progress.report("agreement", 0, None)
        humans = [rater_from_column(column, frame) for column in material.humans]
        metrics_alone = told_apart(
            [*measured.metrics, *(rater_from_column(column, frame) for column in material.metrics)]
        )
        raters = [*metrics_alone, *(humans if human_vs_human else [])]
        _check_raters(raters, humans, human_vs_human)
        if metric_vs_metric and len(metrics_alone) < 2:
            raise UsageError(
                "There is only one metric: nothing to compare it with. Name another with `metrics`."
            )
        main = correlate_raters(raters, humans, frame=frame, settings=settings)
        swept = correlate_raters(
            measured.sweep, humans, frame=frame, settings=settings, soft=False, ranked=False
        )
        others = metrics_alone if metric_vs_metric else []
        among = correlate_metrics(others, frame=frame, settings=settings)
        spans = [
            score
            for metric in metrics.values()
            for column in material.humans
            if column.spans and metric.asks_models
            for score in compare_spans(
                metric, column, material.segments, material.outputs, seed=settings.seed
            )
        ]
    told = [*main.notes, *swept.notes, *among.notes]
    result = Result(
        [*main.result.scores, *swept.result.scores, *among.result.scores, *spans],
        main.result.comparisons,
        main.result.clusters,
        counts=main.result.counts,
        notes=list(dict.fromkeys([*material.notes, *measured.notes, *told])),
    )
    return AgreementAssessment(result, material, settings, raters, humans, measured.sweep, main, swept, among)


def rank(
    human_scores: Place | Sequence[Place] | Mapping[str, Any] | None = None,
    *,
    human: str | Sequence[str] | None = None,
    mtme: Place | None = None,
    langpair: str | None = None,
    alpha: float = 0.05,
    seed: int | None = None,
) -> RankingAssessment:
    """Rank systems by people's scores of their segments, as WMT does.

    Scores are a file, those of an mt-metrics-eval folder, or a list of numbers for each system. `human` says
    which of several scores; by default the first.

    >>> found = rank({"A": [90, 80, 95, 85, 99], "B": [10, 20, 30, 25, 15]})
    >>> [(record["systems"], record["rank"]) for record in found.records("clusters")]
    [(('A',), 1), (('B',), 2)]
    """
    if (human_scores is None) == (mtme is None):
        raise UsageError(
            "Give human scores one way: `human_scores='FILE'`, or `mtme='FOLDER'` with `langpair`."
        )
    human_names = split_names(human)
    columns: list[ScoreColumn]
    if isinstance(human_scores, Mapping):
        columns = [column_of(next(iter(human_names), "human"), human_scores)]
    elif human_scores is not None:
        files = [human_scores] if isinstance(human_scores, str | PathLike) else human_scores
        columns = [c for file in files for c in read_score_file(str(file), ids=(), wanted=human_names)]
    else:
        pair = _needed(None if langpair is None else parse_pair(langpair))
        folder = material_from_folder(
            Path(mtme or ""), pair, humans=human_names, with_outputs=False, with_humans=True
        )
        columns = list(folder.humans)
    column = chosen(columns, human_names, what="human score")[0]
    if not column.by_segment:
        raise UsageError(f"{column.name} rates whole systems; ranking needs scores of segments.")
    result = rank_systems(column, alpha=alpha, seed=chosen_seed(seed))
    return RankingAssessment(result, alpha)


def built_metrics(specs: Iterable[str], pair: Pair | None) -> dict[str, Metric]:
    """Return these metrics by their specs, for the languages of the pair."""
    known = {"language": str(pair.target), "langpair": str(pair)} if pair else {}
    return {spec: build("metric", spec, **known) for text in specs for spec in split_specs(text)}


def _needed(pair: Pair | None) -> Pair:
    if pair is None:
        raise UsageError("`mtme` needs the language pair: add `langpair`, for example `langpair='en-de'`.")
    return pair


def _scores(scores: Place | Sequence[Place] | Mapping[str, Mapping[str, Any]]) -> Scores:
    if isinstance(scores, Mapping):
        return scores
    return [str(scores)] if isinstance(scores, str | PathLike) else [str(path) for path in scores]


def _check_raters(raters: Sequence[Rater], humans: Sequence[Rater], human_vs_human: bool) -> None:
    """Refuse raters of the same name, and a comparison among people with only one human score."""
    if human_vs_human and len(humans) < 2:
        raise UsageError(f"There is only one human score, {humans[0].name}: nothing to compare it with.")
    names = [rater.name for rater in raters]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"Two metrics are called '{twice}'. Leave one out, or rename it in its file.")
