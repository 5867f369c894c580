"""The questions that people are asked about outputs, each with its answers: one table for all methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mtassay.errors import UsageError
from mtassay.reviews.decisions import UNSURE

__all__ = ["QUESTIONS", "Question", "find_question"]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about the outputs of one method; without a method, about pairs that are in no run.

    `keys` are the answers by the key that gives them, in the order of showing; `unsure` (key u) can be
    answered to any question, and the keys b, n, q and s are taken. `is_blind` hides what the run found, which
    must not sway who answers.
    """

    name: str
    method: str
    text: str
    keys: Mapping[str, str]
    is_blind: bool = False

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
        ValueError: 'good' is no answer. Available: correct (c), incorrect (i), unsure (u).
        """
        answers = self.answers_by_key
        word = text.strip().lower()
        if word in answers.values():
            return word
        if word in answers:
            return answers[word]
        known = ", ".join(f"{answer} ({key})" for key, answer in answers.items())
        raise ValueError(f"{text[:40]!r} is no answer. Available: {known}.")


_RATINGS = {"1": "unsatisfied", "2": "fair", "3": "satisfied"}
_FLUENCY = (
    "Satisfied: fluent, sensible and easy to understand. Fair: small mistakes in grammar, repetition, or "
    "content that goes against common sense. Unsatisfied: broken, or hard to understand."
)

QUESTIONS: dict[str, Question] = {
    question.name: question
    for question in (
        Question("suite", "suite", "Is the phenomenon translated right?", {"c": "correct", "i": "incorrect"}),
        Question(
            "invariance",
            "invariance",
            "Is the translation right? If not, what is wrong: words are dropped (under) or added (over), "
            "something modifies the wrong word (modification), a word or phrase is wrong (mistranslation), "
            "the words are right but not how they go together (logic), or several of these?",
            {
                "c": "correct",
                "d": "under",
                "o": "over",
                "m": "modification",
                "w": "mistranslation",
                "l": "logic",
                "x": "several",
            },
            is_blind=True,
        ),
        Question(
            "behavior",
            "behavior",
            "Is the translation right? Wrong: it says something else, leaves something out or adds it, or "
            "cannot be understood.",
            {"c": "correct", "w": "wrong"},
            is_blind=True,
        ),
        # Source and target fluency and adequacy, after the instructions in table 12 of Wu, Liu, Yeung (2023).
        Question("ssf", "", f"How good is the source as a text? {_FLUENCY}", _RATINGS, is_blind=True),
        Question(
            "tsf",
            "",
            f"How good is the target as a text? {_FLUENCY}",
            _RATINGS,
            is_blind=True,
        ),
        Question(
            "ta",
            "",
            "Does the target say all that the source says, and no more? Satisfied: everything is translated, "
            "in the same tense and structure. Fair: little is missing, tense or structure differ, or "
            "something was added. Unsatisfied: much is missing, or it is about something else. How fluent it "
            "is does not matter.",
            _RATINGS,
            is_blind=True,
        ),
    )
}
"""The questions by name."""


def find_question(name: str) -> Question:
    """The question of this name."""
    if name not in QUESTIONS:
        raise UsageError(f"No question '{name}'. Available: {', '.join(QUESTIONS)}.")
    return QUESTIONS[name]
