"""Behavioural testing as a method: a system passes if it translates a pair and its edit equally well."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from mtassay.core import (
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
    original_of,
)
from mtassay.display import PLAIN, Block, Figure, Line, Table, View
from mtassay.errors import UsageError
from mtassay.languages import parse_pair
from mtassay.method import Method
from mtassay.methods.behavior.asking import cases_of
from mtassay.methods.behavior.blocks import (
    case_block,
    cases_table,
    failure_blocks,
    failures_table,
    worth_a_look,
)
from mtassay.methods.behavior.distinct import distinct_edits
from mtassay.methods.behavior.files import read_cases
from mtassay.methods.behavior.filtering import as_translated, filter_threshold, pair_differences
from mtassay.methods.behavior.ignored import Edit, is_ignored
from mtassay.methods.behavior.judging import (
    MOVED,
    STATUSES,
    TINY,
    Judged,
    judge_pair,
    position,
    reconsider,
)
from mtassay.methods.behavior.meaning import Sought, find_by_meaning
from mtassay.methods.behavior.nouns import segments_of
from mtassay.methods.behavior.pair_quality import PAIR_QUESTIONS
from mtassay.methods.behavior.quality import Translated, qualities, quality_name
from mtassay.methods.behavior.rates import pass_rates
from mtassay.methods.behavior.sweeps import error_positions
from mtassay.methods.behavior.tables import (
    pass_rate_figure,
    pass_rate_table,
    position_table,
    reason_of,
    status_table,
)
from mtassay.methods.behavior.thresholds import Thresholds, caution, is_blind, thresholds_for
from mtassay.methods.behavior.tracing import find_edit
from mtassay.methods.missing import missing
from mtassay.metrics.base import Metric

__all__ = ["BehaviorMethod", "thresholds_of"]

_SIDES = ("original", "edited")


@dataclass(frozen=True)
class BehaviorMethod(Method):
    """Holds translations of originals against references, and those of edits against pseudo-references.

    `quality` are the metrics, by name, that are averaged to measure a translation. A case passes if the
    original has a quality of at least `alpha` and the edit moves it by at most `beta`; where these are not
    given, those of the measure count (see `thresholds`). With `signed` only a loss of quality counts. With
    `filter`, a reference-free metric, cases are skipped whose two pairs differ in quality by more than
    `filter_beta`. `direct` looks for the edit in the translations: where it was provably ignored, the case
    fails whatever its quality; with `meaning` the sentence encoder helps to place errors, which finds a
    little more and takes its time. `level` is that of significance.
    """

    name: ClassVar[str] = "behavior"
    asks: ClassVar[Sequence[Question]] = (
        Question(
            "behavior",
            "Is the translation right? Wrong: it says something else, leaves something out or adds it, or "
            "cannot be understood.",
            {"c": "correct", "w": "wrong"},
            is_blind=True,
            about="the output to the edited source",
        ),
        *PAIR_QUESTIONS.values(),
    )

    pair: str
    quality: Mapping[str, Metric]
    alpha: float | None = None
    beta: float | None = None
    signed: bool = False
    direct: bool = True
    meaning: bool = False
    filter: Mapping[str, Metric] = field(default_factory=dict)
    filter_beta: float | None = None
    level: float = 0.05

    def read(self, source: Any, reference: Any) -> list[Segment]:
        """Both sides of cases that were made before."""
        if reference is not None:
            raise UsageError("Make cases first: mtassay behavior generate.")
        return [segment for case in read_cases(source) for segment in segments_of(case)]

    def cases(self, segments: Iterable[Segment], tools: Tools) -> list[Case]:
        cases = cases_of(segments)
        if not self.filter:
            return cases
        limit = filter_threshold(quality_name(self.filter), self.filter_beta)
        asked = [case for case in cases if case.skip is None]
        differences = pair_differences(self.filter, [_pairs(case) for case in asked], tools)
        unequal = {
            case.id: f"its two pairs are not equally good: {d.quality:.3f} and {d.edited_quality:.3f}"
            for case, d in zip(asked, differences, strict=True)
            if not d.is_within(limit)
        }
        return [case._replace(skip=unequal[case.id]) if case.id in unequal else case for case in cases]

    def judge(
        self, cases: Sequence[Case], outputs: Mapping[str, Sequence[Output]], tools: Tools
    ) -> Judgement:
        asked = [case for case in cases if case.skip is None]
        systems = list(outputs)
        items = [
            Translated(
                str(case.sources[side]),
                case.expect["references"][side],
                tuple(outputs[system][2 * number + side].text for system in systems),
            )
            for number, case in enumerate(asked)
            for side in range(2)
        ]
        measured = qualities(self.quality, items, systems, tools).reshape(-1, 2, len(systems))
        findings: list[Finding] = []
        counts: dict[str, dict[str, int]] = {}
        for column, system in enumerate(systems):
            found = [_skipped(case, system) for case in cases if case.skip is not None]
            answered: list[_Answered] = []
            for number, case in enumerate(asked):
                both = outputs[system][2 * number : 2 * number + 2]
                absent = [side for side in range(2) if both[side].text is None]
                if absent:
                    found.append(_missing(case, system, absent[0], both[absent[0]]))
                else:
                    texts = (str(both[0].text), str(both[1].text))
                    quality, edited = measured[number, :, column].tolist()
                    answered.append(_Answered(case, texts, (quality, edited)))
            found += self._findings(answered, system, tools)
            counts[system] = _counts(found, len(cases))
            findings += found
        return Judgement(findings, counts=counts)

    def score(self, judgement: Judgement, tools: Tools) -> Result:
        return pass_rates(
            judgement.findings,
            list(judgement.counts),
            judgement.counts,
            level=self.level,
            signature=self.signature,
        )

    @classmethod
    def facts(cls, run: Run) -> str:
        return ""

    @classmethod
    def tables(cls, run: Run, view: View = PLAIN) -> list[Table]:
        given = run.parameters
        warning = caution(
            "+".join(given.get("quality") or ()),
            str(given.get("pair", "")),
            alpha=given.get("alpha"),
            beta=given.get("beta"),
            direct=bool(given.get("direct", True)),
        )
        rates = pass_rate_table(
            run.result, alpha=float(given.get("level", 0.05)), mark=view.mark, caution=warning
        )
        positions = position_table(error_positions(run.findings), run.findings)
        return [table for table in (rates, status_table(run), positions) if table]

    @classmethod
    def figures(cls, run: Run, view: View = PLAIN) -> list[Figure]:
        return [pass_rate_figure(run.result, title=str(run.parameters.get("pair", "")))]

    @classmethod
    def blocks(cls, run: Run, view: View = PLAIN) -> list[Block]:
        return failure_blocks(run, view)

    @classmethod
    def cases_table(cls, run: Run, view: View = PLAIN) -> Table | None:
        return failures_table(run, most=view.cases)

    @classmethod
    def finding_blocks(cls, run: Run) -> list[Block]:
        several = len(run.systems) > 1
        return [case_block(finding, show_system=several) for finding in worth_a_look(run)]

    @classmethod
    def findings_table(cls, run: Run, *, everything: bool) -> Table | None:
        shown = run.findings if everything else worth_a_look(run)
        return cases_table(shown, title=f"Findings: {len(shown):,}")

    @classmethod
    def record(cls, run: Run) -> dict[str, Any]:
        findings = [asdict(finding) for finding in run.findings if finding.verdict != "pass"]
        where = [asdict(score) for score in error_positions(run.findings)]
        return {**run.result.as_dict(), "positions": where, "findings": findings}

    @classmethod
    def advice(cls, run: Run, *, is_saved: bool) -> list[str]:
        return [f"other thresholds: mtassay behavior sweep {run.id}"] if is_saved else []

    @classmethod
    def doubts(cls, run: Run) -> list[Doubt]:
        """What is judged is the translation of the edited source: of all cases that fail or are undecided."""
        edits = {original: s.id for s in run.segments if (original := original_of(s)) is not None}
        statuses = {"fail": "suspicious", "undecided": "undecided"}
        return [
            Doubt(edits.get(finding.case_id, ""), finding.system, statuses[finding.verdict])
            for finding in run.findings
            if finding.verdict in statuses
        ]

    @classmethod
    def reviewed(cls, run: Run, case_id: str) -> str:
        edits = (s.id for s in run.segments if original_of(s) == case_id)
        return next(edits, case_id)

    @classmethod
    def case_of(cls, segment: Segment) -> str:
        return original_of(segment) or segment.id

    @classmethod
    def status(cls, findings: Sequence[Finding]) -> str:
        judged = next((f for f in findings if "status" in f.evidence), None)
        return str(judged.evidence["status"]) if judged else super().status(findings)

    @classmethod
    def why(cls, finding: Finding) -> str:
        return reason_of(finding.evidence)

    @classmethod
    def block(cls, run: Run, case_id: str, system: str) -> Block:
        """The case whole, and how its qualities stand to the thresholds; without a verdict, why not."""
        finding = next(f for f in cls.findings(run, case_id) if f.system == system)
        if "status" not in finding.evidence:
            return super().block(run, case_id, system)
        block = case_block(finding)
        so = _compared(run, finding.evidence)
        return replace(block, lines=[*block.lines, Line("why", so)]) if so else block

    @classmethod
    def flags_of(cls, detector: str, findings: Sequence[Finding], missing: Mapping[str, int]) -> Flags:
        """Scores are how bad the original is, or 1 where the edit moved it.

        So the curve of a run shows what other alphas would do with its beta.
        """
        found = super().flags_of(detector, findings, missing)
        scores = {
            (f.case_id, f.system): 1.0 if f.evidence.get("status") in MOVED else 1.0 - float(quality)
            for f in findings
            if (quality := f.evidence.get("quality")) is not None
        }
        return replace(found, scores={**found.scores, **scores}, one_less="alpha")

    @cached_property
    def thresholds(self) -> Thresholds:
        """What is good and what is a difference, for this quality measure."""
        target = parse_pair(self.pair).target.code
        return thresholds_for(quality_name(self.quality), target=target, alpha=self.alpha, beta=self.beta)

    @cached_property
    def signature(self) -> str:
        """All that the verdicts depend on, but for the systems."""
        from mtassay import __version__

        settings: dict[str, object] = {
            "quality": quality_name(self.quality),
            "alpha": f"{self.thresholds.alpha:g}",
            "beta": f"{self.thresholds.beta:g}",
            "signed": "yes" if self.signed else "no",
            "direct": ("meaning" if self.meaning else "words") if self.direct else "no",
            "filter": quality_name(self.filter) or "none",
        }
        if self.filter:
            settings["filter_beta"] = f"{filter_threshold(quality_name(self.filter), self.filter_beta):g}"
        for name, metric in {**self.quality, **self.filter}.items():
            settings[name] = f"[{metric.signature([])}]"
        settings["version"] = f"mtassay-{__version__}"
        return "|".join(f"{key}:{value}" for key, value in settings.items())

    def _findings(self, answered: Sequence[_Answered], system: str, tools: Tools) -> list[Finding]:
        name = quality_name(self.quality)
        alpha, beta = self.thresholds.alpha, self.thresholds.beta
        judged = [
            judge_pair(*each.qualities, alpha=alpha, beta=beta, signed=self.signed) for each in answered
        ]
        blind = [is_blind(name, each.case.tags["capability"]) for each in answered]
        found: dict[int, bool | None] = {}
        if self.direct:
            wanted = [i for i, verdict in enumerate(judged) if blind[i] or verdict.status != "passed"]
            found = {i: answered[i].finds_edit() for i in wanted}
            for i, each in enumerate(answered):
                if each.ignores_edit(self.pair):
                    judged[i], found[i] = Judged("edit ignored"), False
        if self.meaning:
            # The encoder cannot tell what it is blind to.
            unknown = [i for i, answer in found.items() if answer is None and not blind[i]]
            tools.progress("looking for the edits", 0, None)
            found |= zip(unknown, find_by_meaning([answered[i].sought for i in unknown]), strict=True)
        return [
            each.finding(system, reconsider(judged[i], found.get(i)) if blind[i] else judged[i], found.get(i))
            for i, each in enumerate(answered)
        ]


@dataclass(frozen=True, slots=True)
class _Answered:
    """Both translations of a case, with their qualities: of the original, then of the edit."""

    case: Case
    texts: tuple[str, str]
    qualities: tuple[float, float]

    @property
    def sought(self) -> Sought:
        """What to look for, and where."""
        return Sought(self.case.expect["reference_changes"], self.texts[1])

    def finds_edit(self) -> bool | None:
        """Whether the words of the edit are in the translation of the edited source."""
        return find_edit(self.sought.changes, self.case.expect["references"][1], self.texts[1])

    def ignores_edit(self, pair: str) -> bool:
        """Whether the translation of the edited source provably lacks the edit."""
        languages, expect = parse_pair(pair), self.case.expect
        edit = Edit(
            expect["changes"],
            expect["reference_changes"],
            expect["references"],
            distinct_edits(expect["provenance"]),
            languages.source.code,
            languages.target.code,
        )
        return is_ignored(edit, *self.texts)

    def finding(self, system: str, judged: Judged, edit_found: bool | None) -> Finding:
        quality, edited = (None if math.isnan(value) else value for value in self.qualities)
        expect = self.case.expect
        evidence: dict[str, Any] = {
            "status": judged.status,
            "capability": self.case.tags["capability"],
            "quality": quality,
            "edited_quality": edited,
            "source": self.case.sources[0],
            "output": self.texts[0],
            "reference": expect["references"][0],
            "edited_source": self.case.sources[1],
            "edited_output": self.texts[1],
            "pseudo_reference": expect["references"][1],
            "edit": {"source": expect["changes"], "reference": expect["reference_changes"]},
            "edit_found": edit_found,
        }
        if STATUSES[judged.status] == "fail":
            evidence["where"] = position(edit_found)
        if judged.why:
            evidence["why"] = judged.why
        value = None if quality is None or edited is None else quality - edited
        return Finding(self.case.id, system, "behavior", STATUSES[judged.status], value, evidence)


def _pairs(case: Case) -> tuple[Translated, Translated]:
    original, edited = map(as_translated, map(str, case.sources), case.expect["references"])
    return original, edited


def _skipped(case: Case, system: str) -> Finding:
    evidence = {"reason": case.skip, "capability": case.tags["capability"]}
    return Finding(case.id, system, "behavior", "skipped", evidence=evidence)


def _missing(case: Case, system: str, side: int, output: Output) -> Finding:
    absent = missing(output, system)
    evidence = {**absent.evidence, "side": _SIDES[side], "capability": case.tags["capability"]}
    return replace(absent, case_id=case.id, evidence=evidence)


def _counts(found: Sequence[Finding], cases: int) -> dict[str, int]:
    verdicts = Counter(finding.verdict for finding in found)
    statuses = Counter(finding.evidence.get("status") for finding in found)
    places = Counter(finding.evidence.get("where") for finding in found)
    return {
        "cases": cases,
        **{verdict: verdicts[verdict] for verdict in ("pass", "fail", "undecided", "skipped", "error")},
        **{status: statuses[status] for status in ("original is bad", *sorted(MOVED))},
        **{where: places[where] for where in ("at the edit", "elsewhere", "unknown")},
    }


def thresholds_of(run: Run) -> Thresholds:
    """Those that the run was judged with."""
    parameters = run.parameters
    return thresholds_for(
        "+".join(parameters["quality"]),
        target=parse_pair(str(parameters["pair"])).target.code,
        alpha=parameters.get("alpha"),
        beta=parameters.get("beta"),
    )


def _compared(run: Run, evidence: Mapping[str, Any]) -> str:
    """How a case's qualities stand to alpha and beta of its run; empty where a quality is missing."""
    quality, edited = evidence.get("quality"), evidence.get("edited_quality")
    if quality is None or edited is None:
        return ""
    limits, signed = thresholds_of(run), bool(run.parameters.get("signed"))
    moved = edited - quality
    original = "below" if quality < limits.alpha - TINY else "at least"
    edit = "beyond" if (-moved if signed else abs(moved)) > limits.beta + TINY else "within"
    # Three decimals: with two, many a quality below the threshold looks equal to it.
    parts = [
        f"the original's quality {quality:.3f} is {original} alpha {limits.alpha:g}",
        f"the edit moves it by {moved:+.3f}, {edit} beta {limits.beta:g}"
        + (" (only a loss counts)" if signed else ""),
    ]
    if evidence.get("edit_found") is False:
        parts.append("the edit was not found in the translation")
    return "; ".join(parts)
