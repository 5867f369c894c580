"""The cases of a behaviour run as variants, so that both methods can be held against the same labels."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.core import Edit, Segment

__all__ = ["variants_of_cases"]


def variants_of_cases(segments: Sequence[Segment]) -> list[Segment]:
    """The segments of a behaviour run; an edited source is a variant of its original.

    A variant has one edit, so several changes become one, from the first to the last of them.
    """
    sources = {segment.id: segment.source or "" for segment in segments}
    found = []
    for segment in segments:
        changes = [Edit(*change) for change in segment.tags.get("behavior", {}).get("changes", ())]
        if changes:
            edit = _one_edit(sources[str(segment.tags["original"])], segment.source or "", changes)
            segment = segment._replace(tags={**segment.tags, "edit": edit._asdict()})
        found.append(segment)
    return found


def _one_edit(source: str, edited: str, changes: Sequence[Edit]) -> Edit:
    start, end = changes[0].start, changes[-1].end
    return Edit(start, end, source[start:end], edited[start : len(edited) - (len(source) - end)])
