"""What `suite check` looks for: a name, how bad it is, and what it means."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from mtassay.display import Table
from mtassay.errors import UsageError
from mtassay.formats.suite import Item, Suite, own_suites
from mtassay.texts.marks import plural

__all__ = ["CODES", "Code", "Problem", "Problems", "Severity", "problem", "read_codes", "short"]

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
    "overlap": Code("warning", "positive and negative expressions that match one known output"),
    "shadowed-token": Code("warning", "a token that an expression judges the other way"),
    "escaped-token": Code("warning", "a token written like an expression"),
    "only-source-words": Code("warning", "an expression by which a copy of the source is correct"),
    "focus-not-in-source": Code("warning", "a focus that does not stand in the source"),
    "duplicate-source": Code("warning", "two items that ask and judge the same"),
    "no-langpair": Code("warning", "an item without a language pair, or with one that nobody knows"),
    "no-rule": Code("warning", "an item that nothing can judge"),
    "no-items": Code("warning", "a suite without items"),
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
    known = (*CODES, "error", "warning", "info")
    names = {name.strip() for text in texts for name in text.split(",") if name.strip()}
    for name in names:
        if name not in known:
            raise UsageError(f"No problem '{name}'. Available: {', '.join(known)}.")
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
        """Each in a line: where, how bad, its name, what is wrong and what to do; a summary stands last."""
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


class _Lines:
    """Where in the file a problem is: at its rule if that can be found, else where the item begins."""

    def __init__(self, suite: Suite) -> None:
        where = suite.path
        path = Path(where) if Path(where).exists() else own_suites().get(where, Path(where))
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
