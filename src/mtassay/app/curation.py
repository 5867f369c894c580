"""How a suite grows: see what systems make of it, learn from reviews, check it, and judge again.

All functions take a suite (a file, the name of one that a language pack has, or a `Suite`), the fields of
`SuiteMethod` that choose items, and how to run as those of `mtassay.app.library` do:
`workspace`, `quiet`, `listen`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from glob import escape
from pathlib import Path
from typing import Unpack

from mtassay.app.arguments import known_keywords
from mtassay.app.runs import Run as AppRun
from mtassay.app.runs import RunSettings, workspace_path
from mtassay.app.settings_types import AnySuite, RunOptions, SuiteOptions
from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_editing import add_rules, editable
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.formats.suite_items import Suite
from mtassay.data.nouns import Output
from mtassay.methods.engine import EngineContext, execute, translate
from mtassay.methods.suite.acceptance import Outcome, Wish, rules_to_add
from mtassay.methods.suite.material import (
    ItemMaterial,
    same_items,
    suite_run,
)
from mtassay.methods.suite.problems import Problems, lint, read_codes
from mtassay.methods.suite.suite_method import SuiteMethod
from mtassay.report.run_text import Progress
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import Given, open_systems, replays

_KEPT = ("items", "test", "alpha", "samples", "seed")
"""Parameters of a saved run that hold for a new judgement of it."""


def ask(method: SuiteMethod, systems: Given, context: EngineContext) -> Mapping[str, Sequence[Output]]:
    """What systems make of the chosen items. Nothing is judged, so rules may be wrong or missing."""
    opened = open_systems(systems, method.segments, method.pair, read=method.reader(method.segments, context))
    outputs = translate(method.segments, opened, context)
    context.note_origins()
    return outputs


@known_keywords(SuiteOptions)
def accept(
    path: str | Path,
    wish: Wish,
    systems: Given = (),
    *,
    run: str | None = None,
    confirm: Callable[[Outcome], bool] | None = None,
    **options: Unpack[SuiteOptions],
) -> Outcome:
    """Write what people settled into a suite file as rules, so that they hold for everybody from now on.

    `confirm` sees the outcome first; nothing is written if it says no. What cannot be accepted is told in the
    remarks of the outcome; a rule that would break a known verdict is a `UsageError`, and nothing is written.
    """
    settings, parameters = RunSettings.split(options)
    wish.check()
    editable(path)
    method = SuiteMethod.resolve({"suite": path, **parameters})
    outcome = rules_to_add(method.suite, _gather(method, systems, run, settings), wish)
    if outcome.rules and confirm and not confirm(outcome):
        return Outcome(remarks=outcome.remarks)
    if outcome.rules:
        add_rules(path, outcome.rules)
    return outcome


@known_keywords(RunOptions)
def check(
    suite: AnySuite,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    **options: Unpack[RunOptions],
) -> Problems:
    """What is wrong with a suite.

    `select` and `ignore` are names of problems, or error, warning and info. The suite may lack items, and may
    have what judging refuses: bad patterns, and ids that occur twice.

    >>> check("en-pt-hard", select=["error"]).found
    []
    """
    settings = RunSettings(**options)
    chosen, left_out = read_codes(select), read_codes(ignore)
    content = suite if isinstance(suite, Suite) else read_suite(suite)
    with Progress(quiet=settings.is_quiet) as progress:
        problems = lint(content, report=lambda done: progress.report("checking", done, len(content.items)))
    return Problems(content, problems).only(chosen, left_out)


@known_keywords(RunOptions)
def rejudge(
    suite: AnySuite, run: str | None = None, *, reviews: bool = True, **options: Unpack[RunOptions]
) -> AppRun:
    """Judge the outputs of a saved run by the rules of today; compare both runs to see what changed.

    The run is by default the newest of this suite. With `save`, the new judgement is kept. Items that the
    file does not have any more, or whose source has changed, are left out.
    """
    settings = RunSettings(**options)
    store = existing_workspace(settings)
    content = suite if isinstance(suite, Suite) else read_suite(suite)
    where = content.path or content.name
    run_id = suite_run(store, run, content)
    if store is None or run_id is None:
        raise UsageError(f"There is no saved run of {where} yet. Make one: mtassay suite run")
    old = store.run(run_id)
    same = same_items(old.segments, content)
    if not same:
        raise UsageError(f"The run {run_id} has no item of {where}. See: mtassay runs list")
    kept = {key: old.parameters[key] for key in _KEPT if key in old.parameters}
    method = _only(SuiteMethod(content, **kept, reviews=reviews), same)
    with settings.context() as context:
        new = execute(method, method.segments, replays(old), context)
        if settings.save:
            store.save_run(new)
    return AppRun(new)


def existing_workspace(settings: RunSettings) -> Workspace | None:
    """The workspace if there is one; a file that was asked for must be there."""
    path = workspace_path(settings.workspace)
    if path.exists():
        return Workspace(path)
    if settings.workspace is not None:
        raise UsageError(f"There is no workspace {path}.")
    return None


def _gather(method: SuiteMethod, systems: Given, run: str | None, settings: RunSettings) -> ItemMaterial:
    """Outputs of systems, or of a saved run (the newest of this suite unless one is named), and reviews."""
    if systems and run:
        raise UsageError("Give outputs with `systems` or a saved run with `run`, not both.")
    material = ItemMaterial()
    store = existing_workspace(settings)
    if systems:
        with settings.context(systems) as context:
            material.add(ask(method, systems, context))
    elif (run_id := suite_run(store, run, method.chosen)) and store:
        material.add_run(store, run_id, method.chosen)
    if store:
        material.add_reviews(store, method.chosen)
    return material


def _only(method: SuiteMethod, ids: Sequence[str] | set[str]) -> SuiteMethod:
    """The method for these items of the suite alone, in the order of the suite."""
    item_ids = [item.id for item in method.suite.items if item.id in set(ids)]
    if len(item_ids) == len(method.suite.items):
        return method
    chosen = tuple(map(escape, item_ids))
    return replace(method, category=(), phenomenon=(), tag=(), item=chosen, approved=False, public=None)
