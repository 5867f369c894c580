"""Finds what is wrong with a suite before a system is judged by it.

Works on suites that cannot judge yet: with patterns that do not compile and ids that stand twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from mtassay.formats.suite import REGEX_FIELDS, RULE_FIELDS, Item, Suite, macros_in
from mtassay.methods.suite.judging import Judge
from mtassay.methods.suite.lint_item import Checked
from mtassay.methods.suite.problems import Problem, problem, short

__all__ = ["Outputs", "lint"]

Outputs = Mapping[str, Collection[str]]
"""Outputs that are stored somewhere, by item."""


def lint(
    suite: Suite,
    *,
    outputs: Outputs | None = None,
    min_items: int = 5,
    report: Callable[[int], None] | None = None,
) -> list[Problem]:
    """All problems in the order of the file, most of those of the whole suite first.

    With `outputs`, also the rules that applied to none of them; items without any output are not judged
    by that. `report` is called with the number of items that are done.
    """
    found = list(_suite_problems(suite, min_items))
    tokens = idle = 0
    for place, item in enumerate(suite.items):
        if report and place % 100 == 0:
            report(place)
        # Judging asks for ids that are unique, so every item is judged by itself.
        checked = Checked(Judge(replace(suite, items=())), item)
        stored = (outputs or {}).get(item.id, ())
        found += checked.problems(stored)
        if stored:
            tokens += len(item.positive_tokens) + len(item.negative_tokens)
            idle += checked.idle_tokens(stored)
    if idle:
        what = f"{idle:,} of {tokens:,} tokens equal no stored output; they may be those of other systems"
        found.append(problem("never-fires", what))
    return found


def _suite_problems(suite: Suite, min_items: int) -> Iterator[Problem]:
    if not suite.items:
        yield problem("no-items", f"there are no items yet; add one: mtassay suite add {suite.path}")
    drafts = [item for item in suite.items if item.is_draft]
    if drafts:
        yield problem(
            "draft",
            f"{len(drafts):,} of {len(suite.items):,} items are drafts; a second person approves them: "
            "mtassay suite approve",
        )
    used = {name for text in _all_patterns(suite) for name in macros_in(text)}
    for name in suite.macros:
        if name not in used:
            yield problem("unused-macro", f"no expression uses the macro '{name}'; remove it")
    phenomena = Counter((item.category, item.phenomenon) for item in suite.items)
    for (category, phenomenon), count in phenomena.items():
        if count < min_items:
            items = "1 item" if count == 1 else f"{count} items"
            yield problem("few-items", f"{category} › {phenomenon} has {items}; write {min_items} or more")
    yield from _duplicates(suite)


def _all_patterns(suite: Suite) -> Iterator[str]:
    yield from suite.macros.values()
    for item in suite.items:
        for name in REGEX_FIELDS:
            yield from (rule.text for rule in getattr(item, name))


def _duplicates(suite: Suite) -> Iterator[Problem]:
    by_id: dict[str, Item] = {}
    by_source: dict[tuple[str, str, tuple[str, ...]], list[Item]] = {}
    for item in suite.items:
        if (first := by_id.setdefault(item.id, item)) is not item:
            where = f" (line {first.line})" if first.line else ""
            yield problem("duplicate-id", f"the id stands twice{where}; rename one", item)
        same = by_source.setdefault((item.langpair, item.source, item.context), [])
        if equal := [other for other in same if _asks(other) == _asks(item)]:
            yield problem(
                "duplicate-source",
                f"asks and judges the same as {equal[0].id}: '{short(item.source)}'; remove one",
                item,
            )
        elif same:
            yield problem(
                "duplicate-source",
                f"has the source of {same[0].id}, judged by other rules: fine if that is meant",
                item,
                severity="info",
            )
        same.append(item)


def _asks(item: Item) -> tuple[object, ...]:
    """What makes two items with one source the same."""
    return tuple(tuple(rule.text for rule in getattr(item, name)) for name in RULE_FIELDS)
