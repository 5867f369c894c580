"""What invariance testing talks of: an edit, the variant it makes, and two translations side by side.

A variant is a segment like any other, so every command can translate it, store it and show it; its tags say
which original it comes from and which one word differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from mtassay.core import Segment
from mtassay.errors import InputError
from mtassay.tools.annotate.nouns import Annotation

__all__ = ["Answer", "Compared", "Edit", "edit_of", "has_variants", "original_of", "variant_of"]


class Edit(NamedTuple):
    """The one word that differs: `before` stands at `start` to `end` in the original's characters.

    `pos` is its universal part of speech.

    >>> Edit(2, 7, "small", "young", "ADJ").apply("A small dog")
    'A young dog'
    """

    start: int
    end: int
    before: str
    after: str
    pos: str = ""

    def apply(self, source: str) -> str:
        """The variant of this original."""
        return source[: self.start] + self.after + source[self.end :]


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


def original_of(segment: Segment) -> str | None:
    """The id of the original that a segment is a variant of; `None` for an original."""
    original = segment.tags.get("original")
    return None if original is None else str(original)


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
