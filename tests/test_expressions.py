"""Our own expressions take time in proportion to a text, whatever is in it."""

from __future__ import annotations

import re

import pytest

from tests.expressions import Expression, own_expressions, slow_text


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"[ \t]*[\r\n]+[ \t\r\n]*", "search"),
        (r"([\w:-]+)\s*=\s*[^\s]+", "search"),
        (r"(a+)+b", "match"),
        (r"\{(\d*)(,?)(\d*)\}", "match"),
    ],
)
def test_an_expression_that_is_slow_is_noticed(pattern: str, use: str) -> None:
    assert slow_text(Expression("here", re.compile(pattern), use)) is not None


def test_every_expression_of_ours_is_linear() -> None:
    expressions = list(own_expressions())
    assert len(expressions) > 150  # if our code wrote them otherwise one day, this would test nothing
    slow = [
        (e.where, e.pattern.pattern, text[:40]) for e in expressions if (text := slow_text(e)) is not None
    ]
    assert not slow, "an expression is slow on a text, repeated"
