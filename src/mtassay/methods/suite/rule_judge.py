"""Judges outputs by the rules of their item: correct, incorrect, undecided or conflict.

A token is a whole output that a person settled, so it overrides expressions. Expressions are searched
anywhere in the output. If positive and negative expressions match, the output is a conflict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from mtassay.data.display import Span
from mtassay.data.errors import InputError, MtassayError
from mtassay.data.formats.suite_items import (
    PATTERNS,
    REGEX_FIELDS,
    TOKEN_FIELDS,
    VARIABLE,
    Item,
    Rule,
    RuleField,
    Suite,
    longest_pattern,
)
from mtassay.data.languages import parse_pair
from mtassay.data.marks import marked, printable
from mtassay.data.method import Evidence
from mtassay.data.nouns import DISPUTED, Verdict
from mtassay.methods.suite.patterns import (
    PATIENCE,
    TIMEOUT,
    Costs,
    Pattern,
    SearchedText,
    compile_rule,
    normalize,
)

DETECTOR = "suite"
VERDICTS: Mapping[str, Verdict] = {
    "correct": "pass",
    "incorrect": "fail",
    "undecided": "undecided",
    "conflict": "undecided",
}
STATUSES = (*VERDICTS, "skipped", "error")
"""All statuses of an item: the verdict on its output, or why there is no verdict."""


_SETTLED = "reviewers settled this output"
_DISAGREE = "; reviewers disagree"
_WITHDRAWN = "by the rules: reviewers took their answers back"


@dataclass(frozen=True, slots=True)
class Applied(Evidence):
    """A rule that applied: its kind, its match with the place, and its author's note."""

    kind: str = "rule"
    rule: str = ""
    match: str = ""
    span: Span = (0, 0)
    author: str = ""
    date: str = ""
    note: str = ""

    def written(self) -> Collection[str]:
        return ("kind", "rule", "match", "span")

    @property
    def is_token(self) -> bool:
        """Whether the rule is a whole output that a person settled."""
        return self.kind.endswith("tokens")

    def line(self) -> str:
        """The rule, its match, and its author's note."""
        kind = self.kind.replace("_", " ")
        if self.is_token:
            line = f"{kind.removesuffix('s')}: this very output"
        else:
            what = "right" if kind.startswith("positive") else "wrong"
            match, rule = marked(self.match, limit=100), marked(self.rule, limit=200)
            line = f"'{match}' is {what} ({kind}: {rule})"
        about = [printable(text) for text in (self.note, self.author, self.date) if text]
        return f"{line} ({', '.join(about)})" if about else line


@dataclass(frozen=True, slots=True)
class VerdictEvidence(Evidence):
    """The status of an output and the reason; a missing output has only a reason.

    `matches` has all rules that apply, tokens first. `timed_out` has the rules that took too long.
    `rules_say` is the status that people overruled; `disputed` means that people disagree.

    >>> VerdictEvidence("undecided", "no rule applies").settled_by("correct").as_json()
    {'status': 'correct', 'why': 'reviewers settled this output', 'rules_say': 'undecided'}
    """

    status: str = ""
    why: str = field(default="", metadata={"keys": ("why", "reason")})
    matches: Sequence[Applied] = ()
    timed_out: Sequence[str] = ()
    rules_say: str = ""
    disputed: bool = False

    def written(self) -> Collection[str]:
        return ("status", "why")

    @property
    def verdict(self) -> Verdict:
        """The verdict that follows from the status."""
        return VERDICTS[self.status]

    @property
    def by_rules(self) -> str:
        """The status by the rules only."""
        return self.rules_say or self.status

    @property
    def reason(self) -> str:
        """The reason, and the rules' verdict if people disagreed with it."""
        return f"{self.why}{f'; the rules say {self.rules_say}' if self.rules_say else ''}"

    def settled_by(self, answer: str | None) -> VerdictEvidence:
        """The evidence after people answered `correct` or `incorrect`, or disagreed.

        Their earlier answers do not count any more.
        """
        why = self.why.removesuffix(_DISAGREE)
        rules = VerdictEvidence(
            self.by_rules, _WITHDRAWN if why == _SETTLED else why, self.matches, self.timed_out
        )
        if answer in ("correct", "incorrect"):
            said = rules.status if rules.status != answer else ""
            return replace(rules, status=answer, why=_SETTLED, rules_say=said)
        if answer == DISPUTED:
            return replace(rules, why=f"{rules.why}{_DISAGREE}", disputed=True)
        return rules

    def spans(self, text: str) -> list[Span]:
        """The places where rules matched in this output.

        Rules see the normalised text. If normalising moved a match, its text is searched in the output; a
        match that is not found is not marked.
        """
        spans = []
        for match in self.matches:
            if match.is_token:
                continue  # a token is the whole output
            start, end = match.span
            if match.match and text[start:end] != match.match:
                start = text.find(match.match)
                end = start + len(match.match)
            if start >= 0:
                spans.append((start, end))
        return spans

    def lines(self) -> list[str]:
        """One line for each rule that matched or was too slow."""
        slow = [f"too slow: {marked(rule, limit=200)}" for rule in self.timed_out]
        return [*(match.line() for match in self.matches), *slow]


def is_notable(record: Mapping[str, Any]) -> bool:
    """Whether tables need a note on this output: rules or people disagree, or a rule took too long."""
    return record.get("status") == "conflict" or "disputed" in record or "timed_out" in record


def is_by_people(record: Mapping[str, Any]) -> bool:
    """Whether answers of reviewers are in it."""
    return record.get("why") == _SETTLED or "disputed" in record


Status = Literal["correct", "incorrect", "undecided", "conflict"]
_Tokens = dict[tuple[bool, str], list[tuple[RuleField, Rule]]]


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that applies, and its place in the normalised output."""

    kind: RuleField
    rule: Rule
    start: int
    end: int

    @property
    def is_positive(self) -> bool:
        return self.kind.startswith("positive")


@dataclass(frozen=True, slots=True)
class JudgedOutput:
    """The status of one output and the reason; `matches` has all rules that apply, tokens first."""

    status: Status
    why: str
    text: str
    matches: tuple[Match, ...] = ()
    timed_out: tuple[Rule, ...] = ()

    @property
    def evidence(self) -> VerdictEvidence:
        """The same as evidence of a finding."""
        return VerdictEvidence(
            self.status,
            self.why,
            [_applied(match, self.text) for match in self.matches],
            [rule.text for rule in self.timed_out],
        )


def _applied(match: Match, text: str) -> Applied:
    rule = match.rule
    span = (match.start, match.end)
    return Applied(
        match.kind, rule.text, text[match.start : match.end], span, rule.author, rule.date, rule.note
    )


@dataclass(frozen=True)
class Judge:
    """The rules of a suite, each compiled once, when it is first needed.

    `InputError` if an id occurs twice, since ids identify outputs.
    """

    suite: Suite
    _patterns: dict[tuple[str, str | None, str], Pattern] = field(default_factory=dict, repr=False)
    _tokens: dict[str, _Tokens] = field(default_factory=dict, repr=False)
    _costs: Costs = field(default_factory=Costs, repr=False)

    def __post_init__(self) -> None:
        ids = Counter(item.id for item in self.suite.items)
        if twice := next((item for item in reversed(self.suite.items) if ids[item.id] > 1), None):
            raise InputError(
                f"two items have the id '{twice.id}'. Rename one; 'mtassay suite check' finds all",
                path=self.suite.path,
                line=twice.line,
            )

    @cached_property
    def items(self) -> Mapping[str, Item]:
        """The items by id."""
        return {item.id: item for item in self.suite.items}

    def judge(self, item: Item, output: str) -> JudgedOutput:
        """Judge an output by the rules of its item."""
        text = normalize(output, self.suite.matching)
        if not text.strip():
            return JudgedOutput("incorrect", "the output is empty", text)
        tokens = tuple(self._equal_tokens(item, text))
        if not tokens and self._is_copy(item, text):
            return JudgedOutput("incorrect", "the output is a copy of the source", text)
        slow: list[Rule] = []
        expressions = tuple(self._matching_expressions(item, SearchedText(text), slow))
        kinds = {match.is_positive for match in tokens or expressions}
        if not kinds:
            why = self._slowness if slow else "no rule applies"
            return JudgedOutput("undecided", why, text, timed_out=tuple(slow))
        matches = (*tokens, *expressions)
        if len(kinds) == 2:
            what = "tokens" if tokens else "expressions"
            return JudgedOutput("conflict", f"positive and negative {what} apply", text, matches, tuple(slow))
        if slow and not tokens:
            return JudgedOutput("undecided", self._slowness, text, matches, tuple(slow))
        status: Status = "correct" if kinds == {True} else "incorrect"
        return JudgedOutput(status, _why(tokens, expressions, status), text, matches, tuple(slow))

    @property
    def _slowness(self) -> str:
        if self._costs.seconds_left <= 0:
            return f"slow rules have taken {PATIENCE:g} s, and are not tried any more"
        return f"a rule took longer than {TIMEOUT:g} s"

    def _is_copy(self, item: Item, text: str) -> bool:
        """Whether the output is a copy of the source, and no reference is the same text."""
        if self.suite.matching.copies == "judge" or not self._is_same(text, item.source):
            return False
        if any(self._is_same(text, reference) for reference in item.references):
            return False
        try:
            pair = parse_pair(item.langpair)
        except MtassayError:
            return True
        return pair.source.code != pair.target.code

    def _is_same(self, text: str, other: str) -> bool:
        """Whether two normalised texts are equal, as the suite compares texts."""
        other = normalize(other, self.suite.matching)
        ignore_case = self.suite.matching.case == "ignore"
        return text == other or (ignore_case and text.casefold() == other.casefold())

    def _equal_tokens(self, item: Item, text: str) -> Iterator[Match]:
        if item.id not in self._tokens:
            self._tokens[item.id] = self._index(item)
        for ignore_case, key in ((False, text), (True, text.casefold())):
            for kind, token in self._tokens[item.id].get((ignore_case, key), ()):
                yield Match(kind, token, 0, len(text))

    def _index(self, item: Item) -> _Tokens:
        """The tokens of an item by the text that an output must equal, exactly or in any case."""
        index: _Tokens = {}
        for kind in TOKEN_FIELDS:
            for token in getattr(item, kind):
                ignore_case = (token.case or self.suite.matching.case) == "ignore"
                key = normalize(token.text, self.suite.matching)
                if key.strip():
                    place = (ignore_case, key.casefold() if ignore_case else key)
                    index.setdefault(place, []).append((kind, token))
        return index

    def _matching_expressions(self, item: Item, text: SearchedText, slow: list[Rule]) -> Iterator[Match]:
        for kind in REGEX_FIELDS:
            for rule in getattr(item, kind):
                try:
                    span = self.pattern(item, rule).search(text)
                except TimeoutError:
                    slow.append(rule)
                    continue
                if span:
                    yield Match(kind, rule, span.start, span.end)

    def check(self) -> None:
        """Compile every expression now, to find bad ones before systems are asked."""
        for item in self.suite.items:
            for kind in REGEX_FIELDS:
                for rule in getattr(item, kind):
                    self.pattern(item, rule)

    def pattern(self, item: Item, rule: Rule) -> Pattern:
        """The compiled expression of a rule; `InputError` names the item of a faulty rule."""
        key = (rule.text, rule.case, rule.engine)
        if key not in self._patterns:
            try:
                self._patterns[key] = compile_rule(
                    rule, matching=self.suite.matching, macros=self.suite.macros, costs=self._costs
                )
            except ValueError as error:
                raise InputError(
                    f"item '{item.id}': bad pattern '{rule.text}' ({error}). "
                    f"Fix it; 'mtassay suite check {self.suite.path}' finds all",
                    path=self.suite.path,
                    line=item.line,
                ) from None
            self._costs.steps += self._patterns[key].size
            self._check_steps(item)
        return self._patterns[key]

    def _check_steps(self, item: Item) -> None:
        """Limit the program size: even short patterns can make programs that take much time and memory."""
        limit = PATTERNS * longest_pattern()
        if self._costs.steps > limit:
            raise InputError(
                f"its patterns up to item '{item.id}' make programs of more than {limit:,} steps together."
                f" Make ranges such as {{1,400}} shorter, or raise {VARIABLE}.",
                path=self.suite.path,
                line=item.line,
            )


def _why(tokens: tuple[Match, ...], expressions: tuple[Match, ...], status: Status) -> str:
    if not tokens:
        return f"matches {expressions[0].kind.replace('_', ' ')} {expressions[0].rule.text}"
    why = "a person settled this output"
    against = [match for match in expressions if match.is_positive != (status == "correct")]
    return f"{why}; this wins over the expression {against[0].rule.text}" if against else why
