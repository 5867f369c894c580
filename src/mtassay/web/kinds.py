"""How each kind of question is asked on the page: a template, and how an answer is read out of its form.

To add a kind: a template `templates/kinds/NAME.html`, which gets the `card` and puts its fields into the
form, and an entry here. Fields with `data-key="x"` are clicked, or focused, by that key.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mtassay.core import UNSURE, Question
from mtassay.errors import UsageError

__all__ = ["KINDS", "QuestionKind", "kind_of"]

Form = Mapping[str, str]


def _field(form: Form) -> str:
    """The answer as it stands in the field of that name."""
    return form.get("answer", "")


def _spans(form: Form) -> str:
    """Spans as the page sends them (JSON) or as a person types them, with the score of another field."""
    answer, score = form.get("answer", "").strip() or "none", form.get("score", "").strip()
    if not score or answer == UNSURE:
        return answer
    if answer.lower() == "none":
        answer = '{"spans": []}'
    if not answer.startswith("{"):
        return f"{answer}; score: {score}"
    try:
        return json.dumps({**json.loads(answer), "score": float(score)}, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return answer  # the question says what is wrong with it


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """One kind of question: the template that asks it, and what reads the answer out of a form.

    What is read goes through `Question.read_answer`, which refuses what is no answer.
    """

    template: str
    read: Callable[[Form], str] = _field


KINDS: dict[str, QuestionKind] = {
    "choice": QuestionKind("kinds/choice.html"),
    "number": QuestionKind("kinds/number.html"),
    "spans": QuestionKind("kinds/spans.html", _spans),
    "text": QuestionKind("kinds/text.html"),
}


def kind_of(question: Question) -> QuestionKind:
    """How a question is asked; a `UsageError` where the page cannot ask it yet."""
    if question.kind not in KINDS:
        raise UsageError(f"The page cannot ask questions of the kind '{question.kind}'.")
    return KINDS[question.kind]
