"""Proposes rules from settled outputs: the smallest expressions that tell correct ones from incorrect ones.

A candidate is a sequence of up to four words of a known output that no known output of the other kind has.
Alternatives are chosen greedily, those first that cover most. Every proposal is tried on all known outputs:
none may be judged in another way than before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from mtassay.display import Table
from mtassay.formats.suite import Item, Matching, Rule, RuleField, Suite
from mtassay.methods.suite.judging import Judge
from mtassay.methods.suite.known import Known, broken_by, known_outputs, with_rules
from mtassay.methods.suite.material import Material, subject_id
from mtassay.methods.suite.separating import common_words, pattern_of, separate, words_of

__all__ = [
    "Nearest",
    "Open",
    "Proposal",
    "Suggested",
    "Suggestion",
    "expression_for",
    "nearest",
    "suggest",
    "suggest_all",
    "suggestion_table",
    "summary",
]


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
    known: Sequence[Known],
    undecided: Sequence[str],
    *,
    common: Collection[str] = (),
) -> Suggestion:
    """Rules for an item that settle more outputs without changing what is known.

    `common` are words that tell little (see `separating.common_words`): none is proposed by itself.
    """
    why = _why_not(known)
    proposals: list[Proposal] = []
    settled: list[str] = []
    for correct in (True, False) if not why else ():
        others = [*(k.text for k in known if k.correct != correct), *settled]
        proposal = _proposal(judge, item, known, undecided, others, correct=correct, common=common)
        if proposal:
            proposals.append(proposal)
            changed = with_rules(item, [(proposal.kind, Rule(proposal.pattern))])
            settled += [text for text in undecided if judge.judge(changed, text).status != "undecided"]
    changed = with_rules(item, [(each.kind, Rule(each.pattern)) for each in proposals])
    return Suggestion(
        item,
        tuple(proposals),
        tuple(
            Open(t, nearest(t, known, judge.suite.matching), judge.judge(changed, t).status)
            for t in undecided
        ),
        why or ("" if proposals else "no words tell the correct outputs from the incorrect ones"),
    )


def _why_not(known: Sequence[Known]) -> str:
    if not known:
        return "no output of it is settled yet"
    for correct, kind in ((True, "correct"), (False, "incorrect")):
        if not any(each.correct == correct for each in known):
            return f"no {kind} output is known yet, so there is nothing to tell apart"
    return ""


def _proposal(
    judge: Judge,
    item: Item,
    known: Sequence[Known],
    undecided: Sequence[str],
    others: Sequence[str],
    *,
    correct: bool,
    common: Collection[str],
) -> Proposal | None:
    """An expression of one kind, if one would settle anything."""
    kind: RuleField = "positive_regex" if correct else "negative_regex"
    mine = [each.text for each in known if each.correct == correct]
    # What expressions match already needs no more; tokens and reviews hold for one output only.
    waiting = [
        text for text in mine if not any(match.kind == kind for match in judge.judge(item, text).matches)
    ]
    matching = judge.suite.matching
    words = separate(waiting or mine, others, undecided, matching=matching, common=common)
    while words:
        pattern = pattern_of(words)
        rules = [(kind, Rule(pattern))]
        changed = with_rules(item, rules)
        statuses = [judge.judge(changed, text).status for text in undecided]
        useful = waiting or any(status != "undecided" for status in statuses)
        if useful and "conflict" not in statuses and not broken_by(judge, item, rules, known):
            covered = [
                t for t in mine if any(m.rule.text == pattern for m in judge.judge(changed, t).matches)
            ]
            settles = sum(status != "undecided" for status in statuses)
            return Proposal(kind, pattern, len(covered), len(mine), settles)
        words = words[:-1]
    return None


def expression_for(
    judge: Judge, item: Item, texts: Sequence[str], known: Sequence[Known], *, correct: bool
) -> str | None:
    """The smallest expression that matches all these outputs and no known one of the other kind.

    `None` where there is nothing to tell them from, or nothing that tells them apart.
    """
    others = [each.text for each in known if each.correct != correct]
    if not others:
        return None
    words = separate(texts, others, matching=judge.suite.matching)
    if not words:
        return None
    kind: RuleField = "positive_regex" if correct else "negative_regex"
    rule = Rule(pattern_of(words))
    changed = with_rules(item, [(kind, rule)])
    found = all(any(m.rule == rule for m in judge.judge(changed, t).matches) for t in texts)
    return rule.text if found and not broken_by(judge, item, [(kind, rule)], known) else None


def nearest(text: str, known: Iterable[Known], matching: Matching) -> Nearest | None:
    """The known output with most words in common with a text, in order; of equals the first."""
    words = words_of(text, matching)
    best: Nearest | None = None
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(words)
    for each in known:
        matcher.set_seq1(words_of(each.text, matching))
        if best is None or matcher.real_quick_ratio() > best.similarity:
            similarity = matcher.ratio()
            if best is None or similarity > best.similarity:
                best = Nearest(each, similarity)
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
                    "subject": subject_id(item, each.text),
                    "output": each.text,
                    "systems": self.outputs[each.text],
                    "becomes": each.becomes,
                    "nearest": asdict(each.nearest) if each.nearest else None,
                }
                for each in self.suggestion.undecided
            ],
            "disputed": [
                {
                    "subject": subject_id(item, text),
                    "output": text,
                    "systems": self.outputs[text],
                    "reviewers": said,
                }
                for text, said in self.disputed.items()
            ],
        }


def suggest_all(
    whole: Suite,
    items: Sequence[Item],
    material: Material,
    report: Callable[[str, int, int | None], None] | None = None,
) -> list[Suggested]:
    """Rules for each of the items with outputs that are open; those first of which most would be settled."""
    judge = Judge(whole)
    common = common_words(material.outputs.values())
    found = []
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
            undecided = [text for text in open_ if text not in disputes]
            known = known_outputs(judge, item, outputs=outputs, decisions=decisions)
            suggestion = suggest(judge, item, known, undecided, common=common)
            found.append(Suggested(suggestion, outputs, {t: disputes[t] for t in open_ if t in disputes}))
    return sorted(found, key=lambda each: -each.suggestion.settles)


def suggestion_table(shown: Sequence[Suggested]) -> Table:
    """One proposal a row."""
    rows = [
        [each.suggestion.item.id, p.kind, p.pattern, f"{p.covers}/{p.of}", str(p.settles)]
        for each in shown
        for p in each.suggestion.proposals
    ]
    return Table(["Item", "kind", "pattern", "covers", "settles"], rows)


def summary(found: Sequence[Suggested], *, shown: int) -> str:
    """Counts of all that was found, and of what is not shown, in a line."""
    if not found:
        return "Nothing is undecided."
    proposals = [proposal for each in found for proposal in each.suggestion.proposals]
    undecided = sum(len(each.suggestion.undecided) for each in found)
    disputed = sum(len(each.disputed) for each in found)
    settled = sum(each.suggestion.settles for each in found)
    useful = sum(proposal.settles > 0 for proposal in proposals)
    idle = len(proposals) - useful
    return (
        f"Different undecided outputs: {undecided:,} (items: {len(found):,}). "
        f"Proposed expressions: {useful:,}; outputs they would settle: {settled:,}."
        + (f" Expressions that would settle none: {idle:,} (--all shows them)." if idle else "")
        + (f" Disputed: {disputed:,}." if disputed else "")
        + (f" Items shown: {shown:,}." if shown < len(found) else "")
    )
