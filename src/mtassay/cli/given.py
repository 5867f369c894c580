"""Systems as they are given on the command line: files of outputs, folders of them, live engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer

from mtassay.cli.common import named, say_failures
from mtassay.core import Output, Segment, System
from mtassay.formats import read_outputs
from mtassay.languages import Pair
from mtassay.options import is_live, open_system
from mtassay.systems.live import LiveSystem
from mtassay.systems.stored import Stored

__all__ = ["exit_if_failed", "open_systems", "stored_system"]


def open_systems(texts: Sequence[str], segments: Sequence[Segment], pair: Pair | None) -> list[System]:
    """The systems behind `-t`, in order; stored ones hold their output of each segment."""
    return [
        open_system(name, what, pair)
        if is_live(what)
        else stored_system(name, read_outputs(what, segments, system=name, pair=pair), segments)
        for name, what in named(texts).items()
    ]


def stored_system(name: str, texts: Sequence[str | None], segments: Sequence[Segment]) -> Stored:
    """One output per segment; `None` where the file has none."""
    return Stored(name, {segment.id: text for segment, text in zip(segments, texts, strict=True)})


def exit_if_failed(systems: Sequence[System], outputs: Mapping[str, Sequence[Output]]) -> None:
    """Say what live engines did not translate, and stop with exit code 3 if there is any."""
    live = [system.name for system in systems if isinstance(system, LiveSystem)]
    if say_failures({name: outputs[name] for name in live}):
        raise typer.Exit(3)
