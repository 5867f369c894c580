"""The evidence of an invariance finding; it is written into findings and read from saved ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from mtassay.data.method import Evidence
from mtassay.data.nouns import Finding, Observation, Run, Segment, Verdict, original_of
from mtassay.data.run_view import joint_verdict, traits_of

METHOD = "invariance"
ISSUE = ("suspicious", "confirmed", "cleared")
"""The possible statuses of an original with an issue, from people's labels."""


@dataclass(frozen=True, slots=True)
class ShownVariant(Evidence):
    """A variant that is shown with an issue: its change, and the distance of its output.

    `reasons` are the judge's reasons for an error in this output.
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
        """The replaced word, the new word, and the distance of the output."""
        return f"{self.before} → {self.after} · distance {self.distance:g}"


@dataclass(frozen=True, slots=True)
class LeftOutVariant(Evidence):
    """A variant that was not compared, or one that a filter removed, with its distance."""

    id: str = ""
    why: str = ""
    distance: float | None = None


@dataclass(frozen=True, slots=True)
class IssueEvidence(Evidence):
    """The facts about an original, a variant shown with it, or a pair that a check or relation flagged.

    `status` is empty if nothing was compared, and `reason` then says why. `why` is the explanation of a
    check. `distances` has the distances of all compared variants, `label` people's labels of the shown pairs.
    `original` and `differences` belong to a variant with its own finding. If the judge was asked,
    `probability` is the probability of an error in the worst shown output, and `reasons` explain an error in
    the original's output.
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
        """Whether a variant was beyond the threshold, independent of people's labels."""
        return self.status in ISSUE

    @property
    def shown(self) -> Sequence[ShownVariant]:
        """The variants that are shown with an issue."""
        return self.variants or ()

    def explained(self) -> str:
        """The distance of the farthest variant, in one line."""
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
    """Whether it is the finding about an original; the other findings come from checks and relations."""
    return finding.detector == "output" or finding.detector.split(":")[0] == METHOD


def reported(issue: Finding, variant: str) -> Finding | None:
    """The part of a finding about an original that concerns this variant, if the variant is shown."""
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

    People's labels decide first. In an issue, the outputs that the judge has reasons against failed; if it
    has no reasons, all shown outputs failed. An output that a check or relation flags also failed. Other
    compared outputs passed, except for variants beyond the threshold that are not shown.
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
    """The verdicts that a finding about an original gives on its output and its variants' outputs."""
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
