"""Makes rules from settled outputs, and reports outputs that cannot become rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_items import Item, Rule, RuleField, Suite
from mtassay.data.marks import marked, plural
from mtassay.data.subjects import SHORT, Decision
from mtassay.methods.suite.induction import Background, Focus, pattern_of, separate
from mtassay.methods.suite.material import ItemMaterial, said, subject_id
from mtassay.methods.suite.patterns import SearchedText, compile_rule, normalize
from mtassay.methods.suite.problems import short
from mtassay.methods.suite.rule_judge import Judge

_SHOWN = 200  # characters of a rule
_OPEN = ("undecided", "conflict")
_LONGEST_TOKEN = 5000  # characters; longer outputs are not translations that a system repeats


@dataclass(frozen=True, slots=True)
class Known:
    """An output with a settled verdict, and its basis: review, token, reference or rule."""

    text: str
    correct: bool
    by: str

    @property
    def verdict(self) -> str:
        return "correct" if self.correct else "incorrect"


@dataclass(frozen=True, slots=True)
class Broken:
    """A known output that a new rule would judge differently."""

    known: Known
    status: str


def known_outputs(
    judge: Judge, item: Item, *, outputs: Iterable[str] = (), decisions: Mapping[str, bool] | None = None
) -> list[Known]:
    """All settled outputs of an item, each text once.

    `decisions` has the reviewers' decisions whether outputs are correct; they override the rules.
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
    """Return the item with these additional rules."""
    for name, rule in rules:
        item = replace(item, **{name: (*getattr(item, name), rule)})  # type: ignore[arg-type]
    return item


def broken_by(
    judge: Judge, item: Item, rules: Iterable[tuple[RuleField, Rule]], settled_outputs: Iterable[Known]
) -> list[Broken]:
    """Known outputs whose verdict the expressions would change or turn into a conflict.

    Each new expression is also tried alone, since a token overrides expressions and would hide a mistake.
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


def expression_for(
    judge: Judge,
    item: Item,
    texts: Sequence[str],
    settled_outputs: Sequence[Known],
    *,
    correct: bool,
    focus: Focus | None = None,
) -> str | None:
    """The smallest expression that matches most of these outputs and no output of the other kind.

    `None` if there are no outputs of the other kind or nothing distinguishes the two kinds.
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


@dataclass(frozen=True, slots=True)
class Wish:
    """A person's request for rules: subjects (the start of an id), items, or all settled outputs.

    `form` is the form of the new rules, unless `regex` is the expression to write. `correct` is the person's
    own answer if there is no review. `note` is the note of the rules; by default, it is the reviewer's.
    """

    person: str
    subjects: tuple[str, ...] = ()
    everything: bool = False
    form: Literal["token", "regex"] = "token"
    regex: str | None = None
    correct: bool | None = None
    note: str = ""

    def check(self) -> None:
        """Raise an error if the request is unclear."""
        if not self.subjects and not self.everything:
            raise UsageError("Say what to accept: subjects, items, or --all for all that is settled.")
        if self.regex and (self.everything or len(self.subjects) != 1):
            raise UsageError("--regex PATTERN goes with one SUBJECT.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Rules by item, remarks about other outputs, and items that lose their approval because of the rules."""

    rules: dict[str, list[tuple[RuleField, Rule]]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """One line for each rule."""
        return [
            f"{item_id}: {name.replace('_regex', ' expression').replace('_tokens', ' token')} "
            f"{marked(rule.text, limit=_SHOWN)}"
            for item_id, rules in self.rules.items()
            for name, rule in rules
        ]


@dataclass(frozen=True, slots=True)
class _Target:
    """An output of an item with its reviews; without an output, the item itself."""

    item: Item
    text: str | None
    decision: Decision | None


def rules_to_add(suite: Suite, material: ItemMaterial, wish: Wish) -> Outcome:
    """Return the rules to write. Unacceptable outputs are reported; a broken verdict is a `UsageError`."""
    judge = Judge(suite)
    background = Background(suite, material.outputs) if wish.form == "regex" else None
    outcome = Outcome()
    grouped: dict[tuple[str, bool], list[_Target]] = {}
    for target in _targets(judge, material, wish):
        correct = _answer(target, wish, outcome)
        if correct is not None:
            grouped.setdefault((target.item.id, correct), []).append(target)
    for (item_id, correct), targets in grouped.items():
        item = judge.items[item_id]
        outputs, decisions = material.outputs.get(item_id, {}), material.decisions(item_id)
        if wish.correct is not None:
            decisions |= {target.text: correct for target in targets if target.text is not None}
        settled_outputs = known_outputs(judge, item, outputs=outputs, decisions=decisions)
        focus = background.focus(item) if background else None
        rules = list(_rules(judge, item, targets, settled_outputs, correct, wish, outcome, focus))
        if rules:
            outcome.rules.setdefault(item_id, []).extend(rules)
    if not grouped and not outcome.remarks:
        outcome.remarks.append("nothing is settled by reviews yet: mtassay review next")
    outcome.drafts.extend(item.id for item in suite.items if item.approver and item.id in outcome.rules)
    return outcome


def _targets(judge: Judge, material: ItemMaterial, wish: Wish) -> Iterator[_Target]:
    items = judge.items
    if not wish.subjects:
        for item in items.values():
            yield from _reviewed(item, material)
    for name in wish.subjects:
        if name not in items:
            yield _find(name, items, material)
        elif wish.regex is not None and wish.correct is not None:
            yield _Target(items[name], None, None)
        else:
            item = items[name]
            yield from _reviewed(item, material) or [_only_open(judge, item, material, wish)]


def _reviewed(item: Item, material: ItemMaterial) -> list[_Target]:
    return [_Target(item, text, decision) for text, decision in material.reviews.get(item.id, {}).items()]


def _only_open(judge: Judge, item: Item, material: ItemMaterial, wish: Wish) -> _Target:
    """The only undecided, unreviewed output of an item; if there are several, a person must choose."""
    texts = [t for t in material.outputs.get(item.id, ()) if judge.judge(item, t).status == "undecided"]
    if len(texts) == 1 and wish.correct is not None:
        return _Target(item, texts[0], None)
    what = f"Nobody has reviewed an output of '{item.id}'"
    if not texts:
        raise UsageError(f"{what}, and none is undecided. For outputs of files add `systems=['NAME=FILE']`.")
    choice = "; ".join(f"{subject_id(item, text)[:SHORT]} '{short(text)}'" for text in texts[:5])
    more = f"; and {len(texts) - 5} more" if len(texts) > 5 else ""
    raise UsageError(f"{what}. Choose, with --correct or --incorrect: {choice}{more}")


def _find(name: str, items: Mapping[str, Item], material: ItemMaterial) -> _Target:
    """Find the output whose subject begins with this text."""
    targets: dict[str, _Target] = {}
    for item_id, item in items.items():
        reviewed = material.reviews.get(item_id, {})
        for text in (*reviewed, *material.outputs.get(item_id, ())):
            if (key := subject_id(item, text)).startswith(name):
                targets[key] = _Target(item, text, reviewed.get(text))
    if len(targets) == 1:
        return next(iter(targets.values()))
    if targets:
        raise UsageError(f"'{name}' could be any of {len(targets)} subjects: {', '.join(list(targets)[:5])}.")
    raise UsageError(
        f"No item or subject '{name}' in this suite. See: mtassay review next. "
        "For outputs of files add the same `systems`."
    )


def _answer(target: _Target, wish: Wish, outcome: Outcome) -> bool | None:
    """Whether the output is correct; `None` and a remark if it is not settled."""
    what = f"{target.item.id}: '{short(target.text or '')}'"
    decision = target.decision
    if decision is None:
        if wish.correct is None:
            raise UsageError(f"{what} is not reviewed. Add --correct or --incorrect, or review it first.")
        return wish.correct
    if decision.is_disputed:
        outcome.remarks.append(f"{what} is disputed ({said(decision)}): one more review decides")
        return None
    if decision.answer not in ("correct", "incorrect"):
        outcome.remarks.append(f"{what} is not settled: its reviewers are unsure")
        return None
    if wish.correct is not None and wish.correct != (decision.answer == "correct"):
        raise UsageError(f"{what} was reviewed as {decision.answer}. Review it again to change that.")
    return decision.answer == "correct"


def _rules(
    judge: Judge,
    item: Item,
    targets: list[_Target],
    settled_outputs: list[Known],
    correct: bool,
    wish: Wish,
    outcome: Outcome,
    focus: Focus | None,
) -> Iterator[tuple[RuleField, Rule]]:
    """Make rules for outputs of one item with the same verdict."""
    verdict = "correct" if correct else "incorrect"
    kind: RuleField = "positive_regex" if correct else "negative_regex"
    tokens: RuleField = "positive_tokens" if correct else "negative_tokens"
    if wish.regex is not None:
        yield kind, _checked(judge, item, targets, settled_outputs, kind, _signed(wish.regex, targets, wish))
        return
    waiting = [t for t in targets if t.text is not None and judge.judge(item, t.text).status != verdict]
    if covered := len(targets) - len(waiting):
        outcome.remarks.append(f"{item.id}: the rules say already that {covered} of these are {verdict}")
    if wish.form == "regex" and waiting:
        texts = [t.text or "" for t in waiting]
        pattern = expression_for(judge, item, texts, settled_outputs, correct=correct, focus=focus)
        if pattern:
            changed = with_rules(item, [(kind, Rule(pattern))])
            covered_targets = [t for t in waiting if judge.judge(changed, t.text or "").status == verdict]
            yield kind, _signed(pattern, covered_targets, wish)
            waiting = [t for t in waiting if t not in covered_targets]
        if waiting:
            outcome.remarks.append(
                f"{item.id}: no words about this item separate {plural(len(waiting), 'output')} from "
                f"the {'in' * correct}correct ones. So each becomes a token, which settles only this exact "
                "output"
            )
    for target in waiting:
        assert target.text is not None
        against = [m for m in judge.judge(item, target.text).matches if m.kind.endswith("tokens")]
        if against:
            outcome.remarks.append(
                f"{item.id}: '{short(target.text)}' is a {against[0].kind.partition('_')[0]} token now: "
                "remove that one from the file first"
            )
        elif len(target.text) > _LONGEST_TOKEN:
            outcome.remarks.append(
                f"{item.id}: '{short(target.text)}' is not written: it has {len(target.text):,} characters, "
                f"a token {_LONGEST_TOKEN:,} at most"
            )
        else:
            yield tokens, _signed(target.text, [target], wish)


def _checked(
    judge: Judge,
    item: Item,
    targets: list[_Target],
    settled_outputs: list[Known],
    kind: RuleField,
    rule: Rule,
) -> Rule:
    """Return the rule if it compiles, matches its output, and breaks no known verdict."""
    try:
        compile_rule(rule, matching=judge.suite.matching, macros=dict(judge.suite.macros))
    except ValueError as error:
        raise UsageError(f"bad pattern '{rule.text}' ({error}). Nothing was written.") from None
    broken = broken_by(judge, item, [(kind, rule)], settled_outputs)
    if broken:
        first = broken[0].known
        more = f" and {len(broken) - 1} more" if len(broken) > 1 else ""
        raise UsageError(
            f"'{rule.text}' also matches '{short(first.text)}'{more}, known to be {first.verdict} "
            f"(by {first.by}). Make it narrower; nothing was written."
        )
    changed = with_rules(item, [(kind, rule)])
    for target in targets:
        if target.text is not None and not _applies(judge, changed, target.text, kind, rule):
            raise UsageError(f"'{rule.text}' does not match the output it is for: '{short(target.text)}'.")
    if any(rule.text == old.text for old in getattr(item, kind)):
        raise UsageError(f"{item.id} has the expression '{rule.text}' already.")
    return rule


def _signed(text: str, targets: list[_Target], wish: Wish) -> Rule:
    """Sign a rule with the names of its reviewers, the date and their note."""
    reviews = [
        review
        for target in targets
        if target.decision
        for review in target.decision.latest.values()
        if review.answer == target.decision.answer
    ]
    notes = [review.note for review in reviews if review.note]
    return Rule(
        text,
        author=", ".join(dict.fromkeys(review.reviewer for review in reviews)) or wish.person,
        date=max((review.at[:10] for review in reviews), default=date.today().isoformat()),
        note=wish.note or (notes[0] if notes else ""),
    )


@dataclass(frozen=True, slots=True)
class TriedOutput:
    """An output that the expression would judge differently.

    `by` is the basis of the known verdict: review, token, reference, or another rule.
    """

    text: str
    before: str
    after: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """The effects of an expression: outputs it settles, verdicts it flips, people it contradicts.

    `is_for_target` says whether it matches its target output. The other `tried` outputs are unchanged.
    """

    is_for_target: bool
    settles: Sequence[TriedOutput]
    flips: Sequence[TriedOutput]
    contradicts: Sequence[TriedOutput]
    tried: int

    @property
    def is_acceptable(self) -> bool:  # for templates
        """Whether the rule may be written: it matches its target output and breaks no known verdict."""
        return self.is_for_target and not self.flips and not self.contradicts


def try_expression(
    judge: Judge, item: Item, pattern: str, *, correct: bool, target: str, material: ItemMaterial
) -> RuleTrial:
    """Try an expression on all known outputs of an item, and on its tokens and references.

    `UsageError` if the pattern cannot be compiled.
    """
    kind: RuleField = "positive_regex" if correct else "negative_regex"
    rule = Rule(pattern)
    try:
        compile_rule(rule, matching=judge.suite.matching, macros=dict(judge.suite.macros))
    except ValueError as error:
        raise UsageError(f"bad pattern '{pattern[:200]}' ({error})") from None
    changed = with_rules(item, [(kind, rule)])
    outputs = material.outputs.get(item.id, {})
    # The target output is being judged now, so its known verdict does not matter.
    decisions = {text: said for text, said in material.decisions(item.id).items() if text != target}
    known = known_outputs(judge, item, outputs=outputs, decisions=decisions)
    known = [entry for entry in known if entry.text != target]
    tried = [
        TriedOutput(text, judge.judge(item, text).status, judge.judge(changed, text).status)
        for text in outputs
        if text not in decisions
    ]
    broken = [
        TriedOutput(b.known.text, b.known.verdict, b.status, b.known.by)
        for b in broken_by(judge, item, [(kind, rule)], known)
    ]
    return RuleTrial(
        _applies(judge, changed, target, kind, rule),
        [each for each in tried if each.before in _OPEN and each.after not in _OPEN],
        [each for each in broken if each.by == "rule"],
        [each for each in broken if each.by != "rule"],
        len({*outputs, *(entry.text for entry in known)}),
    )


def _applies(judge: Judge, item: Item, text: str, kind: RuleField, rule: Rule) -> bool:
    return any(match.rule == rule and match.kind == kind for match in judge.judge(item, text).matches)
