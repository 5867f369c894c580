"""The rules that judged a run, beside the outputs that they leave open: shown, tried, added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.suite_editing import add_rules, editable
from mtassay.data.formats.suite_files import read_suite
from mtassay.data.formats.suite_items import Item, Rule, RuleField, Suite
from mtassay.data.marks import marked
from mtassay.data.method import view_of
from mtassay.data.nouns import Run
from mtassay.data.subjects import Subject
from mtassay.methods.suite.acceptance import (
    RuleTrial,
    Wish,
    expression_for,
    known_outputs,
    rules_to_add,
    try_expression,
)
from mtassay.methods.suite.induction import Background, pattern_of
from mtassay.methods.suite.material import ItemMaterial
from mtassay.methods.suite.rule_judge import Judge
from mtassay.runtime.workspace import Workspace

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
    """A rule of an item beside an output: what it is for, and whether it applies to the output."""

    kind: RuleField
    rule: Rule
    applies: bool = False

    @property
    def label(self) -> str:
        """What the rule is for."""
        return _KINDS[self.kind]

    @property
    def text(self) -> str:
        """The rule itself, so much of it as there is room for."""
        return marked(self.rule.text, limit=200)

    def __str__(self) -> str:
        return f"{self.label} if {self.text}"


@dataclass(frozen=True, slots=True)
class RulesToday:
    """What the rules of the file say of an output by now: `status`, and the rules, those that apply first.

    `spans` are what expressions match in the output; `more` rules are not shown.
    """

    status: str
    rules: list[ShownRule]
    spans: list[tuple[int, int]]
    more: int = 0


@dataclass(frozen=True)
class Rulebook:
    """The file of rules of a run. `why_closed` says why nothing can be added, where that is so."""

    path: str
    suite: Suite
    why_closed: str = ""

    def item(self, case_id: str, source: str | None) -> Item | None:
        """The item of a case; `None` where the file does not have it any more, or asks something else."""
        found = next((item for item in self.suite.items if item.id == case_id), None)
        return found if found is not None and found.source == source else None

    def today(self, item: Item, text: str) -> RulesToday:
        """What the rules say of an output now."""
        judged = self._judge(item).judge(item, text)
        applied = {(match.kind, match.rule) for match in judged.matches}
        rules = [replace(shown, applies=(shown.kind, shown.rule) in applied) for shown in _rules_of(item)]
        rules.sort(key=lambda shown: not shown.applies)
        spans = judged.evidence.spans(text)
        return RulesToday(judged.status, rules[:_SHOWN], spans, more=max(len(rules) - _SHOWN, 0))

    def propose(self, store: Workspace, item: Item, text: str, words: str, *, correct: bool) -> str:
        """An expression for words that were selected in an output, or for what tells it from others."""
        if words := " ".join(words.split())[:_LONGEST]:
            return pattern_of([words])
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

    def try_out(self, store: Workspace, item: Item, text: str, pattern: str, *, correct: bool) -> RuleTrial:
        """What an expression would do to all outputs of the item in all runs. Nothing is written."""
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
        """Write an expression into the file as 'suite accept --regex' does; gives what was written.

        It must match the output it is for and break no known verdict, else it is a `UsageError`.
        """
        _check(pattern)
        editable(self.path)
        material = self._material(store, item)
        material.outputs.setdefault(item.id, {}).setdefault(text, [])
        material.reviews.get(item.id, {}).pop(text, None)  # what is said now counts
        subject = Subject(item.id, (item.source,), (text,)).id
        wish = Wish(reviewer, (subject,), regex=pattern, correct=correct)
        outcome = rules_to_add(self._only(item), material, wish)
        if outcome.rules:
            add_rules(self.path, outcome.rules)
        return [*outcome.lines, *outcome.remarks]

    def _only(self, item: Item) -> Suite:
        """The suite with this item alone, so that nothing else is looked at."""
        return replace(self.suite, items=(item,))

    def _judge(self, item: Item) -> Judge:
        return Judge(self._only(item))

    def _material(self, store: Workspace, item: Item) -> ItemMaterial:
        material = ItemMaterial()
        material.add_item(store, item)
        return material


def _rules_of(item: Item) -> list[ShownRule]:
    return [ShownRule(kind, rule) for kind in _KINDS for rule in getattr(item, kind)]


def open_rulebook(store: Workspace, run: Run) -> Rulebook | None:
    """The rules that judged a run, as they are in their file today; `None` for a run without any."""
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
    """A file is named as from the folder of the run, which is that of the workspace, or this one."""
    folder = store.path.resolve().parent.parent
    beside = folder / named
    return str(beside) if not Path(named).exists() and beside.exists() else named


def _stamp(path: str) -> tuple[int, int]:
    """What changes when a file does."""
    try:
        state = Path(path).stat()
    except OSError:
        return (0, 0)
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=4)
def _read(path: str, changed: int, size: int) -> Suite:
    """A suite is large, and read once for each change of its file."""
    return read_suite(path)


def _check(pattern: str) -> None:
    if not pattern.strip():
        raise UsageError("Write an expression, or select words of the output first.")
    if len(pattern) > _LONGEST:
        raise UsageError(f"The expression has {len(pattern):,} characters, at most {_LONGEST}.")
