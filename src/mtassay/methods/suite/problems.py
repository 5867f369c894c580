"""What is wrong with a suite, before a system is judged by it.

Works on suites that cannot judge yet: with patterns that do not compile and ids that occur twice.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from mtassay.data.display import Table
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.suite_files import own_suites
from mtassay.data.formats.suite_items import (
    REGEX_FIELDS,
    RULE_FIELDS,
    TOKEN_FIELDS,
    Item,
    Rule,
    Suite,
    expand,
    macros_in,
)
from mtassay.data.formats.yaml_editing import cut_texts
from mtassay.data.languages import parse_pair
from mtassay.data.marks import plural
from mtassay.methods.suite.patterns import SearchedText, compile_rule, control_in, normalize
from mtassay.methods.suite.pitfalls import LooseRules, RulesBesideEachOther, battery, similar_names
from mtassay.methods.suite.rule_judge import Judge, JudgedOutput

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of problem; `severity` is the usual one."""

    severity: Severity
    meaning: str


CODES = {
    "bad-pattern": Code("error", "an expression that does not compile"),
    "unknown-macro": Code("error", "an expression with a macro that the suite does not have"),
    "control-character": Code("error", "a pattern, token or source with a character that no output has"),
    "duplicate-id": Code("error", "two items with one id"),
    "both-tokens": Code("error", "an output that is a positive and a negative token"),
    "reference-not-correct": Code("error", "a reference that the rules call wrong or cannot judge"),
    "matches-everything": Code("error", "an expression that matches any sentence"),
    "both-sides": Code("error", "an expression that is positive and negative"),
    "hit-alternative": Code("warning", "a positive alternative that a negative expression always hits"),
    "overlap": Code("warning", "positive and negative expressions that match one known output"),
    "shadowed-token": Code("warning", "a token that an expression judges the other way"),
    "rule-twice": Code("warning", "a rule that occurs twice in an item"),
    "boundary-beside-han": Code("warning", "a word boundary beside Chinese or Japanese characters"),
    "cut-by-comment": Code("warning", "a text without quotes of which YAML takes the end for a comment"),
    "bad-date": Code("warning", "a date of a rule that is not one"),
    "similar-names": Code("warning", "categories, phenomena or ids that differ in case or blanks only"),
    "escaped-token": Code("warning", "a token written like an expression"),
    "only-source-words": Code("warning", "an expression by which a copy of the source is correct"),
    "focus-not-in-source": Code("warning", "a focus that is not in the source"),
    "duplicate-source": Code("warning", "two items that ask and judge the same"),
    "accepts-unrelated": Code("warning", "rules that call an unrelated sentence correct"),
    "no-langpair": Code("warning", "an item without a language pair, or with one that nobody knows"),
    "no-rule": Code("warning", "an item that nothing can judge"),
    "no-items": Code("warning", "a suite without items"),
    "accepts-shuffled": Code("info", "a phenomenon whose rules accept references with shuffled words"),
    "accepts-half": Code("info", "a phenomenon whose rules accept half of a reference"),
    "few-items": Code("info", "a phenomenon with too few items to say much"),
    "never-fires": Code("info", "a rule that applied to no stored output of its item"),
    "unused-macro": Code("info", "a macro that no expression uses"),
    "draft": Code("info", "items that no second person has approved"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with an item, or with the suite where `item` is empty.

    `line` is where the item begins; `rule` is the text of the rule it is about, if it is about one.
    """

    code: str
    what: str
    severity: Severity
    item: str = ""
    line: int | None = None
    rule: str = ""


def problem(
    code: str, what: str, item: Item | None = None, *, rule: str = "", severity: Severity | None = None
) -> Problem:
    """A problem of an item or of the whole suite, as bad as its code says unless told otherwise."""
    severity = severity or CODES[code].severity
    if item is None:
        return Problem(code, what, severity)
    return Problem(code, what, severity, item.id, item.line, rule)


def short(text: str, *, width: int = 60) -> str:
    r"""A text on one line, cut off where it is longer; control characters are shown as escapes.

    >>> short("a rather long text", width=9)
    'a rather…'
    >>> print(short("\bfoo"))
    \x08foo
    """
    text = " ".join(text.split())
    text = "".join(repr(c)[1:-1] if unicodedata.category(c) == "Cc" else c for c in text)
    return text if len(text) <= width else text[: width - 1] + "…"


def read_codes(texts: Collection[str]) -> set[str]:
    """Names of problems or severities, separated by commas; one that there is not is a `UsageError`.

    >>> sorted(read_codes(["bad-pattern, no-rule", "info"]))
    ['bad-pattern', 'info', 'no-rule']
    """
    available = (*CODES, "error", "warning", "info")
    names = {name.strip() for text in texts for name in text.split(",") if name.strip()}
    for name in names:
        if name not in available:
            raise UsageError(f"No problem '{name}'. Available: {', '.join(available)}.")
    return names


@dataclass(frozen=True)
class Problems:
    """The problems of a suite, and where in its file each one is."""

    suite: Suite
    found: Sequence[Problem]

    def only(self, select: Collection[str] = (), ignore: Collection[str] = ()) -> Problems:
        """Those with one of these codes or severities, where there are any, and none of the others."""
        kept = [p for p in self.found if not select or {p.code, p.severity} & set(select)]
        return Problems(self.suite, [p for p in kept if not {p.code, p.severity} & set(ignore)])

    @property
    def has_errors(self) -> bool:
        """Whether a suite with these must not be used."""
        return any(problem.severity == "error" for problem in self.found)

    def lines(self) -> list[str]:
        """Each in a line: where, how bad, its name, what is wrong and what to do; a summary is last."""
        lines = []
        for problem, line in self._placed():
            place = f"{self.suite.path}{f':{line}' if line else ''}"
            item = f" {problem.item}" if problem.item else ""
            lines.append(f"{place}{item}: {problem.severity} {problem.code}: {problem.what}")
        return [*lines, self.summary()]

    def summary(self) -> str:
        """How many items there are, and how many problems of each severity."""
        items = plural(len(self.suite.items), "item")
        if not self.found:
            return f"{items}: no problems found"
        counts = Counter(problem.severity for problem in self.found)
        names: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "remark"}
        return f"{items}: {', '.join(plural(counts[s], name) for s, name in names.items() if counts[s])}"

    def table(self) -> Table:
        """One problem a row."""
        path = self.suite.path
        rows = [[path, str(line or ""), p.item, p.severity, p.code, p.what] for p, line in self._placed()]
        return Table(["File", "line", "item", "severity", "code", "what"], rows)

    def record(self) -> dict[str, Any]:
        """The JSON shape."""
        return {
            "path": self.suite.path,
            "items": len(self.suite.items),
            "counts": Counter(problem.severity for problem in self.found),
            "problems": [{**asdict(problem), "line": line} for problem, line in self._placed()],
        }

    def _placed(self) -> list[tuple[Problem, int | None]]:
        lines = _Lines(self.suite)
        return [(problem, lines.of(problem)) for problem in self.found]


def _file_of(suite: Suite) -> Path:
    """Where a suite was read from."""
    path = Path(suite.path)
    return path if path.exists() else own_suites().get(suite.path, path)


class _Lines:
    """Where in the file a problem is: at its rule if that can be found, else where the item begins."""

    def __init__(self, suite: Suite) -> None:
        path = _file_of(suite)
        self._lines = []
        if path.suffix in (".yaml", ".yml", ".json") and path.exists():
            self._lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        starts = sorted(item.line for item in suite.items if item.line)
        self._ends = dict(pairwise([*starts, len(self._lines) + 1]))
        self._ids = {
            line.split('"')[3]: number
            for number, line in enumerate(self._lines if path.suffix == ".json" else (), 1)
            if line.lstrip().startswith('"id": "')
        }

    def of(self, problem: Problem) -> int | None:
        start = problem.line
        if start is None:
            return self._ids.get(problem.item)
        if problem.rule and self._lines:
            written = (problem.rule, problem.rule.replace("'", "''"), problem.rule.replace("\\", "\\\\"))
            for number in range(start, self._ends.get(start, start)):
                if any(text in self._lines[number - 1] for text in written):
                    return number
        return start


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
        yield from (problem for _, problem in broken)
        bad = {id(rule) for rule, _ in broken}
        good = {name: tuple(r for r in getattr(item, name) if id(r) not in bad) for name in RULE_FIELDS}
        whole = Checked(self.judge, replace(item, **good))  # type: ignore[arg-type]
        for pitfall in RulesBesideEachOther(self.judge, whole.item, short).pitfalls():
            yield problem(pitfall.code, pitfall.what, item, rule=pitfall.rule)
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
            yield problem("no-rule", "no rule; see what systems say: mtassay suite run", item)
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
            if not str(error).startswith("no macro"):
                return "bad-pattern", f"'{short(rule.text)}': {error}"
            return "unknown-macro", f"'{short(rule.text)}': {error}; define it under 'macros:'"
        if control := control_in(text):
            return "control-character", f"'{short(rule.text)}' holds a {control}"
        try:
            pattern = compile_rule(rule, matching=suite.matching, macros=suite.macros)
            pattern.search(SearchedText("é"))  # what is not ASCII has a form of its own
        except ValueError as error:
            return "bad-pattern", f"bad pattern '{short(rule.text)}' ({error}); fix it"
        except TimeoutError:
            pass  # slow, not wrong
        return "", ""

    def _matching_too_much(self) -> Iterator[Problem]:
        item = self.item
        unrelated = battery(item.langpair)
        source = SearchedText(normalize(item.source, self.judge.suite.matching))
        copies = []
        for name in REGEX_FIELDS:
            for rule in getattr(item, name):
                if all(self._matches(rule, SearchedText(text)) for text in unrelated):
                    yield problem(
                        "matches-everything",
                        f"{_side(name)} '{short(rule.text)}' matches {len(unrelated)} unrelated sentences; "
                        f"make it say what it looks for",
                        item,
                        rule=rule.text,
                    )
                elif name == "positive_regex" and self._matches(rule, source):
                    copies.append(rule)
        if copies and not any(self._matches(rule, source) for rule in item.negative_regex):
            yield problem(
                "only-source-words",
                f"positive '{short(copies[0].text)}' matches the source, so words left as they are count as "
                "correct; fine for what is not translated, else add a negative expression",
                item,
                rule=copies[0].text,
            )

    def _matches(self, rule: Rule, text: SearchedText) -> bool:
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
                    f"the reference '{short(reference)}' is {status} ({why}); fix the rules",
                    self.item,
                    severity="warning" if judged.status == "undecided" else "error",
                )

    def _never_fires(self, outputs: Collection[str]) -> Iterator[Problem]:
        texts = [SearchedText(normalize(text, self.judge.suite.matching)) for text in outputs]
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


def _clash(judged: JudgedOutput) -> tuple[str, str]:
    first = {match.kind: match.rule.text for match in reversed(judged.matches)}
    return first["positive_regex"], first["negative_regex"]


def _side(name: str) -> str:
    """`positive` or `negative`."""
    return name.partition("_")[0]


def _more(texts: list[str]) -> str:
    return f" and {len(texts) - 1} more" if len(texts) > 1 else ""


Outputs = Mapping[str, Collection[str]]
"""Outputs that are stored somewhere, by item."""


def lint(
    suite: Suite,
    *,
    outputs: Outputs | None = None,
    min_items: int = 5,
    report: Callable[[int], None] | None = None,
) -> list[Problem]:
    """All problems in the order of the file, most of those of the whole suite first.

    With `outputs`, also the rules that applied to none of them; items without any output are not judged
    by that. `report` is called with the number of items that are done.
    """
    problems = list(_suite_problems(suite, min_items))
    tokens = idle = 0
    sound: list[Item] = []
    for place, item in enumerate(suite.items):
        if report and place % 100 == 0:
            report(place)
        # Judging asks for ids that are unique, so every item is judged by itself.
        checked = Checked(Judge(replace(suite, items=())), item)
        stored = (outputs or {}).get(item.id, ())
        found = list(checked.problems(stored))
        problems += found
        if not any(problem.severity == "error" for problem in found):
            sound.append(item)
        if stored:
            tokens += len(item.positive_tokens) + len(item.negative_tokens)
            idle += checked.idle_tokens(stored)
    if idle:
        what = f"{idle:,} of {tokens:,} tokens equal no stored output; they may be those of other systems"
        problems.append(problem("never-fires", what))
    loose = LooseRules(Judge(replace(suite, items=())), sound, short).problems()
    problems += [problem(code, what, item, rule=rule) for code, what, item, rule in loose]
    return problems


def _suite_problems(suite: Suite, min_items: int) -> Iterator[Problem]:
    if not suite.items:
        yield problem("no-items", f"there are no items yet; add one: mtassay suite add {suite.path}")
    drafts = [item for item in suite.items if item.is_draft]
    if drafts:
        yield problem(
            "draft",
            f"{len(drafts):,} of {len(suite.items):,} items are drafts; a second person approves them: "
            "mtassay suite approve",
        )
    used = {name for text in _all_patterns(suite) for name in macros_in(text)}
    for name in suite.macros:
        if name not in used:
            yield problem("unused-macro", f"no expression uses the macro '{name}'; remove it")
    phenomena = Counter((item.category, item.phenomenon) for item in suite.items)
    for (category, phenomenon), count in phenomena.items():
        if count < min_items:
            items = "1 item" if count == 1 else f"{count} items"
            yield problem("few-items", f"{category} › {phenomenon} has {items}; write {min_items} or more")
    yield from _duplicates(suite)
    for kind, item, name, first in similar_names(suite):
        what = f"the {kind} '{short(name)}' differs from '{short(first)}' in case or blanks only"
        yield problem("similar-names", f"{what}; write both the same way, or rename one", item)
    yield from _cut_texts(suite)


def _cut_texts(suite: Suite) -> Iterator[Problem]:
    """Texts in the YAML file of a suite that end where a comment seems to begin."""
    path = _file_of(suite)
    if path.suffix not in (".yaml", ".yml") or not path.exists():
        return
    items = [item for item in suite.items if item.line]
    for cut in cut_texts(path.read_text(encoding="utf-8", errors="replace"), path=suite.path):
        item = next((item for item in reversed(items) if (item.line or 0) <= cut.line), None)
        what = (
            f"YAML takes '{short(cut.rest)}' after '{short(cut.text)}' for a comment; put the text in quotes"
        )
        found = problem("cut-by-comment", what, item)
        yield replace(found, line=cut.line)


def _all_patterns(suite: Suite) -> Iterator[str]:
    yield from suite.macros.values()
    for item in suite.items:
        for name in REGEX_FIELDS:
            yield from (rule.text for rule in getattr(item, name))


def _duplicates(suite: Suite) -> Iterator[Problem]:
    by_id: dict[str, Item] = {}
    by_source: dict[tuple[str, str, tuple[str, ...]], list[Item]] = {}
    for item in suite.items:
        if (first := by_id.setdefault(item.id, item)) is not item:
            where = f" (line {first.line})" if first.line else ""
            yield problem("duplicate-id", f"the id occurs twice{where}; rename one", item)
        same = by_source.setdefault((item.langpair, item.source, item.context), [])
        equal = [other for other in same if _asks(other) == _asks(item)]
        if double := [other for other in equal if other.phenomenon == item.phenomenon]:
            yield problem(
                "duplicate-source",
                f"asks and judges the same as {double[0].id}: '{short(item.source)}'; remove one",
                item,
            )
        elif equal:
            yield problem(
                "duplicate-source",
                f"asks and judges the same as {equal[0].id} for '{short(equal[0].phenomenon)}': "
                "fine if one form is meant to show both",
                item,
                severity="info",
            )
        elif same:
            yield problem(
                "duplicate-source",
                f"has the source of {same[0].id}, judged by other rules: fine if that is meant",
                item,
                severity="info",
            )
        same.append(item)


def _asks(item: Item) -> tuple[object, ...]:
    """What makes two items with one source the same."""
    return tuple(tuple(rule.text for rule in getattr(item, name)) for name in RULE_FIELDS)
