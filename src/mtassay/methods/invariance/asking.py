"""Cases from segments: an original, its variants and its phrases are asked and judged together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mtassay.core import Case, Segment
from mtassay.errors import InputError
from mtassay.methods.invariance.nouns import original_of

__all__ = ["cases_of"]


def cases_of(segments: Iterable[Segment]) -> list[Case]:
    """One case for each original, in order; `expect["parts"]` has the tags of each source after the first.

    An original without a variant cannot be tested and is skipped, for the reason in its tag `skip`.
    """
    originals: dict[str, Segment] = {}
    parts: dict[str, list[Segment]] = {}
    for segment in segments:
        original = original_of(segment)
        if original is None:
            originals[segment.id] = segment
            parts[segment.id] = []
        elif original in parts:
            parts[original].append(segment)
        else:
            raise InputError(f"segment {segment.id} is a variant of {original}, which is not before it")
    return [_case(segment, parts[segment.id]) for segment in originals.values()]


def _case(original: Segment, parts: Sequence[Segment]) -> Case:
    has_variant = any("edit" in part.tags for part in parts)
    return Case(
        original.id,
        original.id,
        (original.source, *(part.source for part in parts)),
        expect={"parts": [dict(part.tags) for part in parts]},
        tags=original.tags,
        skip=None if has_variant else str(original.tags.get("skip") or "it has no variants"),
        source_ids=(original.id, *(part.id for part in parts)),
    )
