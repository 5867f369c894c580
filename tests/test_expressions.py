"""Our own expressions take time in proportion to a text, whatever is in it."""

from __future__ import annotations

import re

import pytest

from tests.expressions import Expression, own_expressions, slow_text

EXPRESSIONS = list(own_expressions())


def test_the_expressions_are_found() -> None:
    """If our code wrote them otherwise one day, this file would test nothing."""
    assert len(EXPRESSIONS) > 150


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


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda expression: expression.where)
def test_an_expression_of_ours_is_linear(expression: Expression) -> None:
    text = slow_text(expression)
    assert text is None, f"{expression.pattern.pattern} is slow on {text[:40]!r}, repeated"
