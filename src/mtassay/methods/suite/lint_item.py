"""Finds what is wrong with one item of a suite: its fields, its rules, and what they say of known outputs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from mtassay.errors import MtassayError
from mtassay.formats.suite import REGEX_FIELDS, RULE_FIELDS, TOKEN_FIELDS, Item, Rule, expand
from mtassay.languages import parse_pair
from mtassay.methods.suite.batteries import battery
from mtassay.methods.suite.judging import Judge, Judged
from mtassay.methods.suite.patterns import Text, compile_rule, control_in, normalize
from mtassay.methods.suite.problems import Problem, problem, short

__all__ = ["Checked"]

_ESCAPE = re.compile(r"\\[.?()\[\]|*+^$bBwWsSdD{}/-]")


@dataclass(frozen=True, slots=True)
class Checked:
    """One item, looked at by itself."""

    judge: Judge
    item: Item

    def problems(self, outputs: Collection[str]) -> Iterator[Problem]:
        """All problems; with stored outputs also the rules that applied to none of them."""
        item = self.item
        yield from self._plain_problems()
        broken = list(self._broken())
        yield from (found for _, found in broken)
        bad = {id(rule) for rule, _ in broken}
        good = {name: tuple(r for r in getattr(item, name) if id(r) not in bad) for name in RULE_FIELDS}
        whole = Checked(self.judge, replace(item, **good))  # type: ignore[arg-type]
        yield from whole._matching_too_much()
        yield from whole._known_outputs()
        if not broken:
            yield from whole._references()
        if outputs:
            yield from whole._never_fires(outputs)

    def _plain_problems(self) -> Iterator[Problem]:
        item = self.item
        if not item.langpair:
            yield problem("no-langpair", "no language pair; write 'langpair: SRC-TGT' at the top", item)
        else:
            try:
                parse_pair(item.langpair)
            except MtassayError as error:
                yield problem("no-langpair", str(error), item, severity="error")
        if not item.has_rules:
            yield problem("no-rule", "no rule; see what systems say: mtassay suite sample", item)
        for words in item.focus:
            if words.casefold() not in item.source.casefold():
                yield problem("focus-not-in-source", f"the focus '{words}' is not in the source", item)
        texts = [("source", item.source)]
        texts += [("token", rule.text) for rule in (*item.positive_tokens, *item.negative_tokens)]
        for kind, text in texts:
            if control := control_in(text):
                yield problem("control-character", f"the {kind} '{short(text)}' holds a {control}", item)
        for name in TOKEN_FIELDS:
            for rule in getattr(item, name):
                if escape := _ESCAPE.search(rule.text):
                    yield problem(
                        "escaped-token",
                        f"the token '{short(rule.text)}' has a '{escape[0]}', but tokens are whole outputs "
                        "and no expressions; write it as an output looks",
                        item,
                        rule=rule.text,
                    )

    def _broken(self) -> Iterator[tuple[Rule, Problem]]:
        """Rules that do not compile."""
        for name in REGEX_FIELDS:
            for rule in getattr(self.item, name):
                code, what = self._fault(rule)
                if code:
                    yield rule, problem(code, what, self.item, rule=rule.text)

    def _fault(self, rule: Rule) -> tuple[str, str]:
        """What is wrong with an expression, its code first; both empty if it compiles."""
        suite = self.judge.suite
        try:
            text = expand(rule.text, suite.macros)
        except ValueError as error:
            return "unknown-macro", f"'{short(rule.text)}': {error}; define it under 'macros:'"
        if control := control_in(text):
            return "control-character", f"'{short(rule.text)}' holds a {control}"
        try:
            pattern = compile_rule(rule, matching=suite.matching, macros=suite.macros)
            pattern.search(Text("é"))  # what is not ASCII has a form of its own
        except ValueError as error:
            return "bad-pattern", f"bad pattern '{short(rule.text)}' ({error}); fix it"
        except TimeoutError:
            pass  # slow, not wrong
        return "", ""

    def _matching_too_much(self) -> Iterator[Problem]:
        item = self.item
        unrelated = battery(item.langpair)
        source = Text(normalize(item.source, self.judge.suite.matching))
        copies = []
        for name in REGEX_FIELDS:
            for rule in getattr(item, name):
                if all(self._matches(rule, Text(text)) for text in unrelated):
                    yield problem(
                        "matches-everything",
                        f"{_side(name)} '{short(rule.text)}' matches {len(unrelated)} unrelated sentences; "
                        f"make it say what it looks for",
                        item,
                        rule=rule.text,
                    )
                elif name == "positive_regex" and self._matches(rule, source):
                    copies.append(rule)
        if copies and self.judge.judge(item, item.source).status == "correct":
            yield problem(
                "only-source-words",
                f"positive '{short(copies[0].text)}' matches the source, so a copy of it is correct; "
                "fine for what is not translated, else add a negative expression",
                item,
                rule=copies[0].text,
            )

    def _matches(self, rule: Rule, text: Text) -> bool:
        try:
            return self.judge.pattern(self.item, rule).search(text) is not None
        except TimeoutError:
            return False

    def _known_outputs(self) -> Iterator[Problem]:
        """Tokens: do the rules agree about them?"""
        item = self.item
        overlaps: dict[tuple[str, str], list[str]] = {}
        shadowed: list[tuple[str, Rule, str]] = []
        for name in TOKEN_FIELDS:
            for token in getattr(item, name):
                judged = self.judge.judge(item, token.text)
                kinds = {match.kind for match in judged.matches}
                if kinds >= set(TOKEN_FIELDS):
                    if name == "positive_tokens":
                        what = f"'{short(token.text)}' is a positive and a negative token; remove one"
                        yield problem("both-tokens", what, item, rule=token.text)
                elif kinds >= set(REGEX_FIELDS):
                    overlaps.setdefault(_clash(judged), []).append(token.text)
                elif against := [match for match in judged.matches if _side(match.kind) != _side(name)]:
                    shadowed.append((_side(name), token, against[0].rule.text))
        for (positive, negative), texts in overlaps.items():
            yield problem(
                "overlap",
                f"positive '{short(positive)}' and negative '{short(negative)}' both match "
                f"'{short(texts[0])}'{_more(texts)}; make one narrower",
                item,
                rule=positive,
            )
        for side, token, pattern in shadowed:
            yield problem(
                "shadowed-token",
                f"the {side} token '{short(token.text)}' is judged the other way by '{short(pattern)}'; "
                "the token wins, but one of them may be wrong",
                item,
                rule=token.text,
            )

    def _references(self) -> Iterator[Problem]:
        if not self.item.has_rules:
            return
        for reference in self.item.references:
            judged = self.judge.judge(self.item, reference)
            if judged.status != "correct":
                why = judged.why
                status = "in conflict" if judged.status == "conflict" else judged.status
                if judged.status == "conflict" and {match.kind for match in judged.matches} >= set(
                    REGEX_FIELDS
                ):
                    why = "positive '{}' and negative '{}' both match".format(*map(short, _clash(judged)))
                yield problem(
                    "reference-not-correct",
                    f"the reference '{short(reference)}' is {status} ({why}); mend the rules",
                    self.item,
                    severity="warning" if judged.status == "undecided" else "error",
                )

    def _never_fires(self, outputs: Collection[str]) -> Iterator[Problem]:
        texts = [Text(normalize(text, self.judge.suite.matching)) for text in outputs]
        count = f"{len(texts)} stored output{'s' * (len(texts) != 1)}"
        for name in REGEX_FIELDS:
            for rule in getattr(self.item, name):
                if not any(self._matches(rule, text) for text in texts):
                    what = f"{_side(name)} '{short(rule.text)}' matches none of {count}"
                    yield problem("never-fires", what, self.item, rule=rule.text)

    def idle_tokens(self, outputs: Collection[str]) -> int:
        """How many tokens equal none of these outputs."""
        tokens_only = replace(self.item, positive_regex=(), negative_regex=())
        fired = {match.rule for text in outputs for match in self.judge.judge(tokens_only, text).matches}
        return sum(rule not in fired for rule in (*self.item.positive_tokens, *self.item.negative_tokens))


def _clash(judged: Judged) -> tuple[str, str]:
    first = {match.kind: match.rule.text for match in reversed(judged.matches)}
    return first["positive_regex"], first["negative_regex"]


def _side(name: str) -> str:
    """`positive` or `negative`."""
    return name.partition("_")[0]


def _more(texts: list[str]) -> str:
    return f" and {len(texts) - 1} more" if len(texts) > 1 else ""
