"""Systems as they are given on the command line: files of outputs, folders of them, live engines."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.cli.common import named
from mtassay.core import Segment, System
from mtassay.formats import read_outputs
from mtassay.languages import Pair
from mtassay.options import is_live, open_system
from mtassay.systems.stored import Stored

__all__ = ["open_systems", "stored_system"]


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
