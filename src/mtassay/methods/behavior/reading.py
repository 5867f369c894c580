"""Reads pairs: both sides annotated, their words linked; a pair that cannot be read is left out and told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mtassay.core import Segment
from mtassay.errors import UsageError
from mtassay.languages import Language, Pair
from mtassay.methods.behavior.nouns import ReadPair
from mtassay.tools.align import Links, WordAligner, open_aligner
from mtassay.tools.annotate import Annotation, Annotator, Layer, open_annotator, with_phrases

__all__ = ["LeftOut", "Reading", "best_annotator", "read_pairs"]

# Best first: without dependencies there are no phrases, without entities no named ones.
_WISHES: tuple[tuple[Layer, ...], ...] = (
    ("pos", "dependencies", "entities"),
    ("pos", "dependencies"),
    ("pos",),
)


class LeftOut(NamedTuple):
    """A segment that is no pair, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The pairs that could be read and the segments that could not, both in order."""

    pairs: list[ReadPair]
    left_out: list[LeftOut]


def read_pairs(
    segments: Sequence[Segment],
    pair: Pair,
    *,
    aligner: WordAligner | None = None,
    source_annotator: Annotator | None = None,
    reference_annotator: Annotator | None = None,
    links: Mapping[str, Links] | None = None,
) -> Reading:
    """Each segment with its first reference, annotated and aligned; all of them are read in one go.

    `links` has, by segment id, links between the words that the annotators find; segments that it knows
    are not aligned. Tools that are not given are the best installed ones for the languages.
    """
    given = [(segment, _reference(segment)) for segment in segments]
    left_out = {
        number: reason
        for number, (segment, reference) in enumerate(given)
        if (reason := _missing(segment.source, reference))
    }
    waiting = [number for number in range(len(given)) if number not in left_out]
    if not waiting:
        return Reading([], [LeftOut(given[number][0].id, reason) for number, reason in left_out.items()])
    readers = (
        source_annotator or best_annotator(pair.source),
        reference_annotator or best_annotator(pair.target),
    )
    sources = readers[0].annotate([given[number][0].source or "" for number in waiting])
    references = readers[1].annotate([given[number][1] or "" for number in waiting])
    read: dict[int, tuple[Annotation, Annotation]] = {}
    for number, source, reference in zip(waiting, sources, references, strict=True):
        reason = _failure(source, "source") or _failure(reference, "reference")
        if reason:
            left_out[number] = reason
        else:
            read[number] = (with_phrases(source), reference)
    found = _links(read, {number: given[number][0].id for number in read}, pair, aligner, links or {})
    pairs = []
    for number, (source, reference) in read.items():
        if all(0 <= i < len(source.tokens) and 0 <= j < len(reference.tokens) for i, j in found[number]):
            pairs.append(ReadPair(given[number][0].id, source, reference, found[number]))
        else:
            left_out[number] = "a link leads to a word that is not there: it counts other words"
    return Reading(pairs, [LeftOut(given[number][0].id, left_out[number]) for number in sorted(left_out)])


def _reference(segment: Segment) -> str | None:
    return next((text for text in segment.references if text is not None), None)


def _missing(source: str | None, reference: str | None) -> str | None:
    if source is None or not source.strip():
        return "no source"
    return None if reference is not None and reference.strip() else "no reference"


def _failure(annotation: Annotation, side: str) -> str | None:
    if annotation.error is not None:
        return f"the annotator failed on the {side}: {annotation.error}"
    return None if annotation.tokens else f"no words in the {side}"


def _links(
    read: Mapping[int, tuple[Annotation, Annotation]],
    ids: Mapping[int, str],
    pair: Pair,
    aligner: WordAligner | None,
    known: Mapping[str, Links],
) -> dict[int, Links]:
    found = {number: known[ids[number]] for number in read if ids[number] in known}
    unknown = [number for number in read if number not in found]
    if unknown:
        sides = [tuple([token.text for token in side.tokens] for side in read[number]) for number in unknown]
        aligned = (aligner or open_aligner(pair)).align([(left, right) for left, right in sides])
        found.update(zip(unknown, aligned, strict=True))
    return found


def best_annotator(language: Language) -> Annotator:
    """The installed annotator that gives the most: entities and dependencies, else these, else words."""
    for needs in _WISHES[:-1]:
        try:
            return open_annotator(language.code, needs=needs)
        except UsageError:
            continue
    return open_annotator(language.code, needs=_WISHES[-1])
