"""The stretches in which two outputs differ, and words for such a difference."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from mtassay.texts.distance import common_ends
from mtassay.tools.annotate.words import Words

__all__ = [
    "Stretch",
    "align",
    "changed_wording",
    "gone_and_new",
    "head_name",
    "quote",
    "universal",
]


class Stretch(NamedTuple):
    """Some words of the original's output, and those of the variant's that stand in their place."""

    original: range
    variant: range

    def taken_from(self, other: Stretch) -> list[Stretch]:
        """What remains of another stretch, before and after this one, without it; nothing that is empty.

        >>> for rest in Stretch(range(2, 3), range(2, 3)).taken_from(Stretch(range(1, 3), range(2, 5))):
        ...     print(*rest)
        range(1, 2) range(2, 2)
        range(3, 3) range(3, 5)
        """
        before, after = _take(self.original, other.original), _take(self.variant, other.variant)
        rests = [Stretch(one, two) for one, two in zip(before, after, strict=True)]
        return [rest for rest in rests if rest.original or rest.variant]


def align(
    keys: Sequence[Hashable], other_keys: Sequence[Hashable]
) -> tuple[list[tuple[int, int]], list[Stretch]]:
    """The items that two sequences share, in the same order, as pairs of numbers, and what lies between."""
    start, end = common_ends(keys, other_keys)
    last, other_last = len(keys) - end, len(other_keys) - end
    pairs = [(number, number) for number in range(start)]
    changed = []
    matcher = SequenceMatcher(None, keys[start:last], other_keys[start:other_last], autojunk=False)
    for kind, first, until, other_first, other_until in matcher.get_opcodes():
        one = range(start + first, start + until)
        other = range(start + other_first, start + other_until)
        if kind == "equal":
            pairs.extend(zip(one, other, strict=True))
        else:
            changed.append(Stretch(one, other))
    pairs.extend((last + number, other_last + number) for number in range(end))
    return pairs, changed


def _take(place: range, stretch: range) -> tuple[range, range]:
    """The parts of a stretch before and after a place; all of it is before a place that lies elsewhere."""
    first, last = max(place.start, stretch.start), min(place.stop, stretch.stop)
    if first >= last:
        return stretch, range(stretch.stop, stretch.stop)
    return range(stretch.start, first), range(last, stretch.stop)


def quote(text: str, words: Words, numbers: Sequence[int]) -> str:
    """The text from the first to the last of some words, in quotation marks."""
    return f'"{text[words[numbers[0]].start : words[numbers[-1]].end]}"'


def changed_wording(
    text: str, words: Words, other_text: str, others: Words, changed: Iterable[Stretch]
) -> list[str]:
    """One line for each stretch that differs, longest first.

    >>> from mtassay.tools.annotate.annotation import Token
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


def universal(relation: str) -> str:
    """A relation without its subtype, which parsers give in one sentence and leave out in the next.

    >>> universal("obl:agent")
    'obl'
    """
    return relation.partition(":")[0]


def head_name(words: Words, number: int) -> str:
    """What a word hangs on, in quotation marks."""
    head = words[number].head
    return f'"{words[head].text}"' if head >= 0 else "the root"
