"""What people said about pairs of source and output, and what that makes of an issue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from mtassay.core import DISPUTED, Tools
from mtassay.errors import UsageError
from mtassay.formats.reviews import read_reviews
from mtassay.formats.text import FilePath
from mtassay.methods.invariance.nouns import Answer
from mtassay.reviews import Subject, decide

__all__ = ["CORRECT", "QUESTION", "Standing", "decisions_in", "label_of", "labels_of", "standing"]

QUESTION = "invariance"
"""What reviewers are asked about a pair of source and output: which kind of error is in it, if any?"""
CORRECT = "correct"

Standing = Literal["suspicious", "confirmed", "cleared"]


def decisions_in(labels: FilePath | None, tools: Tools) -> dict[str, str]:
    """What people decided, by subject: in a file of reviews, or in the workspace.

    What is disputed or open is left out; that there is nothing at all is an error.
    """
    if labels is None:
        found = dict(tools.decisions(QUESTION))
    else:  # rows without a name are one person's: who it is does not matter here
        reviews = (row.review for row in read_reviews(labels, reviewer="unnamed").rows)
        decided = decide(review for review in reviews if review.question == QUESTION)
        found = {subject: d.answer for (subject, _), d in decided.items() if d.answer is not None}
    settled = {subject: answer for subject, answer in found.items() if answer != DISPUTED}
    if not settled:
        raise UsageError(
            f"There are no labels in {labels or 'the workspace'}. Label issues first: mtassay review next"
        )
    return settled


def label_of(answer: Answer, decisions: Mapping[str, str]) -> str | None:
    """What reviewers decided about this very source and output; `None` where nothing is settled."""
    subject = Subject(answer.id, (answer.source.text,), (answer.output.text,))
    label = decisions.get(subject.id)
    return None if label == DISPUTED else label


def labels_of(answers: Sequence[Answer], decisions: Mapping[str, str]) -> dict[str, str]:
    """The labels by the ids of the answers; who has none is not there."""
    labels = {answer.id: label_of(answer, decisions) for answer in answers} if decisions else {}
    return {key: label for key, label in labels.items() if label is not None}


def standing(shown: Sequence[str], labels: Mapping[str, str]) -> Standing:
    """What the labels make of an issue that shows these pairs: one error confirms it, none clears it.

    >>> standing(["7", "7/1-young"], {"7": "correct", "7/1-young": "under"})
    'confirmed'
    >>> standing(["7", "7/1-young"], {"7": "correct"})
    'suspicious'
    """
    known = [labels.get(pair) for pair in shown]
    if any(label not in (None, CORRECT) for label in known):
        return "confirmed"
    return "cleared" if all(label == CORRECT for label in known) else "suspicious"
