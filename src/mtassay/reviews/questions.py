"""The questions that people are asked about outputs, each with its answers: one table for all methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mtassay.errors import UsageError
from mtassay.reviews.decisions import UNSURE

__all__ = ["QUESTIONS", "Question", "find_question"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about the outputs of one method.

    `keys` are the answers by the key that gives them, in the order of showing; `unsure` (key u) can be
    answered to any question, and the keys b, n, q and s are taken.
    """

    name: str
    method: str
    text: str
    keys: Mapping[str, str]

    @property
    def answers_by_key(self) -> dict[str, str]:
        """All answers by their keys, `unsure` last."""
        return {**self.keys, "u": UNSURE}

    def read_answer(self, text: str) -> str:
        """The answer that a person wrote, in full or as its key; a `ValueError` names the valid ones.

        >>> QUESTIONS["suite"].read_answer(" Correct")
        'correct'
        >>> QUESTIONS["suite"].read_answer("good")
        Traceback (most recent call last):
        ValueError: 'good' is no answer. Available: correct, incorrect, unsure.
        """
        answers = self.answers_by_key
        word = text.strip().lower()
        if word in answers.values():
            return word
        if word in answers:
            return answers[word]
        raise ValueError(f"{text[:40]!r} is no answer. Available: {', '.join(answers.values())}.")


QUESTIONS: dict[str, Question] = {
    question.name: question
    for question in (
        Question("suite", "suite", "Is the phenomenon translated right?", {"c": "correct", "i": "incorrect"}),
    )
}
"""The questions by name."""


def find_question(name: str) -> Question:
    """The question of this name."""
    if name not in QUESTIONS:
        raise UsageError(f"No question '{name}'. Available: {', '.join(QUESTIONS)}.")
    return QUESTIONS[name]
