"""What differs between two outputs, said in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mtassay.methods.invariance.structures.stretches import Stretch
from mtassay.methods.invariance.structures.words import Words

__all__ = ["changed_wording", "gone_and_new", "quote"]


def quote(text: str, words: Words, numbers: Sequence[int]) -> str:
    """The text from the first to the last of some words, in quotation marks."""
    return f'"{text[words[numbers[0]].start : words[numbers[-1]].end]}"'


def changed_wording(
    text: str, words: Words, other_text: str, others: Words, changed: Iterable[Stretch]
) -> list[str]:
    """One line for each stretch that differs, longest first.

    >>> from mtassay.tools.annotate.nouns import Token
    >>> here, there = [Token("now", 0, 3)], [Token("then", 0, 4)]
    >>> changed_wording("now", here, "then", there, [Stretch(range(1), range(1))])
    ['"now" became "then"']
    """
    lines = []
    for one, other in sorted(changed, key=lambda stretch: -len(stretch.original) - len(stretch.variant)):
        if not other:
            lines.append(f"gone: {quote(text, words, one)}")
        elif not one:
            lines.append(f"new: {quote(other_text, others, other)}")
        else:
            lines.append(f"{quote(text, words, one)} became {quote(other_text, others, other)}")
    return lines


def gone_and_new(
    text: str, words: Words, gone: Iterable[int], other_text: str, others: Words, new: Iterable[int]
) -> list[str]:
    """One line for each unbroken run of words that are gone, then of those that are new; long ones first."""
    lines = [f"gone: {quote(text, words, run)}" for run in _runs(gone)]
    return lines + [f"new: {quote(other_text, others, run)}" for run in _runs(new)]


def _runs(numbers: Iterable[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return sorted(runs, key=len, reverse=True)
