"""The systems of a run by what a person gives: files, folders, live engines, or texts in memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from mtassay.core import Segment, System
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_outputs
from mtassay.languages import Pair
from mtassay.method import Read
from mtassay.options import is_live, open_system
from mtassay.systems.stored import Stored

__all__ = ["Given", "is_folder", "name_and_rest", "named", "open_systems", "stored_among"]

Given = Mapping[str, Any] | Sequence[str]
"""Systems by name, or texts such as `NAME=FILE`. What stands for a system is the name of a file or folder,
`scheme:rest` for a live engine, a list with a text for each segment, a mapping from ids to texts, or a
`System`."""

_SCHEME = r"[a-z][\w-]+:"  # a drive has one letter only


def open_systems(
    systems: Given, segments: Sequence[Segment], pair: Pair | None, *, read: Read | None = None
) -> list[System]:
    """The systems, in order; stored ones hold their output of each segment.

    `read` reads files of outputs where they are not lines or records for each segment.
    """

    def read_file(path: str, name: str) -> Mapping[str, str | None]:
        texts = read_outputs(path, segments, system=name, pair=pair)
        return {segment.id: text for segment, text in zip(segments, texts, strict=True)}

    return [_open(name, what, segments, pair, read or read_file) for name, what in named(systems).items()]


def stored_among(systems: Given) -> list[str]:
    """What of this can only give outputs that are there already, as it was given, else by its name."""
    return [
        str(what) if isinstance(what, str | PathLike) else name
        for name, what in named(systems).items()
        if isinstance(what, Stored) or not (isinstance(what, System) or is_live(str(what)))
    ]


def _open(name: str, what: Any, segments: Sequence[Segment], pair: Pair | None, read: Read) -> System:
    if isinstance(what, System):
        return what
    if isinstance(what, str | PathLike):
        text = str(what)
        _check_scheme(text)
        live: System = open_system(name, text, pair) if is_live(text) else Stored(name, read(text, name))
        return live
    if isinstance(what, Mapping):
        return Stored(name, what)
    if len(what) != len(segments):
        raise InputError(
            f"system '{name}' has {len(what):,} texts for {len(segments):,} segments: give one for each"
        )
    return Stored(name, {segment.id: text for segment, text in zip(segments, what, strict=True)})


def named(systems: Given) -> dict[str, Any]:
    """Systems by name, in order; a folder stands for all files in it, and a name may stand only once."""
    if isinstance(systems, Mapping):
        return dict(systems)
    systems = [systems] if isinstance(systems, str) else systems
    by_name: dict[str, Any] = {}
    for name, rest in map(name_and_rest, (part for text in systems for part in _files(text))):
        if name in by_name:
            raise UsageError(f"Two systems are called '{name}'. Tell them apart: -t NAME={rest}")
        by_name[name] = rest
    return by_name


def is_folder(systems: Given) -> bool:
    """Whether the systems begin with a folder, whose files are in no order that anybody gave."""
    if isinstance(systems, Mapping) or not systems:
        return False
    first = systems if isinstance(systems, str) else systems[0]
    return Path(first).is_dir()


def name_and_rest(text: str) -> tuple[str, str]:
    """Splits `NAME=FILE`; a bare file is named after its stem, a bare engine after its scheme.

    >>> name_and_rest("nmt=out/new.txt"), name_and_rest("out/Online-A.txt")
    (('nmt', 'out/new.txt'), ('Online-A', 'out/Online-A.txt'))
    >>> name_and_rest("gpt=openai:gpt-5-mini?temperature=0")
    ('gpt', 'openai:gpt-5-mini?temperature=0')
    """
    if is_live(text):
        return text.partition(":")[0], text
    name, equals, rest = text.partition("=")
    if not equals or Path(text).exists() or re.match(rf"{_SCHEME}[^=]*\?", text):
        _check_scheme(text)
        return Path(text.removesuffix(".gz")).stem, text
    if not name or not rest:
        raise UsageError(f"'{text}' is no system. Write NAME=FILE, FILE or NAME=scheme:rest.")
    _check_scheme(rest)
    return name, rest


def _check_scheme(what: str) -> None:
    """What looks like an engine must be one, or else a file."""
    if Path(what).exists():
        return  # without a look at what other packages have, which takes longer than some test sets
    if ":" not in what and is_live(f"{what}:"):
        raise UsageError(f"There is no file '{what}'. For the live engine write {what}:")
    if re.match(_SCHEME, what) and not is_live(what):
        scheme = what.partition(":")[0]
        raise UsageError(f"There is no file '{what}' and no engine '{scheme}'. See: mtassay systems list")


def _files(text: str) -> list[str]:
    folder = Path(text)
    if not folder.is_dir():
        return [text]
    files = sorted(str(file) for file in folder.iterdir() if file.is_file() and file.name[0] != ".")
    if not files:
        inside = ", ".join(sorted(entry.name for entry in folder.iterdir() if entry.is_dir())[:5])
        what = f"only folders ({inside}): give one of them" if inside else "nothing"
        raise UsageError(f"There are no files in the folder {text}, {what}.")
    return files
