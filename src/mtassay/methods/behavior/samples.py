"""Draws what to edit. A seed decides, and nothing else does."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from mtassay.data.nouns import Segment
from mtassay.methods.behavior.capability import Capability
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair

_IDLE = 20  # draws in a row with nothing new in them, after which nothing else is left


class EditPlace(NamedTuple):
    """Spans that are edited together, in order; `number` is how often the very same came before."""

    spans: tuple[AlignedSpan, ...]
    number: int


def draw_segments(segments: Sequence[Segment], sample: int | None, *, seed: int) -> list[Segment]:
    """At most `sample` of the segments, all without it, in their order.

    >>> [s.id for s in draw_segments([Segment(str(i)) for i in range(9)], 3, seed=1)]
    ['1', '2', '8']
    """
    if sample is None or sample >= len(segments):
        return list(segments)
    chosen = random.Random(seed).sample(range(len(segments)), sample)
    return [segments[number] for number in sorted(chosen)]


def draw_places(
    pair: ReadPair,
    spans: Sequence[AlignedSpan],
    capability: Capability,
    *,
    seed: int,
    finished: Collection[tuple[AlignedSpan, ...]] = (),
) -> Iterator[EditPlace]:
    """Places in random order, each once before any comes again; without end, unless there is none.

    The order depends on the seed, the capability and the segment's id alone, not on other segments.
    What is in `finished`, which may grow meanwhile, does not come again; it ends when nothing else is left.
    """
    draw = random.Random(f"{seed}\0{capability.name}\0{pair.id}")
    times: Counter[tuple[AlignedSpan, ...]] = Counter()
    idle = 0
    while spans and idle < _IDLE:
        idle += 1
        order = draw.sample(spans, len(spans))
        if capability.spans_at_once > 1:
            groups = [_together(pair, order, capability)]
        else:
            groups = [(span,) for span in order]
        for group in groups:
            if group in finished:
                continue
            idle = 0
            yield EditPlace(group, times[group])
            times[group] += 1


def _together(
    pair: ReadPair, order: Sequence[AlignedSpan], capability: Capability
) -> tuple[AlignedSpan, ...]:
    """As many as are apart on both sides, and no larger a part of the source than the capability allows."""
    most = capability.most_of_source * _words(pair, 0, len(pair.source.text))
    chosen: list[AlignedSpan] = []
    edited = 0
    for span in order:
        words = _words(pair, span.start, span.end)
        fits = not chosen or edited + words <= most
        if fits and all(_are_apart(pair, span, other) for other in chosen):
            chosen.append(span)
            edited += words
        if len(chosen) == capability.spans_at_once:
            break
    return tuple(sorted(chosen))


def _words(pair: ReadPair, start: int, end: int) -> int:
    """How many words of the source stand there; marks are none."""
    return sum(
        start <= token.start and token.end <= end and any(map(str.isalnum, token.text))
        for token in pair.source.tokens
    )


def _are_apart(pair: ReadPair, a: AlignedSpan, b: AlignedSpan) -> bool:
    """Whether something stands between the two on both sides: nobody can part two masks in a row."""
    return _has_between(pair.source.text, (a.start, a.end), (b.start, b.end)) and _has_between(
        pair.reference.text, (a.reference_start, a.reference_end), (b.reference_start, b.reference_end)
    )


def _has_between(text: str, a: tuple[int, int], b: tuple[int, int]) -> bool:
    first, second = sorted((a, b))
    return bool(text[first[1] : second[0]].strip())
