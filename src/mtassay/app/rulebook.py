"""Suites that grow: the rules that judged a run, people's decisions as new rules, and their effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from glob import escape
from pathlib import Path
from typing import Unpack

from mtassay.app.arguments import known_keywords
from mtassay.app.runs import Run as AppRun
from mtassay.app.runs import RunSettings, workspace_path
from mtassay.app.settings_types import AnySuite, RunOptions, SuiteOptions
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.suite_files import add_rules, editable, read_suite
from mtassay.data.formats.suite_items import Item, Rule, RuleField, Suite
from mtassay.data.marks import marked
from mtassay.data.method import view_of
from mtassay.data.nouns import Output, Run
from mtassay.data.subjects import Subject
from mtassay.methods.engine import EngineContext, execute, translate
from mtassay.methods.suite.acceptance import (
    Outcome,
    RuleTrial,
    Wish,
    expression_for,
    known_outputs,
    rules_to_add,
    try_expression,
)
from mtassay.methods.suite.induction import Background, pattern_of, told_pattern, whole_words
from mtassay.methods.suite.material import (
    ItemMaterial,
    same_items,
    suite_run,
)
from mtassay.methods.suite.patterns import SearchedText, compile_rule, normalize
from mtassay.methods.suite.problems import Problems, lint, read_codes
from mtassay.methods.suite.rule_judge import Judge
from mtassay.methods.suite.suite_method import SuiteMethod
from mtassay.report.run_text import Progress
from mtassay.runtime.workspace import Workspace
from mtassay.systems.roster import AnySystems, open_systems, replays

# Shows the rules that judged a run beside its open outputs, tries new rules, and adds them.

_KINDS: dict[RuleField, str] = {
    "positive_regex": "correct",
    "negative_regex": "incorrect",
    "positive_tokens": "correct, word for word",
    "negative_tokens": "incorrect, word for word",
}
_SHOWN = 12  # rules of one item
_LONGEST = 500  # characters of a pattern


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A rule of an item beside an output: its meaning, and whether it applies to the output."""

    kind: RuleField
    rule: Rule
    applies: bool = False

    @property
    def label(self) -> str:
        """Return the meaning of the rule."""
        return _KINDS[self.kind]

    @property
    def text(self) -> str:
        """Return the rule itself, cut to the available room."""
        return marked(self.rule.text, limit=200)

    def __str__(self) -> str:
        return f"{self.label} if {self.text}"


@dataclass(frozen=True, slots=True)
class RulesToday:
    """The verdict of the file's current rules on an output: `status`, and the rules, applying ones first.

    `spans` are the parts of the output that expressions match; `more` rules are not shown.
    """

    status: str
    rules: list[ShownRule]
    spans: list[tuple[int, int]]
    more: int = 0


@dataclass(frozen=True)
class Rulebook:
    """The file of rules of a run. `why_closed` is the reason if nothing can be added."""

    path: str
    suite: Suite
    why_closed: str = ""

    def item(self, case_id: str, source: str | None) -> Item | None:
        """Return the item of a case; `None` if the file no longer has it, or asks something else."""
        found = next((item for item in self.suite.items if item.id == case_id), None)
        return found if found is not None and found.source == source else None

    def today(self, item: Item, text: str) -> RulesToday:
        """Return the current rules' verdict on an output."""
        judged = self._judge(item).judge(item, text)
        applied = {(match.kind, match.rule) for match in judged.matches}
        given = [(kind, rule) for kind in _KINDS for rule in getattr(item, kind)]
        rules = [ShownRule(*each, applies=each in applied) for each in given]
        rules.sort(key=lambda shown: not shown.applies)
        spans = judged.evidence.spans(text)
        return RulesToday(judged.status, rules[:_SHOWN], spans, more=max(len(rules) - _SHOWN, 0))

    def propose(self, store: Workspace, item: Item, text: str, words: str, *, correct: bool) -> str:
        """Propose an expression for selected words of an output, or for the part that others do not have."""
        if words := " ".join(words.split())[:_LONGEST]:
            return pattern_of([whole_words(words, " ".join(text.split()))])
        judge = self._judge(item)
        material = self._material(store, item)
        known = known_outputs(
            judge,
            item,
            outputs=material.outputs.get(item.id, {}),
            decisions={t: said for t, said in material.decisions(item.id).items() if t != text},
        )
        known = [entry for entry in known if entry.text != text]
        focus = Background(self.suite, material.outputs).focus(item)
        return expression_for(judge, item, [text], known, correct=correct, focus=focus) or ""

    def told(self, pattern: str, text: str) -> str:
        """Say in words what an expression finds; for a difficult one, its match here."""
        matching = self.suite.matching
        if said := told_pattern(pattern, ignore_case=matching.case == "ignore"):
            return said
        text, span = normalize(text, matching), None
        with suppress(ValueError, TimeoutError):
            rule = compile_rule(Rule(pattern), matching=matching, macros=self.suite.macros)
            span = rule.search(SearchedText(text)) if pattern else None
        return f"in this output, '{marked(text[span.start : span.end], limit=100)}'" if span else ""

    def try_out(self, store: Workspace, item: Item, text: str, pattern: str, *, correct: bool) -> RuleTrial:
        """Return the effect of an expression on all outputs of the item in all runs. Nothing is written."""
        _check(pattern)
        return try_expression(
            self._judge(item),
            item,
            pattern,
            correct=correct,
            target=text,
            material=self._material(store, item),
        )

    def accept(
        self, store: Workspace, item: Item, text: str, pattern: str, *, correct: bool, reviewer: str
    ) -> list[str]:
        """Write an expression into the file as 'suite accept --regex' does; return what was written.

        The rule must match its output and contradict no known verdict; else a `UsageError` is raised.
        """
        _check(pattern)
        editable(self.path)
        material = self._material(store, item)
        material.outputs.setdefault(item.id, {}).setdefault(text, [])
        material.reviews.get(item.id, {}).pop(text, None)  # the current answer counts
        subject = Subject(item.id, (item.source,), (text,)).id
        wish = Wish(reviewer, (subject,), regex=pattern, correct=correct)
        outcome = rules_to_add(self._only(item), material, wish)
        if outcome.rules:
            add_rules(self.path, outcome.rules)
        return [*outcome.lines, *outcome.remarks]

    def _only(self, item: Item) -> Suite:
        """Return the suite with this item alone, so that no other item is read."""
        return replace(self.suite, items=(item,))

    def _judge(self, item: Item) -> Judge:
        return Judge(self._only(item))

    def _material(self, store: Workspace, item: Item) -> ItemMaterial:
        material = ItemMaterial()
        material.add_item(store, item)
        return material


def open_rulebook(store: Workspace, run: Run) -> Rulebook | None:
    """Return the rules that judged a run, in their file's current version; `None` for a run without any."""
    named = view_of(run).rules_file()
    if not named:
        return None
    path = _found(named, store)
    try:
        suite = _read(path, *_stamp(path))
    except MtassayError:
        return None
    try:
        editable(path)
    except UsageError as error:
        return Rulebook(path, suite, str(error))
    return Rulebook(path, suite)


def _found(named: str, store: Workspace) -> str:
    """Find a file by its path from the run's folder, which is that of the workspace, or from this one."""
    folder = store.path.resolve().parent.parent
    beside = folder / named
    return str(beside) if not Path(named).exists() and beside.exists() else named


def _stamp(path: str) -> tuple[int, int]:
    """Return a value that changes when a file changes."""
    try:
        state = Path(path).stat()
    except OSError:
        return (0, 0)
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=4)
def _read(path: str, changed: int, size: int) -> Suite:
    """Read a suite, which is large, once for each change of its file."""
    return read_suite(path)


def _check(pattern: str) -> None:
    if not pattern.strip():
        raise UsageError("Write an expression, or select words of the output first.")
    if len(pattern) > _LONGEST:
        raise UsageError(f"The expression has {len(pattern):,} characters, at most {_LONGEST}.")


# Extends a suite: asks systems, turns reviews into rules, checks the suite, and judges again.

_KEPT = ("items", "test", "alpha", "seed")
"""Parameters of a saved run that also hold for a new judgement of it."""


def ask(method: SuiteMethod, systems: AnySystems, context: EngineContext) -> Mapping[str, Sequence[Output]]:
    """Return systems' outputs for the chosen items. Nothing is judged, so rules may be wrong or missing."""
    opened = open_systems(systems, method.segments, method.pair, read=method.reader(method.segments, context))
    outputs = translate(method.segments, opened, context)
    context.note_origins()
    return outputs


@known_keywords(SuiteOptions)
def accept(
    path: str | Path,
    wish: Wish,
    systems: AnySystems = (),
    *,
    run: str | None = None,
    confirm: Callable[[Outcome], bool] | None = None,
    **options: Unpack[SuiteOptions],
) -> Outcome:
    """Write people's decisions into a suite file as rules.

    `confirm` gets the outcome first; nothing is written if it returns false. The outcome's remarks name
    decisions that cannot become rules. A rule that contradicts a known verdict is a `UsageError`, and nothing
    is written.
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
    """Find mistakes in a suite.

    `select` and `ignore` are names of problems, or error, warning and info. The suite may lack items, and may
    have bad patterns and repeated ids, which judging refuses.

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
    """Return the workspace if there is one; a file that was asked for must exist."""
    path = workspace_path(settings.workspace)
    if path.exists():
        return Workspace(path)
    if settings.workspace is not None:
        raise UsageError(f"There is no workspace {path}.")
    return None


def _gather(method: SuiteMethod, systems: AnySystems, run: str | None, settings: RunSettings) -> ItemMaterial:
    """Return outputs of systems, or of a saved run (by default the newest of this suite), and reviews."""
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
    """Return the method for these items of the suite alone, in the order of the suite."""
    item_ids = [item.id for item in method.suite.items if item.id in set(ids)]
    if len(item_ids) == len(method.suite.items):
        return method
    chosen = tuple(map(escape, item_ids))
    return replace(method, category=(), phenomenon=(), tag=(), item=chosen, approved=False, public=None)
