"""Folders in the layout of mt-metrics-eval: a test set with human scores, error spans and metric scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from mtassay.core import Segment
from mtassay.errors import InputError, UsageError
from mtassay.formats.scorefiles import ErrorSpan, Scores, read_domain_scores, read_ratings, read_scores
from mtassay.formats.segments import join
from mtassay.formats.table import Stream
from mtassay.formats.text import FilePath, read_lines
from mtassay.languages import Pair, parse_pair

Level = Literal["sys", "domain", "doc", "seg"]


def read_mtme(folder: FilePath, pair: Pair) -> MtmeFolder:
    """The part of the folder for one language pair. Files are read when asked for, not here."""
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
    """A test set with everything people and metrics said about it; `key` is how its files spell the pair."""

    folder: Path
    pair: Pair
    key: str

    @property
    def name(self) -> str:
        """The name of the test set, which is that of the folder."""
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
        """Each document once, in the order of the segments; empty where the folder does not tell."""
        return list(dict.fromkeys(filter(None, self._documents.texts))) if self._documents else []

    @cached_property
    def domains(self) -> list[str]:
        """Each domain once, in the order of the segments; empty where the folder does not tell."""
        tags = self._documents.tags if self._documents else None
        return list(dict.fromkeys(tag["domain"] for tag in tags or ()))

    def reference(self, name: str) -> Stream:
        """One reference, by line."""
        _check(name, self.reference_names, f"reference for {self.key}")
        return self._lines(self.folder / "references" / f"{self.key}.{name}.txt", name)

    def output(self, system: str) -> list[str | None]:
        """What a system answered, one text per segment. Every segment has one, though it may be empty."""
        _check(system, self.system_names, f"system for {self.key}")
        stream = self._lines(self.folder / "system-outputs" / self.key / f"{system}.txt", system)
        expected = len(self._source.texts)
        if len(stream.texts) != expected:
            what = f"{len(stream.texts)} segments, but {self._source.path} has {expected}"
            raise InputError(what, path=stream.path)
        return stream.texts

    @cached_property
    def human_names(self) -> dict[str, list[Level]]:
        """What people scored, each with its levels: `{"mqm": ["sys", "domain", "seg"]}`."""
        return _levels(self.folder / "human-scores", f"{self.key}.")

    @cached_property
    def metric_names(self) -> dict[str, list[Level]]:
        """Which metrics were run, each with its levels; a name is `METRIC-REFERENCE`, as `BLEU-refA`."""
        return _levels(self.folder / "metric-scores" / self.key, "")

    @cached_property
    def rating_names(self) -> list[str]:
        """Sorted: for which ratings there are error spans."""
        return _names(self.folder / "human-scores", f"{self.key}.", ".seg.rating")

    def human_scores(self, name: str, level: Level) -> Scores:
        """For each system one score per unit; `None` means unrated, which is not 0.

        Units are the segments, `documents` or `domains`, in their order; level "sys" has a single unit.
        """
        _check_level(name, level, self.human_names, f"human scores for {self.key}")
        return self._scores(self.folder / "human-scores" / f"{self.key}.{name}.{level}.score", level)

    def metric_scores(self, name: str, level: Level) -> Scores:
        """As `human_scores`, for a metric."""
        _check_level(name, level, self.metric_names, f"metric scores for {self.key}")
        return self._scores(self.folder / "metric-scores" / self.key / f"{name}.{level}.score", level)

    def ratings(self, name: str) -> dict[str, list[list[ErrorSpan] | None]]:
        """For each system one list of errors per segment: empty is free of errors, `None` is unrated."""
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
    found: dict[str, list[Level]] = {}
    for level in get_args(Level):
        for name in _names(folder, prefix, f".{level}.score"):
            found.setdefault(name, []).append(level)
    return dict(sorted(found.items()))


def _check(name: str, names: Collection[str], what: str) -> None:
    if name not in names:
        raise UsageError(f"No {what} called {name!r}. Available: {', '.join(names) or 'none'}.")


def _check_level(name: str, level: str, names: Mapping[str, list[Level]], what: str) -> None:
    if level not in names.get(name, []):
        known = ", ".join(f"{other} ({' '.join(levels)})" for other, levels in names.items())
        raise UsageError(f"No {what} called {name!r} at level {level!r}. Available: {known or 'none'}.")
