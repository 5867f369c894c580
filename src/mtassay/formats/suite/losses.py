"""What a suite loses when it is written in another format: found by reading it back, so nothing is missed."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from pathlib import Path

from mtassay.formats.suite.files import parse_suite, suite_text
from mtassay.formats.suite.macros import expand
from mtassay.formats.suite.nouns import RULE_FIELDS, Item, Rule, Suite

__all__ = ["losses", "losses_between"]

_NAMES = {
    "focus": "focus words",
    "context": "context sentences",
    "note": "notes",
    "author": "authors",
    "approver": "approvers",
    "public": "marks for hidden ones",
    "extra": "other fields",
}
_OF_RULES = {
    "author": "authors of rules",
    "date": "dates of rules",
    "note": "notes of rules",
    "case": "options for case of rules",
    "engine": "choices of engine of rules",
}


def losses(suite: Suite, ending: str) -> dict[str, int]:
    """How many items, or parts of the header, lose what; nothing where the format holds all of it.

    Expressions that are written in another way but match the same are counted too, and said to do so.
    """
    made = parse_suite(suite_text(suite, ending).encode(), ending, path=suite.path)
    lost: Counter[str] = Counter()
    for name, what in (
        ("name", "the name"),
        ("about", "the description"),
        ("extra", "other fields at the top"),
    ):
        if getattr(suite, name) and getattr(suite, name) != getattr(made, name):
            lost[what] += 1
    if suite.matching != made.matching:
        lost["the options of matching"] += 1
    for old, new in zip(suite.items, made.items, strict=True):
        lost.update(_of_item(old, new, suite))
    return dict(lost)


def losses_between(where: str, suite: Suite, target: Path) -> list[str]:
    """What of the suite in a file will not be in the target, a line each; comments of YAML are named too."""
    lines = []
    for what, count in losses(suite, target.suffix).items():
        number = "" if what.startswith("the ") else f": {count:,}"
        lines.append(f"{'changed' if what.endswith(')') else 'not'} in {target}: {what}{number}")
    if Path(where).suffix in (".yaml", ".yml") and _has_comments(Path(where)):
        lines.append(f"not in {target}: the comments of {where}")
    return lines


def _has_comments(path: Path) -> bool:
    return path.exists() and any(line.lstrip().startswith("#") for line in path.open(encoding="utf-8"))


def _of_item(old: Item, new: Item, suite: Suite) -> Counter[str]:
    lost: Counter[str] = Counter()
    for field in fields(Item):
        if (
            field.name not in RULE_FIELDS
            and field.compare
            and getattr(old, field.name) != getattr(new, field.name)
        ):
            lost[f"{_NAMES.get(field.name, field.name)} of items"] += 1
    for name in RULE_FIELDS:
        before, after = getattr(old, name), getattr(new, name)
        if before == after:
            continue
        for part in fields(Rule)[1:]:
            gone = sum(getattr(rule, part.name) != part.default for rule in before)
            if gone and not any(getattr(rule, part.name) != part.default for rule in after):
                lost[_OF_RULES[part.name]] += gone
        if blank := sum(not rule.text for rule in before):
            lost["empty rules, which judge nothing"] += blank
        elif len(before) != len(after):
            lost["lists of expressions joined into one (they match the same)"] += 1
        elif [expand(rule.text, suite.macros) for rule in before] != [rule.text for rule in before]:
            lost["expressions with their macros written out (they match the same)"] += 1
    return lost
