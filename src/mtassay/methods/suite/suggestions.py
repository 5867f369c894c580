"""Which rule would settle an open output.

Every proposal is tried on all known outputs: none may be judged in another way than before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from mtassay.data.display import Table
from mtassay.data.formats.suite_items import Item, Matching, Rule, RuleField, Suite
from mtassay.methods.suite.induction import Background, Focus, pattern_of, separate
from mtassay.methods.suite.material import ItemMaterial, subject_id
from mtassay.methods.suite.patterns import SearchedText, normalize
from mtassay.methods.suite.rule_judge import Judge


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
    by_text: dict[str, Known] = {}

    def put(text: str, correct: bool, by: str) -> None:
        by_text.setdefault(normalize(text, judge.suite.matching), Known(text, correct, by))

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
    return list(by_text.values())


def with_rules(item: Item, rules: Iterable[tuple[RuleField, Rule]]) -> Item:
    """The item with more rules."""
    for name, rule in rules:
        item = replace(item, **{name: (*getattr(item, name), rule)})  # type: ignore[arg-type]
    return item


def broken_by(
    judge: Judge, item: Item, rules: Iterable[tuple[RuleField, Rule]], settled_outputs: Iterable[Known]
) -> list[Broken]:
    """Known outputs that expressions would judge in another way than is known, or bring into conflict.

    A token wins over expressions and would hide the mistake, so each new expression is also tried by itself.
    """
    new = [(name, rule) for name, rule in rules if name.endswith("_regex")]
    changed = with_rules(item, new)
    broken = []
    for output in settled_outputs:
        text = SearchedText(normalize(output.text, judge.suite.matching))
        against = [rule for name, rule in new if name.startswith("positive") != output.correct]
        if any(judge.pattern(item, rule).search(text) for rule in against):
            broken.append(Broken(output, judge.judge(changed, output.text).status))
    return broken


_ENOUGH = 400  # words of an output that are looked at


def words_of(text: str, matching: Matching) -> list[str]:
    """The words and marks of a text as they are compared: at most the first 400."""
    words = re.findall(r"\w+|[^\w\s]", normalize(text, matching))[:_ENOUGH]
    return [word.casefold() for word in words] if matching.case == "ignore" else words


@dataclass(frozen=True, slots=True)
class Nearest:
    """The settled output most like another one; `similarity` is the share of words in common, 0 to 1."""

    known: Known
    similarity: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """An expression. It matches `covers` of the `of` known outputs of its kind and none of the other kind.

    `settles` is the number of undecided outputs that it would settle.
    """

    kind: RuleField
    pattern: str
    covers: int
    of: int
    settles: int


@dataclass(frozen=True, slots=True)
class Open:
    """An output that is not settled, and what the proposals would make of it."""

    text: str
    nearest: Nearest | None
    becomes: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What is proposed for one item. Without proposals, `why_not` says why there are none."""

    item: Item
    proposals: tuple[Proposal, ...]
    undecided: tuple[Open, ...]
    why_not: str = ""

    @property
    def settles(self) -> int:
        """How many of the undecided outputs the proposals would settle."""
        return sum(proposal.settles for proposal in self.proposals)

    def without_idle(self) -> Suggestion:
        """The same without proposals that settle nothing, as those do that only sum up what is known."""
        kept = tuple(proposal for proposal in self.proposals if proposal.settles)
        why = self.why_not if kept or not self.proposals else "none settles any of these"
        return replace(self, proposals=kept, why_not=why)


def suggest(
    judge: Judge,
    item: Item,
    settled_outputs: Sequence[Known],
    undecided: Sequence[str],
    *,
    focus: Focus | None = None,
) -> Suggestion:
    """Rules for an item that settle more outputs without changing what is known."""
    why = _why_not(settled_outputs)
    proposals: list[Proposal] = []
    newly_settled: list[str] = []
    for correct in (True, False) if not why else ():
        others = [*(k.text for k in settled_outputs if k.correct != correct), *newly_settled]
        proposal = _proposal(judge, item, settled_outputs, undecided, others, correct=correct, focus=focus)
        if proposal:
            proposals.append(proposal)
            changed = with_rules(item, [(proposal.kind, Rule(proposal.pattern))])
            newly_settled += [text for text in undecided if judge.judge(changed, text).status != "undecided"]
    changed = with_rules(item, [(proposal.kind, Rule(proposal.pattern)) for proposal in proposals])
    return Suggestion(
        item,
        tuple(proposals),
        tuple(
            Open(t, nearest(t, settled_outputs, judge.suite.matching), judge.judge(changed, t).status)
            for t in undecided
        ),
        why
        or ("" if proposals else "no words of their own tell the correct outputs from the incorrect ones"),
    )


def _why_not(settled_outputs: Sequence[Known]) -> str:
    if not settled_outputs:
        return "no output of it is settled yet"
    for correct, kind in ((True, "correct"), (False, "incorrect")):
        if not any(output.correct == correct for output in settled_outputs):
            return f"no {kind} output is known yet, so there is nothing to tell apart"
    return ""


def _proposal(
    judge: Judge,
    item: Item,
    settled_outputs: Sequence[Known],
    undecided: Sequence[str],
    others: Sequence[str],
    *,
    correct: bool,
    focus: Focus | None,
) -> Proposal | None:
    """An expression of one kind, if one would settle anything."""
    kind: RuleField = "positive_regex" if correct else "negative_regex"
    mine = [output.text for output in settled_outputs if output.correct == correct]
    # What expressions match already needs no more; tokens and reviews hold for one output only.
    waiting = [
        text for text in mine if not any(match.kind == kind for match in judge.judge(item, text).matches)
    ]
    matching = judge.suite.matching
    words = separate(waiting or mine, others, undecided, matching=matching, focus=focus, same=mine)
    while words:
        pattern = pattern_of(words)
        rules = [(kind, Rule(pattern))]
        changed = with_rules(item, rules)
        statuses = [judge.judge(changed, text).status for text in undecided]
        useful = waiting or any(status != "undecided" for status in statuses)
        if useful and "conflict" not in statuses and not broken_by(judge, item, rules, settled_outputs):
            covered = [
                t for t in mine if any(m.rule.text == pattern for m in judge.judge(changed, t).matches)
            ]
            settles = sum(status != "undecided" for status in statuses)
            return Proposal(kind, pattern, len(covered), len(mine), settles)
        words = words[:-1]
    return None


def expression_for(
    judge: Judge,
    item: Item,
    texts: Sequence[str],
    settled_outputs: Sequence[Known],
    *,
    correct: bool,
    focus: Focus | None = None,
) -> str | None:
    """The smallest expression that matches these outputs, as far as possible, and none of the other kind.

    `None` where there is nothing to tell them from, or nothing that tells them apart.
    """
    others = [output.text for output in settled_outputs if output.correct != correct]
    same = [output.text for output in settled_outputs if output.correct == correct]
    if not others:
        return None
    words = separate(texts, others, matching=judge.suite.matching, focus=focus, same=[*same, *texts])
    if not words:
        return None
    kind: RuleField = "positive_regex" if correct else "negative_regex"
    rule = Rule(pattern_of(words))
    return None if broken_by(judge, item, [(kind, rule)], settled_outputs) else rule.text


def nearest(text: str, settled_outputs: Iterable[Known], matching: Matching) -> Nearest | None:
    """The known output with most words in common with a text, in order; of equals the first."""
    words = words_of(text, matching)
    best: Nearest | None = None
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(words)
    for output in settled_outputs:
        matcher.set_seq1(words_of(output.text, matching))
        if best is None or matcher.real_quick_ratio() > best.similarity:
            similarity = matcher.ratio()
            if best is None or similarity > best.similarity:
                best = Nearest(output, similarity)
    return best


@dataclass(frozen=True, slots=True)
class Suggested:
    """What is proposed for an item; its outputs with their systems; who says what of the disputed ones."""

    suggestion: Suggestion
    outputs: Mapping[str, Sequence[str]]
    disputed: Mapping[str, str]

    def without_idle(self) -> Suggested:
        """The same without proposals that settle nothing."""
        return replace(self, suggestion=self.suggestion.without_idle())

    def record(self) -> dict[str, Any]:
        """The same for a program."""
        item = self.suggestion.item
        return {
            "item": item.id,
            "source": item.source,
            "proposals": [asdict(proposal) for proposal in self.suggestion.proposals],
            "why_not": self.suggestion.why_not,
            "undecided": [
                {
                    "subject": subject_id(item, output.text),
                    "output": output.text,
                    "systems": self.outputs[output.text],
                    "becomes": output.becomes,
                    "nearest": asdict(output.nearest) if output.nearest else None,
                }
                for output in self.suggestion.undecided
            ],
            "disputed": [
                {
                    "subject": subject_id(item, text),
                    "output": text,
                    "systems": self.outputs[text],
                    "reviewers": opinions,
                }
                for text, opinions in self.disputed.items()
            ],
        }


def suggest_all(
    whole: Suite,
    items: Sequence[Item],
    material: ItemMaterial,
    report: Callable[[str, int, int | None], None] | None = None,
) -> list[Suggested]:
    """Rules for each of the items with outputs that are open; those first of which most would be settled."""
    judge = Judge(whole)
    background = Background(whole, material.outputs)
    suggestions = []
    for place, item in enumerate(items):
        if report:
            report("suggesting", place, len(items))
        outputs, decisions = material.outputs.get(item.id, {}), material.decisions(item.id)
        open_ = [
            text
            for text in outputs
            if text not in decisions and judge.judge(item, text).status == "undecided"
        ]
        if open_:
            disputes = material.disputes(item.id)
            undecided = sorted((t for t in open_ if t not in disputes), key=lambda t: -len(outputs[t]))
            settled_outputs = known_outputs(judge, item, outputs=outputs, decisions=decisions)
            suggestion = suggest(judge, item, settled_outputs, undecided, focus=background.focus(item))
            suggestions.append(
                Suggested(suggestion, outputs, {t: disputes[t] for t in open_ if t in disputes})
            )
    return sorted(suggestions, key=lambda suggested: -suggested.suggestion.settles)


def suggestion_table(shown: Sequence[Suggested]) -> Table:
    """One proposal a row."""
    rows = [
        [suggested.suggestion.item.id, p.kind, p.pattern, f"{p.covers}/{p.of}", str(p.settles)]
        for suggested in shown
        for p in suggested.suggestion.proposals
    ]
    return Table(["Item", "kind", "pattern", "covers", "settles"], rows)


def summary(suggestions: Sequence[Suggested], *, shown: int) -> str:
    """Counts of all that was found, and of what is not shown, in a line."""
    if not suggestions:
        return "Nothing is undecided."
    proposals = [proposal for suggested in suggestions for proposal in suggested.suggestion.proposals]
    undecided = sum(len(suggested.suggestion.undecided) for suggested in suggestions)
    disputed = sum(len(suggested.disputed) for suggested in suggestions)
    settled = sum(suggested.suggestion.settles for suggested in suggestions)
    useful = sum(proposal.settles > 0 for proposal in proposals)
    idle = len(proposals) - useful
    return (
        f"Different undecided outputs: {undecided:,} (items: {len(suggestions):,}). "
        f"Proposed expressions: {useful:,}; outputs they would settle: {settled:,}."
        + (f" Expressions that would settle none: {idle:,} (--all shows them)." if idle else "")
        + (f" Disputed: {disputed:,}." if disputed else "")
        + (f" Items shown: {shown:,}." if shown < len(suggestions) else "")
    )
