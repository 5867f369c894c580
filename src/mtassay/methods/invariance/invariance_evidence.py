"""The evidence of an invariance finding: written into the finding, and read from a saved one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from mtassay.data.method import Evidence
from mtassay.data.nouns import Finding, Observation, Run, Segment, Verdict, original_of
from mtassay.data.run_view import joint_verdict, traits_of

METHOD = "invariance"
ISSUE = ("suspicious", "confirmed", "cleared")
"""The statuses of an original with an issue, by people's labels."""


@dataclass(frozen=True, slots=True)
class ShownVariant(Evidence):
    """A variant that is shown with an issue: its change, and the distance of its output.

    `reasons` are the judge's for an error in it.
    """

    id: str = ""
    source: str = ""
    output: str = ""
    before: str = ""
    after: str = ""
    distance: float = 0.0
    differences: Sequence[str] = ()
    reasons: Sequence[str] = ()

    def written(self) -> Collection[str]:
        return self.__dataclass_fields__

    @property
    def change(self) -> str:
        """The replaced word, the new one, and the distance that this caused in the output."""
        return f"{self.before} → {self.after} · distance {self.distance:g}"


@dataclass(frozen=True, slots=True)
class LeftOutVariant(Evidence):
    """A variant that could not be compared, or whose distance a filter explains: then that distance."""

    id: str = ""
    why: str = ""
    distance: float | None = None


@dataclass(frozen=True, slots=True)
class IssueEvidence(Evidence):
    """The facts about an original, a variant shown with it, or a pair flagged by a check or relation.

    `status` is empty if nothing was compared; `reason` then says why, and a check says `why`. `distances` are
    those of all compared variants, `label` is people's label of the pairs shown. `original` and `differences`
    belong to a variant with a finding of its own. If the judge was asked, `probability` is that of an error
    in the worst of the outputs shown, and `reasons` are those for one in the original's.
    """

    status: str = ""
    original: str = ""
    source: str = ""
    output: str = ""
    threshold: float | None = None
    compared: int | None = None
    distances: Mapping[str, float] | None = None
    variants: Sequence[ShownVariant] | None = None
    label: Mapping[str, str] = field(default_factory=dict)
    probability: float | None = None
    reasons: Sequence[str] = ()
    unread: Sequence[LeftOutVariant] = ()
    filtered: Sequence[LeftOutVariant] = ()
    differences: Sequence[str] = ()
    why: str = ""
    reason: str = ""

    def written(self) -> Collection[str]:
        if self.original:
            return ("threshold", "differences", "why")
        if not self.status:
            return ()
        shown = ("variants", "label") if self.variants is not None else ()
        judged = ("reasons",) if self.probability is not None else ()
        return ("source", "output", "threshold", "compared", "distances", *shown, *judged)

    @property
    def is_issue(self) -> bool:
        """Whether some variant was beyond the threshold, whatever people said of it."""
        return self.status in ISSUE

    @property
    def shown(self) -> Sequence[ShownVariant]:
        """The variants that are shown with an issue."""
        return self.variants or ()

    def explained(self) -> str:
        """The distance of the farthest variant, in a line."""
        if self.why:
            return self.why
        farthest = max((variant.distance for variant in self.shown), default=None)
        far = (
            "no variant beyond the threshold"
            if farthest is None
            else f"distance {farthest:g}, beyond the threshold"
        )
        compared = self.compared or 0
        return f"{far} of {self.threshold:g}; {compared:,} variant{'s'[: compared != 1]} compared"


def is_about_original(finding: Finding) -> bool:
    """Whether it is the one finding about an original; the others are about checks and relations."""
    return finding.detector == "output" or finding.detector.split(":")[0] == METHOD


def reported(issue: Finding, variant: str) -> Finding | None:
    """The part of a finding about an original that concerns this variant, if it is shown with it."""
    evidence = IssueEvidence.of(issue)
    shown = next((candidate for candidate in evidence.shown if candidate.id == variant), None)
    if shown is None:
        return None
    beyond = "" if evidence.threshold is None else f", beyond the threshold of {evidence.threshold:g}"
    why = f"distance {shown.distance:g} from the output to {issue.case_id}{beyond}"
    own = IssueEvidence(
        "reported",
        threshold=evidence.threshold,
        original=issue.case_id,
        differences=list(shown.differences),
        why=": ".join(filter(None, [why, "; ".join(shown.differences)])),
    )
    return Finding(variant, issue.system, issue.detector, "fail", float(shown.distance), own.as_json())


def observations_of(run: Run) -> list[Observation]:
    """The originals and variants of a run, each with the facts about its output.

    In an issue, the outputs that the judge has reasons against failed, or all shown ones if it has no reason
    at all; people's labels come first. The others that could be compared passed, except for variants beyond
    the threshold that are not shown. A check or relation makes a failure too.
    """
    verdicts: dict[tuple[str, str], list[Verdict]] = {}
    detectors: dict[tuple[str, str], list[str]] = {}
    for finding in run.findings:
        if is_about_original(finding):
            for segment_id, verdict in _verdicts(finding).items():
                verdicts.setdefault((finding.system, segment_id), []).append(verdict)
        elif finding.verdict == "fail":
            verdicts.setdefault((finding.system, finding.case_id), []).append("fail")
            detectors.setdefault((finding.system, finding.case_id), []).append(finding.detector)
    segments = {segment.id: segment for segment in run.segments}
    texts = {(name, o.id): o.text for name, answers in run.outputs.items() for o in answers}
    observations = []
    for (system, segment_id), said in verdicts.items():
        segment = segments.get(segment_id, Segment(segment_id))
        observations.append(
            Observation(
                segment_id,
                system,
                joint_verdict(said),
                segment.source or "",
                texts.get((system, segment_id)) or "",
                tuple(reference for reference in segment.references if reference),
                segments.get(original_of(segment) or "", segment).source or "",
                traits_of(segment),
                tuple(dict.fromkeys(detectors.get((system, segment_id), ()))),
            )
        )
    return observations


def _verdicts(finding: Finding) -> dict[str, Verdict]:
    """What a finding about an original says of its output and of those of its variants."""
    evidence = IssueEvidence.of(finding)
    if not evidence.status:
        return {finding.case_id: finding.verdict or "skipped"}
    verdicts: dict[str, Verdict] = {finding.case_id: "pass"}
    for variant, distance in (evidence.distances or {}).items():
        is_far = evidence.threshold is not None and distance > evidence.threshold
        verdicts[variant] = "undecided" if is_far else "pass"
    if finding.verdict == "fail":
        reasons = {finding.case_id: evidence.reasons, **{v.id: v.reasons for v in evidence.shown}}
        has_reasons = any(reasons.values())
        verdicts |= {key: "fail" if own or not has_reasons else "undecided" for key, own in reasons.items()}
    return verdicts | {key: "pass" if said == "correct" else "fail" for key, said in evidence.label.items()}
