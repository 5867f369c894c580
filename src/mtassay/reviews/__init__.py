"""What people decide about outputs: what a review is about, what is asked, and what holds after several.

A subject is named by the hash of what was looked at: the case and the outputs. So a decision holds for
equal outputs of other systems and other runs, and never for a different output next year.
"""

from __future__ import annotations

from mtassay.reviews.decisions import UNSURE, Decision, decide, review_now
from mtassay.reviews.questions import QUESTIONS, Question, find_question
from mtassay.reviews.subjects import Subject, subject_from

__all__ = [
    "QUESTIONS",
    "UNSURE",
    "Decision",
    "Question",
    "Subject",
    "decide",
    "find_question",
    "review_now",
    "subject_from",
]
