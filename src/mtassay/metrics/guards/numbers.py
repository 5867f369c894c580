"""Finds numbers of the source that an output lost or changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from mtassay.core import Segment
from mtassay.metrics.guards.numerals import Number, NumbersOf, is_converted, read_numbers

_DIGITS = re.compile(r"\d+")
# People and systems spell these out, in words that differ by language.
_SPELLED_OUT = frozenset(map(str, [*range(21), *range(30, 101, 10), 24, 1000]))
# A segment with more is a table; the bound keeps look-up linear.
_MOST_NUMBERS = 200


class _Wanted(NamedTuple):
    segment: int
    numbers: list[Number]
    runs: frozenset[str]


class Numbers:
    """Numbers that the source and every reference have and the output lacks.

    A number that is usually spelled out counts only if the output has another one in its place, and
    where there is no reference a single digit does not count at all.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self._wanted: list[_Wanted] = []
        for index, segment in enumerate(segments):
            if segment.source is None or not _DIGITS.search(segment.source):
                continue
            numbers = list(dict.fromkeys(read_numbers(segment.source)))[:_MOST_NUMBERS]
            references = [text for text in segment.references if text is not None]
            if not references:
                numbers = [number for number in numbers if len(number.digits) > 1]
            for reference in references:
                if not _has_all(_runs(numbers), reference):
                    said = NumbersOf(reference)
                    # Where the reference has it in words, an output may have it in any.
                    source = NumbersOf(segment.source)
                    numbers = [n for n in numbers if said.has(n, source=source, words=False)]
            if numbers:
                self._wanted.append(_Wanted(index, numbers, _runs(numbers)))

    def hits(self, outputs: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Evidence by segment index; `instead` lists the output's numbers that nobody else has."""
        hits = {}
        for index, numbers, runs in self._wanted:
            output = outputs[index]
            # Nearly always the same digits stand in the output, which is cheap to see.
            if _has_all(runs, output):
                continue
            source = NumbersOf(self._segments[index].source or "")
            said = NumbersOf(output)
            missing = [number for number in numbers if not said.has(number, source=source)]
            if not missing:
                continue
            instead = self._new_numbers(index, output)
            if instead:
                missing = [number for number in missing if not any(is_converted(number, n) for n in instead)]
            else:
                missing = [number for number in missing if number.digits not in _SPELLED_OUT]
            if missing:
                shown = [number.shown for number in missing]
                noun = "numbers" if len(shown) > 1 else "number"
                hits[index] = {
                    "why": f"{noun} missing: {', '.join(shown)}",
                    "missing": shown,
                    "instead": [number.shown for number in instead],
                }
        return hits

    def _new_numbers(self, index: int, output: str) -> list[Number]:
        """Numbers of the output that neither the source nor a reference has."""
        segment = self._segments[index]
        known = [NumbersOf(text) for text in (segment.source, *segment.references) if text is not None]
        numbers = dict.fromkeys(read_numbers(output)[:_MOST_NUMBERS])
        return [number for number in numbers if not any(text.has(number) for text in known)]


def _runs(numbers: Sequence[Number]) -> frozenset[str]:
    return frozenset(run for number in numbers for run in _DIGITS.findall(number.shown))


def _has_all(runs: Iterable[str], text: str) -> bool:
    """True if each run of digits stands in the text by itself; False may mean that it is hard to see."""
    for run in runs:
        start = text.find(run)
        end = start + len(run)
        if start < 0 or text[end : end + 1].isdecimal() or (start and text[start - 1].isdecimal()):
            return False
    return True
