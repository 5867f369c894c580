"""Finds named objects: ours in `registry.tsv`, those of other packages through entry points.

A package adds its own with an entry point in the group `mtassay.KIND`, such as `mtassay.metric`. Objects
are loaded only when needed.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache, reduce
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

from mtassay.data.errors import MtassayError, PluginError, PluginWarning, UsageError
from mtassay.data.grouping import gathered

KINDS = (
    *("method", "metric", "system", "annotator", "aligner", "capability", "infiller", "format"),
    *("structure", "check", "relation", "substitutes", "pack"),
)


@cache
def ours() -> dict[str, dict[str, str]]:
    """The objects of mtassay itself, by kind and name; each kind is in the order of its tables."""
    found: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for kind, name, place, *_ in _table():
        found[kind][name] = f"mtassay.{place}"
    return found


def _table() -> Iterator[list[str]]:
    lines = Path(__file__).with_suffix(".tsv").read_text(encoding="utf-8").splitlines()
    return (line.split("\t") for line in lines if not line.startswith("#"))


@cache
def tags(kind: str) -> dict[str, frozenset[str]]:
    """Tags of our objects, known without loading them: for checks their group and severity."""
    return {name: frozenset(" ".join(more).split()) for own, name, _, *more in _table() if own == kind}


_IN_PACKS = {("infiller", "lexicon"): " The English pack has it: pip install ./packs/en"}
"""Objects of our language packs, and how to install them."""


def names(kind: str) -> list[str]:
    """All names of this kind: ours in our order, then those of other packages in alphabetical order."""
    return [*ours()[kind], *sorted({point.name for point in _entry_points(kind)} - ours()[kind].keys())]


def each_named(kind: str, *, among: Container[str] | None = None) -> Iterator[tuple[str, Any]]:
    """All registered objects by name, in the order of `names`; other packages are read only after ours.

    `among` limits ours to these names. An object of another package that cannot be loaded is left out with
    a `PluginWarning`.
    """
    for name in ours()[kind]:
        if among is None or name in among:
            yield name, find(kind, name)
    for name in names(kind)[len(ours()[kind]) :]:
        try:
            loaded = find(kind, name)
        except PluginError as error:
            _warn(error)
        else:
            yield name, loaded


def each(kind: str) -> Iterator[Any]:
    """The same without the names."""
    return (loaded for _, loaded in each_named(kind))


def each_made(kind: str) -> Iterator[Any]:
    """Make one instance of each; leave out failing ones of other packages in the same way."""
    for name, _ in each_named(kind):
        try:
            made = make(kind, name)
        except PluginError as error:
            _warn(error)
        else:
            yield made


def make(kind: str, name: str, /, **values: Any) -> Any:
    """Make an instance of the class of this name; `PluginError` if another package's class fails."""
    loaded = find(kind, name)
    try:
        return loaded(**values)
    except MtassayError:
        raise
    except Exception as error:
        for point in _entry_points(kind) if name not in ours()[kind] else ():
            if point.name == name:
                raise _broken(point, error) from error
        raise


def _warn(error: PluginError) -> None:
    warnings.warn(f"{error} Going on without it.", PluginWarning, stacklevel=2)


def is_known(kind: str, name: str) -> bool:
    """Whether an object of this kind and name exists."""
    return name in ours()[kind] or any(point.name == name for point in _entry_points(kind))


def is_ours(kind: str, name: str) -> bool:
    """Whether it comes with mtassay itself.

    >>> is_ours("method", "score"), is_ours("method", "lengths")
    (True, False)
    """
    return name in ours()[kind]


def find(kind: str, name: str) -> Any:
    """Load the object of this name, usually a class.

    >>> find("relation", "blue")
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No relation 'blue'. Available: same-output, referential.
    """
    if name in ours()[kind]:
        module, _, attribute = ours()[kind][name].partition(":")
        loaded = import_module(module)
        return getattr(loaded, attribute) if attribute else loaded
    for point in (point for point in _entry_points(kind) if point.name == name):
        try:
            return point.load()
        except (Exception, SystemExit) as error:
            raise _broken(point, error) from error
    raise UsageError(
        f"No {kind} '{name}'. Available: {', '.join(names(kind)) or 'none'}.{in_pack(kind, name)}"
    )


def in_pack(kind: str, name: str) -> str:
    """A sentence, after a space, naming our language pack that has this object; else empty.

    >>> in_pack("infiller", "lexicon")
    ' The English pack has it: pip install ./packs/en'
    """
    return _IN_PACKS.get((kind, name), "")


def blamed(error: BaseException) -> str:
    """Return a sentence that names another package's part that raised an error; empty for our own errors."""
    everything = (point for kind in KINDS for point in _entry_points(kind))
    by_package = gathered((point.module.partition(".")[0], point) for point in everything)
    trace: TracebackType | None = error.__traceback__
    points: list[PluginEntry] = []
    while trace is not None:  # the innermost frame in such a package or in ours decides
        frame, trace = trace.tb_frame, trace.tb_next
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        if package == "mtassay":
            points = []
        elif package in by_package:
            owner = frame.f_locals.get("self", frame.f_locals.get("cls"))
            classes = (owner if isinstance(owner, type) else type(owner)).__mro__
            named = [p for p in by_package[package] if p.attr in {cls.__name__ for cls in classes}]
            points = named or by_package[package]
    return f"{', '.join(map(_described, points))} failed: {_in_a_line(error)}" if points else ""


def _broken(point: PluginEntry, error: BaseException) -> PluginError:
    told = f"cannot be used ({point.value}): {_in_a_line(error)}"
    return PluginError(f"{_described(point)} {told} Update or uninstall the package.")


def _described(point: PluginEntry) -> str:
    package = point.dist.name if point.dist else point.module
    return f"{point.group.removeprefix('mtassay.')} '{point.name}' of the package {package}"


def _in_a_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(".") + "."


def _entry_points(kind: str) -> Sequence[PluginEntry]:
    return _of_kind(f"mtassay.{kind}", tuple(sys.path))


class PluginEntry(NamedTuple):
    """An entry point like those of `importlib.metadata`, which itself loads slower than most commands run."""

    name: str
    value: str
    group: str

    @property
    def module(self) -> str:
        return self.value.partition(":")[0].strip()

    @property
    def attr(self) -> str:
        return self.value.partition(":")[2].partition("[")[0].strip()

    @property
    def dist(self) -> Any:
        from importlib.metadata import entry_points

        return next((p.dist for p in entry_points(group=self.group) if p.value == self.value), None)

    def load(self) -> Any:
        return reduce(getattr, filter(None, self.attr.split(".")), import_module(self.module))


@cache  # Called once per file or name.
def _of_kind(group: str, folders: tuple[str, ...]) -> Sequence[PluginEntry]:
    if any(Path(folder).is_file() for folder in folders):  # a zip archive of packages
        from importlib.metadata import entry_points

        return tuple(PluginEntry(point.name, point.value, point.group) for point in entry_points(group=group))
    sections = _declared(folders).split(f"[{group}]\n")[1:]
    own = "".join(f"\n{section}".partition("\n[")[0] for section in sections)
    pairs = (line.partition("=") for line in dict.fromkeys(own.splitlines()) if not line.startswith("#"))
    return tuple(PluginEntry(name.strip(), value.strip(), group) for name, sign, value in pairs if sign)


@cache
def _declared(folders: tuple[str, ...]) -> str:
    """The entry points that packages in these folders declare, as text."""
    files = (file for folder in folders for file in Path(folder).glob("*-info/entry_points.txt"))
    return "\n".join(file.read_text("utf-8", "replace") for file in files)


_Entry = TypeVar("_Entry")
_FEW = 10  # number of names listed in a message


def named(
    entries: Iterable[_Entry],
    patterns: Sequence[str],
    what: str,
    names_of: Callable[[_Entry], Sequence[str]],
    *,
    has: str = "item has",
) -> list[_Entry]:
    """The entries with a name that matches one of the patterns; without patterns, all of them.

    A pattern without a match is a `UsageError` with suggestions.

    >>> named(["Modal verbs", "Negation"], ["modal*"], "category", lambda name: [name])
    ['Modal verbs']
    >>> named(["Modal verbs", "Negation"], ["negatoin"], "category", lambda name: [name])
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No item has the category 'negatoin'. Near: Negation.
    """
    everything = list(entries)
    if not patterns:
        return everything
    names = {name.lower(): name for entry in everything for name in names_of(entry)}
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern.lower()) for name in names):
            raise UsageError(f"No {has} the {what} '{pattern}'. {suggest(pattern, names.values())}")
    chosen = {name for name in names if any(fnmatchcase(name, pattern.lower()) for pattern in patterns)}
    return [entry for entry in everything if any(name.lower() in chosen for name in names_of(entry))]


def suggest(word: str, names: Iterable[str]) -> str:
    """Suggest similar names, or else the first few names.

    >>> suggest("sytems", ["systems", "pair"]), suggest("x", ["systems", "pair"])
    ('Near: systems.', 'Available: systems, pair.')
    """
    by_case = {name.lower(): name for name in names}
    if near := get_close_matches(word.lower(), by_case, n=3):
        return f"Near: {', '.join(by_case[name] for name in near)}."
    if not by_case:
        return "There are none."
    return f"Available: {', '.join(list(by_case.values())[:_FEW])}{'…' if len(by_case) > _FEW else '.'}"
