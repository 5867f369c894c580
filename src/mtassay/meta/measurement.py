"""Measures outputs with metrics as raters, and with BLEU of every n-gram length."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mtassay.data.errors import UsageError
from mtassay.data.nouns import RunContext, Segment, Statistics
from mtassay.measures.bleu import BLEU
from mtassay.measures.corpus import Corpus, measure_all
from mtassay.measures.metric import Metric
from mtassay.meta.correlate import CorrelationSettings
from mtassay.meta.rated_material import Rater, RatingFrame, rater_from_statistics
from mtassay.methods.engine import EngineContext, Report, translate
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import Stored

LONGEST = 64


@dataclass(frozen=True, slots=True)
class OrderSweep:
    """The orders to measure, and BLEU with its settings, which `spec` has without the order."""

    spec: str
    metric: BLEU
    orders: range

    @classmethod
    def of(cls, spec: str, metric: BLEU, orders: range) -> OrderSweep:
        """Make the sweep for a metric as the user wrote it; its own order is replaced."""
        if metric.weights is not None:
            raise UsageError("The n-gram sweep needs uniform weights: leave out weights of bleu.")
        plain = re.sub(r":order=\d+", "", spec)
        return cls(plain, replace(metric, order=orders[-1]), orders)

    @classmethod
    def among(cls, metrics: Mapping[str, Metric], orders: range, *, language: str = "") -> OrderSweep:
        """Make the sweep with the settings of the first BLEU among the metrics, or else the defaults."""
        for spec, metric in metrics.items():
            if isinstance(metric, BLEU):
                return cls.of(spec, metric, orders)
        return cls.of("bleu", BLEU(language=language), orders)

    @property
    def widest(self) -> str:
        """The metric to measure, which gives all orders."""
        return self.name(self.orders[-1])

    def name(self, order: int) -> str:
        """The name of an order in the results."""
        return f"{self.spec}:order={order}"

    def raters(
        self, measured: Sequence[Statistics], frame: RatingFrame, *, with_segments: bool = True
    ) -> list[Rater]:
        """Return a rater for each order; `measured` has the statistics of the longest, by system."""
        return [self._rater(order, measured, frame, with_segments) for order in self.orders]

    def _rater(
        self, order: int, measured: Sequence[Statistics], frame: RatingFrame, with_segments: bool
    ) -> Rater:
        widest = self.orders[-1]
        chosen = [0, 1, *range(2, 2 + order), *range(2 + widest, 2 + widest + order)]
        narrowed = [
            replace(
                entry,
                columns=[entry.columns[i] for i in chosen],
                values=entry.values[:, chosen],
                signature=_with_order(entry.signature.replace(f"|order:{widest}", ""), order),
            )
            for entry in measured
        ]
        metric = replace(self.metric, order=order)
        rater = rater_from_statistics(self.name(order), metric, narrowed, frame, with_segments=with_segments)
        # BLEU is 0 then; a value only from smoothing is not a measurement.
        empty = [entry.system for entry in measured if not entry.values[:, 1 + order].any()]
        return (
            replace(rater, undefined=f"no n-gram of this length matches: {order} of {empty[0]}")
            if empty
            else rater
        )


def _with_order(signature: str, order: int) -> str:
    """The signature with the order, since sacreBLEU's signature does not name it and means 4."""
    return signature if order == 4 else signature.replace("|version:", f"|order:{order}|version:")


def parse_orders(text: str) -> range:
    """Parse orders such as `1-16` or `4`.

    >>> parse_orders("1-16"), parse_orders("4")
    (range(1, 17), range(4, 5))
    """
    match = re.fullmatch(r"\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?", text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last <= LONGEST:
        raise UsageError(f"'{text}' are no n-gram lengths. Write them as 1-16; the longest is {LONGEST}.")
    return range(first, last + 1)


@dataclass(frozen=True, slots=True)
class MeasuredRaters:
    """The metrics and the n-gram lengths of the sweep, both in order, and notes from measuring."""

    metrics: list[Rater]
    sweep: list[Rater]
    notes: Sequence[str] = ()


def measure_raters(
    metrics: Mapping[str, Metric],
    sweep: OrderSweep | None,
    segments: Sequence[Segment],
    outputs: Mapping[str, Sequence[str | None]],
    frame: RatingFrame,
    *,
    settings: CorrelationSettings,
    labels: Mapping[str, str],
    workspace: Workspace | None = None,
    report: Report | None = None,
) -> MeasuredRaters:
    """Return raters for all metrics and all orders of the sweep; `labels` go into the signatures."""
    wanted = {**metrics, **({sweep.widest: sweep.metric} if sweep else {})}
    if not wanted:
        return MeasuredRaters([], [])
    systems = [
        Stored(name, {segment.id: text for segment, text in zip(segments, outputs[name], strict=True)})
        for name in frame.systems
    ]
    extra = {"bs": settings.samples, "seed": str(settings.seed).lower(), **labels}
    context = EngineContext(workspace, report or (lambda step, done, total: None))
    tables = _statistics(wanted, segments, systems, context, extra)
    with_segments = settings.level == "segment"
    return MeasuredRaters(
        [rater_from_statistics(name, metric, tables[name], frame) for name, metric in metrics.items()],
        sweep.raters(tables[sweep.widest], frame, with_segments=with_segments) if sweep else [],
        context.notes,
    )


def _statistics(
    metrics: Mapping[str, Metric],
    segments: Sequence[Segment],
    systems: Sequence[Stored],
    context: EngineContext,
    extra: Mapping[str, object] | None = None,
) -> dict[str, list[Statistics]]:
    """Each metric's measurements of all systems, by metric name."""
    corpus = Corpus.of(segments, translate(segments, systems, context))
    tables = {entry.name: entry.statistics for entry in measure_all(metrics, corpus, context, extra=extra)}
    context.keep()
    return tables


def score_outputs(
    name: str,
    metric: Metric,
    segments: Sequence[Segment],
    texts: Sequence[str | None],
    context: RunContext,
    *,
    system: str = "outputs",
) -> NDArray[np.float64]:
    """Return one number per output, in order, for any metric: higher is better, nan means no score.

    A metric that counts per document treats each output as a document.
    """
    scores = np.full(len(segments), np.nan)
    # Metrics that look up scores need the ids and the names of systems.
    ids = [segment.id if metric.reads_ids else str(i) for i, segment in enumerate(segments)]
    answered = [i for i, text in enumerate(texts) if text is not None]
    own = [segments[i]._replace(id=ids[i], document=ids[i]) for i in answered]
    corpus = Corpus(own, {system: [str(texts[i]) for i in answered]})
    row = {segment.id: i for i, segment in enumerate(own)}
    for measured in measure_all({name: metric}, corpus, context):
        entry = measured.statistics[0]
        if not set(entry.ids) <= row.keys():
            raise UsageError(f"metric '{name}' does not score single outputs: take another one.")
        values = metric.unit_scores(entry.values) * (1 if metric.higher_is_better else -1)
        scores[[answered[row[unit]] for unit in entry.ids]] = values
    return scores
