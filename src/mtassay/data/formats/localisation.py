"""Localisation files: units with key, source and target. Writing targets changes nothing else."""

from __future__ import annotations

import codecs
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.tables import FileTable, Format, TableBuilder
from mtassay.data.formats.textfiles import FilePath, decode, read_bytes, shown
from mtassay.data.languages import Pair, parse_language
from mtassay.data.registry import each_made

PLURALS = frozenset({"zero", "one", "two", "few", "many", "other"})
"""The plural categories of CLDR."""


def splice(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Replace parts of a text, each from start to end; the parts must not overlap.

    >>> splice("one two", [(4, 7, "three"), (0, 0, "> ")])
    '> one three'
    """
    pieces, at = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a target; `write` encodes a text for it.

    It raises a `ValueError` for a text that this place cannot contain.
    """

    start: int
    end: int
    write: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class FileUnit:
    """One text of a localisation file.

    Args:
        id: Unique in the file: the key, with a number where a key occurs twice.
        source: `None` if the file has none, as in most formats with one language per file.
        target: `None` if untranslated.
        line: Its first line, from 1; `None` if it is not in the file.
        note: The note to translators.
        facts: Properties stated in the file. `syntax`: `icu`, `printf`, `python`, `brace`, `i18next`, `vue`,
            `java`; `max_length` in characters; `plural`: a category of CLDR; `state`, as the file writes it;
            `fuzzy`, if a person must look at it again; `translatable`, if it is `False`; `codes`: the inline
            elements in the texts.
        slot: The place of a target; `None` if the file has no place for it.
        group: The key that all plural forms of a message share.
    """

    id: str
    source: str | None
    target: str | None
    line: int | None = None
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    slot: Slot | None = field(default=None, repr=False, compare=False)
    group: str = ""

    @property
    def is_translatable(self) -> bool:
        """Whether it is to be translated."""
        return self.facts.get("translatable") is not False


class FileUnits(list[FileUnit]):
    """Collects the units of a file while reading: makes ids unique and finds lines."""

    def __init__(self, content: Content) -> None:
        super().__init__()
        self._content = content
        self._text = content.text
        self._seen: dict[str, int] = {}
        self._line, self._at = 1, 0

    def line(self, place: int) -> int:
        """The line of a place; fast for places in the order of the file."""
        if place < self._at:
            self._line, self._at = 1, 0
        self._line += self._text.count("\n", self._at, place)
        self._at = place
        return self._line

    def add(self, key: str, source: str | None, target: str | None, place: int, **more: Any) -> None:
        """Add a unit that begins at this place."""
        count = self._seen[key] = self._seen.get(key, 0) + 1
        unit_id = key if count == 1 else f"{key}#{count}"
        line = self.line(place)
        try:
            texts = [text and _checked(text) for text in (key, source, target)]
        except ValueError:
            what = r"not text: NUL, or half a surrogate pair (\ud800 to \udfff)"
            raise InputError(what, path=self._content.path, line=line) from None
        self.append(FileUnit(unit_id if texts[0] == key else str(texts[0]), texts[1], texts[2], line, **more))


_HALVES = re.compile("[\ud800-\udfff\0]")


def _checked(text: str) -> str:
    """Join surrogate pairs of escapes; a `ValueError` for NUL and for half a pair."""
    if not _HALVES.search(text):
        return text
    if "\0" in text:
        raise ValueError
    return text.encode("utf-16", "surrogatepass").decode("utf-16")


@dataclass(frozen=True, slots=True)
class Content:
    """The text of a file and its encoding."""

    path: str
    text: str
    encoding: str = "utf-8"
    mark: bytes = b""
    """The byte order mark."""
    errors: str = "strict"
    """The way to write characters that the encoding lacks."""

    def encode(self, text: str) -> bytes:
        """Another text in the same encoding."""
        try:
            return self.mark + text.encode(self.encoding, self.errors)
        except UnicodeEncodeError as error:
            lost = error.object[error.start]
            what = f"{self.encoding} has no {lost!r} (U+{ord(lost):04X}). Convert the file to UTF-8 first"
            raise InputError(what, path=self.path) from None

    def error(self, what: str, place: int | None = None) -> InputError:
        """An error that names the line."""
        line = None if place is None else self.text.count("\n", 0, place) + 1
        return InputError(what, path=self.path, line=line)


_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def open_content(data: bytes, path: str, *, declared: str = "", errors: str = "strict") -> Content:
    """Decode a file: by its byte order mark, else by the encoding it declares, else UTF-8."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", ""))
    if not mark and len(data) > 3:
        # UTF-16 without a mark: every second byte of the first characters, which are ASCII, is zero.
        encoding = {(True, False): "utf-16-be", (False, True): "utf-16-le"}.get(
            (data[0] == 0 == data[2], data[1] == 0 == data[3]), ""
        )
    encoding = encoding or declared or "utf-8"
    if encoding.lower() in ("utf-8", "utf8", "us-ascii", "ascii"):
        return Content(path, decode(data, path), "utf-8", mark, errors)
    body = data[len(mark) :]
    try:
        text = body.decode(encoding)
        if text.encode(encoding) != body:
            raise ValueError("not the same when written again")
    except (LookupError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise InputError(f"not readable as {encoding}: {why}. Convert it to UTF-8", path=path) from None
    if "\0" in text:
        raise InputError("a NUL character: this is not a text file", path=path)
    return Content(path, text, encoding, mark, errors)


@dataclass(frozen=True)
class LocalisationFile:
    """A file that can be written again with other targets.

    Args:
        content: The unchanged text, with its encoding.
        format: The name of the format.
        units: In the order of the file.
        is_monolingual: Whether the file has only one language, so that sources are in another file.
        languages: Source and target as the file states them; empty if it does not.
    """

    content: Content
    format: str
    units: Sequence[FileUnit]
    is_monolingual: bool = False
    languages: tuple[str, str] = ("", "")
    source_path: str = ""
    """The file with the sources, if it is another one."""
    insert: Callable[[Mapping[str, str]], Iterable[tuple[int, int, str]]] | None = None
    """Edits for units without a slot, by id, if the format can add them."""

    @property
    def path(self) -> str:
        """The name of the file, for messages."""
        return self.content.path

    def with_targets(self, targets: Mapping[str, str]) -> bytes:
        """The content of the file with new targets, by unit id. All other bytes stay unchanged.

        Raises:
            InputError: There is no such unit, or the file cannot contain this text.
        """
        units = {unit.id: unit for unit in self.units}
        edits, added = [], {}
        for unit_id, target in targets.items():
            unit = units.get(unit_id)
            if unit is None:
                raise InputError(f"there is no unit '{unit_id}'", path=self.path)
            if target == unit.target:
                continue
            try:
                if unit.slot is not None:
                    edits.append((unit.slot.start, unit.slot.end, unit.slot.write(target)))
                elif self.insert is not None:
                    added[unit_id] = target
                else:
                    raise ValueError("the file has no place for its target")
            except ValueError as error:
                raise InputError(f"unit '{unit_id}': {error}", path=self.path, line=unit.line) from None
        if added and self.insert is not None:
            edits.extend(self.insert(added))
        return self.content.encode(splice(self.content.text, edits))

    def with_sources(self, source: LocalisationFile) -> LocalisationFile:
        """Return the same file with the texts of another one as sources, by key.

        A plural form that the other language lacks has the form `other` as its source. Units only in the
        source file come last, without target.
        """
        texts = {unit.id: unit for unit in source.units}
        others = {
            unit.group: unit for unit in source.units if unit.group and unit.facts.get("plural") == "other"
        }
        groups = {unit.group for unit in self.units if unit.group}
        units = []
        for unit in self.units:
            match = texts.get(unit.id) or others.get(unit.group)
            if match is not None:
                facts = {**match.facts, **unit.facts, **_stricter(match.facts)}
                unit = replace(unit, source=match.target, facts=facts, note=unit.note or match.note)
            units.append(unit)
        ids = {unit.id for unit in self.units}
        units += [
            replace(unit, source=unit.target, target=None, line=None, slot=None)
            for unit in source.units
            if unit.id not in ids and unit.is_translatable and unit.group not in groups
        ]
        languages = (source.languages[1] or self.languages[0], self.languages[1])
        return replace(self, units=units, source_path=source.path, languages=languages)


def _stricter(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of the source that also apply to its translation."""
    return {key: facts[key] for key in ("translatable", "max_length", "syntax") if key in facts}


class LocalisationFormat(Format):
    """A format of files that people translate. A subclass needs only `open`."""

    is_monolingual: ClassVar[bool] = False

    @abstractmethod
    def open(self, data: bytes, path: str, pair: Pair | None) -> LocalisationFile:
        """Read the file with all its units; an `InputError` if it is not of this format."""

    def read(self, data: bytes, path: str, pair: Pair | None) -> FileTable:
        return self.table(self.open(data, path, pair))

    @staticmethod
    def table(file: LocalisationFile) -> FileTable:
        """The units as a table, with facts as tags, without untranslatable ones."""
        table = TableBuilder(file.path, says_missing=True)
        for unit in file.units:
            if not unit.is_translatable:
                continue
            tags = {name: value for name, value in unit.facts.items() if isinstance(value, str | int)}
            row = table.row(unit.id, line=unit.line, tags=tags)
            if file.is_monolingual:
                table.put(row, "text", unit.target, line=unit.line)
            else:
                table.put(row, "source", unit.source, line=unit.line)
                table.put(row, "target", unit.target, line=unit.line)
        built = table.build()
        if not built.columns:
            raise InputError("there is nothing to translate in it", path=file.path)
        return built


def localisation_formats() -> list[LocalisationFormat]:
    """All formats that `read_localisation` reads."""
    return [known for known in each_made("format") if isinstance(known, LocalisationFormat)]


def format_of(data: bytes, path: FilePath) -> LocalisationFormat | None:
    """Find the format of a localisation file: by the end of its name, else by its content."""
    name = shown(path).removesuffix(".gz")
    suffix = Path(name).suffix.lower()
    formats = localisation_formats()
    start = data[:65536].removeprefix(codecs.BOM_UTF8)
    for known in formats:
        if suffix in known.suffixes:
            return known
    if suffix in ("", ".xml"):
        root = _ROOT.match(start)
        name = root[1].rpartition(b":")[2].decode(errors="replace") if root else ""
        return next((known for known in formats if name in known.roots), None)
    return None


_ROOT = re.compile(
    rb"(?>\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*+<([^\s/>!?]+)", re.DOTALL | re.IGNORECASE
)


def read_localisation(
    path: FilePath, source_path: FilePath | None = None, *, pair: Pair | None = None
) -> LocalisationFile:
    """Read the units of a localisation file, each with source, target, line and facts.

    A file with one language gets its sources from `source_path`, or from the file with the conventional name
    (`values/strings.xml` of `values-de/strings.xml`, `en.json` beside `de.json`, `en.lproj` beside
    `de.lproj`). Without such a file, sources are `None`.

    Raises:
        InputError: It is not a localisation file, or damaged.
    """
    data = read_bytes(path)
    known = format_of(data, path)
    if known is None:
        endings = ", ".join(dict.fromkeys(s for f in localisation_formats() for s in f.suffixes))
        what = f"this is no localisation file that we know. Known: {endings}, and Android's strings.xml"
        raise InputError(what, path=shown(path))
    file = known.open(data, shown(path), pair)
    if not file.is_monolingual:
        if source_path is not None:
            raise UsageError(f"{shown(path)} has its own sources. Leave out the source file.")
        return file
    file = replace(file, languages=(file.languages[0], file.languages[1] or language_in(shown(path))))
    if source_path is None:
        source_path = find_source(shown(path), "en" if pair is None else pair.source.tag)
    if source_path is None:
        return file
    source_data = read_bytes(source_path)
    if type(format_of(source_data, source_path)) is not type(known):
        raise InputError(f"not the same format as {shown(path)}", path=shown(source_path))
    source = known.open(source_data, shown(source_path), pair)
    language = source.languages[1] or language_in(shown(source_path))
    return file.with_sources(replace(source, languages=("", language)))


_TAG = r"[a-z]{2,3}(?:[-_][A-Za-z]{4})?(?:[-_](?:[A-Za-z]{2}|[0-9]{3}))?"
_ANDROID = re.compile(r"values(?:-(?P<tag>[a-z]{2,3}(?:-r[A-Z]{2})?|b\+[A-Za-z0-9+]+))?")
_FOLDER = re.compile(rf"(?P<tag>{_TAG}|Base)(?P<end>\.lproj)?")
_NAME = re.compile(rf"(?P<start>(?:.*[._-])?)(?P<tag>{_TAG})")


def _is_language(tag: str) -> bool:
    try:
        parse_language(tag)
    except UsageError:
        return False
    return True


def language_in(path: str) -> str:
    """The language in a name; empty if there is none.

    >>> paths = ("res/values-pt-rBR/strings.xml", "de.lproj/a.strings", "app_fr.arb", "x.json")
    >>> [language_in(path) for path in paths]
    ['pt-BR', 'de', 'fr', '']
    """
    place = Path(path)
    if android := _ANDROID.fullmatch(place.parent.name):
        tag = android["tag"] or ""
        return tag[2:].replace("+", "-") if tag.startswith("b+") else tag.replace("-r", "-")
    for match in (
        _NAME.fullmatch(place.name.split(".gz")[0].rpartition(".")[0]),
        _FOLDER.fullmatch(place.parent.name),
    ):
        if match and _is_language(match["tag"]):
            return match["tag"].replace("_", "-")
    return ""


def sibling(path: str, language: str) -> Path | None:
    """The conventional path of the same texts in another language; `None` if the name states no language.

    >>> paths = ("res/values/strings.xml", "en.lproj/a.strings", "i18n/en_US.json")
    >>> [str(sibling(path, "pt-BR")) for path in paths]
    ['res/values-pt-rBR/strings.xml', 'pt-BR.lproj/a.strings', 'i18n/pt_BR.json']
    """
    place = Path(path)
    folder = place.parent
    if _ANDROID.fullmatch(folder.name):
        tag = re.sub(r"-([A-Z]{2})$", r"-r\1", language)
        tag = tag if re.fullmatch(r"[a-z]+(-r[A-Z]{2})?", tag) else "b+" + language.replace("-", "+")
        return folder.with_name(f"values-{tag}") / place.name
    in_folder = _FOLDER.fullmatch(folder.name)
    if in_folder and in_folder["end"]:
        return folder.with_name(f"{language}.lproj") / place.name
    stem, dot, end = place.name.partition(".") if place.name.count(".") == 1 else place.name.rpartition(".")
    named = _NAME.fullmatch(stem)
    if named and _is_language(named["tag"]):
        tag = language.replace("-", "_") if "_" in named["tag"] or named["start"].endswith("_") else language
        return place.with_name(f"{named['start']}{tag}{dot}{end}")
    if in_folder and _is_language(in_folder["tag"]):
        tag = language.replace("-", "_") if "_" in in_folder["tag"] else language
        return folder.with_name(tag) / place.name
    if end == "properties":
        return place.with_name(f"{stem}_{language.replace('-', '_')}{dot}{end}")
    return None


def find_source(path: str, language: str = "en") -> Path | None:
    """The file with the conventional name for the sources of this one, if it exists."""
    place = Path(path)
    stated = language_in(path)
    if not stated or parse_language(stated).matches(parse_language(language)):
        return None
    candidates = [sibling(path, language), sibling(path, language.partition("-")[0])]
    if _ANDROID.fullmatch(place.parent.name):
        candidates = [place.parent.with_name("values") / place.name]
    if place.parent.suffix == ".lproj":
        candidates.append(place.parent.with_name("Base.lproj") / place.name)
    if place.suffix == ".properties":
        candidates.append(place.with_name(re.sub(rf"_{_TAG}$", "", place.stem) + place.suffix))
    return next((c for c in candidates if c is not None and c != place and c.is_file()), None)
