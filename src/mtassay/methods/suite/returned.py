"""Looks at what came back from an MT provider: empty, copied, and lines that seem to have changed places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import correlation, mean, stdev

from mtassay.texts.marks import plural

__all__ = ["Returned", "look_at"]

_NUMBER = re.compile(r"\d[\d.,\u00a0\u202f]*\d")
_FEW_NUMBERS, _FEW_LINES = 4, 20
"""With fewer lines to go by, nothing is said about their order."""


@dataclass(frozen=True, slots=True)
class Returned:
    """What is striking about returned lines. Places count from 1.

    `empty` are the places of empty lines, `copied` counts lines equal to their source, `strangers` are
    places of lines that equal the source of another place. Of `numbered` sources with a number of two
    digits or more, `kept` have all of them in their output. `correlation` is Pearson's, of the lengths in
    characters; `None` where there are few lines or all are about equally long.
    """

    empty: tuple[int, ...] = ()
    copied: int = 0
    strangers: tuple[int, ...] = ()
    numbered: int = 0
    kept: int = 0
    correlation: float | None = None

    @property
    def numbers_disagree(self) -> bool:
        """Whether so few numbers are where they belong that lines must have changed places."""
        return self.numbered >= _FEW_NUMBERS and self.kept < self.numbered / 2

    @property
    def lengths_disagree(self) -> bool:
        """Whether long sources do not have long outputs, as translations of the same lines do."""
        return self.correlation is not None and self.correlation < 0.3

    @property
    def seems_moved(self) -> bool:
        """Whether numbers or lengths say that these are not the outputs of these sources, line by line."""
        return self.numbers_disagree or self.lengths_disagree

    def remarks(self, lines: int) -> list[str]:
        """What somebody should look at, given how many lines came back."""
        remarks = []
        if self.empty:
            remarks.append(f"{plural(len(self.empty), 'empty line')}, the first line {self.empty[0]}")
        if self.copied:
            remarks.append(f"{self.copied:,} of {plural(lines, 'line')} untranslated: equal to the source")
        if self.strangers:
            remarks.append(
                f"{plural(len(self.strangers), 'line')} equal to the source of another line, "
                f"the first line {self.strangers[0]}. Were lines moved?"
            )
        if self.lengths_disagree:
            remarks.append(
                "the lengths of sources and outputs do not go together "
                f"(r = {self.correlation:.2f}). Were lines moved?"
            )
        if self.numbers_disagree:
            remarks.append(
                f"only {self.kept:,} of {self.numbered:,} lines with numbers have them in their output. "
                "Were lines moved?"
            )
        return remarks


def look_at(sources: Sequence[str], returned: Sequence[str]) -> Returned:
    """What is striking about the outputs of these sources, both in the order in which they were sent.

    >>> look_at(["In 1999.", "No."], ["Em 1999.", ""])
    Returned(empty=(2,), copied=0, strangers=(), numbered=1, kept=1, correlation=None)
    """
    known = set(sources)
    empty, strangers = [], []
    copied = numbered = kept = 0
    for place, (source, output) in enumerate(zip(sources, returned, strict=True), 1):
        if not output.strip():
            empty.append(place)
        elif output == source:
            copied += 1
        elif output in known:
            strangers.append(place)
        if wanted := _numbers(source):
            numbered += 1
            kept += wanted <= _numbers(output)
    lengths = _correlation([len(text) for text in sources], [len(text) for text in returned])
    return Returned(tuple(empty), copied, tuple(strangers), numbered, kept, lengths)


def _correlation(sources: Sequence[int], outputs: Sequence[int]) -> float | None:
    # Templates make sentences of one length, whose translations say nothing by theirs.
    if len(sources) < _FEW_LINES or stdev(sources) < mean(sources) / 4 or stdev(outputs) == 0:
        return None
    return correlation(sources, outputs)


def _numbers(text: str) -> set[str]:
    """The digits of each number, whatever separates them: languages write 1,000.5 and 1.000,5."""
    return {re.sub(r"\D", "", number) for number in _NUMBER.findall(text)}
