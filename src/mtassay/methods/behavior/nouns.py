"""What behavioural testing talks of: a span on both sides, the pair with these masked, and the edited pair.

All places are in characters of the text before the edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mtassay.core import Segment
from mtassay.tools.annotate.nouns import Annotation

__all__ = [
    "EDITED",
    "AlignedSpan",
    "BehaviorCase",
    "Change",
    "ReadPair",
    "apply_changes",
    "edited_id",
    "segments_of",
]

EDITED = "/edited"
"""What is added to the id of a case for its edited source."""


class Change(NamedTuple):
    """`before` stands at `start` to `end`, and `after` takes its place."""

    start: int
    end: int
    before: str
    after: str


class AlignedSpan(NamedTuple):
    """A word or phrase of the source that belongs to one span of the reference and to nothing else.

    `label` is what it is: a part of speech (`NOUN`), a phrase (`NP`) or a kind of entity (`GPE`); `head` is
    the number of its head token in the source.
    """

    start: int
    end: int
    reference_start: int
    reference_end: int
    label: str
    head: int


@dataclass(frozen=True, slots=True)
class ReadPair:
    """A source and its reference as annotators and aligner read them; links are between token numbers."""

    id: str
    source: Annotation
    reference: Annotation
    links: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class BehaviorCase:
    """A test case: a pair and the same pair edited. `provenance` says who made it, and from what.

    `changes` are the edits in the source, `reference_changes` those in the reference, each in order. Where an
    infiller adapted the rest of the reference for fluency, `reference_changes` still has the edit itself, and
    `pseudo_reference` need not be what they make of the reference.
    """

    id: str
    segment_id: str
    capability: str
    source: str
    reference: str
    edited_source: str
    pseudo_reference: str
    changes: tuple[Change, ...] = ()
    reference_changes: tuple[Change, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)


def apply_changes(text: str, changes: Sequence[Change]) -> str:
    """The text with these changes, which are in order and do not overlap.

    >>> apply_changes("A small dog", [Change(2, 7, "small", "young"), Change(8, 11, "dog", "cat")])
    'A young cat'
    """
    parts, done = [], 0
    for change in changes:
        parts += [text[done : change.start], change.after]
        done = change.end
    return "".join([*parts, text[done:]])


def edited_id(case_id: str) -> str:
    """The id of the edited source of a case."""
    return f"{case_id}{EDITED}"


def segments_of(case: BehaviorCase) -> tuple[Segment, Segment]:
    """The two sides of a case as segments, so that every command can translate, store and show them."""
    facts = {
        "segment": case.segment_id,
        "changes": [list(change) for change in case.changes],
        "reference_changes": [list(change) for change in case.reference_changes],
        "provenance": dict(case.provenance),
    }
    tags = {"capability": case.capability}
    return (
        Segment(case.id, case.source, (case.reference,), tags=tags),
        Segment(
            edited_id(case.id),
            case.edited_source,
            (case.pseudo_reference,),
            tags={**tags, "original": case.id, "behavior": facts},
        ),
    )
