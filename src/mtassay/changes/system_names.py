"""Finds names that mean the same system in several groups: other spellings, and changed names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mtassay.data.errors import UsageError


def folded(name: str) -> str:
    """A name without case, hyphens, underscores and spaces.

    >>> folded("ONLINE_A") == folded("Online-A") == folded("online a")
    True
    """
    return re.sub(r"[-_\s]", "", name).casefold()


@dataclass(frozen=True, slots=True)
class SystemInGroup:
    """A system in one group: its `name` there, and `system`, its name in all groups."""

    group: str
    name: str
    system: str


def join_names(
    groups: Mapping[str, Sequence[str]], *, aliases: Mapping[str, str] | None = None
) -> list[SystemInGroup]:
    """Say which names of several groups are one system.

    Names that differ only in case, hyphens, underscores or spaces are one, unless one group has both.

    Args:
        groups: The names of each group, oldest first.
        aliases: Maps an old name to the next or the present one.

    Returns:
        One entry for each system of each group, in order. A system is called by its newest name.

    Raises:
        UsageError: Aliases form a circle, or join two systems of one group.

    >>> [entry.system for entry in join_names({"2021": ["Online-A"], "2022": ["ONLINE-A"]})]
    ['ONLINE-A', 'ONLINE-A']
    """
    both = {key for names in groups.values() for key, n in Counter(map(folded, names)).items() if n > 1}

    def key(name: str) -> str:
        return name if folded(name) in both else folded(name)

    today = {key(old): new for old, new in (aliases or {}).items()}
    newest_names: dict[str, str] = {}
    for names in reversed(list(groups.values())):
        for name in names:
            last = _newest(name, today, key)
            newest_names.setdefault(key(last), last)
    entries = []
    for group, names in groups.items():
        name_by_system: dict[str, str] = {}
        for name in names:
            system = newest_names[key(_newest(name, today, key))]
            if system in name_by_system:
                raise UsageError(
                    f"{group}: the aliases make {name_by_system[system]} and {name} one system. Fix them."
                )
            name_by_system[system] = name
            entries.append(SystemInGroup(group, name, system))
    return entries


def check_aliases(groups: Iterable[Sequence[str]], aliases: Mapping[str, str]) -> None:
    """Refuse an alias of an unknown name.

    >>> check_aliases([["Online-A"]], {"Online-B": "B"})
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: --alias Online-B=B: no system is called 'Online-B'.
    """
    known = {folded(name) for names in groups for name in names} | {folded(n) for n in aliases.values()}
    for old, new in aliases.items():
        if folded(old) not in known:
            raise UsageError(f"--alias {old}={new}: no system is called '{old}'.")


def _newest(name: str, today: Mapping[str, str], key: Callable[[str], str]) -> str:
    seen = [key(name)]
    while key(name) in today:
        name = today[key(name)]
        if key(name) == seen[-1]:
            break  # only another spelling
        if key(name) in seen:
            raise UsageError(f"The aliases of '{name}' refer to each other in a circle: leave one out.")
        seen.append(key(name))
    return name


def find_system(name: str, entries: Sequence[SystemInGroup]) -> str:
    """Find the system that has this name in any group."""
    for entry in entries:
        if folded(name) in (folded(entry.system), folded(entry.name)):
            return entry.system
    available = ", ".join(dict.fromkeys(entry.system for entry in entries))
    raise UsageError(f"No system '{name}'. Available: {available}.")
