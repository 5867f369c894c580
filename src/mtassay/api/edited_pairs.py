"""Edited pairs with the workspace behind them: made, judged, rated by people, and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, cast

from mtassay import api
from mtassay.api import Run, RunSettings, workspace_path
from mtassay.core import Result
from mtassay.errors import UsageError
from mtassay.formats.reviews import read_reviews
from mtassay.languages import parse_pair
from mtassay.methods.behavior.files import read_cases
from mtassay.methods.behavior.generation import GeneratedCases
from mtassay.methods.behavior.method import BehaviorMethod
from mtassay.methods.behavior.pair_quality import RatedPair, cases_in, pair_quality, sets_of
from mtassay.methods.behavior.quality import default_filter, measures
from mtassay.options import options_of
from mtassay.stats import fixed_seed
from mtassay.store import Workspace
from mtassay.systems.roster import Given, name_and_rest

__all__ = ["find_run", "judge", "judged", "make", "measure", "read_sets"]


def make(source: Any, reference: Any, *, langpair: str, **options: Any) -> GeneratedCases:
    """Cases of a parallel text, from files or lists of texts, with all that was dropped and why.

    Parameters: those of `Recipe`, as `capabilities="noun,verb"`. `check` of what it gives refuses too little.
    """
    settings = {key: options.pop(key) for key in list(options) if key in RunSettings.__dataclass_fields__}
    method = BehaviorMethod.maker(langpair, options)
    generated = api.generate(method, lambda tools: method.read(source, reference, tools), **settings)
    return cast("GeneratedCases", generated)


def judge(where: str, systems: Given = (), *, langpair: str | None = None, **options: Any) -> Run:
    """Pass rates of systems on a file of cases; or of a saved run, judged again with other parameters."""
    if _is_file(where):
        return api.behavior(where, None, systems, langpair=_needed(langpair), **options)
    run = find_run(where, workspace=options.get("workspace"))
    _refuse(run, {"-t": systems, "-l": langpair})
    return run.judge(**options)


def judged(where: str, systems: Given = (), *, langpair: str | None = None, **options: Any) -> Run:
    """The same with a saved run as it is: what says how to judge it is then refused."""
    if _is_file(where):
        return judge(where, systems, langpair=langpair, **options)
    run = find_run(where, workspace=options.get("workspace"))
    flags = {
        option.written(options[name]): options.get(name) is not None
        for name, option in options_of(BehaviorMethod).items()
        if name in options
    }
    _refuse(run, {"-t": systems, "-l": langpair, **flags})
    BehaviorMethod.check_run(run.record)
    return run


def find_run(where: str, *, workspace: str | PathLike[str] | None = None) -> Run:
    """A saved run of behavioural tests; `where` could have been a file too."""
    path = workspace_path(workspace)
    if not path.exists():
        raise UsageError(f"There is no file '{where}', and no workspace {path} with a run of this name.")
    if where != "last" and not Workspace(path).named(where):
        raise UsageError(f"There is no file '{where}', and no run of this name in {path}.")
    return api.load(where, workspace=workspace, method=BehaviorMethod.name)


def read_sets(
    cases: str,
    against: Sequence[str] = (),
    *,
    originals: bool = True,
    workspace: str | PathLike[str] | None = None,
) -> dict[str, list[RatedPair]]:
    """Pairs by who made them, the originals first; a set is named as given, else after its file or run."""
    named = []
    for text in (cases, *against):
        name, rest = name_and_rest(text)
        run = None if _is_file(rest) else find_run(rest, workspace=workspace)
        named.append((name, rest, read_cases(rest) if run is None else cases_in(run.segments)))
    return sets_of(named, originals=originals)


def measure(
    sets: Mapping[str, Sequence[RatedPair]],
    *,
    labels: str | PathLike[str] | None = None,
    quality: str | None = None,
    langpair: str | None = None,
    seed: int | None = None,
    **options: Any,
) -> Result:
    """How good pairs are: ratings of people, how far these agree, and a reference-free measure of adequacy.

    `labels` is a file of ratings; by default those in the workspace count. `quality` are measures; `none`
    measures nothing.
    """
    pair = None if langpair is None else parse_pair(langpair)
    metrics = measures(quality or default_filter(), pair)
    asks_models = any(metric.asks_models for metric in metrics.values())
    with RunSettings(**options).tools(is_live=asks_models) as tools:
        if labels is not None:
            reviews = [row.review for row in read_reviews(Path(labels), reviewer="unknown").rows]
        else:
            reviews = tools.workspace.reviews() if tools.workspace else []
        return pair_quality(sets, reviews, metrics, tools, seed=fixed_seed(seed))


def _is_file(where: str) -> bool:
    """Whether cases come from a file, and not from a saved run."""
    return where == "-" or Path(where).is_file()


def _needed(langpair: str | None) -> str:
    if langpair is None:
        raise UsageError("Say which languages these are with -l SRC-TGT, as -l en-pt.")
    return langpair


def _refuse(run: Run, flags: Mapping[str, object]) -> None:
    """Say which options, by name, a saved run has no use for; those that are empty were not given."""
    names = [name for name, value in flags.items() if value]
    if names:
        raise UsageError(
            f"Run {run.id} has its own systems, languages and qualities: leave out {', '.join(names)}, "
            "or give a file of cases."
        )
