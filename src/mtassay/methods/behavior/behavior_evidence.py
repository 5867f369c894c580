"""The judge's evidence about a case: the record that explains a verdict, and how it is made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mtassay.data.languages import Pair
from mtassay.data.method import Evidence
from mtassay.data.nouns import Case, Edit, Finding, Observation, Output, Verdict
from mtassay.measures.judge import Opinion
from mtassay.methods.basis import missing, reasons_of
from mtassay.methods.behavior.edit_search import EditedPair, find_edit, is_ignored, words_of
from mtassay.methods.behavior.infiller import distinct_edits
from mtassay.methods.behavior.pairs import edited_id, stored_edits
from mtassay.methods.behavior.verdict_thresholds import MOVED, STATUSES, JudgedPair, position
from mtassay.methods.repeats import most_fail

_SIDES = ("original", "edited")
_JUDGED = (
    *("status", "capability", "quality", "edited_quality", "source", "output", "reference"),
    *("edited_source", "edited_output", "pseudo_reference", "edit", "edit_found"),
)


@dataclass(frozen=True, slots=True)
class CaseEvidence(Evidence):
    """Everything that a finding says about a case. Qualities are from 0 to 1, `None` if unknown.

    A judged case has a `status`. `why` explains an undecided case, and `where` locates the error of a failed
    case. A case that was not judged has a `reason` instead, and the `side` whose output is missing. `edit`
    has the stored edits of source and reference. The judge gives the `probability` of an error in the
    translation of the edited source, and the `reasons` for an error, strongest first. `is_original_good` says
    whether the translation of the original is good; an edit can only break a good translation.
    """

    reason: str = ""
    side: str = ""
    status: str = ""
    capability: str = ""
    quality: float | None = None
    edited_quality: float | None = None
    source: str = ""
    output: str = ""
    reference: str = ""
    edited_source: str = ""
    edited_output: str = ""
    pseudo_reference: str = ""
    edit: Mapping[str, Any] = field(default_factory=dict)
    edit_found: bool | None = None
    where: str = ""
    why: str = ""
    probability: float | None = None
    reasons: Sequence[str] = ()
    is_original_good: bool | None = None

    def written(self) -> Collection[str]:
        return _JUDGED if self.status else ("reason", "capability")

    @property
    def edits(self) -> list[Edit]:
        """The changes of the source."""
        return [Edit(*edit) for edit in self.edit.get("source") or ()]

    @property
    def reference_edits(self) -> list[Edit]:
        """The changes of the reference."""
        return [Edit(*edit) for edit in self.edit.get("reference") or ()]

    @property
    def unsettled(self) -> str:
        """Why the case was not settled, preceded by the source concerned.

        >>> CaseEvidence(reason="no stored output", side="edited").unsettled
        'edited source: no stored output'
        """
        reason = self.reason or self.why or "no reason given"
        return f"{self.side} source: {reason}" if self.side else reason

    def lacks(self, finding: Finding) -> str:
        """What a skipped case lacks, to explain why nothing was judged."""
        if not self.side:
            return f"{finding.case_id}: {self.reason}"
        source = edited_id(finding.case_id) if self.side == "edited" else finding.case_id
        return f"{finding.system} has no output for {source}"


def skipped_case(case: Case, system: str) -> Finding:
    """Return the finding for a case that cannot be sent to a system."""
    evidence = CaseEvidence(reason=str(case.skip), capability=case.tags["capability"])
    return Finding(case.id, system, "behavior", "skipped", evidence=evidence.as_json())


def missing_output(case: Case, system: str, side: int, output: Output) -> Finding:
    """Return the finding for a case without an output for its original (side 0) or its edit (side 1)."""
    absent = missing(output, system)
    evidence = replace(CaseEvidence.of(absent), side=_SIDES[side], capability=case.tags["capability"])
    return replace(absent, case_id=case.id, evidence=evidence.as_json())


@dataclass(frozen=True, slots=True)
class AnsweredPair:
    """Both translations of a case and their qualities: first the original, then the edit."""

    case: Case
    texts: tuple[str, str]
    qualities: tuple[float, float]

    def references(self, side: int) -> tuple[str, ...]:
        """The references of the original (side 0) or of the edit (side 1)."""
        return (self.case.expect["references"][side],)

    def finds_edit(self) -> bool | None:
        """Whether the words of the edit are in the translation of the edited source."""
        expect = self.case.expect
        return find_edit(
            expect["reference_changes"], expect["references"][1], self.texts[1], original_output=self.texts[0]
        )

    def ignores_edit(self, pair: Pair) -> bool:
        """Whether the translation of the edited source provably lacks the edit."""
        expect = self.case.expect
        edited = EditedPair(
            expect["changes"],
            expect["reference_changes"],
            expect["references"],
            distinct_edits(expect["provenance"]),
            pair.source.code,
            pair.target.code,
        )
        return is_ignored(edited, *self.texts)

    def judged_by(self, original: Opinion, edited: Opinion) -> JudgedPair:
        """Combine the judge's opinions of both translations; the verdict is about the second one."""
        if edited.verdict == "fail":
            return JudgedPair("original is bad" if original.verdict == "fail" else "edit broke it")
        if edited.verdict == "pass":
            return JudgedPair("passed")
        return JudgedPair("undecided", "the judge finds too little for or against it")

    def finding(
        self,
        system: str,
        judged: JudgedPair,
        edit_found: bool | None,
        opinion: Opinion | None = None,
        *,
        is_original_good: bool | None = None,
    ) -> Finding:
        """Describe the case; `opinion` is what the judge says about the translation of the edited source."""
        quality, edited = (None if math.isnan(value) else value for value in self.qualities)
        case, verdict = self.case, STATUSES[judged.status]
        evidence = CaseEvidence(
            capability=case.tags["capability"],
            status=judged.status,
            why=judged.why,
            where=self._where(edit_found, opinion) if verdict == "fail" else "",
            quality=quality,
            edited_quality=edited,
            source=str(case.sources[0]),
            output=self.texts[0],
            reference=case.expect["references"][0],
            edited_source=str(case.sources[1]),
            edited_output=self.texts[1],
            pseudo_reference=case.expect["references"][1],
            edit={
                "source": stored_edits(case.expect["changes"]),
                "reference": stored_edits(case.expect["reference_changes"]),
            },
            edit_found=edit_found,
            probability=None if opinion is None else opinion.probability,
            reasons=() if opinion is None else reasons_of(opinion),
            is_original_good=is_original_good,
        )
        value = None if quality is None or edited is None else quality - edited
        return Finding(case.id, system, "behavior", verdict, value, evidence.as_json())

    def _where(self, edit_found: bool | None, opinion: Opinion | None) -> str:
        """Where the error is: at the edit if a reason names a word of it; else it depends on `edit_found`.

        Reasons may name words of the source or of the translation.
        """
        named = {word for reason in opinion.reasons for word in reason.words} if opinion else set()
        changes = (*self.case.expect["changes"], *self.case.expect["reference_changes"])
        edit = {word for change in changes for word in words_of(change.after)}
        if edit & named:
            return "at the edit"
        return "elsewhere" if edit_found is None and named else position(edit_found)


def beyond_chance(times: Sequence[Sequence[Finding]], *, level: float = 0.05) -> list[Finding]:
    """Return one finding for each case, chosen from the findings of all repetitions.

    A case fails if significantly more than half of the repetitions fail, and passes if at most half do;
    otherwise it is undecided. The finding is the first one with that status.
    """
    if len(times) < 2:
        return list(times[0])
    found = []
    for own in zip(*(sorted(each, key=lambda f: f.case_id) for each in times), strict=True):
        failed = [finding for finding in own if finding.verdict == "fail"]
        fails = most_fail(len(failed), len(own), level=level)
        if fails is None:
            why = f"it fails {len(failed)} of {len(own)} times, which may be chance"
            evidence = replace(CaseEvidence.of(failed[0]), status="undecided", why=why, where="")
            found.append(replace(failed[0], verdict="undecided", evidence=evidence.as_json()))
        else:
            others = [finding for finding in own if finding.verdict == "pass"] or own
            found.append(failed[0] if fails else others[0])
    order = {finding.case_id: place for place, finding in enumerate(times[0])}
    return sorted(found, key=lambda finding: order[finding.case_id])


def observed(finding: Finding) -> Observation:
    """Return an observation about the translation of the case's edited source."""
    evidence = CaseEvidence.of(finding)
    verdict: Verdict = finding.verdict or "skipped"
    return Observation(
        finding.case_id,
        finding.system,
        verdict,
        evidence.edited_source,
        evidence.edited_output,
        (evidence.pseudo_reference,) if evidence.pseudo_reference else (),
        evidence.source,
        (("capability", evidence.capability),) if evidence.capability else (),
    )


def count_findings(findings: Sequence[Finding], cases: int) -> dict[str, int]:
    """Count a system's cases by status."""
    evidence = [CaseEvidence.of(finding) for finding in findings]
    verdicts = Counter(finding.verdict for finding in findings)
    statuses = Counter(entry.status for entry in evidence)
    places = Counter(entry.where for entry in evidence)
    return {
        "cases": cases,
        **{verdict: verdicts[verdict] for verdict in ("pass", "fail", "undecided", "skipped", "error")},
        **{status: statuses[status] for status in ("original is bad", *sorted(MOVED))},
        **{where: places[where] for where in ("at the edit", "elsewhere", "unknown")},
    }
