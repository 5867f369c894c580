"""How long an output is against its source, in the measure of all outputs that came with it."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from statistics import median

from mtassay.methods.invariance.nouns import Answer

__all__ = ["relative_lengths"]

# Fewer outputs do not show what is usual.
_FEWEST = 20
_SHORT = 25


def relative_lengths(answers: Sequence[Answer]) -> list[float | None]:
    """Characters of the output per character of the source, with the median of all answers as 1.

    `None` for a source of fewer than 25 characters, whose length says little, and for all answers where
    there are fewer than 20 to compare with.
    """
    ratios = {
        number: log(max(len(answer.output.text), 1) / len(answer.source.text))
        for number, answer in enumerate(answers)
        if len(answer.source.text) >= _SHORT
    }
    if len(ratios) < _FEWEST:
        return [None] * len(answers)
    usual = median(ratios.values())
    return [exp(ratios[n] - usual) if n in ratios else None for n in range(len(answers))]
