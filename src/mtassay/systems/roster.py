"""The systems of a run from a person's input: files, folders, live engines, or texts in memory."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import Any, get_type_hints

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import read_outputs
from mtassay.data.languages import Pair
from mtassay.data.marks import readable
from mtassay.data.method import Read
from mtassay.data.nouns import Origin, Output, Request, Run, Segment, System
from mtassay.data.registry import find, make
from mtassay.data.settings import _GIVEN, _convert, is_live
from mtassay.runtime.http_calls import fill_variables, place


@dataclass(frozen=True)
class Stored(System):
    """Outputs by segment id. `None` or a missing id means that the system gave no output."""

    name: str
    outputs: Mapping[str, str | None] = field(repr=False)
    notes: Sequence[str] = field(default=(), repr=False)
    """Notes for readers of the outputs, for example on their alignment."""

    @property
    def signature(self) -> str:
        digest = hashlib.blake2b(digest_size=8)
        for key, text in self.outputs.items():
            digest.update(f"{key}\0{text if text is not None else chr(0)}\0".encode("utf-8", "surrogatepass"))
        return f"stored:{digest.hexdigest()}"

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        get = self.outputs.get
        return [
            Output(request.id, text)
            if (text := get(request.id)) is not None
            else Output(request.id, None, "no stored output", {"skipped": True})
            for request in requests
        ]


@dataclass(frozen=True)
class Replay(System):
    """A system that returns its stored outputs and failures."""

    name: str
    outputs: Mapping[str, Output] = field(repr=False)
    origin: Origin | None = None
    """The origin of the outputs of a live engine."""

    @property
    def signature(self) -> str:
        return f"saved:{self.name}"

    def translate(self, requests: Sequence[Request]) -> list[Output]:
        absent = Output("", None, "not in the saved run", {"skipped": True})
        return [self.outputs.get(request.id, absent._replace(id=request.id)) for request in requests]


def replays(run: Run) -> list[Replay]:
    """The systems of a saved run. Its findings tell whether an output was skipped or failed."""
    skipped = {(f.system, key) for f in run.findings if f.verdict == "skipped" for key in _names(f.evidence)}
    skipped |= {(f.system, f.case_id) for f in run.findings if f.verdict == "skipped"}
    origins = run.result.basis.get("answers", {})
    return [
        Replay(
            name,
            {
                o.id: o._replace(meta={"skipped": True})
                if o.text is None and not skipped.isdisjoint({(name, o.id), (name, o.error)})
                else o
                for o in answers
            },
            Origin(**origins[name]) if name in origins else None,
        )
        for name, answers in run.outputs.items()
    ]


def _names(evidence: Mapping[str, object]) -> list[str]:
    """The reason for a missing output; a finding about a case with several sources has only the reason."""
    return [str(evidence["reason"])] if "reason" in evidence else []


def open_system(name: str, text: str, pair: Pair | None) -> Any:
    """The live system that `scheme:rest?key=value&key=value` describes.

    Environment variables, `${NAME}`, are replaced here, or for an address at the time of the call.
    """
    scheme, _, rest = text.partition(":")
    cls = find("system", scheme)
    if pair is None:
        raise UsageError(
            f"system '{name}' is a live engine: say what to translate with `langpair='SRC-TGT'`."
        )
    subject, settings = rest, ""
    if getattr(cls, "takes_options", True):
        subject, _, settings = rest.partition("?")
    own_fields = {f.name: f for f in fields(cls) if f.init and f.metadata.get("option", f.name not in _GIVEN)}
    hints = get_type_hints(cls)
    values: dict[str, Any] = {}
    if subject:
        subject = _with_values(cls, cls.subject, subject)
        values[cls.subject] = _convert(subject, hints[cls.subject], what=scheme)
    for setting in filter(None, settings.split("&")):
        key, equals, value = setting.partition("=")
        if not equals or key not in own_fields:
            options = ", ".join(sorted(own_fields))
            near = next((f" Write {own}=…." for own in sorted(own_fields) if equals and own in key), "")
            what = f"system '{scheme}' has no option '{place(key)}'.{near} Options (key=value): {options}."
            raise UsageError(what)
        values[key] = _convert(_with_values(cls, key, value), hints[key], what=f"{scheme}:{key}")
    needed = [key for key, f in own_fields.items() if f.default is MISSING and f.default_factory is MISSING]
    for key in needed:
        if key not in values:
            raise UsageError(f"system '{scheme}' needs a {key}: write {name}={scheme}:{key.upper()}")
    return make("system", scheme, name=name, pair=pair, **values)


def _with_values(cls: Any, key: str, text: str) -> str:
    """Return a setting with its variables replaced; in a command the shell replaces them."""
    is_left = key == "url" or not getattr(cls, "takes_options", True)
    return text if is_left else fill_variables(text, what=f"{cls.scheme}: {key}", is_setting=True)


AnySystems = Mapping[str, Any] | Sequence[str]
"""Systems by name, or texts such as `NAME=FILE`. A system is the name of a file or folder,
`scheme:rest` for a live engine, a list with a text for each segment, a mapping from ids to texts, or a
`System`."""

_SCHEME = r"[a-z][\w-]+:"  # a drive has one letter only


def open_systems(
    systems: AnySystems, segments: Sequence[Segment], pair: Pair | None, *, read: Read | None = None
) -> list[System]:
    """Return the systems, in order; stored ones have their output for each segment.

    `read` reads files of outputs that do not have lines or records for each segment.
    """

    def read_file(path: str, name: str) -> Mapping[str, str | None]:
        texts = read_outputs(path, segments, system=name, pair=pair)
        return {segment.id: text for segment, text in zip(segments, texts, strict=True)}

    return [_open(name, what, segments, pair, read or read_file) for name, what in named(systems).items()]


def stored_among(systems: AnySystems) -> list[str]:
    """Return the files or else names of inputs with stored outputs, which cannot be asked again."""
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
        if is_live(text):
            live: System = open_system(name, text, pair)
            return live
        if Path(text).is_dir() or ".jsonl" in text or text.endswith(".ndjson"):
            # Slow to load, and rarely needed.
            from mtassay.systems.document_outputs import holds_documents, read_document_outputs

            if holds_documents(text):
                aligned = read_document_outputs(text, segments, pair)
                return Stored(name, aligned.outputs, aligned.notes(name))
        return Stored(name, read(text, name))
    if isinstance(what, Mapping):
        return Stored(name, what)
    if len(what) != len(segments):
        raise InputError(
            f"system '{name}' has {len(what):,} texts for {len(segments):,} segments: give one for each"
        )
    return Stored(name, {segment.id: text for segment, text in zip(segments, what, strict=True)})


def named(systems: AnySystems) -> dict[str, Any]:
    """Return systems by unique names, in order; a folder means all files in it."""
    if isinstance(systems, Mapping):
        return dict(systems)
    systems = [systems] if isinstance(systems, str) else systems
    by_name: dict[str, Any] = {}
    for name, rest in map(name_and_rest, (part for text in systems for part in _files(text))):
        name = readable(name)
        if name in by_name:
            raise UsageError(
                f"Two systems are called '{name}'. Give them different names: `systems=['NAME={rest}']`"
            )
        by_name[name] = rest
    return by_name


def is_folder(systems: AnySystems) -> bool:
    """Whether the systems begin with a folder, whose files have no order chosen by a person."""
    if isinstance(systems, Mapping) or not systems:
        return False
    first = systems if isinstance(systems, str) else systems[0]
    return Path(first).is_dir()


def name_and_rest(text: str) -> tuple[str, str]:
    """Split `NAME=FILE`; a bare file is named after its stem, a bare engine after its scheme.

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
    """Refuse something that looks like an engine, unless it is an engine or a file."""
    if Path(what).exists():
        return  # Do not search other packages, which takes longer than some test sets.
    if ":" not in what and is_live(f"{what}:"):
        raise UsageError(f"There is no file '{what}'. For the live engine write {what}:")
    if re.match(_SCHEME, what) and not is_live(what):
        scheme = what.partition(":")[0]
        raise UsageError(
            f"There is no file '{what.partition('?')[0]}' and no engine '{scheme}'. See: mtassay doctor"
        )


def _files(text: str) -> list[str]:
    folder = Path(text)
    if not folder.is_dir():
        return [text]
    # Do not use the text of the path: it turns the folder ./deepl: into the engine deepl:.
    files = sorted(
        f"{text.rstrip('/')}/{file.name}"
        for file in folder.iterdir()
        if file.is_file() and file.name[0] != "."
    )
    if not files:
        inside = ", ".join(sorted(entry.name for entry in folder.iterdir() if entry.is_dir())[:5])
        what = f"only folders ({inside}): give one of them" if inside else "nothing"
        raise UsageError(f"There are no files in the folder {text}, {what}.")
    return files
