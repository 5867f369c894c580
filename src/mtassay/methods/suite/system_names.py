"""Which systems of several groups are one and the same: by their name, its spelling, or a given alias."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mtassay.errors import InputError, UsageError
from mtassay.formats import read_lines
from mtassay.formats.text import FilePath, check_columns

__all__ = [
    "SystemInGroup",
    "check_aliases",
    "find_system",
    "folded",
    "join_names",
    "read_aliases",
    "spellings",
]


@dataclass(frozen=True, slots=True)
class SystemInGroup:
    """A system as it was in one group: its `name` there, and the `system` that it is over all groups."""

    group: str
    name: str
    system: str


def folded(name: str) -> str:
    """What is left of a name when case, hyphens, underscores and spaces do not count.

    >>> folded("ONLINE_A") == folded("Online-A") == folded("online a")
    True
    """
    return re.sub(r"[-_\s]", "", name).casefold()


def join_names(
    groups: Mapping[str, Sequence[str]], *, aliases: Mapping[str, str] | None = None, fold: bool = True
) -> list[SystemInGroup]:
    """One entry for each system of each group, in order.

    `aliases` says for an old name which one it is today; one step may lead to the next. With `fold`, names
    that differ only in case, hyphens, underscores or spaces are one. A system is called by its newest name.
    Two systems of one group that become one are a `UsageError`.
    """
    key: Callable[[str], str] = folded if fold else str
    today = {key(old): new for old, new in (aliases or {}).items()}
    newest_names: dict[str, str] = {}
    for group in reversed(list(groups.values())):
        for name in group:
            last = _newest(name, today, key)
            newest_names.setdefault(key(last), last)
    entries = []
    for group, names in groups.items():
        name_by_system: dict[str, str] = {}
        for name in names:
            system = newest_names[key(_newest(name, today, key))]
            if system in name_by_system:
                raise UsageError(
                    f"{group}: {name_by_system[system]} and {name} would be one system. "
                    "Tell them apart with --no-fold, or mend the aliases."
                )
            name_by_system[system] = name
            entries.append(SystemInGroup(group, name, system))
    return entries


def check_aliases(groups: Mapping[str, Sequence[str]], aliases: Mapping[str, str], *, fold: bool) -> None:
    """Refuse an alias of a name that nobody has."""
    key: Callable[[str], str] = folded if fold else str
    name_keys = {key(name) for group in groups.values() for name in group}
    for old, new in aliases.items():
        if key(old) not in name_keys and key(old) not in map(key, aliases.values()):
            raise UsageError(f"--alias {old}={new}: no system is called '{old}'.")


def read_aliases(path: FilePath) -> dict[str, str]:
    """The name of each alias. The table has the columns `name` and `alias`, in any order."""
    header, *lines = [line.split("\t") for line in read_lines(path)] or [[]]
    if not {"name", "alias"} <= set(header):
        raise InputError("the first line must name the columns: name, alias", path=path, line=1)
    check_columns(header, path)
    name_by_alias: dict[str, str] = {}
    for number, cells in enumerate(lines, 2):
        if len(cells) != len(header):
            what = f"{len(cells)} columns, expected {len(header)}"
            raise InputError(what, path=path, line=number)
        row = dict(zip(header, cells, strict=True))
        if not row["name"] or not row["alias"]:
            raise InputError("a name or an alias is missing", path=path, line=number)
        if name_by_alias.setdefault(row["alias"], row["name"]) != row["name"]:
            what = f"'{row['alias']}' is an alias of '{name_by_alias[row['alias']]}' already; keep one"
            raise InputError(what, path=path, line=number)
    return name_by_alias


def find_system(name: str, entries: Sequence[SystemInGroup], *, fold: bool = True) -> str:
    """The system that is meant by a name it has in some group; a `UsageError` names those there are."""
    key: Callable[[str], str] = folded if fold else str
    for entry in entries:
        if key(name) in (key(entry.system), key(entry.name)):
            return entry.system
    available = ", ".join(dict.fromkeys(entry.system for entry in entries))
    raise UsageError(f"No system '{name}'. Available: {available}.")


def spellings(entries: Sequence[SystemInGroup]) -> dict[str, list[str]]:
    """The names of each system that has several, the oldest first."""
    names: dict[str, dict[str, None]] = {}
    for entry in entries:
        names.setdefault(entry.system, {})[entry.name] = None
    return {system: list(several) for system, several in names.items() if len(several) > 1}


def _newest(name: str, today: Mapping[str, str], key: Callable[[str], str]) -> str:
    seen = [key(name)]
    while key(name) in today:
        name = today[key(name)]
        if key(name) == seen[-1]:
            break  # only another spelling
        if key(name) in seen:
            raise UsageError(f"The aliases of '{name}' go in a circle: leave one out.")
        seen.append(key(name))
    return name
