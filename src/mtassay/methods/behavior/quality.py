"""How good a translation is, between 0 and 1, by any segment-level metric: Qual of Wu, Liu, Yeung (2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mtassay.core import Segment, Tools
from mtassay.errors import UsageError
from mtassay.metrics.base import Floats, Metric
from mtassay.metrics.measure import Corpus, measure

__all__ = ["Translated", "qualities", "quality_name"]

PERCENT = frozenset({"bleu", "chrf", "ter", "nee"})
"""Metrics of ours that count to 100."""

AT_ONCE = 2048
"""Pairs of source and reference measured at once: bounds the memory, and what a killed run loses."""


class Translated(NamedTuple):
    """A source, its reference and what each system made of it; `None` where a system gave nothing."""

    source: str
    reference: str
    outputs: tuple[str | None, ...]


def quality_name(metrics: Mapping[str, Metric]) -> str:
    """How the quality is called: the name of the metric, or those of all that are averaged.

    >>> quality_name({"use": None, "chrf": None})
    'use+chrf'
    """
    return "+".join(metrics)


def qualities(
    metrics: Mapping[str, Metric],
    items: Sequence[Translated],
    systems: Sequence[str],
    tools: Tools,
) -> Floats:
    """The quality of each item and system (items, systems); nan without an output, or where it is undefined.

    Several metrics are averaged. Percent become shares, and a metric for which less is better is turned
    round. Equal items are measured once; what was measured before comes from the workspace.
    """
    distinct = list(dict.fromkeys(items))
    found = np.full((len(distinct), len(systems)), np.nan)
    for start in range(0, len(distinct), AT_ONCE):
        tools.progress(f"quality ({quality_name(metrics)})", start, len(distinct))
        part = distinct[start : start + AT_ONCE]
        each = [_measured(name, metric, part, systems, tools) for name, metric in metrics.items()]
        found[start : start + len(part)] = np.mean(each, axis=0)
    place = {item: number for number, item in enumerate(distinct)}
    return found[[place[item] for item in items]] if items else found


def _measured(
    name: str, metric: Metric, items: Sequence[Translated], systems: Sequence[str], tools: Tools
) -> Floats:
    # Numbers for ids: the same texts have the same key in the workspace, whatever their cases are called.
    segments = [Segment(str(i), item.source, (item.reference,)) for i, item in enumerate(items)]
    outputs = {system: [item.outputs[i] or "" for item in items] for i, system in enumerate(systems)}
    scores = np.full((len(items), len(systems)), np.nan)
    for column, statistics in enumerate(measure(metric, Corpus(segments, outputs), tools)):
        if len(statistics.values) != len(items):
            raise UsageError(f"metric '{name}' does not score single segments: take another --quality.")
        scores[:, column] = metric.unit_scores(statistics.values)
    if metric.name in PERCENT:
        scores /= 100
    if not metric.higher_is_better:
        scores = 1 - scores
    scores[[[text is None for text in item.outputs] for item in items]] = np.nan
    return scores
