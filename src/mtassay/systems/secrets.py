"""Keys from the environment that never show: not in a message, a log, a signature or the workspace."""

from __future__ import annotations

import os

from mtassay.errors import ClosedError

HIDDEN = "[hidden]"
_known: set[str] = set()


class Secret:
    """A key that shows itself only on request.

    >>> key = Secret("s3cr3t-key-value")
    >>> f"{key} {key!r}", redact("the header was s3cr3t-key-value")
    ('[hidden] Secret([hidden])', 'the header was [hidden]')
    """

    def __init__(self, value: str) -> None:
        self._value = value
        if len(value) >= 4:
            _known.add(value)

    def reveal(self) -> str:
        """The key itself, for the one place that sends it."""
        return self._value

    def __str__(self) -> str:
        return HIDDEN

    def __repr__(self) -> str:
        return f"Secret({HIDDEN})"

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")


def secret_from(*variables: str, what: str) -> Secret:
    """The first of these environment variables that is set."""
    for variable in variables:
        if value := os.environ.get(variable, "").strip():
            return Secret(value)
    raise ClosedError(f"{what} needs a key: set {' or '.join(variables)} in the environment.")


def redact(text: str) -> str:
    """The text without any secret that was ever read."""
    for value in sorted(_known, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    return text
