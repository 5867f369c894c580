r"""Traps in the rules of one item that compile well: rules that undo each other or can never apply.

For example the same expression on both sides, an alternative that a negative expression always hits, or
`\b` between Chinese characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from mtassay.errors import MtassayError
from mtassay.formats.suite import REGEX_FIELDS, RULE_FIELDS, Item, Rule, Suite, expand
from mtassay.languages import parse_pair
from mtassay.methods.suite.examples import PatternExample, examples
from mtassay.methods.suite.judge import Judge
from mtassay.methods.suite.numerals import numbers_in, other_ways
from mtassay.methods.suite.patterns import SearchedText, normalize

__all__ = ["Pitfall", "RulesBesideEachOther", "similar_names"]

_HAN = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_BOUNDARY_BESIDE_HAN = re.compile(rf"\\b(?:\(\?:|[(\[])*[{_HAN}]|[{_HAN}][)\]?*+]*\\b")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# Where an example may stand in an output. What hits it in all of these hits it everywhere.
_SURROUNDINGS = (
    "{}",
    "Qz {} qz.",
    "“Qz, qz: qz {}, qz (qz)!” — qz? 7 qz; qz-qz qz",
    "Qz qz, {}: qz",
    "{} qz, qz: “qz” (qz) — qz? 7! ‘Qz’; qz-qz",
    "‘Qz’ qz, qz: “qz” (qz) — 7! Qz; qz? qz-qz {}",
    "qz{}qz",
)


class Pitfall(NamedTuple):
    """The code of a problem, what is wrong and what to do, and the text of the rule it is about."""

    code: str
    what: str
    rule: str


@dataclass(frozen=True, slots=True)
class RulesBesideEachOther:
    """The rules of an item, all of which compile; `short` cuts texts for messages."""

    judge: Judge
    item: Item
    short: Callable[[str], str]

    def pitfalls(self) -> Iterator[Pitfall]:
        """All there are, those of single rules first."""
        yield from self._single_rules()
        yield from self._twice()
        on_both_sides = set()
        for pitfall in self._both_sides():
            on_both_sides.add(pitfall.rule)
            yield pitfall
        yield from self._hit_alternatives(on_both_sides)
        yield from self._numbers()

    def _single_rules(self) -> Iterator[Pitfall]:
        for name in RULE_FIELDS:
            for rule in getattr(self.item, name):
                if rule.date and not _is_date(rule.date):
                    what = f"the date '{self.short(rule.date)}' is none; write it as 2026-11-15"
                    yield Pitfall("bad-date", what, rule.text)
                if name in REGEX_FIELDS and (match := _BOUNDARY_BESIDE_HAN.search(self._text(rule))):
                    what = (
                        f"'{self.short(rule.text)}' has a \\b beside '{match[0]}', but there is no boundary "
                        "between Chinese or Japanese characters; leave \\b out"
                    )
                    yield Pitfall("boundary-beside-han", what, rule.text)

    def _twice(self) -> Iterator[Pitfall]:
        for name in RULE_FIELDS:
            seen = set()
            for rule in getattr(self.item, name):
                if self._key(rule, name) in seen:
                    what = f"the {_kind(name)} '{self.short(rule.text)}' stands twice; remove one"
                    yield Pitfall("rule-twice", what, rule.text)
                seen.add(self._key(rule, name))

    def _both_sides(self) -> Iterator[Pitfall]:
        negative = {self._key(rule, "negative_regex") for rule in self.item.negative_regex}
        for rule in self.item.positive_regex:
            if self._key(rule, "positive_regex") in negative:
                what = (
                    f"'{self.short(rule.text)}' is positive and negative, so what it matches is never "
                    "settled; remove one"
                )
                yield Pitfall("both-sides", what, rule.text)

    def _hit_alternatives(self, skipped: set[str]) -> Iterator[Pitfall]:
        """Alternatives of positive expressions that a negative one hits wherever they stand."""
        for rule in self.item.positive_regex:
            if rule.text in skipped or not self.item.negative_regex:
                continue
            hits: dict[str, list[PatternExample]] = {}
            for example in examples(self._text(rule)):
                if negative := self._always_hit(rule, example):
                    hits.setdefault(negative.text, []).append(example)
            for negative_text, hit in hits.items():
                more = f" and {len(hit) - 1} more" if len(hit) > 1 else ""
                what = (
                    f"'{self.short(hit[0].first.strip())}'{more} of positive '{self.short(rule.text)}' is "
                    f"always hit by negative '{self.short(negative_text)}' too, so it settles nothing; "
                    "take it out of one"
                )
                yield Pitfall("hit-alternative", what, rule.text)

    def _always_hit(self, rule: Rule, example: PatternExample) -> Rule | None:
        """The first negative expression that matches in all surroundings in which the positive one does."""
        left = [*self.item.negative_regex]
        count = 0
        for surrounding in _SURROUNDINGS:
            for filled in dict.fromkeys(example):
                text = self._searched(surrounding.format(filled))
                if not filled.strip() or not self._matches(rule, text):
                    continue
                count += 1
                left = [negative for negative in left if self._matches(negative, text)]
                if not left:
                    return None
        return left[0] if count > 1 else None

    def _numbers(self) -> Iterator[Pitfall]:
        """Known outputs in which a number must be written one way."""
        try:
            pair = parse_pair(self.item.langpair)
        except MtassayError:
            return
        wanted = numbers_in(self.item.source, pair.source.code)
        said = set()
        known = (*self.item.references, *(token.text for token in self.item.positive_tokens))
        for text in known if wanted else ():
            rule = self._deciding(text)
            for value, written, others in other_ways(text, pair.target.code):
                if rule is None or value not in wanted or value in said:
                    continue
                if not any(self._deciding(other) for other in others):
                    said.add(value)
                    way = "digits" if not written.isdigit() else "words"
                    what = (
                        f"'{self.short(text)}' is correct by '{self.short(rule.text)}', but not with "
                        f"'{written}' in {way}: '{self.short(others[0])}'; let the rule take both"
                    )
                    yield Pitfall("number-one-way", what, rule.text)

    def _deciding(self, text: str) -> Rule | None:
        """The positive expression by which a text is correct, tokens left aside."""
        searched = self._searched(normalize(text, self.judge.suite.matching))
        if any(self._matches(rule, searched) for rule in self.item.negative_regex):
            return None
        return next((rule for rule in self.item.positive_regex if self._matches(rule, searched)), None)

    def _searched(self, text: str) -> SearchedText:
        return SearchedText(normalize(text, self.judge.suite.matching))

    def _matches(self, rule: Rule, text: SearchedText) -> bool:
        try:
            return self.judge.pattern(self.item, rule).search(text) is not None
        except TimeoutError:
            return False

    def _text(self, rule: Rule) -> str:
        return expand(rule.text, self.judge.suite.macros)

    def _key(self, rule: Rule, name: str) -> tuple[str, str, str]:
        """What makes two rules the same."""
        matching = self.judge.suite.matching
        case = rule.case or matching.case
        if name in REGEX_FIELDS:
            return self._text(rule), case, rule.engine
        text = normalize(rule.text, matching)
        return text.casefold() if case == "ignore" else text, case, ""


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return bool(_DATE.match(text))


def _kind(name: str) -> str:
    side, _, kind = name.partition("_")
    return f"{side} {'expression' if kind == 'regex' else 'token'}"


def similar_names(suite: Suite) -> Iterator[tuple[str, Item, str, str]]:
    """Names that differ from an earlier one in case or blanks only: the kind, the item, both names."""
    firsts: dict[tuple[str, str], str] = {}
    said = set()
    for item in suite.items:
        for kind, name in (("category", item.category), ("phenomenon", item.phenomenon), ("id", item.id)):
            first = firsts.setdefault((kind, "".join(name.split()).casefold()), name)
            if first != name and (kind, name) not in said:
                said.add((kind, name))
                yield kind, item, name, first
