"""The rules of a gate, and their results: for a terminal, a pull request and a program."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Literal

from mtassay.data.display import Block, Cell, Table
from mtassay.data.errors import UsageError
from mtassay.data.marks import json_text, plural, printable
from mtassay.report.run_text import (
    Form,
    block_markdown,
    block_text,
    escape_markdown,
    to_latex,
    to_markdown,
    to_tsv,
)


@dataclass(frozen=True, slots=True)
class GateCheck:
    """The result of one rule for one system in one run; `blocks` are the first sentences of its evidence."""

    gate: Gate
    step: str
    system: str
    passed: bool
    measured: str
    details: Sequence[str] = ()
    blocks: Sequence[Block] = ()
    more: str = ""
    """How to see the sentences that are not among them."""

    def record(self) -> dict[str, Any]:
        """The JSON shape."""
        return {
            "rule": self.gate.text,
            "step": self.step,
            "system": self.system,
            "passed": self.passed,
            "measured": self.measured,
            "details": list(self.details),
            "more": self.more,
            "cases": [
                {"case": block.title, **{str(line.label): line.text for line in block.lines}}
                for block in self.blocks
            ],
        }


@dataclass(frozen=True)
class GateReport:
    """The result of each rule. It is true if all rules are kept.

    >>> bool(GateReport([]))
    True
    """

    checks: Sequence[GateCheck]
    notes: Sequence[str] = ()
    alpha: float = 0.05
    tests: int = 0
    """The number of alarms that were tested together."""

    @property
    def passed(self) -> bool:
        """Whether every rule is kept."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> list[GateCheck]:
        """The rules that failed."""
        return [check for check in self.checks if not check.passed]

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return self.render()

    def __repr__(self) -> str:
        failed = "".join(f"; {check.gate.text}: {check.measured}" for check in self.failed)
        return f"<GateReport: {self.summary}{failed}>"

    @property
    def summary(self) -> str:
        """A few words on the result."""
        if self.passed:
            return f"passed, {plural(len(self.checks), 'check')}"
        return f"failed, {len(self.failed)} of {plural(len(self.checks), 'check')}"

    def table(self) -> Table:
        """A row for each rule, run and system, failures first."""
        several_steps = len({check.step for check in self.checks}) > 1
        several = len({check.system for check in self.checks}) > 1
        rows: list[list[Cell | str]] = []
        for check in sorted(self.checks, key=lambda check: check.passed):
            where = [*([check.step] if several_steps else []), *([check.system] if several else [])]
            status = Cell("passed") if check.passed else Cell("FAILED", strong=True)
            rows.append([check.gate.text, *where, status, check.measured])
        where = [*(["step"] if several_steps else []), *(["system"] if several else [])]
        return Table(["Rule", *where, "", "measured"], rows, notes=[*self._about(), *self.notes])

    def _about(self) -> list[str]:
        if not self.tests:
            return []
        family = f", corrected for all {self.tests:,} tests of this gate (max-T)" if self.tests > 1 else ""
        return [
            f"Significantly worse: p < {self.alpha:g}, one-sided approximate randomization on the same "
            f"cases{family}: one gate of {1 / self.alpha:.0f} at most raises a false alarm."
        ]

    def record(self) -> dict[str, Any]:
        """The JSON shape."""
        return {
            "passed": self.passed,
            "alpha": self.alpha,
            "tests": self.tests,
            "checks": [check.record() for check in self.checks],
            "notes": list(self.notes),
        }

    def render(self, form: Form = "text", *, width: int = 80, color: bool = False) -> str:
        """The table, then the failures with their sentences; in json, tsv, md and latex too."""
        if form == "json":
            return json_text(self.record(), indent=2)
        if form in ("tsv", "latex"):
            return (to_tsv if form == "tsv" else to_latex)(self.table())
        if form == "md":
            return self.markdown()
        parts = [f"Gate {self.summary}."]
        if kept := [check for check in self.checks if check.passed]:
            parts.append("\n".join(_told(check, width) for check in kept))
        for check in self.failed:
            more = [line for line in check.details if line != check.measured]
            told = [_told(check, width), *(_indented(line, width) for line in more)]
            parts += [
                "\n".join(told),
                *(block_text(block, width=width, color=color) for block in check.blocks),
                *([textwrap.fill(check.more, width)] if check.more else []),
            ]
        parts += [textwrap.fill(printable(note), width) for note in (*self._about(), *self.notes)]
        return "\n\n".join(parts)

    def markdown(self) -> str:
        """Return text for a pull request: the verdict, the table, and the sentences in a folded part."""
        parts = [f"### Translation gate {escape_markdown(self.summary)}", to_markdown(self.table())]
        for check in self.failed:
            inside = [*(escape_markdown(line) for line in check.details), *map(block_markdown, check.blocks)]
            inside += [escape_markdown(check.more)] if check.more else []
            if inside:
                title = escape_markdown(check.gate.text)
                body = "\n\n".join(inside)
                parts.append(f"<details><summary>{title}</summary>\n\n{body}\n\n</details>")
        return "\n\n".join(parts) + "\n"


def _told(check: GateCheck, width: int) -> str:
    """Return one check for a terminal: the rule, and the measured values below it."""
    status = "passed" if check.passed else "FAILED"
    where = f"{check.step} · {check.system}"
    lines = textwrap.wrap(
        f"{status}  {printable(check.gate.text)}  ({printable(where)})", width, subsequent_indent=_INDENT
    )
    return "\n".join([*lines, _indented(check.measured, width)])


def _indented(text: str, width: int) -> str:
    return textwrap.fill(printable(text), width, initial_indent=_INDENT, subsequent_indent=_INDENT)


_INDENT = " " * 8


RuleKind = Literal["limit", "loss", "worse", "new", "broken"]

_NUMBER = r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>%|points?|pp)?"
_THAN = r"(?: than (?:the )?baseline)?"
_WORSE = r"(?:worse|lower|higher|more frequent)"
_MARGIN = r"(?:,? by more than (?P<number>\d+(?:\.\d+)?)(?: points?)?)?"
_LIMIT = re.compile(
    rf"(?:(?P<side>lower|upper) bound of )?(?:the )?(?P<what>.{{1,200}}?) ?(?P<relation>>=|<=|>|<) ?{_NUMBER}"
)
_LOSS = re.compile(
    rf"(?:the )?(?P<what>.{{1,200}}?) not more than {_NUMBER} (?:lower|higher|worse){_THAN}"
    r"(?:,? at (?P<level>\d+(?:\.\d+)?) ?%)?"
)
_NONE_WORSE = re.compile(rf"no (?P<what>.{{1,200}}?) (?:(?:is|are) )?significantly {_WORSE}{_THAN}{_MARGIN}")
_NOT_WORSE = re.compile(
    rf"(?:the )?(?P<what>.{{1,200}}?) (?:(?:is|are) )?not significantly {_WORSE}{_THAN}{_MARGIN}"
)
_NEW = re.compile(rf"no new (?P<what>.{{1,200}}?){_THAN}")
_BROKEN = re.compile(r"no (?:broken (?:case|item)s?|(?:case|item) (?:broke|(?:is )?broken))")
_FORMS = (
    "SCORE >= NUMBER",
    "lower bound of SCORE >= NUMBER",
    "SCORE not more than X lower, at 95 %",
    "SCORE not significantly worse by more than X",
    "no GROUPS significantly worse",
    "no check significantly more frequent",
    "no new DETECTOR findings",
    "no broken cases",
    "undecided <= 5 %",
)
_FIELDS = ("rule", "step", "system")


@dataclass(frozen=True, slots=True)
class Gate:
    """One rule. `step` and `system` limit it; by default it applies everywhere.

    >>> gate = Gate.parse("negation: lower bound of the pass rate >= 0.9")
    >>> gate.kind, gate.group, gate.side, gate.what, gate.number
    ('limit', 'negation', 'lower', 'pass rate', 0.9)
    >>> Gate.parse("no phenomenon significantly worse than the baseline").what
    'phenomenon'
    >>> Gate.parse("bleu goes up")
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: This is no rule: 'bleu goes up'. Write one of: SCORE >= NUMBER · lower \
bound of SCORE >= NUMBER · SCORE not more than X lower, at 95 % · SCORE not significantly worse by more than \
X · no GROUPS significantly worse · no check significantly more frequent · no new DETECTOR findings · no \
broken cases · undecided <= 5 %.
    """

    text: str
    kind: RuleKind
    what: str
    group: str = ""
    relation: str = ""
    number: float = 0.0
    unit: str = ""
    side: str = ""
    level: float | None = None
    margin: float | None = None
    """For an alarm: the tolerated loss; `None` for the default of each score."""
    is_one: bool = False
    """For an alarm: whether it is about one score, not about all groups of a kind."""
    step: str = ""
    system: str = ""

    @classmethod
    def parse(cls, value: str | Mapping[str, Any] | Gate) -> Gate:
        """Parse a rule from text, or from a mapping with `rule` and optionally `step` and `system`."""
        if isinstance(value, Gate):
            return value
        if isinstance(value, Mapping):
            return cls._of_mapping(value)
        if not isinstance(value, str):
            raise UsageError(f"This is no rule: {value!r}. A rule is a text, such as 'bleu >= 30'.")
        text = " ".join(value.split())
        plain = text.rstrip(".").replace("≥", ">=").replace("≤", "<=").replace("\u00a0", " ")
        group, colon, rest = plain.partition(": ")
        rule = rest if colon else plain
        group = group if colon else ""
        if _BROKEN.fullmatch(rule.lower()):
            return cls(text, "broken", "broken cases", group)
        if match := _NEW.fullmatch(rule.lower()):
            return cls(text, "new", match["what"], group)
        if match := _NONE_WORSE.fullmatch(rule.lower()):
            return cls(text, "worse", match["what"], group, margin=_margin(match))
        if match := _match(_NOT_WORSE, rule):
            return cls(text, "worse", match["what"], group, margin=_margin(match), is_one=True)
        if match := _match(_LOSS, rule):
            level = None if match["level"] is None else float(match["level"]) / 100
            if level is not None and not 0.5 < level < 1:
                raise UsageError(f"'{text}': the level must be between 50 and 100 %, such as 'at 95 %'.")
            return cls(text, "loss", match["what"], group, number=float(match["number"]), level=level)
        if match := _match(_LIMIT, rule):
            return cls(
                text,
                "limit",
                match["what"],
                group,
                match["relation"],
                float(match["number"]),
                match["unit"] or "",
                (match["side"] or "").lower(),
            )
        raise UsageError(f"This is no rule: '{text}'. Write one of: {' · '.join(_FORMS)}.")

    @classmethod
    def _of_mapping(cls, value: Mapping[str, Any]) -> Gate:
        if len(value) == 1 and "rule" not in value:  # YAML reads 'negation: accuracy >= 90 %' so
            ((key, rule),) = value.items()
            return cls.parse(f"{key}: {rule}")
        for key in value:
            if key not in _FIELDS:
                near = get_close_matches(str(key), _FIELDS, n=1)
                meant = f" Did you mean '{near[0]}'?" if near else ""
                raise UsageError(f"A rule has no '{key}'.{meant} Available: {', '.join(_FIELDS)}.")
        if "rule" not in value:
            raise UsageError("A rule needs the key 'rule', as in rule: 'bleu >= 30'.")
        step, system = (str(value.get(key) or "") for key in ("step", "system"))
        return replace(cls.parse(value["rule"]), step=step, system=system)

    @property
    def compares(self) -> bool:
        """Whether the rule needs a baseline."""
        return self.kind != "limit"


def _margin(match: re.Match[str]) -> float | None:
    return None if match["number"] is None else float(match["number"])


def _match(form: re.Pattern[str], rule: str) -> re.Match[str] | None:
    return re.fullmatch(form.pattern, rule, flags=re.IGNORECASE)
