"""What the suite commands share: the suite argument, filters, and systems joined to its items by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import say
from mtassay.cli.suite.choosing import EVERYTHING
from mtassay.core import Segment, System
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_stream
from mtassay.formats.segments import align
from mtassay.formats.suite import Suite, read_suite
from mtassay.languages import Pair, parse_pair
from mtassay.methods.suite.judging import Judge
from mtassay.methods.suite.method import segment_of
from mtassay.methods.suite.selection import Choice, select
from mtassay.options import is_live, open_system
from mtassay.systems.roster import named
from mtassay.systems.stored import Stored

__all__ = ["Inputs", "SuiteArgument", "read_inputs", "split", "warn_of_format"]

SuiteArgument = Annotated[
    str,
    typer.Argument(
        metavar="SUITE",
        help="Suite file (YAML, JSONL, DFKI JSON), or one that comes with mtassay: en-pt, pt-en.",
    ),
]


@dataclass(frozen=True)
class Inputs:
    """A suite, the chosen part of it, and the language pair."""

    whole: Suite
    suite: Suite

    @cached_property
    def segments(self) -> list[Segment]:
        """The chosen items as segments."""
        return [segment_of(item) for item in self.suite.items]

    @cached_property
    def pair(self) -> Pair | None:
        """The language pair, where all chosen items have the same."""
        pairs = {item.langpair for item in self.suite.items}
        return parse_pair(pairs.pop()) if len(pairs) == 1 and "" not in pairs else None

    def systems(self, texts: Sequence[str]) -> list[System]:
        """The systems behind `-t`. Outputs of items that the suite does not have are counted and left out."""
        return [
            open_system(name, what, self.pair) if is_live(what) else self._stored(name, what)
            for name, what in named(texts).items()
        ]

    def _stored(self, name: str, path: str) -> System:
        stream = read_stream(path, role="output", pair=self.pair, system=name)
        ids = [item.id for item in self.whole.items]
        if stream.ids is None:
            return Stored(name, dict(zip(ids, align(stream, ids, base="the suite"), strict=True)))
        known = set(ids)
        outputs = {key: text for key, text in zip(stream.ids, stream.texts, strict=True) if key in known}
        if not outputs:
            raise InputError(
                f"no id is one of the suite's ('{stream.ids[0]}', but there '{ids[0]}')", path=stream.path
            )
        if strangers := len(stream.ids) - len(outputs):
            say(f"mtassay: {name}: {strangers:,} outputs left out: their ids are not in the suite")
        return Stored(name, outputs)


def read_inputs(where: str, choice: Choice = EVERYTHING) -> Inputs:
    """The suite in a file and the part of it that is chosen."""
    suite = read_suite(where)
    if not suite.items:
        raise UsageError(f"{where} has no items yet. Add one: mtassay suite add {where}")
    Judge(suite)  # ids must be unique: outputs are joined by them
    return Inputs(suite, select(suite, choice))


def warn_of_format(path: Path) -> None:
    """Say what is not kept in a file of the DFKI's format."""
    if path.suffix == ".json":
        say(
            f"mtassay: not in {path}: authors, dates, notes, focus words, references and context, for which "
            "the DFKI's format has no place. To keep them: mtassay suite convert"
        )


def split(text: str) -> tuple[str, str]:
    """The two sides of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise UsageError(f"'{text}' must be NAME=VALUE.")
    return name, value
