"""What a new expression would make of all known outputs of an item, before it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mtassay.errors import UsageError
from mtassay.formats.suite import Item, Rule, RuleField
from mtassay.methods.suite.judge import Judge
from mtassay.methods.suite.material import ItemMaterial
from mtassay.methods.suite.patterns import compile_rule
from mtassay.methods.suite.suggestions import broken_by, known_outputs, with_rules

__all__ = ["RuleTrial", "TriedOutput", "try_expression"]


@dataclass(frozen=True, slots=True)
class TriedOutput:
    """An output that the expression would judge in another way.

    `by` is who knows better where it contradicts: review, token or reference.
    """

    text: str
    before: str
    after: str
    systems: int = 0
    by: str = ""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """What an expression would do: outputs it `settles`, verdicts of rules it `flips`, people it contradicts.

    `is_for_target` says whether it matches the output it is made for. Of `tried` outputs the others stay as
    they are.
    """

    pattern: str
    kind: RuleField
    is_for_target: bool
    settles: Sequence[TriedOutput]
    flips: Sequence[TriedOutput]
    contradicts: Sequence[TriedOutput]
    tried: int

    @property
    def is_acceptable(self) -> bool:
        """Whether it may be written: it matches what it is for, and breaks nothing that is known."""
        return self.is_for_target and not self.flips and not self.contradicts


def try_expression(
    judge: Judge, item: Item, pattern: str, *, correct: bool, target: str, material: ItemMaterial
) -> RuleTrial:
    """Try an expression on all outputs of an item that are known, and on its tokens and references.

    A pattern that cannot be compiled is a `UsageError`.
    """
    kind: RuleField = "positive_regex" if correct else "negative_regex"
    rule = Rule(pattern)
    try:
        compile_rule(rule, matching=judge.suite.matching, macros=dict(judge.suite.macros))
    except ValueError as error:
        raise UsageError(f"bad pattern '{pattern[:200]}' ({error})") from None
    changed = with_rules(item, [(kind, rule)])
    outputs = material.outputs.get(item.id, {})
    # The output that it is for is judged right now, whatever is known of it.
    decisions = {text: said for text, said in material.decisions(item.id).items() if text != target}
    known = [
        entry
        for entry in known_outputs(judge, item, outputs=outputs, decisions=decisions)
        if entry.text != target
    ]
    settles: list[TriedOutput] = []
    flips: list[TriedOutput] = []
    contradicts: list[TriedOutput] = []
    for text, systems in outputs.items():
        before, after = judge.judge(item, text).status, judge.judge(changed, text).status
        is_open = before in ("undecided", "conflict") and text not in decisions
        if is_open and after in ("correct", "incorrect"):
            settles.append(TriedOutput(text, before, after, len(systems)))
    for broken in broken_by(judge, item, [(kind, rule)], known):
        entry = TriedOutput(
            broken.known.text,
            broken.known.verdict,
            broken.status,
            len(outputs.get(broken.known.text, ())),
            "" if broken.known.by == "rule" else broken.known.by,
        )
        (contradicts if entry.by else flips).append(entry)
    matches = judge.judge(changed, target).matches
    return RuleTrial(
        pattern,
        kind,
        any(match.rule == rule and match.kind == kind for match in matches),
        settles,
        flips,
        contradicts,
        len({*outputs, *(entry.text for entry in known)}),
    )
