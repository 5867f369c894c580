"""What the invariance commands share: sentences or variants to read, and saved runs to judge again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from mtassay.api import workspace_path
from mtassay.cli.common import newest_of
from mtassay.cli.invariance.behavioral import variants_of_cases
from mtassay.core import Case, Output, Segment, System, Tools
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_segments
from mtassay.languages import Pair, parse_pair
from mtassay.methods.invariance.method import InvarianceMethod
from mtassay.methods.invariance.nouns import has_variants
from mtassay.options import is_live
from mtassay.store import Workspace
from mtassay.systems.roster import name_and_rest, open_systems
from mtassay.systems.stored import replays

__all__ = [
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


@dataclass(frozen=True)
class Material:
    """Variants and what systems made of them; `parameters` are those of the saved run, if it is one."""

    segments: Sequence[Segment]
    systems: Sequence[System]
    pair: Pair
    parameters: Mapping[str, Any] = field(default_factory=dict)


def needed_pair(text: str | None) -> Pair:
    """The language pair, which must be given."""
    if text is None:
        raise UsageError("Say which languages these are with -l SRC-TGT, as -l en-pt.")
    return parse_pair(text)


def read_sentences(path: Path, pair: Pair) -> list[Segment]:
    """The sentences of a file, with their tags; an `InputError` where there is nothing but blank lines."""
    segments = read_segments(path, [], pair=pair)
    if not any((segment.source or "").strip() for segment in segments):
        raise InputError("there are no sentences in it", path=path)
    return segments


def read_material(
    where: str, texts: Sequence[str] | None, langpair: str | None, workspace: Path | None
) -> Material:
    """The variants and outputs of a saved run, or of files; the edits of a behaviour run are variants too."""
    if Path(where).is_file() or where == "-":
        pair = needed_pair(langpair)
        if live := [text for text in texts or () if is_live(name_and_rest(text)[1])]:
            raise UsageError(f"'{live[0]}' is a live engine: use 'mtassay invariance run {where}'.")
        segments = read_sentences(Path(where), pair)
        if not has_variants(segments):
            how = f"Make them: mtassay invariance variants {where} -l {langpair} -o variants.jsonl"
            raise UsageError(f"There are no variants in {where}. {how}")
        systems = open_systems(texts or [], segments, pair)
        if not systems:
            raise UsageError("There is no system to judge: add -t NAME=FILE.")
        return Material(segments, systems, pair)
    path = workspace_path(workspace)
    if not path.exists():
        raise UsageError(f"There is no file '{where}', and no workspace {path} with a run of this name.")
    store = Workspace(path)
    run = store.run(newest_of(store, where, "invariance", "behavior"))
    if run.method not in ("invariance", "behavior"):
        raise UsageError(f"Run {run.id} is of '{run.method}', not of 'invariance'.")
    if texts:
        raise UsageError("A saved run has its systems: leave out -t, or give a file of variants.")
    segments, pair = list(run.segments), parse_pair(str(run.parameters["pair"]))
    if run.method == "behavior":
        return Material(variants_of_cases(segments), replays(run), pair)
    return Material(segments, replays(run), pair, run.parameters)


def asked(
    method: InvarianceMethod, material: Material, tools: Tools
) -> tuple[list[Case], dict[str, Sequence[Output]]]:
    """The cases, and what each system answered to them."""
    cases = method.cases(material.segments, tools)
    requests = [request for case in cases for request in case.requests()]
    return cases, {system.name: system.translate(requests) for system in material.systems}
