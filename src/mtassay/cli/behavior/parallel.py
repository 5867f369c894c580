"""A parallel text, and whether it is in the languages that it is said to be in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mtassay.cli.common import say
from mtassay.core import Segment
from mtassay.errors import InputError
from mtassay.formats import read_segments
from mtassay.languages import Pair
from mtassay.metrics.guards.identify import can_identify, identify, name_of, same_as

__all__ = ["other_languages", "read_parallel", "say_languages"]

_ENOUGH_LINES = 20


def read_parallel(source: Path, reference: Path, pair: Pair) -> list[Segment]:
    """The pairs of a parallel text; an error where its two files seem to be swapped."""
    segments = read_segments(source, [reference], pair=pair)
    found = other_languages(segments, pair)
    if found[0] in same_as(pair.target.code) and found[1] in same_as(pair.source.code):
        raise InputError(
            f"{source} reads as {pair.target.name} and {reference} as {pair.source.name}: "
            "are -s and -r swapped, or the two languages of -l?"
        )
    say_languages(found, (str(source), str(reference)), pair)
    return segments


def other_languages(segments: Sequence[Segment], pair: Pair) -> tuple[str, str]:
    """The languages that sources and references surely are in instead of those of the pair, or nothing."""
    references = [text for segment in segments for text in segment.references[:1]]
    return (
        _other_language([segment.source for segment in segments], pair.source.code),
        _other_language(references, pair.target.code),
    )


def say_languages(found: Sequence[str], names: Sequence[str], pair: Pair) -> None:
    """Tell of what is in another language, under the names of sources and references."""
    for name, language, other in zip(names, (pair.source, pair.target), found, strict=True):
        if other:
            say(f"mtassay: {name} reads as {name_of(other)}, not {language.name}")


def _other_language(texts: Sequence[str | None], expected: str) -> str:
    some = " ".join([text for text in texts if text][:_ENOUGH_LINES])
    if not some or not can_identify(expected):
        return ""
    guess = identify(some, expected)
    return guess.code if guess.is_sure and guess.excludes(expected) else ""
