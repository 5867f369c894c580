"""From the errors that people marked to a score (MQM weights of Freitag et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterable

from mtassay.errors import InputError
from mtassay.formats import ErrorSpan

NON_TRANSLATION = 25.0
MAJOR = 5.0
MINOR = 1.0
MINOR_PUNCTUATION = 0.1
_BY_SEVERITY = {"major": MAJOR, "minor": MINOR, "neutral": 0.0, "no-error": 0.0}
_FREE = ("source issue", "source error", "creative reinterpretation")


def mqm_score(errors: Iterable[ErrorSpan]) -> float:
    """Minus the sum of the errors' weights, so that higher is better and 0 is free of errors.

    An error with a `score` weighs that much. Otherwise a non-translation weighs 25, a major error 5, a
    minor one 1, minor punctuation 0.1. Neutral ones, faults of the source and creative reinterpretations
    weigh nothing.

    >>> mqm_score([ErrorSpan(0, 4, "accuracy/omission", "major"), ErrorSpan(9, 10, "Punctuation", "minor")])
    -5.1
    """
    return 0.0 - sum(weight(error) for error in errors)


def weight(error: ErrorSpan) -> float:
    """How much one error costs, 0 or more."""
    if error.score is not None:
        return error.score
    category = error.category.lower().replace("_", " ")
    severity = error.severity.lower()
    if severity not in _BY_SEVERITY:
        known = ", ".join(_BY_SEVERITY)
        raise InputError(
            f"an error of severity {error.severity!r} has no weight. Known: {known}; or give it a score"
        )
    if any(free in category for free in _FREE):
        return 0.0
    if "non-translation" in category.replace(" ", "-"):
        return NON_TRANSLATION
    if severity == "minor" and "punctuation" in category:
        return MINOR_PUNCTUATION
    return _BY_SEVERITY[severity]
