"""Templates and what they are given: texts with marks in pieces, numbers as people write them."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mtassay.app.web.visits import Visit
from mtassay.data.display import Line, Span
from mtassay.data.errors import UsageError
from mtassay.data.marks import find_words, plural, printable
from mtassay.data.nouns import UNSURE, Question, Run
from mtassay.data.subjects import count_reviewers, told_answer
from mtassay.data.words import split_words
from mtassay.review.pending import questions_about

__all__ = ["FOLDER", "KINDS", "QuestionKind", "kind_of", "pieces", "render"]

FOLDER = Path(__file__).parent
_LONGEST = 4000  # characters of a text that are shown
_RUNS = 200  # that a form offers


def pieces(text: str, marks: Iterable[Span] = ()) -> list[tuple[str, bool]]:
    """A text in printable parts, each with whether it is marked; a very long one is cut.

    >>> pieces("a cat sat", [(2, 5)])
    [('a ', False), ('cat', True), (' sat', False)]
    """
    shown = text[:_LONGEST]
    parts: list[tuple[str, bool]] = []
    at = 0
    for start, end in sorted(marks):
        if at <= start < end <= len(shown):
            parts += [(shown[at:start], False), (shown[start:end], True)]
            at = end
        elif start < at < end <= len(shown):
            parts.append((shown[at:end], True))
            at = end
    parts.append((shown[at:], False))
    if len(text) > len(shown):
        parts.append((f"… ({len(text) - len(shown):,} more characters)", False))
    return [(printable(part), strong) for part, strong in parts if part]


def line_pieces(line: Line) -> list[tuple[str, bool]]:
    """The same for a line of a block."""
    return pieces(line.text, line.marks)


def seconds(value: float | None) -> str:
    """A time between two decisions.

    >>> seconds(4.25), seconds(95), seconds(None)
    ('4.2 s', '1 min 35 s', '–')
    """
    if value is None:
        return "–"
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def address(*parts: str, **values: object) -> str:
    """A path on this server, with what is not empty as its query.

    >>> address("runs", "a/b", after=3, text="")
    '/runs/a%2Fb?after=3'
    """
    path = "/" + "/".join(quote(part, safe="") for part in parts)
    query = urlencode({key: value for key, value in values.items() if str(value)})
    return f"{path}?{query}" if query else path


def offered_runs(runs: Sequence[Run]) -> dict[str, Any]:
    """What a form offers: the newest runs, each with a line, and the questions about them."""
    newest = runs[:_RUNS]
    names = dict.fromkeys(question.name for run in newest for question in questions_about(run))
    lines = [f"{run.method}, {run.started[:16].replace('T', ' ')}, {run.id}" for run in newest]
    return {"runs": list(zip([run.id for run in newest], lines, strict=True)), "questions": list(names)}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.globals |= {
        "address": address,
        "count_reviewers": count_reviewers,
        "pieces": pieces,
        "line_pieces": line_pieces,
        "find_words": find_words,
        "plural": plural,
        "split_words": split_words,
        "longest": _LONGEST,
        "seconds": seconds,
        "told_answer": told_answer,
        "new_id": lambda: secrets.token_urlsafe(16),
    }
    environment.filters["shown"] = printable
    return environment


def render(
    template: str, request: Request, visit: Visit | None = None, *, status: int = 200, **values: Any
) -> HTMLResponse:
    """A page, or the part of one that a script asked for (`part` in the templates)."""
    is_part = request.headers.get("hx-request") == "true"
    html = (
        _environment()
        .get_template(template)
        .render(visit=visit, part=is_part, path=request.url.path, **{"title": "", **values})
    )
    response = HTMLResponse(html, status_code=status)
    response.headers["vary"] = "HX-Request"
    if visit is not None:
        visit.keep(request, response)
    return response


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
