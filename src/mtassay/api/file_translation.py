"""Files of any length through live engines: read, asked and written block by block, in bounded memory."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from mtassay.api import RunSettings, read_texts
from mtassay.api.translation import check_target, open_engines
from mtassay.caller import DRY_RUN, Tally, plan_calls
from mtassay.core import Output, Request, Segment
from mtassay.engine import EngineTools
from mtassay.formats import write_jsonl, write_lines, write_tsv
from mtassay.formats.text import STDIN, check_text, text_blocks
from mtassay.languages import Pair, parse_pair
from mtassay.systems.live import LiveSystem
from mtassay.systems.roster import Given
from mtassay.texts.marks import file_name

__all__ = ["BLOCK", "FileTranslation", "translate_file"]

BLOCK = 10_000
"""Segments that are asked for together: of them alone texts and answers are in memory."""


@dataclass(slots=True)
class FileTranslation:
    """How much of a file each engine translated: `n` segments, `failed` of them with the `first` reason."""

    engine: str
    n: int = 0
    failed: int = 0
    first: str = ""


@dataclass
class _Source:
    """A file in blocks of segments, as often as it is wanted, and how many segments it has."""

    blocks: Callable[[], Iterable[Sequence[Segment]]]
    size: int

    @classmethod
    def of(cls, path: Path, pair: Pair | None) -> _Source:
        """Plain lines (`.txt`) are read as they are needed; all else is in memory."""
        if path.suffix.lower() == ".txt" and str(path) != STDIN:
            return cls(lambda: _numbered(path), check_text(path))
        segments = read_texts(path, pair)
        return cls(lambda: [segments[i : i + BLOCK] for i in range(0, len(segments), BLOCK)], len(segments))


def _numbered(path: Path) -> Iterator[list[Segment]]:
    start = 1
    for lines in text_blocks(path, BLOCK):
        yield [Segment(str(number), line) for number, line in enumerate(lines, start)]
        start += len(lines)


def translate_file(
    source: str | PathLike[str],
    systems: Given,
    target: str | PathLike[str] | None = None,
    *,
    langpair: str | None = None,
    **options: Any,
) -> list[FileTranslation]:
    """Translate a file with live engines into `target`: a file, a folder, or standard output without one.

    It may be of any length. Every answer is kept in the workspace when it arrives, so that the same call goes
    on where it was stopped. An engine that stops answering, or whose budget is used up, is not asked any
    more: what is known of it is written, the rest is an empty line. `options` are how to run, as in
    `mtassay.api`.
    """
    settings = RunSettings(**options)
    pair = None if langpair is None else parse_pair(langpair)
    path, place = Path(source), None if target is None else Path(target)
    engines = open_engines(systems, pair)
    check_target(place, path, engines=[engine.name for engine in engines])
    with settings.tools(is_live=True) as tools:
        read = _Source.of(path, pair)
        work = [_Engine(engine, read, tools) for engine in engines]
        _write(work, place)
        tools.note_origins()
    return [engine.done for engine in work]


def _write(work: Sequence[_Engine], target: Path | None) -> None:
    """As `Translations.write`, while it is translated."""
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
    tools: EngineTools
    done: FileTranslation = field(init=False)
    stopped: str = ""
    """Why it is not asked any more."""

    def __post_init__(self) -> None:
        self.done = FileTranslation(self.system.name)

    def lines(self) -> Iterator[str]:
        """The translations, a line each; empty where there is none."""
        return (" ".join((output.text or "").split("\n")) for _, output in self.outputs())

    def records(self) -> Iterator[dict[str, Any]]:
        """The same with sources and reasons."""
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
        report, budget = self.tools.report, self.tools.budget
        until = None if budget.seconds is None else time.monotonic() + budget.seconds
        try:
            for block in self.source.blocks():
                offset = self.done.n
                self.tools.report = lambda step, n, _, offset=offset: report(  # type: ignore[misc]
                    step, offset + n, self.source.size
                )
                if until is not None:
                    left = until - time.monotonic()
                    self.tools.budget = replace(budget, seconds=max(left, 0.0))
                    if left <= 0:
                        self.stopped = self.stopped or f"the time of {budget.seconds:g} s is used up"
                for segment, output in zip(block, self._ask(block), strict=True):
                    self._count(output)
                    yield segment, output
        finally:
            self.tools.report, self.tools.budget = report, budget

    def _ask(self, segments: Sequence[Segment]) -> Sequence[Output]:
        requests = [Request(s.id, s.source, s.tags.get("context")) for s in segments]
        if not self.stopped:
            outputs = self.tools.ask(self.system, requests)
            self.stopped = self.tools.spent.get(self.system.signature, Tally(0)).stopped
            return outputs
        plan = plan_calls(self.system, requests, answers=self.tools.workspace, fresh=self.tools.fresh)
        return [o._replace(error=self.stopped) if o.error == DRY_RUN else o for o in plan.outputs]

    def _count(self, output: Output) -> None:
        self.done.n += 1
        if output.error is not None:
            self.done.failed += 1
            self.done.first = self.done.first or output.error
