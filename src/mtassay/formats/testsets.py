"""A whole test set by one name: a folder, a file that holds everything, or a set that sacreBLEU knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mtassay.core import Segment
from mtassay.errors import InputError, ServiceError, UsageError
from mtassay.formats.mtme import read_mtme
from mtassay.formats.segments import join, read_table
from mtassay.formats.table import Stream
from mtassay.formats.text import STDIN, FilePath, read_lines, shown
from mtassay.languages import Pair

UNNAMED = "output"
"""What a system is called whose name the file does not give."""


@dataclass(frozen=True, slots=True)
class TestSet:
    """Segments, and what systems answered: `outputs[system][i]` translates `segments[i]`, `None` is missing.

    `reference_names[j]` names what `segments[i].references[j]` holds; empty where nobody named it.
    """

    __test__ = False  # pytest takes classes called Test… for tests

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
    """A folder in mt-metrics-eval's layout, a file with sources, references and outputs, or a sacreBLEU name.

    A folder, a TMX file and a sacreBLEU name need the pair. `references` are names of some of its references;
    without any, all are taken, of a folder those that people wrote. Of a folder, outputs that are one of the
    references are left out; `read_mtme` has them.
    """
    path = Path(where)
    if str(where) != STDIN and not _exists(path):
        test_set = _from_sacrebleu(str(where), pair)
    elif path.is_dir():
        folder = read_mtme(path, _needed(pair, path))
        systems = [name for name in folder.system_names if name not in folder.reference_names]
        outputs = {name: folder.output(name) for name in systems}
        test_set = TestSet(folder.name, folder.segments, outputs, folder.reference_names)
        # mt-metrics-eval calls human references ref…; others, such as synthetic_ref, nobody wrote.
        references = references or [name for name in folder.reference_names if name.startswith("ref")]
    else:
        test_set = _from_file(where, pair)
    return test_set.with_references(references) if references else test_set


def _from_file(where: FilePath, pair: Pair | None) -> TestSet:
    table = read_table(where, pair=pair)
    if table is None:
        raise InputError(
            "plain lines are no whole test set. Give source, reference and outputs apart, or JSONL or TSV",
            path=shown(where),
        )
    source = next(iter(table.only("source") or table.only("text")), None)
    references = table.only("reference") or table.only("target")
    if source is None and not references:
        raise InputError("it holds outputs only, neither source nor reference", path=table.path)
    outputs = {stream.name or UNNAMED: stream.texts for stream in table.only("output")}
    name = "stdin" if str(where) == STDIN else Path(table.path.removesuffix(".gz")).stem
    return TestSet(name, join(source, references), outputs, [stream.name for stream in references])


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
    # These are plain lines whatever their names end in.
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
    except OSError:  # a name that is too long, or a folder we may not look into
        return False


def _needed(pair: Pair | None, where: FilePath) -> Pair:
    if pair is None:
        raise UsageError(f"{where}: give the language pair too, for example en-de.")
    return pair
