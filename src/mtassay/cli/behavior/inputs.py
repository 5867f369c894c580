"""What the behaviour commands share: a parallel text, cases and outputs to read, and saved runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mtassay.api import workspace_path
from mtassay.cli.behavior.parallel import other_languages, say_languages
from mtassay.cli.common import check_targets, newest_of, plural, say
from mtassay.core import Run, Segment, System
from mtassay.errors import InputError, UsageError
from mtassay.languages import Pair, parse_pair
from mtassay.methods.behavior.files import read_cases, read_outputs
from mtassay.methods.behavior.nouns import EDITED, BehaviorCase, segments_of
from mtassay.options import is_live, open_system
from mtassay.store import Workspace
from mtassay.systems.roster import named
from mtassay.systems.stored import Replay, Stored

__all__ = [
    "FailuresOption",
    "Material",
    "NeededPairOption",
    "ReferenceOption",
    "SaveOption",
    "SourceOption",
    "WhereArgument",
    "case_segments",
    "check_files",
    "is_file",
    "read_material",
    "refuse_for_saved",
    "saved_run",
]

SourceOption = Annotated[Path, typer.Option("--source", "-s", metavar="FILE", help="Source text.")]
ReferenceOption = Annotated[
    Path, typer.Option("--reference", "-r", metavar="FILE", help="Its translation, the reference.")
]
NeededPairOption = Annotated[
    str, typer.Option("--langpair", "-l", metavar="SRC-TGT", help="Language pair: en-pt, eng_Latn-zho_Hans.")
]
WhereArgument = Annotated[
    str,
    typer.Argument(
        metavar="WHERE", help="A file of cases (then give -t and -l), or a saved run ('last', or its id)."
    ),
]
FailuresOption = Annotated[
    int, typer.Option(min=0, metavar="N", help="Print so many failed cases of each system; 0 for none.")
]
SaveOption = Annotated[bool, typer.Option("--save", help="Keep the run in the workspace.")]


@dataclass(frozen=True)
class Material:
    """Both sides of all cases, and the systems that translate them or have done so."""

    segments: Sequence[Segment]
    systems: Sequence[System]
    pair: Pair


def case_segments(cases: Sequence[BehaviorCase]) -> list[Segment]:
    """The original of each case, followed by its edit."""
    return [segment for case in cases for segment in segments_of(case)]


def is_file(where: str) -> bool:
    """Whether cases come from a file, and not from a saved run."""
    return where == "-" or Path(where).is_file()


def read_material(
    where: str, texts: Sequence[str] | None, langpair: str | None, workspace: Path | None
) -> Material:
    """The cases and systems of a saved run, or of files and live engines."""
    if not is_file(where):
        store, run = saved_run(where, workspace)
        refuse_for_saved(run, {"-t": texts, "-l": langpair})
        pair = parse_pair(str(run.parameters["pair"]))
        return Material(store.segments(run.id), _replayed(store, run), pair)
    if langpair is None:
        raise UsageError("Say which languages these are with -l SRC-TGT, as -l en-pt.")
    pair = parse_pair(langpair)
    segments = case_segments(read_cases(where))
    names = f"the source text of {where}", f"the reference text of {where}"
    say_languages(other_languages(segments, pair), names, pair)
    ids = {segment.id for segment in segments}
    systems = [
        open_system(name, what, pair) if is_live(what) else _stored(name, what, ids)
        for name, what in named(texts or []).items()
    ]
    if not systems:
        raise UsageError("There is no system to judge: add -t NAME=FILE or -t NAME=scheme:rest.")
    return Material(segments, systems, pair)


def refuse_for_saved(run: Run, given: Mapping[str, object]) -> None:
    """Say which options, by name, a saved run has no use for; those that are empty were not given."""
    names = [name for name, value in given.items() if value]
    if names:
        raise UsageError(
            f"Run {run.id} has its own systems, languages and qualities: leave out {', '.join(names)}, "
            "or give a file of cases."
        )


def check_files(*paths: Path | None) -> None:
    """Files that will be written at the end: say now that one is a folder, or has none to be in."""
    check_targets(*paths)
    for path in paths:
        if path is not None and path.is_dir():
            raise UsageError(f"{path} is a folder: give the name of a file.")


def saved_run(where: str, workspace: Path | None) -> tuple[Workspace, Run]:
    """A saved run of behavioural tests, with the workspace that has it."""
    path = workspace_path(workspace)
    if not path.exists():
        raise UsageError(f"There is no file '{where}', and no workspace {path} with a run of this name.")
    store = Workspace(path)
    if where != "last" and not store.named(where):
        raise UsageError(f"There is no file '{where}', and no run of this name in {path}.")
    run = store.run(newest_of(store, where, "behavior"))
    if run.method != "behavior":
        raise UsageError(f"Run {run.id} is of '{run.method}', not of 'behavior'.")
    return store, run


def _replayed(store: Workspace, run: Run) -> list[Replay]:
    """The systems of a saved run. An output was skipped, and did not fail, if a finding says so."""
    skipped = {(f.system, f.evidence.get("reason")) for f in run.findings if f.verdict == "skipped"}
    return [
        Replay(
            name,
            {o.id: o._replace(meta={"skipped": True}) if (name, o.error) in skipped else o for o in answers},
        )
        for name, answers in store.outputs(run.id).items()
    ]


def _stored(name: str, path: str, ids: set[str]) -> Stored:
    """Stored outputs. Those of other cases are told of, since a case without its output is skipped."""
    outputs = read_outputs(path)
    strange = list(dict.fromkeys(key.removesuffix(EDITED) for key in outputs if key not in ids))
    if ids.isdisjoint(outputs):
        raise InputError(f"no case has the id '{strange[0]}', nor any other id in it", path=path)
    if strange:
        say(f"mtassay: {path}: {plural(len(strange), 'unknown case')} left out, the first '{strange[0]}'")
    return Stored(name, outputs)
