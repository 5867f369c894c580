"""The issues of invariance testing and what people say of them: pairs to label, and how good issues are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from mtassay import core
from mtassay.api import Run, RunSettings, workspace_path
from mtassay.core import Result
from mtassay.engine import AskedCases, EngineTools, ask, translate
from mtassay.errors import UsageError
from mtassay.formats.reviews import asked_record
from mtassay.languages import parse_pair
from mtassay.methods.invariance.answers import has_variants
from mtassay.methods.invariance.evaluation import Evaluations, evaluate_methods, sample_pairs, side_by_side
from mtassay.methods.invariance.issues import QUESTION, labels_in
from mtassay.methods.invariance.method import InvarianceMethod
from mtassay.options import is_live
from mtassay.reviews import find_question
from mtassay.stats import fixed_seed
from mtassay.store import Workspace
from mtassay.systems.roster import name_and_rest, open_systems
from mtassay.systems.stored import replays

__all__ = ["evaluate_issues", "open_answers", "sample_issues"]

Place = str | PathLike[str] | None


def open_answers(
    where: str = "last", systems: Sequence[str] = (), *, langpair: str | None = None, workspace: Place = None
) -> Run:
    """Variants and what systems made of them, to be judged: of a saved run, or of files.

    `last` is the newest run that can be judged; the edits of another method are variants too. A file of
    variants needs systems with stored outputs, and the languages.
    """
    if Path(where).is_file() or where == "-":
        return _stored(where, systems, langpair)
    path = workspace_path(workspace)
    if not path.exists():
        raise UsageError(f"There is no file '{where}', and no workspace {path} with a run of this name.")
    store = Workspace(path)
    name = where
    if where == "last":
        saved_runs = (replace(run, segments=store.segments(run.id)) for run in store.runs())
        name = next((run.id for run in saved_runs if InvarianceMethod.takes(run)), where)
    run = store.run(name)
    InvarianceMethod.segments_of(run)  # which refuses what cannot be judged
    if systems:
        raise UsageError("A saved run has its systems: leave out -t, or give a file of variants.")
    return Run(run)


def evaluate_issues(
    run: Run,
    structures: str | None = None,
    *,
    labels: Place = None,
    workspace: Place = None,
    quiet: bool | None = None,
    **parameters: Any,
) -> Evaluations:
    """How good the issues of structures (`raw,dependency`) are, by what people said of their pairs.

    `labels` is a file of reviews; without one, those of the workspace count. Parameters that are not given
    are as in the run.
    """
    methods = side_by_side(structures, parameters, run.record)
    with _tools(workspace, quiet=quiet) as tools:
        settled = labels_in(labels, tools)
        asked = _asked(run, methods[0], tools)
        evaluations = evaluate_methods(methods, asked.cases, asked.outputs, settled.answers, tools)
    return replace(evaluations, seconds=tools.seconds, reviewers=settled.reviewers)


def sample_issues(
    run: Run,
    structures: str | None = None,
    *,
    seed: int | None = None,
    workspace: Place = None,
    quiet: bool | None = None,
    **parameters: Any,
) -> list[dict[str, Any]]:
    """Rows of a sheet to label: the pairs of all issues, among as many that no structure reports.

    A row says neither distance nor structure nor who was reported. Parameters that are not given are as in
    the run.
    """
    methods = side_by_side(structures, parameters, run.record)
    with _tools(workspace, quiet=quiet) as tools:
        asked = _asked(run, methods[0], tools)
        pairs = sample_pairs(methods, asked.cases, asked.outputs, tools, seed=fixed_seed(seed))
    return [asked_record(pair, find_question(QUESTION)) for pair in pairs]


def _stored(where: str, systems: Sequence[str], langpair: str | None) -> Run:
    """Stored outputs to a file of variants, as a run that nobody has judged yet."""
    if langpair is None:
        raise UsageError("Say which languages these are with -l SRC-TGT, as -l en-pt.")
    if live := [text for text in systems if is_live(name_and_rest(text)[1])]:
        raise UsageError(f"'{live[0]}' is a live engine: use 'mtassay invariance run {where}'.")
    pair = parse_pair(langpair)
    segments = InvarianceMethod(str(pair)).read(where)
    if not has_variants(segments):
        how = f"Make them: mtassay invariance variants {where} -l {langpair} -o variants.jsonl"
        raise UsageError(f"There are no variants in {where}. {how}")
    opened = open_systems(systems, segments, pair)
    if not opened:
        raise UsageError("There is no system to judge: add -t NAME=FILE.")
    outputs = translate(segments, opened, EngineTools(None, lambda step, done, total: None))
    names, parameters = list(outputs), {"pair": str(pair)}
    return Run(
        core.Run(
            "", InvarianceMethod.name, parameters, names, "", {}, Result(), segments=segments, outputs=outputs
        )
    )


def _asked(run: Run, method: InvarianceMethod, tools: EngineTools) -> AskedCases:
    """The cases of a run, which are the same for all structures, and what each system answered to them."""
    return ask(method, InvarianceMethod.segments_of(run.record), replays(run.record), tools)


def _tools(workspace: Place, *, quiet: bool | None) -> AbstractContextManager[EngineTools]:
    return RunSettings(workspace=workspace, quiet=quiet, creates=True).tools()
