"""How cases are made, and what came of it: the cases, and a count of all that was dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from mtassay.methods.behavior.blocklist import Blocklist
from mtassay.methods.behavior.nouns import BehaviorCase
from mtassay.methods.behavior.reading import LeftOut
from mtassay.metrics.base import Metric
from mtassay.tools.align import Links, WordAligner
from mtassay.tools.annotate import Annotator

__all__ = ["FILTERED", "NO_REPLY", "Dropped", "GenerateSettings", "Generated", "Helpers"]

FILTERED = "pairs not equally good"
"""Why the quality filter drops a case."""
NO_REPLY = "no reply"
"""Why nothing came of an edit that a service did not answer."""


@dataclass(frozen=True, kw_only=True)
class GenerateSettings:
    """How many cases to make, and from what.

    `sample` sources are drawn (default: all); each capability gets at most `per_segment` cases of each, and
    at most `max_cases` in all. For one case at most `attempts` places are tried. `start` allows edits of the
    first word. Two pairs whose qualities differ by more than `filter_beta` are not equally good; its default
    is the filter's own.
    """

    sample: int | None = None
    per_segment: int = 1
    max_cases: int | None = None
    attempts: int = 3
    start: bool = False
    seed: int = 12345
    filter_beta: float | None = None


@dataclass(frozen=True, kw_only=True)
class Helpers:
    """Who helps; those that are not given are the best installed ones.

    `links` are by segment id, and go before the aligner's. `quality_filter` are reference-free metrics by
    name; without one nothing is filtered. `blocked` are words that no case may have.
    """

    aligner: WordAligner | None = None
    links: Mapping[str, Links] | None = None
    source_annotator: Annotator | None = None
    reference_annotator: Annotator | None = None
    quality_filter: Mapping[str, Metric] = field(default_factory=dict)
    blocked: Blocklist | None = None


class Dropped(NamedTuple):
    """A masked pair that no case came of, and why; `reply` is what a model said, word for word."""

    segment_id: str
    capability: str
    reason: str
    masked_source: str
    masked_reference: str
    edited_source: str = ""
    pseudo_reference: str = ""
    reply: str = ""


@dataclass(frozen=True)
class Generated:
    """The cases, by capability and then in the order of the segments, and all that they cost.

    `sources` is how many were drawn, `left_out` those of them that could not be read. `asked` counts the
    masked pairs of each capability: each became a case or is in `dropped`. `without` counts the sources that
    have no case, by capability and reason.
    """

    cases: list[BehaviorCase]
    sources: int
    left_out: list[LeftOut]
    asked: Counter[str]
    dropped: list[Dropped]
    without: Counter[tuple[str, str]]

    @property
    def drops(self) -> Counter[tuple[str, str]]:
        """How many masked pairs were dropped, by capability and reason."""
        return Counter((each.capability, each.reason) for each in self.dropped)
