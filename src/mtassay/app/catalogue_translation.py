"""Translates localisation files by live engines; only the targets change."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtassay.app.protection import ProtectedText, translate_messages
from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.localisation import (
    FileUnit,
    LocalisationFile,
    format_of,
    read_localisation,
    sibling,
)
from mtassay.data.formats.textfiles import STDIN, read_bytes, write_bytes
from mtassay.data.languages import Pair
from mtassay.data.marks import file_name
from mtassay.data.nouns import Output
from mtassay.methods.engine import EngineContext

_TABLES = (".txt", ".tsv", ".jsonl")
_SAME = {".pot": ".po", ".xliff": ".xlf"}


def open_catalogue(path: Path, target: Path | None, pair: Pair | None) -> LocalisationFile | None:
    """Return the localisation file to write; `None` if its texts are wanted as lines or a table.

    Raises:
        UsageError: The target has the ending of another format.
    """
    suffix = _suffix(path)
    if str(path) == STDIN or suffix in (".txt", ".jsonl") or not path.is_file():
        return None
    is_folder = target is not None and (target.is_dir() or not target.suffix)
    if suffix == ".tsv":
        # A table of segments is written as records, unless it has a column for the target.
        if target is None or is_folder or _suffix(target) != ".tsv":
            return None
        try:
            return read_localisation(path, pair=pair)
        except InputError:
            return None
    if target is not None and not is_folder and _suffix(target) in _TABLES:
        return None
    if format_of(read_bytes(path), path) is None:
        return None
    if target is not None and not is_folder and _kind(target) != _kind(path):
        raise UsageError(f"{target}: {path.name} is written as {suffix}, or as {', '.join(_TABLES)}.")
    return read_localisation(path, pair=pair)


def _suffix(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _kind(path: Path) -> str:
    return _SAME.get(_suffix(path), _suffix(path))


def target_files(
    file: LocalisationFile, target: Path | None, engines: Sequence[str], pair: Pair | None
) -> list[Path | None]:
    """Return the path of each engine's file; `None` is standard output.

    Without a target, a file with one language is written to the other language's conventional path.
    """
    source = Path(file.path)
    if target is not None and (target.is_dir() or not target.suffix):
        target.mkdir(parents=True, exist_ok=True)
        return [target / f"{file_name(engine)}{_suffix(source)}" for engine in engines]
    if len(engines) > 1:
        raise UsageError(
            "One localisation file can hold one engine's translations. Give a folder: -o FOLDER."
        )
    if target is None:
        if not file.is_monolingual or file.source_path or pair is None:
            return [None]
        target = sibling(file.path, pair.target.tag)
        if target is None:
            return [None]
        if target.exists():
            raise UsageError(f"{target} is there already. Say where to write: -o FILE.")
        target.parent.mkdir(exist_ok=True)
    if target.exists() and target.samefile(source):
        raise UsageError(f"{target} is the source itself. Choose another file.")
    return [target]


@dataclass
class CatalogueTranslation:
    """A localisation file that an engine translates.

    `only_missing` skips units that have a target and are not marked as fuzzy.
    """

    file: LocalisationFile
    pair: Pair | None
    only_missing: bool = False

    def outputs(self, system: Any, context: EngineContext) -> list[Output]:
        """Return the engine's output for each unit that people translate: its codes in place, or an error."""
        units = [unit for unit in self.file.units if self._is_wanted(unit)]
        language = "" if self.pair is None else self.pair.target.code
        messages = [
            ProtectedText(
                unit.id,
                self._source(unit),
                str(unit.facts.get("syntax", "")),
                tuple(unit.facts.get("codes", ())),
                str(unit.facts.get("plural", "")),
                language,
            )
            for unit in units
        ]
        outputs = translate_messages(messages, lambda requests: context.ask(system, requests))
        return [self._fitting(unit, output) for unit, output in zip(units, outputs, strict=True)]

    def notes(self) -> list[str]:
        """Return a warning about languages that the file still names, since only targets change."""
        stated, wanted = self.file.languages[1], "" if self.pair is None else self.pair.target.tag
        if self.file.format == "arb" and stated and wanted and stated != wanted:
            return [f"@@locale still says {stated}. Change it to {wanted}"]
        if self.file.format == "xliff" and not stated:
            return ["the file does not state its target language. Add it (target-language or trgLang)"]
        return []

    def write(self, outputs: Sequence[Output], target: Path | None) -> None:
        """Write the file with these targets; untranslated units stay the same."""
        data = self.file.with_targets({o.id: o.text for o in outputs if o.text is not None})
        if target is None:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            write_bytes(target, data)

    def _source(self, unit: FileUnit) -> str:
        is_source = self.file.is_monolingual and not self.file.source_path
        return (unit.target if is_source else unit.source) or ""

    def _is_wanted(self, unit: FileUnit) -> bool:
        if not unit.is_translatable or not self._source(unit).strip():
            return False
        has_own = not self.file.is_monolingual or bool(self.file.source_path)
        return not (self.only_missing and has_own and unit.target and not unit.facts.get("fuzzy"))

    def _fitting(self, unit: FileUnit, output: Output) -> Output:
        """Return the output, or the reason why the file cannot contain it."""
        if output.text is None:
            return output
        try:
            if unit.slot is None and self.file.insert is None:
                raise ValueError("the file has no place for its target")
            if unit.slot is not None:
                unit.slot.write(output.text)
        except ValueError as error:
            return output._replace(text=None, error=str(error))
        return output
