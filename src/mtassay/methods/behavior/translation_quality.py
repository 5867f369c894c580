"""Quality of a translation (0 to 1) by any segment-level metric: Qual of Wu, Liu, Yeung (2023).

A reference-free metric can show whether the two pairs of a case are equally good (section 3.3). If the
reference and the pseudo-reference are not equally good, scores against them are not comparable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import numpy as np

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import RunContext, Segment
from mtassay.data.settings import build, split_specs
from mtassay.measures.corpus import Corpus, measure
from mtassay.measures.metric import Floats, Metric, as_qualities
from mtassay.methods.behavior.verdict_thresholds import FILTERS, TINY
from mtassay.nlp.encoder import is_installed

AT_ONCE = 2048
"""Number of pairs measured at once; limits the memory, and the loss if a run is killed."""


class Translated(NamedTuple):
    """A source, its reference and each system's output; `None` if a system gave no output."""

    source: str
    reference: str
    outputs: tuple[str | None, ...]


def quality_name(metrics: Mapping[str, Metric]) -> str:
    """The name of a quality: the name of its metric, or the names of all averaged metrics.

    >>> quality_name({"use": None, "chrf": None})
    'use+chrf'
    """
    return "+".join(metrics)


def qualities(
    metrics: Mapping[str, Metric], items: Sequence[Translated], systems: Sequence[str], context: RunContext
) -> Floats:
    """The quality of each item and system (items, systems); nan if undefined or without an output.

    Several metrics are averaged. Percentages become shares, and metrics where lower is better are reversed.
    Equal items are measured once, and earlier values come from the workspace.
    """
    distinct = list(dict.fromkeys(items))
    values = np.full((len(distinct), len(systems)), np.nan)
    for start in range(0, len(distinct), AT_ONCE):
        context.progress(f"quality ({quality_name(metrics)})", start, len(distinct))
        part = distinct[start : start + AT_ONCE]
        by_metric = [_measured(name, metric, part, systems, context) for name, metric in metrics.items()]
        values[start : start + len(part)] = np.mean(by_metric, axis=0)
    place = {item: number for number, item in enumerate(distinct)}
    return values[[place[item] for item in items]] if items else values


def _measured(
    name: str, metric: Metric, items: Sequence[Translated], systems: Sequence[str], context: RunContext
) -> Floats:
    # Numbers as ids, so that equal texts have equal keys in the workspace, independent of their case ids.
    if metric.reads_ids:
        raise UsageError(
            f"metric '{name}' finds scores by id, but here they are looked up by text: give a file with "
            "source and output."
        )
    segments = [Segment(str(i), item.source, (item.reference,)) for i, item in enumerate(items)]
    outputs = {system: [item.outputs[i] or "" for item in items] for i, system in enumerate(systems)}
    scores = np.full((len(items), len(systems)), np.nan)
    for column, statistics in enumerate(measure(metric, Corpus(segments, outputs), context)):
        if len(statistics.values) != len(items):
            raise UsageError(f"metric '{name}' does not score single segments: take another `quality`.")
        scores[:, column] = as_qualities(metric, metric.unit_scores(statistics.values))
    scores[[[text is None for text in item.outputs] for item in items]] = np.nan
    return scores


COMET_QE = "comet:model=Unbabel/wmt20-comet-qe-da"
ENCODER = "use:against=source"


class PairQualities(NamedTuple):
    """The qualities of the original pair and of the edited pair, 0 to 1; nan if unknown."""

    original: float
    edited: float


def best_quality() -> str:
    """The best installed measure for judging: COMET as in the paper, else the sentence encoder, else chrF."""
    return "comet" if _has_comet() else "use" if is_installed() else "chrf"


def default_filter() -> str:
    """The measure for filtering: COMET-QE as in the paper if COMET is installed, else the encoder."""
    return COMET_QE if _has_comet() else ENCODER


def _has_comet() -> bool:
    try:
        version("unbabel-comet")
    except PackageNotFoundError:
        return False
    return True


def measure_names(specs: Mapping[str, Any] | Sequence[str] | str) -> list[str]:
    """The names of measures; the word `none` gives an empty list.

    >>> measure_names("use,chrf"), measure_names("none")
    (['use', 'chrf'], [])
    """
    if isinstance(specs, str):
        return [] if specs == "none" else split_specs(specs)
    return list(specs)


def measures(
    specs: Mapping[str, Any] | Sequence[str] | str, pair: Pair | None = None
) -> Mapping[str, Metric]:
    """Open the requested measures; a saved run gives their names and descriptions."""
    if isinstance(specs, Mapping) and all(isinstance(metric, Metric) for metric in specs.values()):
        return specs
    language = {} if pair is None else {"language": str(pair.target), "langpair": str(pair)}
    return {spec: build("metric", spec, **language) for spec in measure_names(specs)}


def filter_threshold(name: str, filter_beta: float | None = None) -> float:
    """Return the given threshold, else the known threshold of this measure; raise an error without either."""
    if filter_beta is not None:
        return filter_beta
    if name not in FILTERS:
        filters = ", ".join(sorted(FILTERS))
        raise UsageError(
            f"No threshold is known for the filter '{name}'. Give `filter_beta`. Known: {filters}."
        )
    return FILTERS[name].filter_beta


def check_filter(metrics: Mapping[str, Metric]) -> None:
    """Refuse a metric that reads references, since a reference compared with itself is always perfect."""
    for name, metric in metrics.items():
        if metric.reads_references:
            raise UsageError(f"The filter '{name}' reads references. Take a reference-free one: {ENCODER}.")


def unequal_pairs(
    metrics: Mapping[str, Metric],
    pairs: Mapping[str, tuple[Translated, Translated]],
    context: RunContext,
    *,
    filter_beta: float | None = None,
) -> dict[str, PairQualities]:
    """Cases (by id) that violate |QE(x, r) - QE(x', r')| <= `filter_beta` (default: the measure's own).

    Here, the only output of a `Translated` is the reference.
    """
    check_filter(metrics)
    limit = filter_threshold(quality_name(metrics), filter_beta)
    both = qualities(metrics, [side for pair in pairs.values() for side in pair], ["reference"], context)
    found = zip(pairs, (PairQualities(float(a), float(b)) for a, b in both.reshape(-1, 2)), strict=True)
    return {key: pair for key, pair in found if not abs(pair.original - pair.edited) <= limit + TINY}


def as_translated(source: str, reference: str) -> Translated:
    """Return a pair with its reference as the output of a system."""
    return Translated(source, reference, (reference,))
