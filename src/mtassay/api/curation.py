"""How a suite grows: see what systems make of it, learn from reviews, check it, and judge again.

All functions take a suite (a file, the name of one that comes with mtassay, or a `Suite`), the fields of
`SuiteMethod` that choose items, and how to run as those of `mtassay.api` do: `workspace`, `quiet`, `listen`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

from mtassay.api import RunSettings, workspace_path
from mtassay.core import Output, Run
from mtassay.engine import EngineTools, live_outputs, run_with, translate
from mtassay.errors import UsageError
from mtassay.formats.suite import Suite, read_suite
from mtassay.formats.suite.editing import add_rules, editable
from mtassay.methods.suite.acceptance import Outcome, Wish, rules_to_add
from mtassay.methods.suite.challenge import Harvest, KnownOutputs, check_harvest, make_pairs
from mtassay.methods.suite.judge import Judge
from mtassay.methods.suite.material import (
    ItemMaterial,
    newest_run,
    same_items,
    sample_records,
    suite_run,
    suite_runs,
)
from mtassay.methods.suite.method import SuiteMethod
from mtassay.methods.suite.problems import Problems, lint, read_codes
from mtassay.methods.suite.rejudgement import ComparedJudgements, compare
from mtassay.methods.suite.suggestions import Suggested, suggest_all
from mtassay.report.progress import Progress
from mtassay.stats import fixed_seed
from mtassay.store import Workspace
from mtassay.systems.roster import Given, open_systems
from mtassay.systems.stored import Replay, replays
from mtassay.texts.marks import plural

__all__ = [
    "Challenge",
    "ItemAnswers",
    "OutputSample",
    "accept",
    "ask",
    "challenge",
    "check",
    "compare_rules",
    "existing_workspace",
    "newest_run",
    "rejudge",
    "sample",
    "suggest",
]

_KEPT = ("items", "test", "alpha", "samples", "seed")
"""Parameters of a saved run that hold for a new judgement of it."""


@dataclass(frozen=True)
class ItemAnswers:
    """What systems answered to each item, in order; `live` are those of live engines, which may fail."""

    outputs: Mapping[str, Sequence[Output]] = field(default_factory=dict)
    live: Mapping[str, Sequence[Output]] = field(default_factory=dict)


@dataclass(frozen=True)
class OutputSample:
    """A record for each item with its distinct outputs; `items` are how many could be shown."""

    records: Sequence[Mapping[str, Any]]
    items: int
    answers: ItemAnswers


@dataclass(frozen=True)
class Challenge:
    """What each item gave: pairs of a correct and an incorrect output, or why there are none."""

    harvests: Sequence[Harvest]
    answers: ItemAnswers

    @property
    def pairs(self) -> list[Any]:
        """All pairs, in the order of the items."""
        return [pair for harvest in self.harvests for pair in harvest.pairs]


def ask(method: SuiteMethod, systems: Given, tools: EngineTools) -> ItemAnswers:
    """What systems make of the chosen items. Nothing is judged, so rules may be wrong or missing."""
    opened = open_systems(systems, method.segments, method.pair, read=method.reader(method.segments, tools))
    outputs = translate(method.segments, opened, tools)
    tools.note_origins()
    return ItemAnswers(outputs, live_outputs(opened, outputs))


def sample(suite: Any, systems: Given, *, everything: bool = False, **options: Any) -> OutputSample:
    """What systems make of the items that have no rules yet, or of all: material for writing rules.

    >>> found = sample("en-pt", {"a": ["Ambos os pais."]}, item="false-friends-nouns-1", everything=True)
    >>> found.records[0]["outputs"]
    [{'text': 'Ambos os pais.', 'status': 'correct', 'systems': ['a']}]
    """
    settings, parameters = RunSettings.split(options)
    method = SuiteMethod.resolve({"suite": suite, **parameters})
    total = len(method.chosen.items)
    if not everything:
        without = [item for item in method.chosen.items if not item.has_rules]
        if not without:
            return OutputSample([], total, ItemAnswers())
        method = _only(method, [item.id for item in without])
    if not systems:
        raise UsageError("There is no system to ask: add -t NAME=scheme:rest or -t NAME=FILE.")
    with settings.tools(systems) as tools:
        answers = ask(method, systems, tools)
    return OutputSample(sample_records(method.chosen, answers.outputs), total, answers)


def suggest(suite: Any, systems: Given = (), *, run: str | None = None, **options: Any) -> list[Suggested]:
    """Rules for outputs that are undecided, from those that are settled; what settles most stands first.

    Outputs are those of the systems, or of a saved run: by default the newest of this suite.
    """
    settings, parameters = RunSettings.split(options)
    method = SuiteMethod.resolve({"suite": suite, **parameters})
    material = _gather(method, systems, run, settings)
    if not material.outputs:
        raise UsageError(
            f"There are no outputs of {method.suite.path or method.suite.name}: add -t NAME=FILE, "
            "or save a run: mtassay suite run … --save"
        )
    with Progress(quiet=settings.is_quiet) as progress:
        return suggest_all(method.suite, method.chosen.items, material, progress.report)


def accept(
    path: str | Path, wish: Wish, systems: Given = (), *, run: str | None = None, **options: Any
) -> Outcome:
    """Write what people settled into a suite file as rules, so that they hold for everybody from now on.

    What cannot be accepted is told in the remarks of the outcome; a rule that would break a known verdict is
    a `UsageError`, and nothing is written.
    """
    settings, parameters = RunSettings.split(options)
    wish.check()
    editable(path)
    method = SuiteMethod.resolve({"suite": path, **parameters})
    material = _gather(method, systems, run, settings)
    outcome = rules_to_add(method.suite, material, wish)
    if outcome.rules:
        add_rules(path, outcome.rules)
    return outcome


def add_expression(
    path: str | Path,
    subject: str,
    pattern: str,
    *,
    correct: bool,
    reviewer: str,
    run: str | None = None,
    **options: Any,
) -> list[str]:
    """Write one expression into a suite file, for an output of a saved run that is correct, or is not.

    It must match that output and break no known verdict, else it is a `UsageError` and nothing is written.
    Gives a line for what was written, and what there is to say about it.
    """
    wish = Wish(reviewer, (subject,), regex=pattern, correct=correct)
    outcome = accept(path, wish, run=run, **options)
    return [*outcome.lines, *outcome.remarks]


def check(
    suite: Any,
    systems: Given = (),
    *,
    runs: bool = False,
    min_items: int = 5,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    **options: Any,
) -> Problems:
    """What is wrong with a suite; with outputs of systems or of all saved runs, also rules that never apply.

    `select` and `ignore` are names of problems, or error, warning and info. The suite may lack items, and may
    have what judging refuses: bad patterns, and ids that stand twice.

    >>> check("en-pt", select=["error"]).found
    []
    """
    settings = RunSettings(**options)
    chosen, left_out = read_codes(select), read_codes(ignore)
    content = suite if isinstance(suite, Suite) else read_suite(suite)
    material = ItemMaterial()
    if systems and content.items:
        with settings.tools(systems) as tools:
            material.add(ask(SuiteMethod(content), systems, tools).outputs)
    if runs:
        store = existing_workspace(settings)
        saved = suite_runs(store) if store else []
        if store is None or not saved:
            raise UsageError(
                "There are no saved runs yet: add --save to 'mtassay suite run', or leave out --runs."
            )
        for name in saved:
            material.add_run(store, name, content)
    with Progress(quiet=settings.is_quiet) as progress:
        problems = lint(
            content,
            outputs=material.texts() if systems or runs else None,
            min_items=min_items,
            report=lambda done: progress.report("checking", done, len(content.items)),
        )
    return Problems(content, problems).only(chosen, left_out)


def rejudge(
    suite: Any, run: str | None = None, *, reviews: bool = True, **options: Any
) -> ComparedJudgements:
    """Judge the outputs of a saved run by the rules of today, and see which verdicts changed.

    The run is by default the newest of this suite. With `save`, the new judgement is kept as a run.
    """
    settings = RunSettings(**options)
    store = existing_workspace(settings)
    content = suite if isinstance(suite, Suite) else read_suite(suite)
    where = content.path or content.name
    run_id = suite_run(store, run, content)
    if store is None or run_id is None:
        raise UsageError(f"There is no saved run of {where} yet: add --save to 'mtassay suite run'.")
    old = store.run(run_id)
    same = same_items(old.segments, content)
    if not same:
        raise UsageError(f"The run {run_id} has no item of {where}. See: mtassay runs list")
    kept = {key: old.parameters[key] for key in _KEPT if key in old.parameters}
    method = _only(SuiteMethod(content, **kept, reviews=reviews), same)
    with settings.tools() as tools:
        execution = run_with(tools, method, method.segments, replays(old))
        if settings.save:
            execution.save(store)
    changes = compare(old.findings, execution.run.findings, old.outputs)
    title = f"{run_id} · {plural(len(same), 'item')} · {plural(len(old.outputs), 'system')}"
    return ComparedJudgements(
        title, changes, _left_out(old, content, same), execution.run.id if settings.save else ""
    )


def compare_rules(
    suite: Any, against: Any, systems: Given, *, reviews: bool = True, **options: Any
) -> ComparedJudgements:
    """Which verdicts on outputs of systems change from one suite file (`against`) to another one.

    >>> compare_rules("en-pt", "en-pt", {"a": {"false-friends-nouns-1": "Os pais."}}).changes.changes
    ()
    """
    settings = RunSettings(**options)
    new, old = (SuiteMethod.resolve({"suite": content, "reviews": reviews}) for content in (suite, against))
    where, before = (method.suite.path or method.suite.name for method in (new, old))
    same = same_items(old.segments, new.suite)
    if not same:
        raise UsageError(f"{where} and {before} have no item in common.")
    items = {item.id for method in (old, new) for item in method.suite.items}
    left_out = {
        f"items that only one of the files has, or with another source (of {len(old.suite.items):,} and "
        f"{len(new.suite.items):,})": len(items) - len(same)
    }
    old, new = _only(old, same), _only(new, same)
    with settings.tools(systems) as tools:
        answers = ask(new, systems, tools).outputs
        replayed = [Replay(name, {o.id: o for o in outputs}) for name, outputs in answers.items()]
        first, second = (
            run_with(tools, method, method.segments, replayed, concludes=False).run.findings
            for method in (old, new)
        )
    title = f"{before} → {where} · {plural(len(same), 'item')} · {plural(len(replayed), 'system')}"
    return ComparedJudgements(
        title, compare(first, second, answers), {k: n for k, n in left_out.items() if n}
    )


def challenge(
    suite: Any,
    systems: Given = (),
    *,
    runs: Sequence[str] = (),
    per_item: int = 1,
    seed: int | None = None,
    reviews: bool = True,
    **options: Any,
) -> Challenge:
    """A challenge set for metrics from what is known: tokens, what rules say of outputs, and reviews.

    Outputs are those of systems and of saved runs; `formats.challenge.write_challenge` writes the pairs.
    """
    settings, parameters = RunSettings.split(options)
    method = SuiteMethod.resolve({"suite": suite, **parameters})
    store = Workspace(workspace_path(settings.workspace)) if runs else None
    Judge(method.chosen).check()  # a bad rule is said before an engine is asked
    with settings.tools(systems) as tools:
        known_outputs = KnownOutputs.reviewed(tools.workspace or store) if reviews else KnownOutputs()
        for name in runs:
            assert store is not None
            _add_run(known_outputs, store.run(name), method.chosen, tools)
        answers = ask(method, systems, tools)
        known_outputs.add(answers.outputs)
        outputs_by_item = known_outputs.sorted_by(method.chosen, report=partial(tools.progress, "judging"))
    harvests = [
        make_pairs(i, outputs_by_item[i.id], per_item=per_item, seed=fixed_seed(seed))
        for i in method.chosen.items
    ]
    check_harvest(harvests)
    return Challenge(harvests, answers)


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
        raise UsageError("Give outputs with -t or a saved run with --run, not both.")
    material = ItemMaterial()
    store = existing_workspace(settings)
    if systems:
        with settings.tools(systems) as tools:
            material.add(ask(method, systems, tools).outputs)
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


def _left_out(old: Run, suite: Suite, same: set[str]) -> dict[str, int]:
    """Why items of a run or of the suite cannot be compared, and how many."""
    sources = {item.id: item.source for item in suite.items}
    asked = {segment.id for segment in old.segments}
    counts = {
        "items that are not in the file any more": sum(key not in sources for key in asked),
        "items whose source has changed since": sum(key in sources and key not in same for key in asked),
        "items that are new since": sum(key not in asked for key in sources),
    }
    return {what: count for what, count in counts.items() if count}


def _add_run(known_outputs: KnownOutputs, run: Run, suite: Suite, tools: EngineTools) -> None:
    """The outputs of a saved run; those of another source than the item has today are left out."""
    if run.method != SuiteMethod.name:
        raise UsageError(f"Run {run.id} is not of 'mtassay suite run' but of '{run.method}'.")
    today = {item.id: item.source for item in suite.items}
    then = {segment.id: segment.source for segment in run.segments}
    changed = {key for key in today.keys() & then.keys() if today[key] != then[key]}
    if changed:
        tools.note(f"run {run.id}: {plural(len(changed), 'item')} left out: another source today")
    known_outputs.add(run.outputs, without=changed)
