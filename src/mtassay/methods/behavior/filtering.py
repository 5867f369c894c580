"""Keeps the cases whose two pairs are equally good, as far as a reference-free measure can tell.

Section 3.3 of Wu, Liu, Yeung (2023): where a reference and its pseudo-reference are not equally good, the
qualities of two translations held against them cannot be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from mtassay.core import Tools
from mtassay.errors import UsageError
from mtassay.methods.behavior.judging import TINY
from mtassay.methods.behavior.nouns import BehaviorCase
from mtassay.methods.behavior.quality import Translated, qualities, quality_name
from mtassay.methods.behavior.thresholds import FILTERS
from mtassay.metrics.base import Metric

__all__ = [
    "Filtered",
    "PairDifference",
    "as_translated",
    "check_filter",
    "default_filter",
    "filter_cases",
    "filter_threshold",
    "pair_differences",
]

COMET_QE = "comet:model=Unbabel/wmt20-comet-qe-da"
ENCODER = "use:against=source"


@dataclass(frozen=True, slots=True)
class PairDifference:
    """How good the original pair is, and the edited one, between 0 and 1; nan where it is unknown."""

    quality: float
    edited_quality: float

    def is_within(self, filter_beta: float) -> bool:
        """Whether both pairs are equally good; not where it is unknown."""
        return abs(self.quality - self.edited_quality) <= filter_beta + TINY


@dataclass(frozen=True, slots=True)
class Filtered:
    """The cases that stay, in order, and those that were dropped, with the two qualities of each."""

    kept: list[BehaviorCase]
    dropped: list[tuple[BehaviorCase, PairDifference]]

    @property
    def counts(self) -> dict[str, int]:
        """How many cases of each capability were dropped; capabilities without one are left out."""
        counts: dict[str, int] = {}
        for case, _ in self.dropped:
            counts[case.capability] = counts.get(case.capability, 0) + 1
        return counts


def default_filter() -> str:
    """The measure to filter with: COMET-QE, as in the paper, where COMET is installed, else the encoder."""
    try:
        version("unbabel-comet")
    except PackageNotFoundError:
        return ENCODER
    return COMET_QE


def filter_threshold(name: str, filter_beta: float | None = None) -> float:
    """The threshold that was given, else the one known for this very measure; an error if there is none."""
    if filter_beta is not None:
        return filter_beta
    if name not in FILTERS:
        known = ", ".join(sorted(FILTERS))
        raise UsageError(
            f"No threshold is known for the filter '{name}'. Give --filter-beta. Known: {known}."
        )
    return FILTERS[name].filter_beta


def check_filter(metrics: Mapping[str, Metric]) -> None:
    """Refuse what reads references: a reference held against itself is always perfect."""
    for name, metric in metrics.items():
        if metric.reads_references:
            raise UsageError(f"The filter '{name}' reads references. Take a reference-free one: {ENCODER}.")


def pair_differences(
    metrics: Mapping[str, Metric], pairs: Sequence[tuple[Translated, Translated]], tools: Tools
) -> list[PairDifference]:
    """For each pair of pairs, the quality of the references as translations of their sources.

    A `Translated` here has the reference as its one output too.
    """
    check_filter(metrics)
    both = qualities(metrics, [item for pair in pairs for item in pair], ["reference"], tools)
    return [PairDifference(float(a), float(b)) for a, b in both.reshape(-1, 2)]


def filter_cases(
    cases: Sequence[BehaviorCase],
    metrics: Mapping[str, Metric],
    tools: Tools,
    *,
    filter_beta: float | None = None,
) -> Filtered:
    """Keeps a case only if |QE(x, r) - QE(x', r')| is at most `filter_beta` (default: the measure's own)."""
    limit = filter_threshold(quality_name(metrics), filter_beta)
    pairs = [
        (as_translated(c.source, c.reference), as_translated(c.edited_source, c.pseudo_reference))
        for c in cases
    ]
    result = Filtered([], [])
    for case, difference in zip(cases, pair_differences(metrics, pairs, tools), strict=True):
        if difference.is_within(limit):
            result.kept.append(case)
        else:
            result.dropped.append((case, difference))
    return result


def as_translated(source: str, reference: str) -> Translated:
    """A pair whose reference is looked at as if a system had given it."""
    return Translated(source, reference, (reference,))
