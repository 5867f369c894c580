"""The display of a run of a suite, and the questions it asks people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mtassay.data.display import PLAIN, AnswerView, Figure, Headline, Line, Look, Table
from mtassay.data.marks import find_words, plural
from mtassay.data.nouns import Case, Finding, Flags, Ledger, OpenAnswer, Output, Run, Score, Segment
from mtassay.data.run_view import RunView
from mtassay.data.subjects import subjects_in
from mtassay.methods.basis import alarm_table, answer_tables
from mtassay.methods.choice import choice_figures, choice_headlines
from mtassay.methods.headlines import Contest, weakest
from mtassay.methods.repeats import context_table
from mtassay.methods.suite.accuracy import accuracy_ledgers, phenomenon_groups
from mtassay.methods.suite.rule_judge import DETECTOR, VerdictEvidence
from mtassay.methods.suite.suite_tables import (
    accuracy_figure,
    accuracy_tables,
    compared_items,
    item_group,
    status_table,
)


class SuiteView(RunView):
    """A run as people see it: a case is an item of the suite."""

    def facts(self) -> str:
        facts = str(self.run.parameters.get("facts", ""))
        # A run in a list does not know answers that were given since.
        compared = compared_items(self.run.result) if self.run.segments else ""
        return " · ".join(filter(None, (facts, compared)))

    def headlines(self) -> list[Headline]:
        """Compare systems by both averages; weaknesses are categories or phenomena."""
        alpha = float(self.run.parameters.get("alpha", 0.05))
        is_fair = self.run.parameters.get("items") != "settled"
        part = _fair_part(self.run) if is_fair else self.run
        told = [
            headline
            for group, label in (("micro", "share of correct items"), ("macro", "average over categories"))
            for headline in Contest(
                self.run, "accuracy", group, label, "item", alpha, suffix=" %", part=part
            ).headlines()
        ]
        categories = [
            s for s in self.run.result.scores if s.name == "accuracy" and s.group not in ("micro", "macro")
        ]
        phenomena = [s for s in self.run.result.scores if s.name == "accuracy:phenomenon"]
        groups = phenomenon_groups([Case(s.id, s.id, (s.source,), tags=s.tags) for s in self.run.segments])

        def place(score: Score) -> str:
            if score.name == "accuracy":
                return score.group
            return item_group(groups.get(score.group, ""), score.group)

        worst = weakest(
            [*categories, *phenomena],
            lambda s, value, how: f"{s.system} is worst at {s.group}: {value} % correct {how}.",
            group_of=place,
        )
        levels = [
            {
                headline.system: headline
                for headline in weakest(scores, partial(_of_level, what), group_of=place)
            }
            for scores, what in ((phenomena, "single phenomena"), (categories, "categories"))
        ]
        other_level = {
            first.system: next(
                (own[first.system] for own in levels if own.get(first.system, first).group != first.group),
                None,
            )
            for first in worst
        }
        return [
            *told,
            *choice_headlines(self.run, told),
            *(
                replace(first, text=first.text + (other.text if (other := other_level[first.system]) else ""))
                for first in worst
            ),
            *self.open_headlines(),
        ]

    def groups_of(self, segment: Segment) -> list[str]:
        category, phenomenon = (str(segment.tags.get(key, "")) for key in ("category", "phenomenon"))
        return [category, item_group(category, phenomenon)] if category else []

    def answer_view(self, output: Output | None, system: str, findings: Sequence[Finding]) -> AnswerView:
        """Leave out groups, which are properties of items, not of a system's outputs."""
        return replace(super().answer_view(output, system, findings), groups=())

    def source_lines(self, segment: Segment) -> list[Line]:
        """The source, with the words that have the phenomenon marked."""
        context = str(segment.tags.get("context") or "")
        first, *others = super().source_lines(segment) or [Line("source", "")]
        focus = find_words(first.text, list(segment.tags.get("focus", ())))
        return [*([Line("context", context)] if context else []), first._replace(marks=focus), *others]

    def tables(self, look: Look = PLAIN) -> list[Table]:
        result = self.run.result
        flagged = alarm_table(self.run, result.basis.get("checks", {}), detail=look.detail)
        return [
            status_table(result.counts),
            *accuracy_tables(self.run, look),
            *([context] if (context := context_table(self.run)) else []),
            *([flagged] if flagged else []),
            *answer_tables(self),
        ]

    def figures(self, look: Look = PLAIN) -> list[Figure]:
        figure = accuracy_figure(self.run, look, title=str(self.run.parameters.get("facts", "")))
        return [figure, *choice_figures(self)]

    def signatures(self) -> list[str]:
        return [f"accuracy|{signature}" for signature in super().signatures()]

    def advice(self, *, is_saved: bool) -> list[str]:
        counts = self.run.result.counts.values()
        if not (still_open := sum(c.get("undecided", 0) + c.get("conflict", 0) for c in counts)):
            return []
        subjects = subjects_in(self.run)
        different = {
            subjects[finding.case_id, finding.system]
            for finding in self.run.findings
            if finding.verdict == "undecided" and (finding.case_id, finding.system) in subjects
        }
        many = plural(still_open, "output")
        if 0 < len(different) < still_open:
            many += f" ({len(different):,} different)"
        how = f"mtassay review next {self.run.id}" if is_saved else "leave out --no-save; mtassay review next"
        return [
            f"{many} {'is' if still_open == 1 else 'are'} not settled. To settle: {how}",
            "or in a browser: mtassay serve",
        ]

    def title(self) -> str:
        return str(self.run.parameters.get("suite") or "").rpartition(" (")[0]

    def test_set(self) -> str:
        """The name of the suite, which may have new items now."""
        return self.title() or super().test_set()

    def ledgers(self, system: str) -> list[Ledger]:
        """Counts of categories and their averages, and of phenomena."""
        return accuracy_ledgers(self.run.findings, self.run.segments, system)

    def open_answers(self) -> list[OpenAnswer]:
        """Outputs that rules leave undecided or in conflict, even if people settled them later."""
        with_evidence = [(f, VerdictEvidence.of(f)) for f in self.run.findings]
        return [
            OpenAnswer(f.case_id, f.system, evidence.by_rules, f.evidence)
            for f, evidence in with_evidence
            if evidence.by_rules in ("undecided", "conflict")
            and (f.verdict == "undecided" or evidence.rules_say)
        ]

    def waiting(self) -> list[OpenAnswer]:
        """Verdicts follow people's decisions."""
        undecided = {(f.case_id, f.system) for f in self.run.findings if f.verdict == "undecided"}
        return [answer for answer in self.open_answers() if answer[:2] in undecided]

    def rules_file(self) -> str:
        return str(self.run.parameters.get("suite_path") or "")

    def decided(self) -> list[OpenAnswer]:
        """The verdicts of the rules, even if people overruled them later."""
        said = [(f, VerdictEvidence.of(f).by_rules) for f in self.run.findings]
        return [
            OpenAnswer(f.case_id, f.system, status)
            for f, status in said
            if status in ("correct", "incorrect")
        ]

    def flags_of(self, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """Count outputs that people settled as open; else people's verdicts are compared with themselves."""
        return super().flags_of(
            detector,
            [replace(f, verdict="undecided") if VerdictEvidence.of(f).rules_say else f for f in findings],
            missing,
        )

    def status(self, findings: Sequence[Finding]) -> str:
        first = next((status for f in findings if (status := VerdictEvidence.of(f).status)), "")
        return first or super().status(findings)

    def why(self, finding: Finding) -> str:
        return VerdictEvidence.of(finding).reason if finding.detector == DETECTOR else super().why(finding)

    def output_lines(self, text: str, evidence: Mapping[str, Any]) -> list[Line]:
        """The output with the matches of rules marked, followed by the rules."""
        verdict = VerdictEvidence.read(evidence)
        return [Line("output", text, verdict.spans(text)), *(Line("", line) for line in verdict.lines())]

    def reasons(self, finding: Finding) -> list[str]:
        why, rules = self.why(finding), VerdictEvidence.of(finding).lines()
        # The lines of the rules say the same, with places.
        return rules if why.startswith("matches ") and rules else [why, *rules]


def _of_level(what: str, score: Score, value: str, how: str) -> str:
    """A system's worst category or phenomenon."""
    return f" Of {what} at {score.group}: {value} % {how}."


def _fair_part(run: Run) -> Run:
    """The part of the run with only the items that are settled for all systems."""
    settled = Counter(f.case_id for f in run.findings if f.verdict in ("pass", "fail"))
    findings = [f for f in run.findings if settled[f.case_id] == len(run.systems)]
    return replace(run, findings=findings)
