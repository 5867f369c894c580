"""Things joined into groups, whose every member leads to the same one."""

from __future__ import annotations

from collections.abc import Hashable

__all__ = ["Groups"]


class Groups:
    """Each thing is alone until it is joined with another.

    >>> groups = Groups()
    >>> groups.join("a", "b"), groups.join("c", "b")
    (None, None)
    >>> groups.find("a") == groups.find("c"), groups.find("a") == groups.find("d")
    (True, False)
    """

    def __init__(self) -> None:
        self._above: dict[Hashable, Hashable] = {}

    def find(self, thing: Hashable) -> Hashable:
        """The member that stands for the group of a thing."""
        above = self._above.get(thing, thing)
        while above != thing:
            thing, above = above, self._above.get(above, above)
        return thing

    def join(self, one: Hashable, other: Hashable) -> None:
        """Make two groups one."""
        one, other = self.find(one), self.find(other)
        if one != other:
            self._above[other] = one
