"""Cases from segments: an original, its variants and its phrases are asked and judged together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mtassay.core import Case, Segment, original_of
from mtassay.errors import InputError
from mtassay.methods.invariance.nouns import edit_of

__all__ = ["cases_of"]


def cases_of(segments: Iterable[Segment]) -> list[Case]:
    """One case for each original, in order; `expect["parts"]` has the tags of each source after the first.

    An original without a variant cannot be tested and is skipped, for the reason in its tag `skip`. A variant
    that is not its original with one edit is an `InputError`: distances would mean nothing.
    """
    originals: dict[str, Segment] = {}
    parts: dict[str, list[Segment]] = {}
    for segment in segments:
        original = original_of(segment)
        if original is None:
            if "edit" in segment.tags:
                raise InputError(f"segment {segment.id}: it has an 'edit', but no 'original'")
            originals[segment.id] = segment
            parts[segment.id] = []
        elif original in parts:
            _check(segment, originals[original])
            parts[original].append(segment)
        else:
            raise InputError(f"segment {segment.id} is a variant of {original}, which is not before it")
    return [_case(segment, parts[segment.id]) for segment in originals.values()]


def _check(part: Segment, original: Segment) -> None:
    """Refuse what is neither a variant nor a phrase of this original."""
    if "edit" not in part.tags:
        if "phrase" in part.tags:
            return
        raise InputError(f"segment {part.id}: it has an 'original', but no 'edit'")
    try:
        edit = edit_of(part.tags)
    except InputError as error:
        raise InputError(f"segment {part.id}: {error}") from None
    source = original.source or ""
    if not 0 <= edit.start <= edit.end <= len(source) or source[edit.start : edit.end] != edit.before:
        where = f"at {edit.start}-{edit.end} of {original.id}"
        raise InputError(f"segment {part.id}: {edit.before[:40]!r} does not stand {where}")
    if not (part.source or "").strip() or part.source != edit.apply(source):
        change = f"{edit.before[:40]!r} changed to {edit.after[:40]!r}"
        raise InputError(f"segment {part.id}: its source is not that of {original.id} with {change}")


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
