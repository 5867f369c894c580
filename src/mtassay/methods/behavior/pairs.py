"""Records of behavioural testing: aligned spans, pairs with masked spans, and edited pairs.

All places are character offsets in the text before the edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mtassay.data.errors import InputError
from mtassay.data.nouns import EDITED, Case, Edit, Segment
from mtassay.nlp.annotation import Annotation


class AlignedSpan(NamedTuple):
    """A word or phrase of the source that corresponds to exactly one span of the reference.

    `label` is a part of speech (`NOUN`), a kind of phrase (`NP`) or a kind of entity (`GPE`). `head` is the
    number of the span's head token in the source.
    """

    start: int
    end: int
    reference_start: int
    reference_end: int
    label: str
    head: int


@dataclass(frozen=True, slots=True)
class ReadPair:
    """A source and its reference as read by annotators and aligner; links are between token numbers."""

    id: str
    source: Annotation
    reference: Annotation
    links: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class BehaviorCase:
    """A test case: a pair and its edited version. `provenance` says who made the case, and from which pair.

    `changes` are the edits in the source and `reference_changes` the edits in the reference, each in order.
    If an infiller also adapted the rest of the reference, `reference_changes` has only the edit itself.
    Applied to the reference, it may then not give `pseudo_reference`.
    """

    id: str
    segment_id: str
    capability: str
    source: str
    reference: str
    edited_source: str
    pseudo_reference: str
    changes: tuple[Edit, ...] = ()
    reference_changes: tuple[Edit, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)


def edited_id(case_id: str) -> str:
    """The id of the edited source of a case."""
    return f"{case_id}{EDITED}"


def stored_edits(edits: Iterable[Edit]) -> list[list[Any]]:
    """Return edits in the stored form, for tags of segments and evidence: start, end, before and after."""
    return [[edit.start, edit.end, edit.before, edit.after] for edit in edits]


def segments_of(case: BehaviorCase) -> tuple[Segment, Segment]:
    """Return original and edit as two segments, so that every command can translate, store and show them."""
    facts = {
        "segment": case.segment_id,
        "changes": stored_edits(case.changes),
        "reference_changes": stored_edits(case.reference_changes),
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


def cases_of(segments: Iterable[Segment]) -> list[Case]:
    """Return one case for each original, in order; `expect` has references, changes and provenance.

    A case cannot be judged and is skipped if it has no edit, if one of its references is missing, or if the
    edit changes nothing in the source or in the reference.
    """
    originals: dict[str, Segment] = {}
    edits: dict[str, Segment] = {}
    for segment in segments:
        original = segment.tags.get("original")
        if original is None:
            originals[segment.id] = segment
        elif original not in originals:
            raise InputError(f"segment {segment.id} is an edit of {original}, which does not come before it")
        elif original in edits:
            raise InputError(f"segments {edits[original].id} and {segment.id} are both an edit of {original}")
        else:
            edits[original] = segment
    return [_case(segment, edits.get(segment.id)) for segment in originals.values()]


def _case(original: Segment, edited: Segment | None) -> Case:
    """Make a case from two segments."""
    both = (original, edited) if edited else (original,)
    references = [next((text for text in segment.references if text is not None), None) for segment in both]
    facts = dict(edited.tags.get("behavior", {})) if edited else {}
    skip = None
    if edited is None:
        skip = "it has no edit"
    elif None in references or None in (original.source, edited.source):
        skip = "a source or reference of it is missing"
    elif original.source == edited.source:
        skip = "its edited source is the source"
    elif references[0] == references[1]:
        skip = "its pseudo-reference is the reference"
    return Case(
        original.id,
        str(facts.get("segment", original.id)),
        tuple(segment.source for segment in both),
        expect={
            "references": tuple(references),
            "changes": tuple(Edit(*change) for change in facts.get("changes", ())),
            "reference_changes": tuple(Edit(*change) for change in facts.get("reference_changes", ())),
            "provenance": dict(facts.get("provenance", {})),
        },
        tags={"capability": str((edited or original).tags.get("capability", "unknown"))},
        skip=skip,
        source_ids=tuple(segment.id for segment in both),
    )
