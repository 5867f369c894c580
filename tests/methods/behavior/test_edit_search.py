"""Finding the edit again in a translation."""

from __future__ import annotations

import pytest

from mtassay.data.nouns import Edit
from mtassay.methods.behavior.edit_search import find_edit


@pytest.mark.parametrize(
    ("before", "after", "pseudo_reference", "output", "found"),
    [
        ("cão", "gato", "O gato dorme.", "O gato está a dormir.", True),
        ("cão", "gato", "O gato dorme.", "Os GATOS dormem.", True),  # a form of the same word
        ("cão", "gato", "O gato dorme.", "O felino dorme.", None),  # perhaps in other words
        ("cão", "gato", "O gato dorme.", "O cão dorme.", None),
        ("casa", "casaco", "O casaco.", "A casa.", True),  # stems are all that is compared
        ("de", "em", "em casa", "na loja", None),
        ("três", "15", "15 casas", "Há 15 casas", True),
        ("três", "15", "15 casas", "quinze casas", True),
        ("três", "15", "15 casas", "uma quinzena de casas", None),  # a small number may be a word
        ("três", "15", "15 casas", "50 casas", False),  # but not where another one is
        ("3", "1500", "1500 casas", "1.500 casas", True),
        ("3", "1500", "1500 casas", "150 casas", False),
        ("60", "80", "80个", "八十个", True),
        ("10,541", "3,789", "3789码", "传球3，789码", True),  # grouped by a Chinese comma
        ("匿名", "可靠", "可靠的消息", "来自可靠消息人士", True),
        ("匿名", "非常可靠", "非常可靠的消息", "十分可靠", None),
        ("老师", "工程师", "他是工程师", "他是一名工程师。", True),
        ("老师", "工程师", "他是工程师", "他是一名医生。", None),
        ("não ", "", "Ele vem.", "Ele vem hoje.", True),
        ("não ", "", "Ele vem.", "Ele não vem.", False),
        ("gato", "não", "não sei, não", "não sei", None),  # which of the two is it?
    ],
)
def test_the_edit_is_found_missing_or_unknown(
    before: str, after: str, pseudo_reference: str, output: str, found: bool | None
) -> None:
    assert find_edit([Edit(0, len(before), before, after)], pseudo_reference, output) is found


@pytest.mark.parametrize(
    ("before", "after", "pseudo_reference", "original_output", "output", "found"),
    [
        # It was there before the edit, for another word: nothing says that the edit was translated.
        ("este", "aquele", "aquele cão e o rato", "Este cão e aquele rato", "Esse cão e aquele rato", None),
        ("this", "the", "the dog barks", "This dog of the house barks", "That dog of the house barks", None),
        ("todo", "todos", "todos os dias", "Tudo, todo dia", "Tudo, todo dia mesmo", None),
        # It came in with the edit.
        ("este", "aquele", "aquele cão e o rato", "Este cão e aquele rato", "Aquele cão e aquele rato", True),
        ("this", "the", "the dog barks", "This dog of the house barks", "The dog of the house barks", True),
        ("gato", "cão", "O cão dorme", "O gato dorme", "O cão dorme", True),
    ],
)
def test_what_the_translation_of_the_original_has_as_well_is_not_the_edit(
    before: str, after: str, pseudo_reference: str, original_output: str, output: str, found: bool | None
) -> None:
    change = Edit(0, len(before), before, after)
    assert find_edit([change], pseudo_reference, output, original_output=original_output) is found


def test_one_edit_that_is_missing_decides_and_one_that_is_unknown_leaves_it_open() -> None:
    here, gone, other = Edit(0, 1, "1", "220"), Edit(2, 3, "3", "440"), Edit(5, 6, "x", "ab")
    assert find_edit([here, gone], "220 440", "220 e 440") is True
    assert find_edit([here, gone, other], "220 440 ab", "220") is False
    assert find_edit([here, other], "220 440 ab", "220") is None
    assert find_edit([], "220", "220") is None
