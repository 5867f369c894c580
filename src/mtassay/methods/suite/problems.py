"""Finds problems of a suite before it judges a system.

It also reads suites that cannot judge yet because patterns do not compile or ids are repeated.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
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
)
from mtassay.data.languages import parse_pair
from mtassay.data.marks import plural
from mtassay.methods.suite.patterns import SearchedText, compile_rule, control_in, normalize
from mtassay.methods.suite.pitfalls import LooseRules, battery
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
    "overlap": Code("warning", "positive and negative expressions that match one known output"),
    "shadowed-token": Code("warning", "a token that an expression judges the other way"),
    "rule-twice": Code("warning", "a rule that occurs twice in an item"),
    "only-source-words": Code("warning", "an expression by which a copy of the source is correct"),
    "focus-not-in-source": Code("warning", "a focus that is not in the source"),
    "duplicate-source": Code("warning", "two items that ask and judge the same"),
    "accepts-unrelated": Code("warning", "rules that call an unrelated sentence correct"),
    "no-langpair": Code("warning", "an item without a language pair, or with one that nobody knows"),
    "no-rule": Code("warning", "an item that nothing can judge"),
    "no-items": Code("warning", "a suite without items"),
    "accepts-shuffled": Code("info", "a phenomenon whose rules accept references with shuffled words"),
    "accepts-half": Code("info", "a phenomenon whose rules accept half of a reference"),
    "draft": Code("info", "items that no second person has approved"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of an item, or of the suite if `item` is empty.

    `line` is where the item begins; `rule` is the text of the faulty rule, if any.
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
    """Make a problem of an item or a suite; its default severity is that of its code."""
    severity = severity or CODES[code].severity
    if item is None:
        return Problem(code, what, severity)
    return Problem(code, what, severity, item.id, item.line, rule)


def short(text: str, *, width: int = 60) -> str:
    r"""Shorten a text to one line; control characters are shown as escapes.

    >>> short("a rather long text", width=9)
    'a rather…'
    >>> print(short("\bfoo"))
    \x08foo
    """
    text = " ".join(text.split())
    text = "".join(repr(c)[1:-1] if unicodedata.category(c) == "Cc" else c for c in text)
    return text if len(text) <= width else text[: width - 1] + "…"


def read_codes(texts: Collection[str]) -> set[str]:
    """Read names of problems or severities, separated by commas; `UsageError` for an unknown name.

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
    """The problems of a suite, and their places in its file."""

    suite: Suite
    found: Sequence[Problem]

    def only(self, select: Collection[str] = (), ignore: Collection[str] = ()) -> Problems:
        """Return only problems with one of these codes or severities, if any are given."""
        kept = [p for p in self.found if not select or {p.code, p.severity} & set(select)]
        return Problems(self.suite, [p for p in kept if not {p.code, p.severity} & set(ignore)])

    @property
    def has_errors(self) -> bool:
        """Whether a suite with these problems must not be used."""
        return any(problem.severity == "error" for problem in self.found)

    def lines(self) -> list[str]:
        """One line per problem: place, severity, name, fault and advice; the last line is a summary."""
        lines = []
        for problem, line in self._placed():
            place = f"{self.suite.path}{f':{line}' if line else ''}"
            item = f" {problem.item}" if problem.item else ""
            lines.append(f"{place}{item}: {problem.severity} {problem.code}: {problem.what}")
        return [*lines, self.summary()]

    def summary(self) -> str:
        """The number of items, and of problems by severity."""
        items = plural(len(self.suite.items), "item")
        if not self.found:
            return f"{items}: no problems found"
        counts = Counter(problem.severity for problem in self.found)
        names: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "remark"}
        return f"{items}: {', '.join(plural(counts[s], name) for s, name in names.items() if counts[s])}"

    def table(self) -> Table:
        """One problem per row."""
        path = self.suite.path
        rows = [[path, str(line or ""), p.item, p.severity, p.code, p.what] for p, line in self._placed()]
        return Table(["File", "line", "item", "severity", "code", "what"], rows)

    def record(self) -> dict[str, Any]:
        """The problems as JSON data."""
        return {
            "path": self.suite.path,
            "items": len(self.suite.items),
            "counts": Counter(problem.severity for problem in self.found),
            "problems": [{**asdict(problem), "line": line} for problem, line in self._placed()],
        }

    def _placed(self) -> list[tuple[Problem, int | None]]:
        lines = _Lines(self.suite)
        return [(problem, lines.of(problem)) for problem in self.found]


class _Lines:
    """Finds the line of a problem: its rule's line if that is found, else the start of the item."""

    def __init__(self, suite: Suite) -> None:
        path = Path(suite.path)
        path = path if path.exists() else own_suites().get(suite.path, path)
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


@dataclass(frozen=True, slots=True)
class Checked:
    """Checks a single item."""

    judge: Judge
    item: Item

    def problems(self) -> Iterator[Problem]:
        """All problems of this item."""
        item = self.item
        yield from self._plain_problems()
        broken = list(self._broken())
        yield from (problem for _, problem in broken)
        bad = {id(rule) for rule, _ in broken}
        good = {name: tuple(r for r in getattr(item, name) if id(r) not in bad) for name in RULE_FIELDS}
        whole = Checked(self.judge, replace(item, **good))  # type: ignore[arg-type]
        yield from whole._repeated()
        yield from whole._matching_too_much()
        yield from whole._known_outputs()
        if not broken:
            yield from whole._references()

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

    def _broken(self) -> Iterator[tuple[Rule, Problem]]:
        """Rules that do not compile."""
        for name in REGEX_FIELDS:
            for rule in getattr(self.item, name):
                code, what = self._fault(rule)
                if code:
                    yield rule, problem(code, what, self.item, rule=rule.text)

    def _fault(self, rule: Rule) -> tuple[str, str]:
        """The code and the fault of an expression; both are empty if it compiles."""
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
            pattern.search(SearchedText("é"))  # texts that are not ASCII use another form of the pattern
        except ValueError as error:
            return "bad-pattern", f"bad pattern '{short(rule.text)}' ({error}); fix it"
        except TimeoutError:
            pass  # slow, not wrong
        return "", ""

    def _repeated(self) -> Iterator[Problem]:
        """Rules that occur twice, or as both positive and negative."""
        item = self.item
        for name in RULE_FIELDS:
            texts = [rule.text for rule in getattr(item, name)]
            for text in dict.fromkeys(text for text in texts if texts.count(text) > 1):
                what = f"the rule '{short(text)}' occurs twice; remove one"
                yield problem("rule-twice", what, item, rule=text)
        negative = {rule.text for rule in item.negative_regex}
        for rule in item.positive_regex:
            if rule.text in negative:
                what = f"'{short(rule.text)}' is positive and negative, so it settles nothing; remove one"
                yield problem("both-sides", what, item, rule=rule.text)

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
        """Whether the rules agree on the tokens."""
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


def _clash(judged: JudgedOutput) -> tuple[str, str]:
    first = {match.kind: match.rule.text for match in reversed(judged.matches)}
    return first["positive_regex"], first["negative_regex"]


def _side(name: str) -> str:
    """`positive` or `negative`."""
    return name.partition("_")[0]


def _more(texts: list[str]) -> str:
    return f" and {len(texts) - 1} more" if len(texts) > 1 else ""


def lint(suite: Suite, *, report: Callable[[int], None] | None = None) -> list[Problem]:
    """Find all problems in the order of the file; most problems of the whole suite come first.

    `report` is called with the number of finished items.
    """
    problems = list(_suite_problems(suite))
    sound: list[Item] = []
    for place, item in enumerate(suite.items):
        if report and place % 100 == 0:
            report(place)
        # Judging needs unique ids, so every item is judged separately.
        found = list(Checked(Judge(replace(suite, items=())), item).problems())
        problems += found
        if not any(problem.severity == "error" for problem in found):
            sound.append(item)
    loose = LooseRules(Judge(replace(suite, items=())), sound, short).problems()
    problems += [problem(code, what, item, rule=rule) for code, what, item, rule in loose]
    return problems


def _suite_problems(suite: Suite) -> Iterator[Problem]:
    if not suite.items:
        yield problem("no-items", f"there are no items yet; add one: mtassay suite add {suite.path}")
    drafts = [item for item in suite.items if item.is_draft]
    if drafts:
        yield problem(
            "draft",
            f"{len(drafts):,} of {len(suite.items):,} items are drafts; a second person approves them: "
            "mtassay suite approve",
        )
    yield from _duplicates(suite)


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
    """The key that items with the same source share."""
    return tuple(tuple(rule.text for rule in getattr(item, name)) for name in RULE_FIELDS)
