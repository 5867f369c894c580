"""What `behavior rate` and `behavior quality` share: sets of cases, from files or saved runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtassay.cli.behavior.inputs import is_file, saved_run
from mtassay.errors import UsageError
from mtassay.methods.behavior.files import read_cases
from mtassay.methods.behavior.nouns import BehaviorCase
from mtassay.methods.behavior.pair_quality import (
    ORIGINALS,
    PAIR_QUESTIONS,
    RatedPair,
    cases_in,
    edited_pairs,
    original_pairs,
)
from mtassay.systems.roster import name_and_rest

__all__ = ["AgainstOption", "CasesArgument", "OriginalsOption", "chosen_questions", "read_sets"]

CasesArgument = Annotated[
    str, typer.Argument(metavar="CASES", help="A file of cases, or a saved run ('last', or its id).")
]
AgainstOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=CASES", help="Cases of another infiller, to compare with. Repeat."),
]
OriginalsOption = Annotated[
    bool, typer.Option("--originals/--no-originals", help="Also the pairs that the cases were made from.")
]


def chosen_questions(names: Sequence[str]) -> list[str]:
    """The questions of these names, all three without any."""
    if unknown := [name for name in names if name not in PAIR_QUESTIONS]:
        raise UsageError(f"No question '{unknown[0]}' about pairs. Available: {', '.join(PAIR_QUESTIONS)}.")
    return list(dict.fromkeys(names)) or list(PAIR_QUESTIONS)


def read_sets(
    cases: str, against: Sequence[str], *, originals: bool, workspace: Path | None
) -> dict[str, list[RatedPair]]:
    """Pairs by who made them, the originals first; a set is named as given, else after its file or run."""
    found: dict[str, list[BehaviorCase]] = {}
    for text in (cases, *against):
        name, rest = name_and_rest(text)
        if name in found or name == ORIGINALS:
            raise UsageError(f"Two sets are called '{name}'. Tell them apart: NAME={rest}")
        found[name] = _cases(rest, workspace)
    every = [case for each in found.values() for case in each]
    sets = {ORIGINALS: original_pairs(every)} if originals else {}
    return sets | {name: edited_pairs(each) for name, each in found.items()}


def _cases(text: str, workspace: Path | None) -> list[BehaviorCase]:
    if is_file(text):
        return read_cases(text)
    store, run = saved_run(text, workspace)
    return cases_in(store.segments(run.id))
