"""Choosing items by names, and what is said of a name that nothing has."""

from __future__ import annotations

import pytest

from mtassay.data.errors import UsageError
from mtassay.data.formats.suite_items import Item, Suite
from mtassay.methods.suite.authoring import Choice, select


def suite(*categories: str) -> Suite:
    return Suite([Item(f"i{n}", "en-pt", name, "P", "Source.") for n, name in enumerate(categories)])


def test_names_may_be_patterns_of_any_case() -> None:
    chosen = select(suite("Negation", "Nouns", "Verbs"), Choice(categories=["n*"]))
    assert [item.category for item in chosen.items] == ["Negation", "Nouns"]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Choice(categories=["Negatoin"]), "No item has the category 'Negatoin'. Near: Negation."),
        (Choice(categories=["Xyz"]), "No item has the category 'Xyz'. Available: Negation, Nouns."),
        (Choice(tags=["demo"]), "No item has the tag 'demo'. There are none."),
    ],
)
def test_a_name_that_nothing_has_comes_with_what_there_is(choice: Choice, message: str) -> None:
    with pytest.raises(UsageError) as error:
        select(suite("Negation", "Nouns"), choice)
    assert str(error.value) == message


def test_a_long_list_of_names_is_cut_off() -> None:
    with pytest.raises(UsageError, match=r"Available: C0, C1, .*, C9…$"):
        select(suite(*(f"C{n}" for n in range(12))), Choice(categories=["Xyz"]))
