"""What of a judge's reply counts: a score, or errors that really stand in the texts; else nothing at all.

A reply is read against the one output that it is about. What is wrong with it is said in a sentence that the
model is told; nothing in it is mended, guessed or left out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mtassay.formats.mtme import ErrorSpan
from mtassay.formats.scores import mqm_score
from mtassay.systems.conversations import BadReplyError, only_object

__all__ = ["CATEGORIES", "SCHEMAS", "SEVERITIES", "Judged", "read_errors", "read_score"]

CATEGORIES = (
    "addition",
    "omission",
    "mistranslation",
    "untranslated",
    "grammar",
    "spelling",
    "punctuation",
    "terminology",
    "style",
    "register",
    "non-translation",
    "other",
)
"""What is wrong, in the words of MQM; an omission is a span of the source, all others are of the output."""
SEVERITIES = ("minor", "major")
_OMISSION = "omission"
_SCORE, _ERRORS = "score", "errors"
_KEYS = ("span", "category", "severity")
MOST_ERRORS = 100
_NUMBER = re.compile(r"\d{1,3}(?:\.\d+)?")


def _record(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    _SCORE: _record(score={"type": "integer"}),
    _ERRORS: _record(
        errors={
            "type": "array",
            "items": _record(
                span={"type": "string"},
                category={"type": "string", "enum": list(CATEGORIES)},
                severity={"type": "string", "enum": list(SEVERITIES)},
            ),
        }
    ),
}
"""The JSON that a server is asked to hold the model to, by the form of the judgement."""


class Judged(NamedTuple):
    """What a judge says of an output: a score, the higher the better, and the errors where it names any.

    `score` is `None` for an output that is unrated, and `why` says the reason.
    """

    score: float | None
    errors: tuple[ErrorSpan, ...] = ()
    why: str = ""


def read_score(text: str) -> Judged:
    """The score of a reply, 0 to 100: a number alone, or the one JSON object `{"score": N}`.

    >>> read_score('Here you are: {"score": 85}').score, read_score("85").score
    (85.0, 85.0)
    >>> read_score("eighty-five")
    Traceback (most recent call last):
    mtassay.systems.conversations.BadReplyError: there is no JSON object in it
    """
    bare = text.strip()
    if _NUMBER.fullmatch(bare):
        return Judged(_in_range(float(bare)))
    value = only_object(text, _SCORE)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadReplyError("no number", f"{json.dumps(value)[:40]} is no number")
    return Judged(_in_range(value))


def read_errors(text: str, *, source: str, output: str) -> Judged:
    """The errors of a reply, in its order, weighed as MQM; each stands where its words stand in the texts.

    Words that stand there several times are taken from the left, one place for each time they are named.
    Spaces need not be the same ones.

    >>> reply = '{"errors": [{"span": "gata", "category": "mistranslation", "severity": "major"}]}'
    >>> read_errors(reply, source="A dog.", output="Uma gata.")
    Judged(score=-5.0, errors=(ErrorSpan(start=4, end=8, category='mistranslation', severity='major', ...
    >>> read_errors(reply, source="A dog.", output="Um gato.")
    Traceback (most recent call last):
    mtassay.systems.conversations.BadReplyError: 'gata' does not stand in the translation
    """
    listed = only_object(text, _ERRORS)
    if not isinstance(listed, list):
        raise BadReplyError("not the JSON asked for", '"errors" is no list')
    if len(listed) > MOST_ERRORS:
        raise BadReplyError("not the JSON asked for", f"it lists more than {MOST_ERRORS} errors")
    places: dict[tuple[bool, str], Iterator[tuple[int, int]]] = {}
    errors = []
    for entry in listed:
        span, category, severity = _fields(entry)
        of_source = category == _OMISSION
        words = " ".join(span.split())
        key = (of_source, words)
        found = places.setdefault(key, _occurrences(words, source if of_source else output))
        place = next(found, None)
        if place is None:
            where = "source" if of_source else "translation"
            again = "so often " if any(_occurrences(words, source if of_source else output)) else ""
            raise BadReplyError("span not in the text", f"{span[:80]!r} does not stand {again}in the {where}")
        errors.append(ErrorSpan(*place, category, severity, is_source_error=of_source))
    return Judged(mqm_score(errors), tuple(errors))


def _fields(entry: Any) -> tuple[str, str, str]:
    """Span, category and severity of an error; each must be one that we know."""
    if not isinstance(entry, dict) or set(entry) != set(_KEYS):
        raise BadReplyError("not the JSON asked for", f"an error must have the keys {', '.join(_KEYS)} alone")
    values = [entry[key] for key in _KEYS]
    if not all(isinstance(value, str) for value in values):
        raise BadReplyError("not the JSON asked for", "span, category and severity must be texts")
    span, category, severity = values
    if not span.strip():
        raise BadReplyError("span not in the text", "a span is empty")
    category, severity = category.strip().lower().rpartition("/")[2], severity.strip().lower()
    for kind, word, words in (("category", category, CATEGORIES), ("severity", severity, SEVERITIES)):
        if word not in words:
            raise BadReplyError(f"unknown {kind}", f"{word[:40]!r} is no {kind}: {', '.join(words)}")
    return span, category, severity


def _occurrences(words: str, text: str) -> Iterator[tuple[int, int]]:
    """Where words stand in a text, from the left; any white space in it is as good as a space."""
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    return (match.span() for match in re.finditer(pattern, text))


def _in_range(value: float) -> float:
    if not (math.isfinite(value) and 0 <= value <= 100):
        raise BadReplyError("score out of range", "the score is not from 0 to 100")
    return float(value)
