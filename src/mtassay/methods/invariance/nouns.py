"""What invariance testing talks of: the variant that an edit makes, and two translations side by side.

A variant is a segment like any other, so every command can translate it, store it and show it; its tags say
which original it comes from and which one word differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mtassay.core import Edit, Segment, original_of
from mtassay.errors import InputError
from mtassay.methods.invariance.structures.words import plain_words
from mtassay.tools.annotate.annotation import Annotation

__all__ = [
    "Answer",
    "Compared",
    "edit_between",
    "edit_of",
    "has_variants",
    "is_made",
    "variant_of",
    "with_edits",
]

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)+")


@dataclass(frozen=True, slots=True)
class Answer:
    """One source and its translation, both as the annotators read them; a bare one has a text only."""

    id: str
    source: Annotation
    output: Annotation


@dataclass(frozen=True, slots=True)
class Compared:
    """An original and one of its variants, with their translations."""

    original: Answer
    variant: Answer
    edit: Edit


def variant_of(original: Segment, edit: Edit, place: int, facts: Mapping[str, Any] | None = None) -> Segment:
    """The variant as a segment. `place` is the number of the word, `facts` what else to keep of it.

    >>> variant_of(Segment("7", "A small dog"), Edit(2, 7, "small", "young", "ADJ"), 1).id
    '7/1-young'
    """
    assert original.source is not None
    tags = {"original": original.id, "edit": {**edit._asdict(), **(facts or {})}}
    return Segment(
        f"{original.id}/{place}-{edit.after}",
        edit.apply(original.source),
        document=original.document,
        tags=tags,
    )


def has_variants(segments: Iterable[Segment]) -> bool:
    """Whether these hold variants already, right or wrong ones, so that none need to be made."""
    return any("edit" in segment.tags or original_of(segment) is not None for segment in segments)


def edit_of(tags: Mapping[str, Any]) -> Edit:
    """The edit that made the variant with these tags; an `InputError` where it is none.

    >>> edit_of({"edit": {"start": 2, "end": 7, "before": "small", "after": "young"}}).after
    'young'
    """
    edit = tags.get("edit")
    places, words = ("start", "end"), ("before", "after")
    if (
        not isinstance(edit, Mapping)
        or not all(type(edit.get(key)) is int for key in places)
        or not all(isinstance(edit.get(key), str) for key in words)
    ):
        raise InputError("'edit' must have start, end, before and after")
    pos = edit.get("pos")
    said = pos if isinstance(pos, str) else ""
    return Edit(edit["start"], edit["end"], edit["before"], edit["after"], said)


def is_made(segments: Sequence[Segment]) -> bool:
    """Whether there are variants, or every original says why it has none, so that none need to be made."""
    return has_variants(segments) or all(segment.tags.get("skip") for segment in segments)


def with_edits(segments: Sequence[Segment]) -> list[Segment]:
    """The segments of any run; one that was made from another has the one edit that turns that into it."""
    sources = {segment.id: segment.source or "" for segment in segments}
    found = []
    for segment in segments:
        original = original_of(segment)
        if original in sources and not {"edit", "phrase"} & segment.tags.keys():
            edit = edit_between(sources[original], segment.source or "")
            segment = segment._replace(tags={**segment.tags, "edit": edit._asdict()})
        found.append(segment)
    return found


def edit_between(before: str, after: str) -> Edit:
    """The one edit that turns a text into another, from the first to the last whole word that differs.

    >>> edit_between("A dog sees me.", "A cow sees you.")
    Edit(start=2, end=13, before='dog sees me', after='cow sees you', pos='')
    """
    inside = _inside(before), _inside(after)
    longest = min(len(before), len(after))
    start = next((n for n in range(longest) if before[n] != after[n]), longest)
    while start in inside[0] or start in inside[1]:
        start -= 1
    longest -= start
    same = next((n for n in range(longest) if before[-1 - n] != after[-1 - n]), longest)
    while len(before) - same in inside[0] or len(after) - same in inside[1]:
        same -= 1
    end = len(before) - same
    return Edit(start, end, before[start:end], after[start : len(after) - same])


def _inside(text: str) -> set[int]:
    """The places that are inside a word or a number; before an English `'s` a word may end."""
    spans = [number.span() for number in _NUMBER.finditer(text)]
    for word in plain_words(text):
        ends = (word.end - 2, word.end) if word.text.endswith(("'s", "’s")) else (word.end,)
        spans += zip((word.start, *ends), ends, strict=False)
    return {place for start, end in spans for place in range(start + 1, end)}
