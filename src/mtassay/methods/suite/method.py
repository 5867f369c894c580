"""The suite as a method (Macketanz et al. 2022): items are cases, rules and people judge their outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal

import numpy as np

from mtassay.core import DISPUTED, Case, Finding, Judgement, Method, Output, Result, Segment, Tools, Verdict
from mtassay.formats.suite import Item, Suite
from mtassay.methods.missing import missing
from mtassay.methods.suite.accuracy import Grades, accuracies
from mtassay.methods.suite.judging import Judge, Judged
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

    suite: Suite
    items: Literal["fair", "settled", "both"] = "fair"
    test: Literal["exact", "bootstrap", "z", "t"] = "exact"
    alpha: float = 0.05
    samples: int = 1000
    seed: int | None = 12345
    reviews: bool = True

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
        return Judgement(everything, counts={system: _counts(found) for system, found in findings.items()})

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
        return replace(result, counts=judgement.counts)


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
