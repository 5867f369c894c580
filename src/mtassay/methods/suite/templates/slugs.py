"""Readable parts of ids."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["slug", "unique_slugs"]

_NO_WORD = re.compile(r"[\W_]+")


def slug(text: str) -> str:
    """Words in lower case with hyphens between them; letters of all scripts stay.

    >>> slug("Transitive - simple past")
    'transitive-simple-past'
    """
    return _NO_WORD.sub("-", text.lower()).strip("-") or "x"


def unique_slugs(forms: Sequence[Sequence[str]]) -> list[str]:
    """One for each, from its first form; what is taken gets a number, in order.

    >>> unique_slugs([["You"], ["you"], ["he"]])
    ['you', 'you-2', 'he']
    """
    names: list[str] = []
    for form in forms:
        name, number = slug(form[0]), 1
        while (candidate := name if number == 1 else f"{name}-{number}") in names:
            number += 1
        names.append(candidate)
    return names
