"""What a finding of invariance testing rests on: written into the finding, and read from a saved one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mtassay.core import Finding, Observation, Run, Segment, Verdict, original_of
from mtassay.method import joint_verdict, traits_of

__all__ = [
    "IssueEvidence",
    "LeftOutVariant",
    "ShownVariant",
    "is_about_original",
    "observations_of",
    "reported",
]

METHOD = "invariance"
ISSUE = ("suspicious", "confirmed", "cleared")
"""What an original with an issue is, by what people said of it."""
_OWN = frozenset(("status", "compared", "distances", "variants"))  # what no companion detector says
_TEXT_KEYS = ("source", "output", "why", "reason")


@dataclass(frozen=True, slots=True)
class ShownVariant:
    """A variant that is shown with an issue: what was changed, and how far its output is.

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

    @property
    def change(self) -> str:
        """Which word became which, and how far that moved the output."""
        return f"{self.before} → {self.after} · distance {self.distance:g}"


@dataclass(frozen=True, slots=True)
class LeftOutVariant:
    """A variant that could not be compared, or whose distance a filter explains: then that distance."""

    id: str
    why: str
    distance: float | None = None


@dataclass(frozen=True, slots=True)
class IssueEvidence:
    """What is known of an original, of a variant shown with it, or of what a companion detector suspects.

    `status` is empty where nothing was compared; `reason` then says why, and a companion detector says `why`.
    `distances` are those of all compared variants, `label` is what people said of the pairs shown.
    `original` and `differences` are of a variant that is told on its own. `details` is what a companion
    detector knows besides. Where the judge was asked, `probability` is that of an error in the worst of the
    outputs shown, and `reasons` are those for one in the original's.
    """

    status: str = ""
    source: str = ""
    output: str = ""
    threshold: float | None = None
    compared: int | None = None
    distances: Mapping[str, float] | None = None
    variants: Sequence[ShownVariant] | None = None
    label: Mapping[str, str] = field(default_factory=dict)
    unread: Sequence[LeftOutVariant] = ()
    filtered: Sequence[LeftOutVariant] = ()
    original: str = ""
    differences: Sequence[str] = ()
    why: str = ""
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    probability: float | None = None
    reasons: Sequence[str] = ()

    @classmethod
    def of(cls, finding: Finding) -> IssueEvidence:
        """What a finding holds, whatever wrote it."""
        stored = finding.evidence
        if not _OWN & stored.keys():
            details = {key: value for key, value in stored.items() if key not in _TEXT_KEYS}
            texts: dict[str, Any] = {key: str(stored.get(key, "")) for key in _TEXT_KEYS}
            return cls(**texts, details=details)
        values = {key: stored[key] for key in cls.__dataclass_fields__ if key in stored}
        if "variants" in stored:
            values["variants"] = tuple(
                ShownVariant(**_own_fields(ShownVariant, variant)) for variant in stored["variants"]
            )
        for key in ("unread", "filtered"):
            values[key] = tuple(
                LeftOutVariant(**_own_fields(LeftOutVariant, left_out)) for left_out in stored.get(key, ())
            )
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """What is stored; what says nothing is left out."""
        if not self.status:
            texts = {"why": self.why, "source": self.source, "output": self.output}
            return {"reason": self.reason} if self.reason else {**texts, **self.details}
        if self.original:
            own = ("status", "original", "threshold", "differences", "why")
            return {key: getattr(self, key) for key in own}
        keys = ("status", "source", "output", "threshold", "compared", "distances")
        stored = {key: getattr(self, key) for key in keys}
        if self.variants is not None:
            stored["variants"] = [asdict(variant) for variant in self.variants]
            stored["label"] = dict(self.label)
        if self.probability is not None:
            stored |= {"probability": self.probability, "reasons": list(self.reasons)}
        if self.unread:
            stored["unread"] = [{"id": left_out.id, "why": left_out.why} for left_out in self.unread]
        if self.filtered:
            stored["filtered"] = [asdict(left_out) for left_out in self.filtered]
        return stored

    @property
    def is_issue(self) -> bool:
        """Whether some variant was beyond the threshold, whatever people said of it."""
        return self.status in ISSUE

    @property
    def shown(self) -> Sequence[ShownVariant]:
        """The variants that are shown with an issue."""
        return self.variants or ()

    def explained(self) -> str:
        """How far the farthest variant is, in a line."""
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
    """Whether it is the one finding about an original; the others are of companion detectors."""
    return finding.detector == "output" or finding.detector.split(":")[0] == METHOD


def reported(issue: Finding, variant: str) -> Finding | None:
    """What a finding about an original says of this variant, if it is among those shown with it."""
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
    return Finding(variant, issue.system, issue.detector, "fail", float(shown.distance), own.as_dict())


def observations_of(run: Run) -> list[Observation]:
    """The originals and variants of a run, each with what was found out about its output.

    Of an issue those outputs failed that the judge has reasons against, or where it has none against any,
    all that are shown; what people said of an output comes first. The others that could be compared passed,
    but for variants beyond the threshold that are not shown. A companion detector makes a failure too.
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


def _own_fields(cls: Any, stored: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in stored.items() if key in cls.__dataclass_fields__}
