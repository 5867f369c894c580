"""What people decide about outputs: what a review is about, what is asked, and what holds after several.

A subject is named by the hash of what was looked at: the case and the outputs. So a decision holds for
equal outputs of other systems and other runs, and never for a different output next year.
"""

from __future__ import annotations

from mtassay.core import UNSURE, Question
from mtassay.reviews.questions import COMMON_QUESTIONS, NumberQuestion, SpanQuestion
from mtassay.reviews.queue import all_questions, find_question, question_of
from mtassay.reviews.subjects import (
    Decision,
    Subject,
    answer_about,
    caution_of_models,
    count_reviewers,
    decide,
    is_model,
    review_now,
    subject_from,
    told_answer,
)

__all__ = [
    "COMMON_QUESTIONS",
    "UNSURE",
    "Decision",
    "NumberQuestion",
    "Question",
    "SpanQuestion",
    "Subject",
    "all_questions",
    "answer_about",
    "caution_of_models",
    "count_reviewers",
    "decide",
    "find_question",
    "is_model",
    "question_of",
    "review_now",
    "subject_from",
    "told_answer",
]
