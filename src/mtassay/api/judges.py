"""How far each judge of translations can be trusted, on one's own texts: blind spots, thresholds, cost.

A judge is anything that gives a number or a verdict per output: a metric, a detector of a saved run, a list
of scores made elsewhere. Functions also take how to run metrics: `workspace`, `cache` and `quiet`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mtassay import core
from mtassay.api import Run, RunSettings, Texts, listed, open_workspace, read_test_texts
from mtassay.api.agreement import Place, flag_rows, gather_labels, opened_run
from mtassay.core import Tools
from mtassay.engine import EngineTools, translate
from mtassay.errors import UsageError
from mtassay.formats.detections import FlagRow
from mtassay.languages import Pair, parse_pair
from mtassay.meta.blindspots import BlindSpotSettings, look_for_blindspots, prepare
from mtassay.meta.calibration import (
    CalibratedJudge,
    CalibrationSettings,
    calibrate_judge,
    calibration_result,
)
from mtassay.meta.corruptions import ERROR_KINDS
from mtassay.meta.costs import Cost, CountingTools, timed
from mtassay.meta.detect import JudgedDetector, PairKey
from mtassay.meta.detectors import Labels, check_detectors, detector_of_rows, detectors_of_runs
from mtassay.meta.judges import compare_judges
from mtassay.meta.measurement import score_outputs
from mtassay.methods.behavior.quality import as_qualities
from mtassay.methods.behavior.thresholds import EVIDENCE, thresholds_of
from mtassay.metrics.base import Metric
from mtassay.options import build, split_names, split_specs
from mtassay.report.blindspots import BlindSpots
from mtassay.report.judges import Calibration, JudgeComparison
from mtassay.stats import fixed_seed
from mtassay.systems.roster import Given, name_and_rest, open_systems

__all__ = ["blindspots", "calibrate", "judges"]

METRICS = "bleu,chrf,ter"


def blindspots(
    references: Texts | Sequence[Texts],
    source: Texts,
    output: Given | None = None,
    *,
    langpair: str,
    metrics: str | Sequence[str] | None = None,
    errors: str | Sequence[str] | None = None,
    most: int = 500,
    samples: int = 1000,
    seed: int | None = None,
    **options: Any,
) -> BlindSpots:
    """Which errors does a metric see? Put into good translations of one's own test set, one at a time.

    The good translations are an `output` where one is given, else the last of several references, which is
    then held against the others; a single reference is held against itself, where any change must lower
    a metric that compares words. `errors` are kinds of errors, all by default; `most` is how many texts are
    drawn.

    >>> found = blindspots(
    ...     [["The old bridge was closed in 2019."]], ["A ponte velha fechou em 2019."],
    ...     {"nmt": ["The old bridge closed in 2019."]}, langpair="pt-en", metrics="chrf", errors="number",
    ... )
    >>> [(r["name"], r["group"], r["value"]) for r in found.records() if r["name"] == "lower"]
    [('lower', 'number', 100.0)]
    """
    pair = parse_pair(langpair)
    built = _metrics(metrics or METRICS, pair)
    settings = BlindSpotSettings(
        most, tuple(split_names(errors)) or tuple(ERROR_KINDS), samples, fixed_seed(seed)
    )
    with RunSettings(**options).tools(output or (), is_live=_asks_models(built)) as tools:
        good = _good_texts(listed(references), source, output, pair, tools)
        tools.progress("putting errors in", 0, None)
        material = prepare(good.segments, good.texts, pair, settings)
        result = look_for_blindspots(built, material, settings, tools)
    if good.is_its_own:
        alone = "Texts are held against themselves: whatever compares words must notice any change. A second "
        alone += "reference (-r), or a good output (-t), asks more."
        result = replace(result, notes=[alone, *result.notes])
    return BlindSpots(result, material, settings, good.about, str(pair))


def _metrics(specs: str | Sequence[str], pair: Pair | None) -> dict[str, Metric]:
    texts = [specs] if isinstance(specs, str) else specs
    known = {"language": str(pair.target), "langpair": str(pair)} if pair else {}
    return {spec: build("metric", spec, **known) for text in texts for spec in split_specs(text)}


def _asks_models(metrics: Mapping[str, Metric]) -> bool:
    return any(metric.asks_models for metric in metrics.values())


class _GoodTexts(NamedTuple):
    """Segments with the references to hold against, the texts to put errors into, and what these are."""

    segments: Sequence[core.Segment]
    texts: Sequence[str | None]
    about: str
    is_its_own: bool = False


def _good_texts(
    references: Sequence[Texts], source: Texts, output: Given | None, pair: Pair, tools: EngineTools
) -> _GoodTexts:
    if not references:
        raise UsageError("There is no reference: add -r FILE.")
    segments = read_test_texts(source, references, None, pair)
    if output:
        systems = open_systems(output, segments, pair)
        if len(systems) > 1:
            names = ", ".join(system.name for system in systems)
            raise UsageError(f"Errors are put into one output: choose one of {names}.")
        answers = translate(segments, systems, tools)[systems[0].name]
        return _GoodTexts(segments, [answer.text for answer in answers], f"the output of {systems[0].name}")
    count = len(segments[0].references)
    if count > 1:
        rest = [s._replace(references=s.references[:-1]) for s in segments]
        return _GoodTexts(rest, [s.references[-1] for s in segments], f"reference {count}")
    return _GoodTexts(segments, [s.references[0] for s in segments], "the reference itself", is_its_own=True)


@dataclass(frozen=True, slots=True)
class _Labelled:
    """Judges with the labels of what they judged, what each costs, and where it all comes from."""

    judges: list[JudgedDetector]
    names: dict[str, str]
    metrics: dict[str, Metric]
    costs: dict[str, Cost]
    labels: Labels
    systems: Sequence[str]
    runs: Sequence[core.Run]
    sources: Mapping[str, str]


def calibrate(
    run: str | Run | core.Run | None = None,
    *,
    metrics: str | Sequence[str] | None = None,
    precision: float = 0.8,
    labels: Place | Mapping[Any, bool | str] | None = None,
    question: str | None = None,
    errors: str | Sequence[str] | None = None,
    source: Texts | None = None,
    references: Texts | Sequence[Texts] = (),
    systems: Given = (),
    langpair: str | None = None,
    share: float = 0.3,
    folds: int = 5,
    seed: int | None = None,
    **options: Any,
) -> Calibration:
    """From which score on is an output wrong? Thresholds for a wished precision, on one's own labels.

    Judged are the outputs of a saved `run`, by its detectors and by `metrics`, or `systems` on a test set of
    `source` and `references`. Labels are as in `detect`. Without labels, a test set with references is
    enough: its good translations are right, and of these, `share` get one error each, as in `blindspots`.
    Precision and recall are those on outputs that had no part in the threshold.
    """
    if not 0 < precision < 1:
        raise UsageError(f"--precision is {precision:g}: give a share between 0 and 1, as 0.8.")
    settings = CalibrationSettings(precision, folds, fixed_seed(seed))
    how = RunSettings(**options)
    if run is None and labels is None:
        if source is None or not langpair:
            raise UsageError(
                "There is nothing to calibrate on: give a saved run with reviews, outputs (-s, -r, -t) with "
                "--labels, or for errors that are put in, -s, -r and -l."
            )
        given = _from_corruptions(
            source, listed(references), systems, langpair, metrics, share, settings.seed, how
        )
    else:
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


def judges(
    runs: str | Sequence[str | Run | core.Run] = (),
    *,
    metrics: str | Sequence[str] | None = None,
    flagged: Mapping[str, Any] | Sequence[str] = (),
    precision: float = 0.8,
    labels: Place | Mapping[Any, bool | str] | None = None,
    question: str | None = None,
    errors: str | Sequence[str] | None = None,
    source: Texts | None = None,
    references: Texts | Sequence[Texts] = (),
    systems: Given = (),
    langpair: str | None = None,
    seed: int | None = None,
    **options: Any,
) -> JudgeComparison:
    """What does trust cost? Judges of the same labelled outputs side by side, alone and combined.

    Precision, recall and AUC with intervals, agreement with the labels, seconds, calls and price for 1,000
    outputs; two judges together; and how many labels it would take to tell two of them apart. A metric calls
    wrong what a threshold for `precision` says, found on other outputs; a detector, what it flags.
    """
    settings = CalibrationSettings(precision, seed=fixed_seed(seed))
    lists = dict(flagged) if isinstance(flagged, Mapping) else dict(map(name_and_rest, flagged))
    run_list = [runs] if isinstance(runs, str | Run | core.Run) else list(runs)
    given = _labelled(
        run_list, metrics, lists, labels, question, errors, source, references, systems, langpair,
        RunSettings(**options),
    )  # fmt: skip
    return JudgeComparison(
        *compare_judges(given.judges, given.costs, set(given.metrics), settings, given.sources),
        given.names,
        settings,
        given.labels,
    )


def _labelled(
    runs: Sequence[str | Run | core.Run],
    metrics: str | Sequence[str] | None,
    lists: Mapping[str, Any],
    labels: Place | Mapping[Any, bool | str] | None,
    question: str | None,
    errors: str | Sequence[str] | None,
    source: Texts | None,
    references: Texts | Sequence[Texts],
    systems: Given,
    langpair: str | None,
    how: RunSettings,
) -> _Labelled:
    store = open_workspace(how.workspace) if labels is None or any(isinstance(r, str) for r in runs) else None
    opened = [opened_run(run, store) for run in runs]
    found = gather_labels(labels, store, opened[:1], question=question, errors=split_names(errors))
    pair = _pair_of(opened, langpair)
    built = _metrics(metrics or (), pair)
    chosen = split_names(systems) if opened and not isinstance(systems, Mapping) else []
    fitting = found.only(chosen)
    detectors = detectors_of_runs(opened, fitting, systems=chosen) if opened else []
    detectors += [
        detector_of_rows(name, flag_rows(what), fitting, systems=chosen) for name, what in lists.items()
    ]
    costs = {detector.name: Cost(0) for detector in detectors}
    names = {detector.name: detector.name for detector in detectors}
    with how.tools(systems if not opened else (), is_live=_asks_models(built)) as tools:
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
            if not built and not lists:
                raise UsageError("There is no judge: name metrics with -m, or give a saved run.")
            segments = read_test_texts(source, listed(references), None, pair) if built else []
            answers = translate(segments, open_systems(systems, segments, pair), tools) if built else {}
            outputs = {system: [answer.text for answer in column] for system, column in answers.items()}
        for name, metric in built.items():
            judge, costs[name] = _metric_judge(name, metric, segments, outputs, fitting, tools)
            detectors.append(judge)
            names[name] = metric.label
    check_detectors(detectors, found, chosen)
    everyone = list(outputs) or sorted({key.system for d in detectors for key in d.labels} - {""})
    sources = _sources([*segments, *(segment for run in opened[1:] for segment in run.segments)])
    return _Labelled(detectors, names, built, costs, found, everyone, opened, sources)


def _sources(segments: Sequence[core.Segment]) -> dict[str, str]:
    """For the id of each segment its source, or that of the segment it was edited from."""
    texts = {segment.id: segment.source or segment.id for segment in segments}
    return {s.id: texts.get(core.original_of(s) or s.id, texts[s.id]) for s in segments}


def _metric_judge(
    name: str,
    metric: Metric,
    segments: Sequence[core.Segment],
    outputs: Mapping[str, Sequence[str | None]],
    labels: Labels,
    tools: Tools,
) -> tuple[JudgedDetector, Cost]:
    """A metric as a judge of the labelled outputs alone; a low score means an error."""
    ids = {segment.id for segment in segments}
    counting, seconds, rows = CountingTools(tools), list[float](), list[FlagRow]()
    for system, texts in outputs.items():
        # Of a behavioural case, the output to its edited source is what is labelled.
        places = [
            i
            for i, segment in enumerate(segments)
            if f"{segment.id}{core.EDITED}" not in ids
            and any(
                PairKey(key, who) in labels.pairs
                for key in (segment.id, segment.id.removesuffix(core.EDITED))
                for who in (system, "")
            )
        ]
        if not places:
            continue
        own = [segments[i] for i in places]
        with timed(seconds):
            scores = score_outputs(name, metric, own, [texts[i] for i in places], counting, system=system)
        rows += [
            FlagRow(segment.id, system, None if math.isnan(score) else float(score), False, 0)
            for segment, score in zip(own, scores, strict=True)
        ]
    cost = Cost(
        len(rows),
        None if any(counting.earlier.values()) else sum(seconds),
        counting.calls,
        counting.price(tuple(getattr(metric, "price", ()))),
    )
    return detector_of_rows(name, rows, labels, systems=list(outputs), low_is_error=True), cost


def _pair_of(runs: Sequence[core.Run], langpair: str | None) -> Pair | None:
    text = langpair or next((str(run.parameters["pair"]) for run in runs if run.parameters.get("pair")), None)
    return None if text is None else parse_pair(text)


def _with_parameters(judge: CalibratedJudge, given: _Labelled, detector: JudgedDetector) -> CalibratedJudge:
    """With the alpha that the threshold means where qualities are measured, and the beta of the run."""
    if judge.threshold is None:
        return judge
    if detector.one_less:
        known: dict[str, float] = {detector.one_less: 1 - judge.threshold}
        betas = {thresholds_of(run).beta for run in given.runs if "beta" in run.parameters}
        qualities = {"+".join(run.parameters.get("quality") or ()) for run in given.runs}
        if len(betas) != 1 or len(qualities) != 1:
            return judge
        return replace(judge, parameters=known | {"beta": betas.pop()}, quality=qualities.pop())
    by_evidence = bool(given.runs) and all(run.parameters.get("judge_by") == EVIDENCE for run in given.runs)
    if by_evidence and judge.name not in given.metrics:
        return replace(judge, parameters={"fail": judge.threshold}, quality=EVIDENCE)
    if (metric := given.metrics.get(judge.name)) is not None:
        if not metric.higher_is_better:  # scores were turned round to be judged
            judge = replace(judge, threshold=-judge.threshold, low_is_error=False)
        alpha = float(as_qualities(metric, np.array([judge.threshold or 0.0]))[0])
        return replace(judge, parameters={"alpha": alpha}, quality=judge.name)
    return judge


def _from_corruptions(
    source: Texts,
    references: Sequence[Texts],
    systems: Given,
    langpair: str,
    metrics: str | Sequence[str] | None,
    share: float,
    seed: int | None,
    how: RunSettings,
) -> _Labelled:
    """Good translations as right outputs, and a share of them with one error each as wrong ones."""
    pair = parse_pair(langpair)
    built = _metrics(metrics or METRICS, pair)
    if not 0 < share < 1:
        raise UsageError(f"--share is {share:g}: give the share of wrong outputs, between 0 and 1, as 0.3.")
    with how.tools(systems, is_live=_asks_models(built)) as tools:
        good = _good_texts(references, source, systems or None, pair, tools)
        tools.progress("putting errors in", 0, None)
        material = prepare(good.segments, good.texts, pair, BlindSpotSettings(seed=seed))
        by_id: dict[str, list[str]] = {}
        for corruption in material.corrupted.corruptions:
            by_id.setdefault(corruption.id, []).append(corruption.text)
        rng = random.Random(seed)
        count = min(round(share * len(material.sources)), len(by_id))
        spoilt = {id_: rng.choice(by_id[id_]) for id_ in rng.sample(list(by_id), count)}
        texts = [spoilt.get(entry.id, entry.text.text) for entry in material.sources]
        wrong = {PairKey(entry.id): entry.id in spoilt for entry in material.sources}
        labels = Labels(wrong, origin=f"errors put into {good.about}")
        judged, costs = [], {}
        for name, metric in built.items():
            judge, costs[name] = _metric_judge(
                name, metric, material.segments, {"outputs": texts}, labels, tools
            )
            judged.append(judge)
    names = {name: metric.label for name, metric in built.items()}
    sources = _sources(material.segments)
    return _Labelled(judged, names, built, costs, labels, [good.about], [], sources)
