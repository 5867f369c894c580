"""What an annotated sentence holds, whatever format it came in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Entity(NamedTuple):
    """A name in a reference: its text, its type, and its characters from `start` up to `end`."""

    text: str
    type: str
    start: int
    end: int


class Span(NamedTuple):
    """An entity as a file gives it; where the file gives only its text, `start` and `end` are `None`."""

    type: str
    start: int | None
    end: int | None
    text: str | None = None


class Reading(NamedTuple):
    """One way to read an annotated line; `text` is `None` where the file holds offsets alone."""

    text: str | None
    spans: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotated sentence.

    `readings` are tried in order. `id` names the segment; without it, order does. `reference` is the one
    that offsets without a text count in. `note` is what to say, too, if no reading fits.
    """

    line: int | None
    readings: Sequence[Reading]
    id: str | None = None
    reference: int = 0
    note: str = ""


def without_space(text: str) -> str:
    """The text without any white space, since tokenised and plain text differ in nothing else."""
    return "".join(text.split())


def carry_over(spans: Sequence[Span], text: str, other: str) -> list[Span]:
    """Spans of `text` as spans of `other`, which must be equal up to white space.

    A span of white space alone comes out empty, with equal ends.

    >>> carry_over([Span("PER", 0, 9)], "O ' Brien said", "O'Brien  said")
    [Span(type='PER', start=0, end=7, text=None)]
    """
    if not spans:
        return []
    ink_before = [0]
    for character in text:
        ink_before.append(ink_before[-1] + (not character.isspace()))
    places = [at for at, character in enumerate(other) if not character.isspace()]
    carried = []
    for span in spans:
        assert span.start is not None
        assert span.end is not None
        first, after = ink_before[span.start], ink_before[span.end]
        start, end = (places[first], places[after - 1] + 1) if first < after else (0, 0)
        carried.append(span._replace(start=start, end=end))
    return carried
