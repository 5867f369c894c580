"""What is known about the outputs of an item, and whether a new rule would break any of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from mtassay.formats.suite import Item, Rule, RuleField
from mtassay.methods.suite.judging import Judge
from mtassay.methods.suite.patterns import Text, normalize

__all__ = ["Broken", "Known", "broken_by", "known_outputs", "with_rules"]


@dataclass(frozen=True, slots=True)
class Known:
    """An output whose verdict is settled, and by what: review, token, reference or rule."""

    text: str
    correct: bool
    by: str

    @property
    def verdict(self) -> str:
        return "correct" if self.correct else "incorrect"


@dataclass(frozen=True, slots=True)
class Broken:
    """A known output that a new rule would judge in another way."""

    known: Known
    status: str


def known_outputs(
    judge: Judge, item: Item, *, outputs: Iterable[str] = (), decisions: Mapping[str, bool] | None = None
) -> list[Known]:
    """All settled outputs of an item, each text once.

    `decisions` say whether an output is correct, as reviewers decided; they win over the rules.
    """
    known: dict[str, Known] = {}

    def put(text: str, correct: bool, by: str) -> None:
        known.setdefault(normalize(text, judge.suite.matching), Known(text, correct, by))

    for text, correct in (decisions or {}).items():
        put(text, correct, "review")
    for token in item.positive_tokens:
        put(token.text, True, "token")
    for token in item.negative_tokens:
        put(token.text, False, "token")
    for reference in item.references:
        put(reference, True, "reference")
    for output in outputs:
        status = judge.judge(item, output).status
        if status in ("correct", "incorrect") and output.strip():
            put(output, status == "correct", "rule")
    return list(known.values())


def with_rules(item: Item, rules: Iterable[tuple[RuleField, Rule]]) -> Item:
    """The item with more rules."""
    for name, rule in rules:
        item = replace(item, **{name: (*getattr(item, name), rule)})  # type: ignore[arg-type]
    return item


def broken_by(
    judge: Judge, item: Item, rules: Iterable[tuple[RuleField, Rule]], known: Iterable[Known]
) -> list[Broken]:
    """Known outputs that expressions would judge in another way than is known, or bring into conflict.

    A token wins over expressions and would hide the mistake, so each new expression is also tried by itself.
    """
    new = [(name, rule) for name, rule in rules if name.endswith("_regex")]
    changed = with_rules(item, new)
    found = []
    for each in known:
        text = Text(normalize(each.text, judge.suite.matching))
        against = [rule for name, rule in new if name.startswith("positive") != each.correct]
        if any(judge.pattern(item, rule).search(text) for rule in against):
            found.append(Broken(each, judge.judge(changed, each.text).status))
    return found
