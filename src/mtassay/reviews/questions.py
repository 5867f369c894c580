"""The questions that people are asked, by name: every method brings its own."""

from __future__ import annotations

from functools import cache
from typing import cast

from mtassay.core import Question, Run
from mtassay.errors import UsageError
from mtassay.method import Method, method_of
from mtassay.registry import find, is_known, names

__all__ = ["all_questions", "find_question", "question_of"]


@cache
def all_questions() -> dict[str, Question]:
    """The questions of all methods, in their order. Loads all methods."""
    methods = (cast("type[Method]", find("method", name)) for name in _in_order())
    return {question.name: question for method in methods for question in method.asks}


def find_question(name: str) -> Question:
    """The question of this name. A method whose name it has is asked first, and alone where that will do.

    >>> find_question("suite").keys
    {'c': 'correct', 'i': 'incorrect'}
    """
    if is_known("method", name):
        for question in cast("type[Method]", find("method", name)).asks:
            if question.name == name:
                return question
    if name not in all_questions():
        raise UsageError(f"No question '{name}'. Available: {', '.join(all_questions())}.")
    return all_questions()[name]


def question_of(run: Run) -> Question | None:
    """What is asked about the outputs of this run, and what a person should look at; `None` for nothing."""
    return next((q for q in method_of(run).questions(run) if q.is_of_runs), None)


def _in_order() -> list[str]:
    """Methods as people meet them: the suite first, which is reviewed most."""
    return sorted(names("method"), key=lambda name: (name != "suite", name != "invariance", name))
