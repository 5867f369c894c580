"""Cases from segments: an original and its edit are asked and judged together."""

from __future__ import annotations

from collections.abc import Iterable

from mtassay.core import Case, Segment
from mtassay.errors import InputError
from mtassay.methods.behavior.nouns import Change

__all__ = ["cases_of"]


def cases_of(segments: Iterable[Segment]) -> list[Case]:
    """One case for each original, in order; `expect` has both references, the changes and the provenance.

    A case without an edit, or without a reference for either side, cannot be judged and is skipped, and so is
    one whose edit changes nothing on one of the sides.
    """
    originals: dict[str, Segment] = {}
    edits: dict[str, Segment] = {}
    for segment in segments:
        original = segment.tags.get("original")
        if original is None:
            originals[segment.id] = segment
        elif original not in originals:
            raise InputError(f"segment {segment.id} is an edit of {original}, which is not before it")
        elif original in edits:
            raise InputError(f"segments {edits[original].id} and {segment.id} are both an edit of {original}")
        else:
            edits[original] = segment
    return [_case(segment, edits.get(segment.id)) for segment in originals.values()]


def _case(original: Segment, edited: Segment | None) -> Case:
    """The case that two segments make."""
    both = (original, edited) if edited else (original,)
    references = [next((text for text in each.references if text is not None), None) for each in both]
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
        tuple(each.source for each in both),
        expect={
            "references": tuple(references),
            "changes": tuple(Change(*change) for change in facts.get("changes", ())),
            "reference_changes": tuple(Change(*change) for change in facts.get("reference_changes", ())),
            "provenance": dict(facts.get("provenance", {})),
        },
        tags={"capability": str((edited or original).tags.get("capability", "unknown"))},
        skip=skip,
        source_ids=tuple(each.id for each in both),
    )
