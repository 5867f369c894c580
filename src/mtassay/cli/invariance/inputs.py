"""What the invariance commands share: sentences or variants to read, and saved runs to judge again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.common import workspace_path
from mtassay.cli.given import open_systems
from mtassay.cli.replay import saved_systems
from mtassay.core import Case, Output, Segment, System, Tools
from mtassay.errors import UsageError
from mtassay.formats import read_segments
from mtassay.languages import Pair, parse_pair
from mtassay.methods.invariance.method import InvarianceMethod
from mtassay.store import Workspace
from mtassay.systems.live import LiveSystem

__all__ = [
    "FindingsOption",
    "Material",
    "NeededPairOption",
    "SentencesArgument",
    "WhereArgument",
    "asked",
    "needed_pair",
    "read_material",
    "read_sentences",
]

SentencesArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SENTENCES",
        help="Sentences, one a line (or JSONL, TSV …), or a file of variants; - is standard input.",
    ),
]
WhereArgument = Annotated[
    str,
    typer.Argument(
        metavar="WHERE", help="A saved run ('last', or its id), or a file of variants (then give -t and -l)."
    ),
]
NeededPairOption = Annotated[
    str, typer.Option("--langpair", "-l", metavar="SRC-TGT", help="Language pair: en-pt, eng_Latn-deu_Latn.")
]
FindingsOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write every finding with its evidence (JSONL).")
]


@dataclass(frozen=True)
class Material:
    """Variants and what systems made of them."""

    segments: Sequence[Segment]
    systems: Sequence[System]
    pair: Pair


def needed_pair(text: str | None) -> Pair:
    """The language pair, which must be given."""
    if text is None:
        raise UsageError("Say what to translate with -l SRC-TGT, as -l en-pt.")
    return parse_pair(text)


def read_sentences(path: Path, pair: Pair) -> list[Segment]:
    """The sentences of a file, with their tags."""
    return read_segments(path, [], pair=pair)


def read_material(
    where: str, texts: Sequence[str] | None, langpair: str | None, workspace: Path | None
) -> Material:
    """The variants and outputs of a saved run, or of files."""
    if Path(where).is_file() or where == "-":
        pair = needed_pair(langpair)
        segments = read_sentences(Path(where), pair)
        systems = open_systems(texts or [], segments, pair)
        if not systems:
            raise UsageError("There is no system to judge: add -t NAME=FILE.")
        if live := [system.name for system in systems if isinstance(system, LiveSystem)]:
            raise UsageError(f"'{live[0]}' is a live engine: use 'mtassay invariance run {where}'.")
        return Material(segments, systems, pair)
    path = workspace_path(workspace)
    if not path.exists():
        raise UsageError(f"There is no file '{where}', and no workspace {path} with a run of this name.")
    store = Workspace(path)
    run = store.run(where)
    if run.method != "invariance":
        raise UsageError(f"Run {run.id} is of '{run.method}', not of 'invariance'.")
    if texts:
        raise UsageError("A saved run has its systems: leave out -t, or give a file of variants.")
    return Material(
        store.segments(run.id), saved_systems(store, run.id), parse_pair(str(run.parameters["pair"]))
    )


def asked(
    method: InvarianceMethod, material: Material, tools: Tools
) -> tuple[list[Case], dict[str, Sequence[Output]]]:
    """The cases, and what each system answered to them."""
    cases = method.cases(material.segments, tools)
    requests = [request for case in cases for request in case.requests()]
    return cases, {system.name: system.translate(requests) for system in material.systems}
