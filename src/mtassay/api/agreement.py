"""How good metrics, detectors and rankings are, held against people: on files, or on what is in memory.

Those that run metrics also take how to run them, as all functions of `mtassay.api` do: `workspace`, `cache`
and `quiet`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from mtassay import core
from mtassay.api import Run, RunSettings, Texts, listed, open_workspace, read_test_texts
from mtassay.core import Result
from mtassay.errors import InputError, UsageError
from mtassay.formats.challenge import ChallengePair, read_challenge
from mtassay.formats.detections import FlagRow, read_flags
from mtassay.formats.entities import read_entities
from mtassay.formats.scores import ScoreColumn, chosen, column_of, read_score_file
from mtassay.languages import Pair, parse_pair
from mtassay.meta.challenge import ChallengeSettings, Kind, MetricScores, between_kinds, pairwise
from mtassay.meta.correlate import CorrelationSettings, Level, Resample, correlate_metrics
from mtassay.meta.correlate import correlate as correlate_raters
from mtassay.meta.detect import DetectionSettings, curve
from mtassay.meta.detect import detect as judge_detectors
from mtassay.meta.detectors import (
    Labels,
    check_detectors,
    detector_of_rows,
    detectors_of_runs,
    labels_from_file,
    labels_from_workspace,
    labels_of,
)
from mtassay.meta.estimation import discrimination
from mtassay.meta.material import RatedMaterial, Scores, material_from_files, material_from_folder
from mtassay.meta.measurement import (
    OrderSweep,
    measure_pairs,
    measure_raters,
    parse_orders,
    read_pairs_scores,
)
from mtassay.meta.ranking import rank_systems
from mtassay.meta.rater import Rater, rater_from_column, told_apart
from mtassay.meta.segment_level import Grouping
from mtassay.meta.significance import MetricTestName
from mtassay.metrics.base import Metric
from mtassay.options import build, split_names, split_specs
from mtassay.report.assessments import AgreementAssessment, Detection, Discrimination, RankingAssessment
from mtassay.report.progress import Progress
from mtassay.stats import chosen_seed, fixed_seed
from mtassay.store import Workspace
from mtassay.systems.roster import Given, name_and_rest, named

__all__ = ["challenge", "correlate", "detect", "rank"]

METRICS = "bleu,chrf"
Place = str | PathLike[str]


def correlate(
    systems: Given = (),
    references: Texts | Sequence[Texts] = (),
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
    **options: Any,
) -> AgreementAssessment:
    """How well metrics agree with people: correlations and accuracies, each with a 95 % interval, and ranks.

    Test set, outputs and human scores are those of an mt-metrics-eval folder (`mtme`), or single files or
    texts. Human scores, and those of metrics run elsewhere (`metric_scores`), are files, or mappings as
    `{"mqm": {"A": [-1.0, -5.0], "B": [0.0, -1.0]}}`, with a number for each segment or one for the system. Of
    a folder, `references`, `systems` and `metric_scores` are names of what is in it. Metrics are tested
    against each other and ranked: `test` is "randomization", or "wmt" for the ranks of WMT's metrics task.
    `metric_vs_metric` correlates the metrics with each other, for which no human scores are needed.

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
    built = _metrics(specs, pair)
    sweep = None
    if ngram_sweep is not None:
        sweep = OrderSweep.among(built, parse_orders(ngram_sweep), language=language)
    names = {"humans": split_names(human), "exclude": split_names(exclude)}
    is_measured = bool(built or sweep)
    if mtme is not None:
        clash = {"--human-scores": human_scores, "-s": source, "--documents": documents}
        if superfluous := [option for option, value in clash.items() if value]:
            raise UsageError(f"--mtme brings test set and human scores along: leave out {superfluous[0]}.")
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
            raise UsageError("--with-humans is about the references of an --mtme FOLDER: leave it out.")
        people, theirs = _scores(human_scores), _scores(metric_scores)
        if not people and not metric_vs_metric:
            raise UsageError("There are no human scores: add --human-scores FILE, or --mtme FOLDER.")
        material = _material(
            systems,
            listed(references),
            source,
            people,
            theirs,
            pair=pair,
            documents=documents,
            entities=entities,
            is_measured=is_measured,
            **names,
        )
    settings = CorrelationSettings(
        level, grouping, samples, trials, fixed_seed(seed), test=test, alpha=alpha, resample=resample
    )
    return _correlated(
        material,
        built,
        sweep,
        settings,
        RunSettings(**options),
        human_vs_human=human_vs_human,
        metric_vs_metric=metric_vs_metric,
    )


def _correlated(
    material: RatedMaterial,
    metrics: Mapping[str, Metric],
    sweep: OrderSweep | None,
    settings: CorrelationSettings,
    how: RunSettings,
    *,
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
            workspace=how.memory(is_live=_asks_models(metrics)),
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
            raise UsageError("There is only one metric: nothing to compare it with. Name another with -m.")
        main = correlate_raters(raters, humans, frame=frame, settings=settings)
        swept = correlate_raters(
            measured.sweep, humans, frame=frame, settings=settings, soft=False, ranked=False
        )
        others = metrics_alone if metric_vs_metric else []
        among = correlate_metrics(others, frame=frame, settings=settings)
    told = [*main.notes, *swept.notes, *among.notes]
    result = Result(
        [*main.result.scores, *swept.result.scores, *among.result.scores],
        main.result.comparisons,
        main.result.clusters,
        counts=main.result.counts,
        notes=list(dict.fromkeys([*material.notes, *measured.notes, *told])),
    )
    return AgreementAssessment(result, material, settings, raters, humans, measured.sweep, main, swept, among)


def rank(
    human_scores: Place | Mapping[str, Any] | None = None,
    *,
    human: str | None = None,
    mtme: Place | None = None,
    langpair: str | None = None,
    alpha: float = 0.05,
    seed: int | None = None,
) -> RankingAssessment:
    """Systems ranked by what people said of their segments, as WMT does.

    Scores are a file, those of an mt-metrics-eval folder, or a list of numbers for each system. `human` says
    which of several scores; by default the first.

    >>> found = rank({"A": [90, 80, 95, 85, 99], "B": [10, 20, 30, 25, 15]})
    >>> [(record["systems"], record["rank"]) for record in found.records("clusters")]
    [(('A',), 1), (('B',), 2)]
    """
    if (human_scores is None) == (mtme is None):
        raise UsageError("Give human scores one way: --human-scores FILE, or --mtme FOLDER with -l.")
    human_names = [human] if human else []
    columns: list[ScoreColumn]
    if isinstance(human_scores, Mapping):
        columns = [column_of(human or "human", human_scores)]
    elif human_scores is not None:
        columns = read_score_file(str(human_scores), ids=(), wanted=human_names)
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


def detect(
    runs: str | Sequence[str | Run | core.Run] = (),
    *,
    flagged: Mapping[str, Any] | Sequence[str] = (),
    labels: Place | Mapping[Any, bool | str] | None = None,
    question: str | None = None,
    errors: str | Sequence[str] | None = None,
    systems: str | Sequence[str] | None = None,
    thresholds: Mapping[str, float] | Sequence[str] = (),
    low_is_error: str | Sequence[str] | None = None,
    samples: int = 1000,
    seed: int | None = None,
    workspace: Place | None = None,
) -> Detection:
    """How many errors detectors find, and how many of their findings are errors, by what people said.

    Judged are the detectors of `runs` (saved ones by name), and lists of `flagged` pairs: files or, in
    memory, the ids, scores by id, or `FlagRow`s. Labels are a file, or by id (or id and system) whether the
    translation is wrong; by default they are the reviews in the workspace. `errors` are the answers or labels
    that mean an error; `thresholds` flag the pairs of a list with at least this score.

    >>> found = detect(flagged={"short": ["1", "2"]}, labels={"1": True, "2": False, "3": True})
    >>> {record["name"]: round(record["value"], 1) for record in found.records()}
    {'precision': 50.0, 'recall': 50.0, 'f1': 50.0}
    """
    lists = dict(flagged) if isinstance(flagged, Mapping) else dict(map(name_and_rest, flagged))
    run_list = [runs] if isinstance(runs, str) else list(runs)
    if not run_list and not lists:
        raise UsageError("There is nothing to judge: give saved runs, or --flagged NAME=FILE.")
    system_names, wrong, low = split_names(systems), split_names(errors), split_names(low_is_error)
    store = open_workspace(workspace) if labels is None or any(isinstance(r, str) for r in run_list) else None
    opened = [opened_run(run, store) for run in run_list]
    all_labels = gather_labels(labels, store, opened[:1], question=question, errors=wrong)
    fitting = all_labels.only(system_names)
    detectors = detectors_of_runs(opened, fitting, systems=system_names)
    limits = dict(thresholds) if isinstance(thresholds, Mapping) else dict(map(_threshold, thresholds))
    if unknown := [name for name in (*limits, *low) if name not in lists]:
        raise UsageError(f"No --flagged list is called '{unknown[0]}'. Available: {', '.join(lists)}.")
    detectors += [
        detector_of_rows(
            name,
            flag_rows(what),
            fitting,
            systems=system_names,
            threshold=limits.get(name),
            low_is_error=name in low,
        )
        for name, what in lists.items()
    ]
    check_detectors(detectors, all_labels, system_names)
    result = judge_detectors(detectors, settings=DetectionSettings(samples, fixed_seed(seed)))
    curves = {detector.name: detector_curve for detector in detectors if (detector_curve := curve(detector))}
    return Detection(result, detectors, fitting, curves)


def challenge(
    pairs: Place | Sequence[ChallengePair],
    *,
    metrics: str | Sequence[str] | None = None,
    scores: Mapping[str, Any] | Sequence[str] = (),
    qe_scores: Mapping[str, Any] | Sequence[str] = (),
    lower_is_better: str | Sequence[str] | None = None,
    referenced: bool = False,
    by: Literal["category", "phenomenon"] = "category",
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int | None = None,
    **options: Any,
) -> Discrimination:
    """Which metric tells a correct output from an incorrect one, and in which phenomena?

    `pairs` are a challenge set, as a file or in memory. `scores` are those of metrics with references that
    were run elsewhere, `qe_scores` those of metrics without: files by name, or for each pair the scores of
    its correct and its incorrect output. `referenced` takes only pairs with a reference.

    >>> one = ChallengePair("1", "1", "Negation", "Negation", "No.", "Não.", "Não!", "Sim.")
    >>> found = challenge([one], metrics="chrf", samples=100)
    >>> found.records()[0]["group"], found.records()[0]["value"]
    ('Negation', 100.0)
    """
    whole = read_challenge(pairs) if isinstance(pairs, str | PathLike) else list(pairs)
    rows = [i for i, pair in enumerate(whole) if pair.reference is not None or not referenced]
    chosen_pairs = [whole[i] for i in rows]
    if not chosen_pairs:
        raise InputError("no pair has a reference", path=pairs if isinstance(pairs, str | PathLike) else None)
    specs = [metrics] if isinstance(metrics, str) else list(metrics or ())
    if not specs and not scores and not qe_scores:
        specs = [METRICS]
    langpairs = {parse_pair(pair.langpair) for pair in chosen_pairs if pair.langpair}
    targets = {str(pair.target) for pair in langpairs}
    language = targets.pop() if len(targets) == 1 else ""
    built = _metrics(specs, langpairs.pop() if len(langpairs) == 1 else None, language=language)
    # Scores made elsewhere belong to the whole challenge set, whatever part of it is judged.
    elsewhere = [
        replace(metric, correct=metric.correct[rows], incorrect=metric.incorrect[rows])
        for metric in _elsewhere(scores, qe_scores, split_names(lower_is_better), whole)
    ]
    names = [*built, *(metric.name for metric in elsewhere)]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"Two metrics are called '{twice}'. Give one another name.")
    settings, how = ChallengeSettings(by, alpha, samples, fixed_seed(seed)), RunSettings(**options)
    with Progress(quiet=how.is_quiet) as progress:
        store = how.memory(is_live=_asks_models(built))
        measured = measure_pairs(built, chosen_pairs, workspace=store, report=progress.report)
        judged = [*measured, *elsewhere]
        progress.report("accuracy", 0, None)
        accuracy = pairwise(chosen_pairs, judged, settings)
        areas = discrimination(
            chosen_pairs, [metric for metric in judged if metric.kind == "reference-free"], settings
        )
        between = between_kinds(chosen_pairs, judged, accuracy, settings)
    result = Result(
        [*accuracy.scores, *areas.scores],
        [*accuracy.comparisons, *areas.comparisons, *([between] if between else [])],
        [*accuracy.clusters, *areas.clusters],
        {metric.name: {"pairs": len(chosen_pairs), "missing": metric.missing} for metric in judged},
    )
    return Discrimination(result, chosen_pairs, judged, settings, accuracy, areas, between)


def _metrics(specs: Iterable[str], pair: Pair | None, *, language: str = "") -> dict[str, Metric]:
    known = {"language": str(pair.target), "langpair": str(pair)} if pair else {"language": language}
    return {spec: build("metric", spec, **known) for text in specs for spec in split_specs(text)}


def _asks_models(metrics: Mapping[str, Metric]) -> bool:
    return any(metric.asks_models for metric in metrics.values())


def _needed(pair: Pair | None) -> Pair:
    if pair is None:
        raise UsageError("--mtme needs the language pair: add -l, for example -l en-de.")
    return pair


def _scores(scores: Place | Sequence[Place] | Mapping[str, Mapping[str, Any]]) -> Scores:
    if isinstance(scores, Mapping):
        return scores
    return [str(scores)] if isinstance(scores, str | PathLike) else [str(path) for path in scores]


def _material(
    systems: Given,
    references: Sequence[Texts],
    source: Texts | None,
    human_scores: Scores,
    metric_scores: Scores,
    *,
    pair: Pair | None,
    documents: Place | None,
    entities: Place | None,
    is_measured: bool,
    humans: Sequence[str],
    exclude: Sequence[str],
) -> RatedMaterial:
    """The material of single files, or of what is in memory."""
    if is_measured and not systems:
        raise UsageError("There is no system to measure: add -t NAME=FILE.")
    segments: list[core.Segment] = []
    if source is not None or references:
        segments = read_test_texts(source, references, documents, pair)
    elif is_measured:
        raise UsageError("There is nothing to measure against: add -r FILE, -s FILE or both.")
    return material_from_files(
        read_entities(Path(entities), segments) if entities else segments,
        {name: str(w) if isinstance(w, PathLike) else w for name, w in named(systems).items()},
        human_scores,
        humans=humans,
        metric_files=metric_scores,
        exclude=exclude,
        pair=pair,
    )


def _check_raters(raters: Sequence[Rater], humans: Sequence[Rater], human_vs_human: bool) -> None:
    """Results tell raters apart by name, and people need other people to be compared with."""
    if human_vs_human and len(humans) < 2:
        raise UsageError(f"There is only one human score, {humans[0].name}: nothing to compare it with.")
    names = [rater.name for rater in raters]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"Two metrics are called '{twice}'. Leave one out, or rename it in its file.")


def gather_labels(
    labels: Place | Mapping[Any, bool | str] | None,
    store: Workspace | None,
    runs: Sequence[core.Run],
    *,
    question: str | None,
    errors: Sequence[str],
) -> Labels:
    """Labels from a mapping, from a file, or else from the reviews in the workspace that answer a run."""
    if isinstance(labels, Mapping):
        return labels_of(labels, errors=errors)
    if labels is not None:
        return labels_from_file(labels, question=question, errors=errors)
    assert store is not None
    return labels_from_workspace(store, runs[0] if runs else None, question=question, errors=errors)


def opened_run(run: str | Run | core.Run, store: Any) -> core.Run:
    """A run by its name in the workspace, or as it is."""
    if isinstance(run, str):
        saved: core.Run = store.run(run)
        return saved
    return run.record if isinstance(run, Run) else run


def flag_rows(flagged: Any) -> list[FlagRow]:
    """The rows of a list of flagged pairs: a file, ids, scores by id, or rows as they are."""
    if isinstance(flagged, str | PathLike):
        return read_flags(flagged)
    if isinstance(flagged, Mapping):
        return [FlagRow(id_, "", score, None, 0) for id_, score in flagged.items()]
    return [row if isinstance(row, FlagRow) else FlagRow(str(row), "", None, None, 0) for row in flagged]


def _threshold(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise UsageError(f"--threshold '{text}': write NAME=SCORE, as length=0.5.") from None


def _elsewhere(
    scores: Mapping[str, Any] | Sequence[str],
    qe_scores: Mapping[str, Any] | Sequence[str],
    lower: Sequence[str],
    pairs: Sequence[ChallengePair],
) -> list[MetricScores]:
    """What metrics that were run elsewhere gave to the pairs."""
    kinds: list[tuple[Kind, Mapping[str, Any] | Sequence[str]]] = [
        ("reference-based", scores),
        ("reference-free", qe_scores),
    ]
    metrics = [
        read_pairs_scores(name, what, pairs, kind=kind, higher_is_better=name not in lower)
        for kind, kind_scores in kinds
        for name, what in (
            kind_scores.items() if isinstance(kind_scores, Mapping) else map(_named, kind_scores)
        )
    ]
    if strangers := [name for name in lower if name not in {metric.name for metric in metrics}]:
        raise UsageError(f"--lower-is-better: no file of scores is called '{strangers[0]}'.")
    return metrics


def _named(text: str) -> tuple[str, str]:
    name, equals, file = text.partition("=")
    if not equals or not name or not file:
        raise UsageError(f"'{text}' must be NAME=FILE.")
    return name, file
