"""A finite verb with all that helps it, as it stands and in the past perfect."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["VerbGroup"]


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """A finite verb with what helps it, in characters, and the same in the past perfect.

    `head` is the number of the verb itself, `anchors` those of the words by which it is known on the other
    side. `time` is `past`, `present` or `perfect`; `kind` is `active`, `passive` or `be`.
    """

    start: int
    end: int
    head: int
    anchors: frozenset[int]
    time: str
    kind: str
    after: str
