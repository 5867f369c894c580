"""Two outputs without the place of the edit, for the distances that otherwise count it.

Left out are the words of the place (at most three on each side, see `place`), with the blank before them. A
word elsewhere that differs from its counterpart in gender or number alone has agreed with the new word, and
stands in both as the original has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mtassay.methods.invariance.nouns import Compared
from mtassay.methods.invariance.structures.place import SideBySide, compare_words
from mtassay.methods.invariance.structures.same import agree
from mtassay.methods.invariance.structures.words import Words

__all__ = ["Remainder", "remainders"]


class Remainder(NamedTuple):
    """What is left of one output: its words as they are compared, and its text with these words."""

    words: Sequence[str]
    text: str


def remainders(compared: Compared) -> tuple[Remainder, Remainder]:
    """What is left of the original's output and of the variant's."""
    both = compare_words(compared)
    place = both.place
    forms = {number: token.text for number, token in enumerate(both.original)}
    others = {number: token.text for number, token in enumerate(both.variant)} | _agreed(both)
    return (
        _remainder(compared.original.output.text, both.original, place.original, forms),
        _remainder(compared.variant.output.text, both.variant, place.variant, others),
    )


def _agreed(both: SideBySide) -> dict[int, str]:
    return {
        other: both.original[one].text
        for one, other in both.pairs
        if agree(both.original[one], both.variant[other])
    }


def _remainder(text: str, words: Words, place: range, forms: dict[int, str]) -> Remainder:
    pieces, kept, end = [], [], 0
    for number, token in enumerate(words):
        if number not in place:
            kept.append(forms[number])
            pieces.append(text[end : token.start] + forms[number])
        end = token.end
    return Remainder(kept, "".join((*pieces, text[end:])).strip())
