"""What an invariance run found about a variant: it stands with the issue of the variant's original."""

from __future__ import annotations

from dataclasses import replace

from mtassay.core import Finding, Run
from mtassay.store import Workspace

__all__ = ["REPORTED", "findings_about"]

REPORTED = "reported"
"""The status of a variant that is shown with an issue."""


def findings_about(workspace: Workspace, name: str, case_id: str) -> Run:
    """A run with its findings about one case; a variant that an issue reports has one of its own, first."""
    run = workspace.run(name, case=case_id)
    segments = workspace.segments(run.id, case=case_id) if run.method == "invariance" else []
    original = segments[0].tags.get("original") if segments else None
    if original is None:
        return run
    issues = workspace.run(run.id, case=str(original)).findings
    reported = [found for issue in issues if (found := _reported(issue, case_id))]
    return replace(run, findings=[*reported, *run.findings])


def _reported(issue: Finding, variant: str) -> Finding | None:
    """What a finding about an original says of this variant, if it is among those shown with it."""
    shown = next((each for each in issue.evidence.get("variants", ()) if each["id"] == variant), None)
    if shown is None:
        return None
    distance, differences = float(shown["distance"]), list(shown.get("differences", ()))
    threshold = issue.evidence.get("threshold")
    beyond = "" if threshold is None else f", beyond the threshold of {threshold:g}"
    why = f"distance {distance:g} from the output to {issue.case_id}{beyond}"
    evidence = {
        "status": REPORTED,
        "original": issue.case_id,
        "threshold": threshold,
        "differences": differences,
        "why": ": ".join(filter(None, [why, "; ".join(differences)])),
    }
    return Finding(variant, issue.system, issue.detector, "fail", distance, evidence)
