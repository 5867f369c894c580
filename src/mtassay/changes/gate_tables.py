"""What came of a gate: as a table, for a terminal, a pull request, a CI server and a program."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from mtassay.changes.gate_rules import Gate
from mtassay.data.display import Block, Cell, Table
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
    """What one rule says of one system in one run; `blocks` are the first of the sentences that prove it."""

    gate: Gate
    step: str
    system: str
    passed: bool
    measured: str
    details: Sequence[str] = ()
    blocks: Sequence[Block] = ()
    more: str = ""
    """How to read the sentences that are not among them."""

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

    def lines(self) -> list[str]:
        """All that is known of it but the sentences."""
        return [f"{self.gate.text}: {self.measured}", *self.details, *([self.more] if self.more else [])]


@dataclass(frozen=True)
class GateReport:
    """Whether everything passed, rule by rule. It is true if so, and shows the sentences if not.

    >>> bool(GateReport([]))
    True
    """

    checks: Sequence[GateCheck]
    notes: Sequence[str] = ()
    alpha: float = 0.05
    tests: int = 0
    """How many alarms were tested together."""

    @property
    def passed(self) -> bool:
        """Whether every rule is kept."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> list[GateCheck]:
        """What was not kept."""
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
        """In a few words how it went."""
        if self.passed:
            return f"passed, {plural(len(self.checks), 'check')}"
        return f"failed, {len(self.failed)} of {plural(len(self.checks), 'check')}"

    def table(self) -> Table:
        """A row for each rule, run and system, what failed first."""
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
        """The table, then what failed with its sentences; in json, tsv, md and latex too."""
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
            told = [_told(check, width), *(_indented(line, width) for line in check.details)]
            parts += [
                "\n".join(told),
                *(block_text(block, width=width, color=color) for block in check.blocks),
                *([textwrap.fill(check.more, width)] if check.more else []),
            ]
        parts += [textwrap.fill(printable(note), width) for note in (*self._about(), *self.notes)]
        return "\n\n".join(parts)

    def markdown(self) -> str:
        """For a pull request: the verdict, the table, and the sentences folded away."""
        parts = [f"### Translation gate {escape_markdown(self.summary)}", to_markdown(self.table())]
        for check in self.failed:
            inside = [*(escape_markdown(line) for line in check.details), *map(block_markdown, check.blocks)]
            inside += [escape_markdown(check.more)] if check.more else []
            if inside:
                title = escape_markdown(check.gate.text)
                body = "\n\n".join(inside)
                parts.append(f"<details><summary>{title}</summary>\n\n{body}\n\n</details>")
        return "\n\n".join(parts) + "\n"

    def junit(self) -> str:
        """JUnit XML: a suite for each step, a test case for each rule and system."""
        root = ElementTree.Element("testsuites", name="mtassay gate")
        total = {"tests": len(self.checks), "failures": len(self.failed)}
        root.attrib |= {key: str(value) for key, value in total.items()}
        for step in dict.fromkeys(check.step for check in self.checks):
            own = [check for check in self.checks if check.step == step]
            failures = sum(not check.passed for check in own)
            suite = ElementTree.SubElement(
                root, "testsuite", name=_xml(step), tests=str(len(own)), failures=str(failures)
            )
            for check in own:
                name, where = _xml(check.gate.text), _xml(f"{step}.{check.system}")
                case = ElementTree.SubElement(suite, "testcase", name=name, classname=where)
                if not check.passed:
                    failure = ElementTree.SubElement(case, "failure", message=_xml(check.measured))
                    blocks = [block_text(block, width=100, color=False) for block in check.blocks]
                    failure.text = "\n\n".join(
                        [
                            "\n".join(map(_xml, check.lines())),
                            *("\n".join(map(_xml, b.split("\n"))) for b in blocks),
                        ]
                    )
        ElementTree.indent(root)
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
        )


def _told(check: GateCheck, width: int) -> str:
    """One check for a terminal: the rule, and below it what was measured."""
    status = "passed" if check.passed else "FAILED"
    where = f"{check.step} · {check.system}"
    lines = textwrap.wrap(
        f"{status}  {printable(check.gate.text)}  ({printable(where)})", width, subsequent_indent=_INDENT
    )
    return "\n".join([*lines, _indented(check.measured, width)])


def _indented(text: str, width: int) -> str:
    return textwrap.fill(printable(text), width, initial_indent=_INDENT, subsequent_indent=_INDENT)


_INDENT = " " * 8


def _xml(text: str) -> str:
    """Text without what XML cannot hold."""
    return re.sub("[\ufffe\uffff]", "\ufffd", printable(text))
