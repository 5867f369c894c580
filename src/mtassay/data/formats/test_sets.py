"""Folders in the layout of mt-metrics-eval, and files of scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from mtassay.data.errors import InputError, ServiceError, UsageError
from mtassay.data.formats.segment_files import join, read_table
from mtassay.data.formats.tables import Stream
from mtassay.data.formats.textfiles import STDIN, FilePath, load_json, read_lines, shown
from mtassay.data.grouping import gathered
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.marks import readable
from mtassay.data.nouns import Segment

Scores = dict[str, list[float | None]]
"""One score per unit for each system, in the order of the units. `None` means unrated, not 0."""


class ErrorSpan(NamedTuple):
    """One error that a person marked: characters `start` to `end` (exclusive) of the output.

    With `is_source_error` they are characters of the source. `score` is the weight of the error:
    higher is worse, `None` if missing.
    """

    start: int
    end: int
    category: str
    severity: str
    score: float | None = None
    is_source_error: bool = False


def read_scores(path: Path, *, units: int) -> Scores:
    """The scores of a file with lines `SYSTEM SCORE`, which must have `units` lines for each system."""
    rows = _rows(path, "SYSTEM<TAB>SCORE")
    scores = gathered((system, _score(score, path, number)) for number, (system, score) in rows)
    _check_units(scores, units, path)
    return scores


def read_domain_scores(path: Path, *, domains: Sequence[str]) -> Scores:
    """Read lines `DOMAIN SYSTEM SCORE`; the scores are in the order of `domains`."""
    scores: Scores = {}
    filled: set[tuple[str, str]] = set()
    for number, (domain, system, score) in _rows(path, "DOMAIN<TAB>SYSTEM<TAB>SCORE"):
        if domain not in domains:
            available = ", ".join(domains) or "none"
            raise InputError(
                f"domain {domain!r} is not among the documents'. Those: {available}", path=path, line=number
            )
        if (domain, system) in filled:
            raise InputError(f"a second score of {system!r} for {domain!r}", path=path, line=number)
        filled.add((domain, system))
        row = scores.setdefault(system, [None] * len(domains))
        row[domains.index(domain)] = _score(score, path, number)
    return scores


def read_ratings(path: Path, *, units: int) -> dict[str, list[list[ErrorSpan] | None]]:
    """Read one list of errors per segment for each system: empty is error-free, `None` is unrated."""
    ratings: dict[str, list[list[ErrorSpan] | None]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        system, tab, rest = line.partition("\t")
        if not tab:
            raise InputError("expected SYSTEM<TAB>RATING", path=path, line=number)
        # Some files name the rater in a third column.
        ratings.setdefault(system, []).append(_errors(rest.partition("\t")[0], path, number))
    _check_units(ratings, units, path)
    return ratings


def _rows(path: Path, shape: str) -> list[tuple[int, list[str]]]:
    width = shape.count("<TAB>") + 1
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t") if "\t" in line else line.split()
        if len(cells) != width:
            raise InputError(f"expected {shape}", path=path, line=number)
        rows.append((number, cells))
    return rows


def _check_units(values: dict[str, list[Any]], units: int, path: Path) -> None:
    for system, column in values.items():
        if len(column) != units:
            raise InputError(f"{len(column)} lines for system {system!r}, expected {units}", path=path)


def _score(text: str, path: Path, line: int) -> float | None:
    if text.strip() == "None":
        return None
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"{text!r} is neither a number nor None", path=path, line=line)
    return score


def _errors(text: str, path: Path, line: int) -> list[ErrorSpan] | None:
    if text.strip() in ("None", "null"):
        return None
    try:
        rating = load_json(text)
        errors = rating["errors"] if isinstance(rating, dict) else rating
        return [_error(error) for error in errors]
    except (ValueError, KeyError, TypeError):
        expected = '{"errors": [{"start", "end", "category", "severity", "score"}]}, or None'
        raise InputError(f"not a rating, which is {expected}", path=path, line=line) from None


def _error(error: Any) -> ErrorSpan:
    start, end, score = error["start"], error["end"], error.get("score")
    if not (type(start) is int and type(end) is int and 0 <= start <= end):
        raise ValueError("span")
    return ErrorSpan(
        start,
        end,
        str(error["category"]),
        str(error["severity"]),
        None if score is None else float(score),
        bool(error.get("is_source_error", False)),
    )


Level = Literal["sys", "domain", "doc", "seg"]


def read_mtme(folder: FilePath, pair: Pair) -> MtmeFolder:
    """The part of the folder for one language pair. Files are read later, when needed."""
    path = Path(folder)
    stems = [file.stem for file in sorted((path / "sources").glob("*.txt"))]
    if not stems:
        raise InputError("not an mt-metrics-eval folder: no sources/SRC-TGT.txt in it", path=path)
    fitting = [stem for stem in stems if _fits(stem, pair)]
    if str(pair) in fitting:
        fitting = [str(pair)]
    if len(fitting) != 1:
        problem = "several files fit" if fitting else "no files for"
        raise UsageError(f"{path}: {problem} {pair}. Available: {', '.join(fitting or stems)}.")
    return MtmeFolder(path, pair, fitting[0])


@dataclass(frozen=True)
class MtmeFolder:
    """A test set with all its human and metric scores; `key` is the pair as its files spell it."""

    folder: Path
    pair: Pair
    key: str

    @property
    def name(self) -> str:
        """The name of the test set: the folder's name."""
        return self.folder.resolve().name

    @cached_property
    def segments(self) -> list[Segment]:
        """In the order of the files, with ids "1", "2", …; references in the order of `reference_names`."""
        references = [self.reference(name) for name in self.reference_names]
        return join(self._source, references, documents=self._documents)

    @cached_property
    def reference_names(self) -> list[str]:
        """Sorted."""
        return _names(self.folder / "references", f"{self.key}.", ".txt")

    @cached_property
    def system_names(self) -> list[str]:
        """Sorted. References that were scored like a system are among them, under their names."""
        return _names(self.folder / "system-outputs" / self.key, "", ".txt")

    @cached_property
    def documents(self) -> list[str]:
        """All documents in the order of the segments; empty if the folder does not state them."""
        return list(dict.fromkeys(filter(None, self._documents.texts))) if self._documents else []

    @cached_property
    def domains(self) -> list[str]:
        """All domains in the order of the segments; empty if the folder does not state them."""
        tags = self._documents.tags if self._documents else None
        return list(dict.fromkeys(tag["domain"] for tag in tags or ()))

    def reference(self, name: str) -> Stream:
        """One reference, by line."""
        _check(name, self.reference_names, f"reference for {self.key}")
        return self._lines(self.folder / "references" / f"{self.key}.{name}.txt", name)

    def output(self, system: str) -> list[str | None]:
        """A system's outputs, one text per segment. Every segment has one, which may be empty."""
        _check(system, self.system_names, f"system for {self.key}")
        stream = self._lines(self.folder / "system-outputs" / self.key / f"{system}.txt", system)
        expected = len(self._source.texts)
        if len(stream.texts) != expected:
            what = f"{len(stream.texts)} segments, but {self._source.path} has {expected}"
            raise InputError(what, path=stream.path)
        return stream.texts

    @cached_property
    def human_names(self) -> dict[str, list[Level]]:
        """The human scores, each with its levels: `{"mqm": ["sys", "domain", "seg"]}`."""
        return _levels(self.folder / "human-scores", f"{self.key}.")

    @cached_property
    def metric_names(self) -> dict[str, list[Level]]:
        """The metrics, each with its levels; a name is `METRIC-REFERENCE`, such as `BLEU-refA`."""
        return _levels(self.folder / "metric-scores" / self.key, "")

    @cached_property
    def rating_names(self) -> list[str]:
        """The ratings with error spans, sorted."""
        return _names(self.folder / "human-scores", f"{self.key}.", ".seg.rating")

    def human_scores(self, name: str, level: Level) -> Scores:
        """One score per unit for each system; `None` means unrated, not 0.

        FileUnits are the segments, `documents` or `domains`, in their order; level "sys" has a single unit.
        """
        _check_level(name, level, self.human_names, f"human scores for {self.key}")
        return self._scores(self.folder / "human-scores" / f"{self.key}.{name}.{level}.score", level)

    def metric_scores(self, name: str, level: Level) -> Scores:
        """The same for a metric."""
        _check_level(name, level, self.metric_names, f"metric scores for {self.key}")
        return self._scores(self.folder / "metric-scores" / self.key / f"{name}.{level}.score", level)

    def ratings(self, name: str) -> dict[str, list[list[ErrorSpan] | None]]:
        """One list of errors per segment for each system: empty is error-free, `None` is unrated."""
        _check(name, self.rating_names, f"ratings for {self.key}")
        path = self.folder / "human-scores" / f"{self.key}.{name}.seg.rating"
        return read_ratings(path, units=len(self._source.texts))

    def _scores(self, path: Path, level: Level) -> Scores:
        if level == "domain":
            return read_domain_scores(path, domains=self.domains)
        if level == "sys":
            return read_scores(path, units=1)
        return read_scores(path, units=len(self.documents if level == "doc" else self._source.texts))

    @cached_property
    def _source(self) -> Stream:
        return self._lines(self.folder / "sources" / f"{self.key}.txt", "")

    @cached_property
    def _documents(self) -> Stream | None:
        path = self.folder / "documents" / f"{self.key}.docs"
        if not path.is_file():
            return None
        cells = [line.split(None, 1) for line in read_lines(path)]
        for number, parts in enumerate(cells, start=1):
            if len(parts) != 2:
                raise InputError("expected DOMAIN<TAB>DOCUMENT", path=path, line=number)
        documents: list[str | None] = [document for _, document in cells]
        return Stream(str(path), documents, None, documents, [{"domain": domain} for domain, _ in cells])

    def _lines(self, path: Path, name: str) -> Stream:
        return Stream(str(path), list(read_lines(path)), None, name=name)


def _fits(stem: str, pair: Pair) -> bool:
    try:
        other = parse_pair(stem)
    except UsageError:
        return False
    return other.source.matches(pair.source) and other.target.matches(pair.target)


def _names(folder: Path, prefix: str, suffix: str) -> list[str]:
    files = [file.name for file in folder.glob(f"*{suffix}")]
    return sorted(name[len(prefix) : -len(suffix)] for name in files if name.startswith(prefix))


def _levels(folder: Path, prefix: str) -> dict[str, list[Level]]:
    levels: Sequence[Level] = get_args(Level)
    found = gathered((name, level) for level in levels for name in _names(folder, prefix, f".{level}.score"))
    return dict(sorted(found.items()))


def _check(name: str, names: Collection[str], what: str) -> None:
    if name not in names:
        raise UsageError(f"No {what} called {name!r}. Available: {', '.join(names) or 'none'}.")


def _check_level(name: str, level: str, names: Mapping[str, list[Level]], what: str) -> None:
    if level not in names.get(name, []):
        available = ", ".join(f"{other} ({' '.join(levels)})" for other, levels in names.items())
        raise UsageError(f"No {what} called {name!r} at level {level!r}. Available: {available or 'none'}.")


UNNAMED = "output"
"""Default name of a system without a name in the file."""


@dataclass(frozen=True, slots=True)
class TestSet:
    """Segments and outputs: `outputs[system][i]` translates `segments[i]`, `None` is missing.

    `reference_names[j]` is the name of `segments[i].references[j]`; empty if it has none.
    """

    __test__ = False  # pytest would collect classes called Test…

    name: str
    segments: list[Segment]
    outputs: dict[str, list[str | None]] = field(default_factory=dict)
    reference_names: list[str] = field(default_factory=list)

    def with_references(self, names: Sequence[str]) -> TestSet:
        """The same test set with only these references, in this order."""
        short = [name.removeprefix("ref") for name in self.reference_names]  # a TSV's refA is called A
        names = [
            self.reference_names[short.index(name.removeprefix("ref"))]
            if name not in self.reference_names and name.removeprefix("ref") in short
            else name
            for name in names
        ]
        strangers = [name for name in names if name not in self.reference_names]
        if strangers:
            available = ", ".join(filter(None, self.reference_names)) or "none that has a name"
            raise UsageError(f"{self.name} has no reference {strangers[0]!r}. Available: {available}.")
        chosen = [self.reference_names.index(name) for name in names]
        segments = [s._replace(references=tuple(s.references[i] for i in chosen)) for s in self.segments]
        return replace(self, segments=segments, reference_names=list(names))


def read_test_set(where: FilePath, *, pair: Pair | None = None, references: Sequence[str] = ()) -> TestSet:
    """Read mt-metrics-eval's folder, a file with sources, references and outputs, or a sacreBLEU name.

    A folder, a TMX file and a sacreBLEU name need the pair. `references` names the references to read; the
    default is all, from a folder all that people wrote. A folder's outputs that are references are left out;
    `read_mtme` has them.
    """
    path = Path(where)
    if str(where) != STDIN and not _exists(path):
        test_set = _from_sacrebleu(str(where), pair)
    elif path.is_dir():
        folder = read_mtme(path, _needed(pair, path))
        systems = [name for name in folder.system_names if name not in folder.reference_names]
        outputs = {readable(name): folder.output(name) for name in systems}
        test_set = TestSet(readable(folder.name), folder.segments, outputs, folder.reference_names)
        # In mt-metrics-eval, human references are called ref…; others, such as synthetic_ref, are not human.
        references = references or [name for name in folder.reference_names if name.startswith("ref")]
    else:
        test_set = _from_file(where, pair)
    return test_set.with_references(references) if references else test_set


def _from_file(where: FilePath, pair: Pair | None) -> TestSet:
    table = read_table(where, pair=pair)
    if table is None:
        raise InputError(
            "plain lines are not a whole test set. Give source, reference and outputs in separate files, or "
            "JSONL or TSV",
            path=shown(where),
        )
    source = next(iter(table.only("source") or table.only("text")), None)
    references = table.only("reference") or table.only("target")
    if source is None and not references:
        raise InputError("it holds outputs only, neither source nor reference", path=table.path)
    outputs = {stream.name or UNNAMED: stream.texts for stream in table.only("output")}
    name = "stdin" if str(where) == STDIN else Path(table.path.removesuffix(".gz")).stem
    return TestSet(readable(name), join(source, references), outputs, [stream.name for stream in references])


def _from_sacrebleu(name: str, pair: Pair | None) -> TestSet:
    """Source, references, documents, origin language and domain; sacreBLEU downloads them once."""
    from sacrebleu.dataset import DATASETS

    fitting = sorted(key for key, entry in DATASETS.items() if pair is None or str(pair) in entry.langpairs)
    if name not in DATASETS:
        raise UsageError(
            f"No file or folder {name!r}, nor a sacreBLEU test set. Those: {', '.join(fitting) or 'none'}."
        )
    dataset, langpair = DATASETS[name], str(_needed(pair, name))
    if langpair not in dataset.langpairs:
        raise UsageError(f"{name} has no {langpair}. Available: {', '.join(sorted(dataset.langpairs))}.")
    try:
        source = dataset.get_source_file(langpair)
        references = dataset.get_reference_files(langpair)
        files = dict(zip(dataset.fieldnames(langpair), dataset.get_files(langpair), strict=True))
    except (Exception, SystemExit) as error:  # sacreBLEU raises plain exceptions, and exits on a bad download
        reason = " ".join(str(error).split())
        raise ServiceError(
            f"sacreBLEU cannot give {name} {langpair} ({reason}). Go online once, or give the files."
        ) from None
    columns = {key: read_lines(files[key]) for key in ("docid", "domain", "origlang") if key in files}
    # These are plain lines for any ending of their names.
    texts = [Stream(path, list(read_lines(path)), None) for path in (source, *references)]
    segments = join(texts[0], texts[1:])
    for key, values in columns.items():
        if len(values) != len(segments):
            raise InputError(f"{len(values)} segments, but {source} has {len(segments)}", path=files[key])
    described = [_described(segment, i, columns) for i, segment in enumerate(segments)]
    return TestSet(name, described, reference_names=[""] * len(references))


def _described(segment: Segment, i: int, columns: dict[str, list[str]]) -> Segment:
    tags = {key: values[i] for key, values in columns.items() if key != "docid" and values[i]}
    document = columns["docid"][i] or None if "docid" in columns else None
    return segment._replace(document=document, tags=tags)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name that is too long, or a folder without permission
        return False


def _needed(pair: Pair | None, where: FilePath) -> Pair:
    if pair is None:
        raise UsageError(f"{where}: give the language pair too, for example en-de.")
    return pair
