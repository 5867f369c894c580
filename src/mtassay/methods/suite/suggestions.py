"""Which rule would settle an open output, and which words tell right from wrong.

A candidate is a sequence of up to four words of a known output that no known output of the other kind has.
Alternatives are chosen greedily, those first that cover most. Every proposal is tried on all known outputs:
none may be judged in another way than before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from mtassay.data.display import Table
from mtassay.data.formats.suite_items import Item, Matching, Rule, RuleField, Suite
from mtassay.methods.suite.material import ItemMaterial, subject_id
from mtassay.methods.suite.patterns import SearchedText, escaped, normalize
from mtassay.methods.suite.rule_judge import Judge

__all__ = [
    "Broken",
    "Known",
    "Nearest",
    "Open",
    "Proposal",
    "Suggested",
    "Suggestion",
    "broken_by",
    "common_words",
    "expression_for",
    "known_outputs",
    "nearest",
    "pattern_of",
    "separate",
    "suggest",
    "suggest_all",
    "suggestion_table",
    "summary",
    "with_rules",
    "words_of",
]


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


_LONGEST = 4  # words of a candidate
_ALTERNATIVES = 6  # of one expression
_ENOUGH = 400  # words of an output that are looked at
_NO_SPACES = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"  # scripts in which a character can be a word
_WORD = re.compile(rf"[{_NO_SPACES}]|[^\W{_NO_SPACES}]+(?:['’-][^\W{_NO_SPACES}]+)*")


def separate(
    mine: Sequence[str],
    others: Sequence[str],
    undecided: Sequence[str] = (),
    *,
    matching: Matching,
    common: Collection[str] = (),
) -> list[str]:
    r"""Sequences of words, one of which each text of `mine` has as far as possible, and none of `others` has.

    Greedy: first what covers most, also of the undecided ones; of equals the shortest. A `common` word by
    itself is never taken, and several of them only where nothing else is left.

    >>> separate(["Ele não viu nada."], ["Ele não viu algo."], matching=Matching())
    ['nada']
    """
    flags = re.IGNORECASE if matching.case == "ignore" else 0
    own, other, unsettled = ([normalize(t, matching) for t in texts] for texts in (mine, others, undecided))
    ordinary = {word.casefold() for word in common}
    candidates = {}
    for words in sorted({words for text in own for words in _sequences(text)}):
        if words.casefold() in ordinary:
            continue
        compiled = re.compile(_pattern(words), flags)
        if not any(compiled.search(text) for text in other):
            candidates[words] = compiled

    def worth(words: str) -> tuple[bool, int, int, int, int]:
        parts = _WORD.findall(words)
        compiled = candidates[words]
        return (
            any(part.casefold() not in ordinary for part in parts),
            sum(bool(compiled.search(text)) for text in left),
            sum(bool(compiled.search(text)) for text in unsettled),
            -len(parts),
            -len(words),
        )

    left = own
    chosen: list[str] = []
    while left and len(chosen) < _ALTERNATIVES:
        useful = [words for words, compiled in candidates.items() if any(map(compiled.search, left))]
        if not useful:
            break
        best = max(useful, key=worth)
        chosen.append(best)
        left = [text for text in left if not candidates[best].search(text)]
    return chosen


def _sequences(text: str) -> Iterator[str]:
    """All sequences of words that nothing but white space parts."""
    words = list(_WORD.finditer(text))[:_ENOUGH]
    for first, start in enumerate(words):
        end = start
        for word in words[first : first + _LONGEST]:
            if text[end.end() : word.start()].strip() and word is not start:
                break
            end = word
            yield text[start.start() : end.end()]


def _pattern(words: str) -> str:
    """An expression for whole words; where a script has no spaces, for the characters."""
    left, right = (r"\b" if not re.match(rf"[{_NO_SPACES}]", words[i]) else "" for i in (0, -1))
    return left + escaped(words) + right


def pattern_of(alternatives: Sequence[str]) -> str:
    """An expression that finds any of these sequences of words."""
    patterns = [_pattern(words) for words in alternatives]
    if len(patterns) == 1:
        return patterns[0]
    if all(pattern.startswith(r"\b") and pattern.endswith(r"\b") for pattern in patterns):
        return rf"\b(?:{'|'.join(pattern[2:-2] for pattern in patterns)})\b"
    return "|".join(patterns)


def words_of(text: str, matching: Matching) -> list[str]:
    """The words and marks of a text as they are compared: at most the first 400."""
    words = re.findall(r"\w+|[^\w\s]", normalize(text, matching))[:_ENOUGH]
    return [word.casefold() for word in words] if matching.case == "ignore" else words


def common_words(
    texts_by_item: Iterable[Iterable[str]], *, share: float = 0.01, least: int = 10
) -> frozenset[str]:
    """Words, in lower case, that stand in the outputs of many items and so say little about one.

    Many is this share of all items, and at least so many: what is frequent in a handful of items may well be
    what they are about.

    >>> sorted(common_words([["The cat"], ["the dog"], ["The end"], ["Rain"]], least=3))
    ['the']
    """
    counts: Counter[str] = Counter()
    total = 0
    for texts in texts_by_item:
        counts.update({word.casefold() for text in texts for word in _WORD.findall(text)})
        total += 1
    return frozenset(word for word, count in counts.items() if count >= max(least, share * total))


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
    common: Collection[str] = (),
) -> Suggestion:
    """Rules for an item that settle more outputs without changing what is known.

    `common` are words that tell little (see `separating.common_words`): none is proposed by itself.
    """
    why = _why_not(settled_outputs)
    proposals: list[Proposal] = []
    newly_settled: list[str] = []
    for correct in (True, False) if not why else ():
        others = [*(k.text for k in settled_outputs if k.correct != correct), *newly_settled]
        proposal = _proposal(judge, item, settled_outputs, undecided, others, correct=correct, common=common)
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
        why or ("" if proposals else "no words tell the correct outputs from the incorrect ones"),
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
    common: Collection[str],
) -> Proposal | None:
    """An expression of one kind, if one would settle anything."""
    kind: RuleField = "positive_regex" if correct else "negative_regex"
    mine = [output.text for output in settled_outputs if output.correct == correct]
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
        if useful and "conflict" not in statuses and not broken_by(judge, item, rules, settled_outputs):
            covered = [
                t for t in mine if any(m.rule.text == pattern for m in judge.judge(changed, t).matches)
            ]
            settles = sum(status != "undecided" for status in statuses)
            return Proposal(kind, pattern, len(covered), len(mine), settles)
        words = words[:-1]
    return None


def expression_for(
    judge: Judge, item: Item, texts: Sequence[str], settled_outputs: Sequence[Known], *, correct: bool
) -> str | None:
    """The smallest expression that matches all these outputs and no known one of the other kind.

    `None` where there is nothing to tell them from, or nothing that tells them apart.
    """
    others = [output.text for output in settled_outputs if output.correct != correct]
    if not others:
        return None
    words = separate(texts, others, matching=judge.suite.matching)
    if not words:
        return None
    kind: RuleField = "positive_regex" if correct else "negative_regex"
    rule = Rule(pattern_of(words))
    changed = with_rules(item, [(kind, rule)])
    matches_all = all(any(m.rule == rule for m in judge.judge(changed, t).matches) for t in texts)
    return rule.text if matches_all and not broken_by(judge, item, [(kind, rule)], settled_outputs) else None


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
    common = common_words(material.outputs.values())
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
            suggestion = suggest(judge, item, settled_outputs, undecided, common=common)
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
