"""Finds what was edited between two texts, for cases whose file does not say so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from mtassay.methods.behavior.nouns import Change

__all__ = ["change_at", "changes_between"]

# A character of a script without spaces is a word of its own.
_PIECE = re.compile(r"[⺀-鿿가-힯豈-﫿]|[^\W⺀-鿿가-힯豈-﫿]+|\s+|.", re.DOTALL)


def changes_between(before: str, after: str) -> tuple[Change, ...]:
    """The edits that make `after` of `before`, in order, by whole words (characters of Chinese or Japanese).

    Edits with nothing but a space between them are one.

    >>> changes_between("A small dog barks", "A very young cat barks")
    (Change(start=2, end=11, before='small dog', after='very young cat'),)
    """
    pieces, others = _PIECE.findall(before), _PIECE.findall(after)
    starts, other_starts = _starts(pieces), _starts(others)
    hunks: list[tuple[int, int, int, int]] = []
    for kind, i, j, k, m in SequenceMatcher(None, pieces, others, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        hunk = (starts[i], starts[j], other_starts[k], other_starts[m])
        if hunks and before[hunks[-1][1] : hunk[0]].isspace():
            hunk = (hunks[-1][0], hunk[1], hunks[-1][2], hunk[3])
            hunks.pop()
        hunks.append(hunk)
    return tuple(Change(i, j, before[i:j], after[k:m]) for i, j, k, m in hunks)


def change_at(before: str, after: str, start: int, end: int) -> Change | None:
    """What became of `start` to `end` of a text in which more may have changed; `None` if nothing did.

    >>> change_at("the red car is fast", "a blue car was fast", 4, 7)
    Change(start=0, end=7, before='the red', after='a blue')
    """
    touching = [
        change for change in changes_between(before, after) if change.start < end and start < change.end
    ]
    if not touching:
        return None
    first, last = touching[0], touching[-1]
    if first is last:
        return first
    between = changes_between(before, after)
    inside = between[between.index(first) : between.index(last) + 1]
    text, done = "", first.start
    for change in inside:
        text += before[done : change.start] + change.after
        done = change.end
    return Change(first.start, last.end, before[first.start : last.end], text)


def _starts(pieces: Sequence[str]) -> list[int]:
    starts, place = [], 0
    for piece in pieces:
        starts.append(place)
        place += len(piece)
    return [*starts, place]
