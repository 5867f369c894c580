"""The suite as a method (Macketanz et al. 2022): items are cases, rules and people judge their outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal

import numpy as np

from mtassay.core import (
    DISPUTED,
    Case,
    Doubt,
    Finding,
    Flags,
    Judgement,
    Output,
    Question,
    Result,
    Run,
    Segment,
    Tools,
    Verdict,
)
from mtassay.display import PLAIN, Figure, Line, Table, View
from mtassay.formats.suite import Item, Suite
from mtassay.languages import Pair, parse_pair
from mtassay.method import Method
from mtassay.methods.missing import missing
from mtassay.methods.suite.accuracy import Grades, accuracies, costliest
from mtassay.methods.suite.judging import Judge, Judged, match_spans, rule_lines
from mtassay.methods.suite.tables import accuracy_figure, accuracy_tables, status_table
from mtassay.reviews import Subject

__all__ = [
    "DETECTOR",
    "QUESTION",
    "STATUSES",
    "SuiteMethod",
    "case_of",
    "grades_of",
    "segment_of",
    "status_of",
]

DETECTOR = "suite"
QUESTION = "suite"
"""What reviewers are asked about an output: is the phenomenon right? They answer correct or incorrect."""

_VERDICTS: dict[str, Verdict] = {
    "correct": "pass",
    "incorrect": "fail",
    "undecided": "undecided",
    "conflict": "undecided",
}
_SOME = 5  # names in a note
STATUSES = (*_VERDICTS, "skipped", "error")
"""What can become of an item: what its output is judged to be, or why there is none."""


@dataclass(frozen=True)
class SuiteMethod(Method):
    """Judges outputs of the items of a suite, and compares systems by their accuracy.

    `items` says which items count: those settled for all systems (fair), for each system those settled
    for it, or both, one after the other. `test` compares each system with the best. Without `reviews`,
    only the rules of the file judge.
    """

    name: ClassVar[str] = "suite"
    asks: ClassVar[Sequence[Question]] = (
        Question(QUESTION, "Is the phenomenon translated right?", {"c": "correct", "i": "incorrect"}),
    )

    suite: Suite
    items: Literal["fair", "settled", "both"] = "fair"
    test: Literal["exact", "bootstrap", "z", "t"] = "exact"
    alpha: float = 0.05
    samples: int = 1000
    seed: int | None = 12345
    reviews: bool = True

    @cached_property
    def segments(self) -> list[Segment]:
        """The items as lines of a test set."""
        return [segment_of(item) for item in self.suite.items]

    @cached_property
    def pair(self) -> Pair | None:
        """The language pair, where all items have the same."""
        pairs = {item.langpair for item in self.suite.items}
        return parse_pair(pairs.pop()) if len(pairs) == 1 and "" not in pairs else None

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.suite)

    def cases(self, segments: Iterable[Segment], tools: Tools) -> list[Case]:
        self._judge.check()
        items = self._judge.items
        return [
            case_of(items[s.id]) if s.id in items else Case(s.id, s.id, (s.source,), skip="not in the suite")
            for s in segments
        ]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> Judgement:
        judge = self._judge
        decisions = tools.decisions(QUESTION) if self.reviews else {}
        asked = [case for case in cases if case.skip is None]
        findings: dict[str, list[Finding]] = {system: [] for system in outputs}
        for place, case in enumerate(asked):
            if place % 200 == 0:
                tools.progress("judging", place, len(asked))
            known: dict[str, _Settled] = {}  # systems often agree to the letter
            for system, answers in outputs.items():
                text = answers[place].text
                if text is None:
                    findings[system].append(missing(answers[place], system))
                    continue
                if text not in known:
                    known[text] = _settle(judge.judge(judge.items[case.id], text), case, text, decisions)
                settled = known[text]
                findings[system].append(
                    Finding(case.id, system, DETECTOR, settled.verdict, evidence=settled.evidence)
                )
        everything = [finding for found in findings.values() for finding in found]
        return Judgement(
            everything,
            counts={system: _counts(found) for system, found in findings.items()},
            notes=[f"{' and '.join(names)} gave the same outputs." for names in _twins(outputs)],
        )

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        tools.progress("significance", 0, None)
        found = {finding.case_id for finding in judgement.findings}
        cases = [case_of(item) for item in self.suite.items if item.id in found]
        grades = grades_of(judgement.findings, cases, list(judgement.counts))
        compare = partial(
            accuracies, grades, test=self.test, alpha=self.alpha, samples=self.samples, seed=self.seed
        )
        result = compare(items="settled" if self.items == "settled" else "fair")
        if self.items == "both":
            own = compare(items="settled")
            result = Result(
                scores=[*result.scores, *(_renamed(score) for score in own.scores)],
                comparisons=[*result.comparisons, *(_renamed(c) for c in own.comparisons)],
                clusters=[*result.clusters, *(_renamed(cluster) for cluster in own.clusters)],
            )
        notes = [*_open_questions(judgement.findings), *judgement.notes]
        cost = costliest(grades)
        if cost and cost.without > 1.1 * cost.fair and self.items != "settled":
            notes.append(
                f"{cost.system} leaves {cost.unsettled:,} items open: without it {cost.without:,} items "
                f"could be compared instead of {cost.fair:,}."
            )
        return replace(result, counts=judgement.counts, notes=notes)

    def parameters(self) -> dict[str, Any]:
        return {**super().parameters(), "facts": self.about}

    @property
    def about(self) -> str:
        """What is judged, in a line."""
        items = self.suite.items
        pairs = {item.langpair for item in items}
        facts = [self.suite.name] if self.suite.name else []
        facts += [pair for pair in pairs if len(pairs) == 1 and pair and pair not in self.suite.name]
        facts.append(_plural(len(items), "item", "items"))
        facts.append(_plural(len({item.category for item in items}), "category", "categories"))
        phenomena = {(item.category, item.phenomenon) for item in items}
        facts.append(_plural(len(phenomena), "phenomenon", "phenomena"))
        if drafts := sum(item.is_draft for item in items if item.author):
            facts.append(_plural(drafts, "draft", "drafts"))
        return " · ".join(facts)

    @classmethod
    def facts(cls, run: Run) -> str:
        return str(run.parameters.get("facts", ""))

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        return [status_table(run.result.counts), *accuracy_tables(run, view)]

    @classmethod
    def figures(cls, run: Run, view: View = PLAIN) -> list[Figure]:
        return [accuracy_figure(run, view, title=cls.facts(run))]

    @classmethod
    def signatures(cls, run: Run) -> list[str]:
        return [f"accuracy|{signature}" for signature in super().signatures(run)]

    @classmethod
    def advice(cls, run: Run, *, is_saved: bool) -> list[str]:
        counts = run.result.counts.values()
        if not (still_open := sum(c.get("undecided", 0) + c.get("conflict", 0) for c in counts)):
            return []
        how = f"mtassay review next {run.id}" if is_saved else "add --save, then: mtassay review next"
        return [f"{_plural(still_open, 'output is', 'outputs are')} not settled. To settle: {how}"]

    @classmethod
    def doubts(cls, run: Run) -> list[Doubt]:
        """What no rule settles, or rules of both kinds claim, even if people settled it since."""
        said = [(f, str(f.evidence.get("rules_say") or f.evidence.get("status") or "")) for f in run.findings]
        return [
            Doubt(f.case_id, f.system, status, f.evidence)
            for f, status in said
            if status in ("undecided", "conflict") and (f.verdict == "undecided" or "rules_say" in f.evidence)
        ]

    @classmethod
    def flags_of(cls, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """What people settled must not be held against their own words: the rules had left it open."""
        return super().flags_of(
            detector,
            [replace(f, verdict="undecided") if "rules_say" in f.evidence else f for f in findings],
            missing,
        )

    @classmethod
    def status(cls, findings: Sequence[Finding]) -> str:
        judged = next((f for f in findings if "status" in f.evidence), None)
        return str(judged.evidence["status"]) if judged else super().status(findings)

    @classmethod
    def why(cls, finding: Finding) -> str:
        if finding.detector != DETECTOR:
            return super().why(finding)
        before = finding.evidence.get("rules_say")
        return f"{finding.evidence['why']}{f'; the rules say {before}' if before else ''}"

    @classmethod
    def output_lines(cls, text: str, evidence: Mapping[str, Any]) -> list[Line]:
        """What rules matched is marked; the rules follow."""
        hints = [Line("", line) for line in rule_lines(evidence)]
        return [Line("output", text, match_spans(text, evidence)), *hints]

    @classmethod
    def reasons(cls, finding: Finding) -> list[str]:
        why, rules = cls.why(finding), rule_lines(finding.evidence)
        # The rules say the same, and where.
        return rules if why.startswith("matches ") and rules else [why, *rules]


def grades_of(findings: Sequence[Finding], cases: Sequence[Case], systems: Sequence[str]) -> Grades:
    """What every system got on every case that was asked, from the findings of a run."""
    asked = [case for case in cases if case.skip is None]
    rows = {case.id: place for place, case in enumerate(asked)}
    columns = {system: place for place, system in enumerate(systems)}
    values = np.full((len(rows), len(columns)), -1, dtype=np.int8)
    grade = {"pass": 1, "fail": 0}
    for finding in findings:
        if finding.verdict in grade:
            values[rows[finding.case_id], columns[finding.system]] = grade[finding.verdict]
    return Grades(asked, list(columns), values)


def status_of(finding: Finding) -> str:
    """`correct`, `incorrect`, `undecided` or `conflict`; without an output `skipped` or `error`."""
    return str(finding.evidence["status"] if finding.detector == DETECTOR else finding.verdict)


@dataclass(frozen=True, slots=True)
class _Settled:
    verdict: Verdict
    evidence: Mapping[str, Any]


def _settle(judged: Judged, case: Case, text: str, decisions: Mapping[str, str]) -> _Settled:
    """What the rules say, or a person who looked at this very output."""
    evidence = judged.evidence
    answer = decisions.get(Subject(case.id, case.sources, (text,)).id) if decisions else None
    if answer in ("correct", "incorrect"):
        rules = {"rules_say": judged.status} if judged.status != answer else {}
        evidence = {**evidence, "status": answer, "why": "reviewers settled this output", **rules}
    elif answer == DISPUTED:
        evidence = {**evidence, "disputed": True}
        evidence["why"] += "; reviewers disagree"
    return _Settled(_VERDICTS[evidence["status"]], evidence)


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    counts = dict.fromkeys(STATUSES, 0)
    for finding in findings:
        counts[status_of(finding)] += 1
    return counts


def _open_questions(findings: Sequence[Finding]) -> list[str]:
    """What a reader of the tables must know of the rules: conflicts, disputes, those that are too slow."""
    judged = [f for f in findings if f.detector == DETECTOR]
    conflicts = [f"{f.case_id} ({f.system})" for f in judged if f.evidence["status"] == "conflict"]
    disputed = list(dict.fromkeys(f.case_id for f in judged if f.evidence.get("disputed")))
    slow = list(dict.fromkeys(f.case_id for f in judged if f.evidence.get("timed_out")))
    notes = [f"Watch out: rules contradict each other: {_some(conflicts)}."] if conflicts else []
    if disputed:
        notes.append(f"Reviewers disagree: {_some(disputed)}. See: mtassay review agreement --disputed")
    if slow:
        notes.append(f"Rules took too long and settled nothing: {_some(slow)}.")
    return notes


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SOME} more" if len(names) > _SOME else ""
    return f"{', '.join(names[:_SOME])}{more}"


def _twins(outputs: Mapping[str, Sequence[Output]]) -> list[list[str]]:
    """Systems that answered everything alike: likely one system under two names."""
    same: dict[tuple[str | None, ...], list[str]] = {}
    for system, answers in outputs.items():
        same.setdefault(tuple(answer.text for answer in answers), []).append(system)
    return [names for texts, names in same.items() if len(names) > 1 and any(texts)]


def _plural(number: int, word: str, many: str) -> str:
    return f"{number:,} {word if number == 1 else many}"


def _renamed(entry: Any) -> Any:
    return replace(entry, name=f"{entry.name}:settled")


def segment_of(item: Item) -> Segment:
    """An item as a line of a test set."""
    return Segment(item.id, item.source, item.references, tags=_tags(item))


def case_of(item: Item) -> Case:
    """An item as something to ask."""
    return Case(item.id, item.id, (item.source,), tags=_tags(item))


def _tags(item: Item) -> dict[str, Any]:
    tags = {
        "category": item.category,
        "phenomenon": item.phenomenon,
        "focus": list(item.focus),
        "context": " ".join(item.context),
        "note": item.note,
        "tags": list(item.tags),
    }
    return {key: value for key, value in tags.items() if value}
