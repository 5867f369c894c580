"""Scores of files that are too long for the memory: read block by block, and nothing of them is kept."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from typing import Any

from mtassay import __version__, core
from mtassay.api.runs import Run, RunSettings
from mtassay.errors import UsageError
from mtassay.languages import parse_pair
from mtassay.methods.score.method import ScoreMethod
from mtassay.methods.score.streaming import StreamedFiles
from mtassay.systems.roster import Given, is_folder, named

__all__ = ["stream_scores"]


NOTE = "with --stream systems are compared by the paired bootstrap, pair by pair (--test bootstrap)"


def stream_scores(
    systems: Given,
    references: Sequence[Any],
    source: Any,
    langpair: str | None,
    settings: RunSettings,
    parameters: Mapping[str, Any],
) -> Run:
    """Scores, intervals and bootstrap tests of outputs, with the counts of the guards."""
    if settings.save:
        raise UsageError("--stream keeps no segments, so there is no run to save: leave out --save.")
    for name in ("by", "judged"):
        if parameters.get(name):
            option = {"by": "--by", "judged": "--judge"}[name]
            raise UsageError(f"--stream looks at no single segment: leave out {option}.")
    if parameters.get("test") == "sacrebleu-randomization":
        raise UsageError("--stream compares by the bootstrap: leave out --test.")
    outputs = {name: _path(what) for name, what in named(systems).items()}
    if not outputs:
        raise UsageError("There is no system to score: add -t NAME=FILE.")
    if not references:
        raise UsageError("--stream needs references: add -r FILE.")
    method = ScoreMethod.resolve(
        {
            "against_best": is_folder(systems),
            **parameters,
            "pair": None if langpair is None else str(parse_pair(langpair)),
            "test": "bootstrap",
        }
    )
    method.check(list(outputs))
    files = StreamedFiles(None if source is None else _path(source), list(map(_path, references)), outputs)
    started = datetime.now(UTC)
    with settings.tools() as tools:
        if parameters.get("test") != "bootstrap" and len(outputs) > 1:
            tools.note(NOTE)
        result = replace(method.stream(files, tools), notes=tools.notes)
        seconds = tools.seconds
    record = core.Run(
        id=f"{started:%Y%m%d-%H%M%S}-stream",
        method=method.name,
        parameters=method.parameters(),
        systems=list(outputs),
        started=started.isoformat(timespec="seconds"),
        versions={"mtassay": __version__, "python": platform.python_version()},
        result=result,
        seconds=seconds,
    )
    return Run(record)


def _path(what: Any) -> str:
    if isinstance(what, str | PathLike) and str(what) != "-":
        return str(what)
    raise UsageError("--stream reads files of lines: give files, not texts, engines or standard input.")
