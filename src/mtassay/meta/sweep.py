"""BLEU of every n-gram length from one measurement (Papineni et al. 2002, figures 8 and 9)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mtassay.core import Statistics
from mtassay.errors import UsageError
from mtassay.meta.rater import Frame, Rater, rater_from_statistics
from mtassay.metrics.base import Metric
from mtassay.metrics.bleu import BLEU

LONGEST = 64


@dataclass(frozen=True, slots=True)
class Sweep:
    """The orders to look at, and BLEU with the settings to use, which `spec` names without the order."""

    spec: str
    metric: BLEU
    orders: range

    @classmethod
    def of(cls, spec: str, metric: BLEU, orders: range) -> Sweep:
        """The sweep for a metric as the user wrote it; its own order is replaced."""
        if metric.weights is not None:
            raise UsageError("The n-gram sweep needs uniform weights: leave out weights of bleu.")
        plain = re.sub(r":order=\d+", "", spec)
        return cls(plain, replace(metric, order=orders[-1]), orders)

    @classmethod
    def among(cls, metrics: Mapping[str, Metric], orders: range, *, language: str = "") -> Sweep:
        """The sweep with the settings of the first BLEU among the metrics, or else with the usual ones."""
        for spec, metric in metrics.items():
            if isinstance(metric, BLEU):
                return cls.of(spec, metric, orders)
        return cls.of("bleu", BLEU(language=language), orders)

    @property
    def widest(self) -> str:
        """The metric to measure: all orders follow from it."""
        return self.name(self.orders[-1])

    def name(self, order: int) -> str:
        """How the results call one order."""
        return f"{self.spec}:order={order}"

    def raters(
        self, measured: Sequence[Statistics], frame: Frame, *, with_segments: bool = True
    ) -> list[Rater]:
        """One rater for each order. `measured` are the statistics of the longest one, system by system."""
        return [self._rater(order, measured, frame, with_segments) for order in self.orders]

    def _rater(self, order: int, measured: Sequence[Statistics], frame: Frame, with_segments: bool) -> Rater:
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
        # BLEU is 0 then; what smoothing makes of it is no measurement.
        empty = [entry.system for entry in measured if not entry.values[:, 1 + order].any()]
        return (
            replace(rater, undefined=f"no n-gram of this length matches: {order} of {empty[0]}")
            if empty
            else rater
        )


def _with_order(signature: str, order: int) -> str:
    """sacreBLEU's signature is silent about the order, and so about 4."""
    return signature if order == 4 else signature.replace("|version:", f"|order:{order}|version:")


def parse_orders(text: str) -> range:
    """The orders of `1-16` or `4`.

    >>> parse_orders("1-16"), parse_orders("4")
    (range(1, 17), range(4, 5))
    """
    match = re.fullmatch(r"\s*(\d{1,4})\s*(?:-\s*(\d{1,4})\s*)?", text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last <= LONGEST:
        raise UsageError(f"'{text}' are no n-gram lengths. Write them as 1-16; the longest is {LONGEST}.")
    return range(first, last + 1)
