"""What reviewers make of an issue of invariance by now, for `mtassay explain`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mtassay.methods.invariance.labels import QUESTION, standing
from mtassay.reviews import Decision, Subject, decide
from mtassay.reviews.cases import Answer, CaseStory
from mtassay.store import Workspace

__all__ = ["with_issues"]


def with_issues(story: CaseStory, workspace: Workspace) -> CaseStory:
    """The same story; answers to an original that has an issue say what its labels come to by now."""
    if story.run.method != "invariance":
        return story
    decisions = decide(workspace.reviews(QUESTION))
    return replace(story, answers=[replace(each, issue=_issue(each, decisions)) for each in story.answers])


def _issue(answer: Answer, decisions: Mapping[tuple[str, str], Decision]) -> str:
    """One error in a pair that the issue shows confirms it; empty where there is no issue."""
    issue = next((finding for finding in answer.findings if finding.evidence.get("variants")), None)
    if issue is None or answer.subject is None:
        return ""
    variants = [
        Subject(str(each["id"]), (each["source"],), (each["output"],)) for each in issue.evidence["variants"]
    ]
    shown = {
        subject.case_id: decisions.get((subject.id, QUESTION)) for subject in (answer.subject, *variants)
    }
    labels = {
        key: found.answer for key, found in shown.items() if found is not None and found.answer is not None
    }
    return standing(list(shown), labels)
