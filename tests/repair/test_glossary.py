"""Corrections as fixed mappings."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest

from mtassay.data.nouns import Edit
from mtassay.meta.repair.corrections import Correction
from mtassay.meta.repair.training_data import GlossaryEntry, make_glossary, write_glossary
from mtassay.nlp.links import Links, WordAligner, Words

DRIED = Correction(
    "5/3-dried", "She sells dried fish.", "Ela vende peixe seca.", "Ela vende peixe seco.", "anna"
)
EDIT = Edit(10, 15, "fresh", "dried", "ADJ")


class FixedAligner(WordAligner):
    """Gives the same links to every pair."""

    name = "fixed"
    signature = "fixed"

    def __init__(self, links: set[tuple[int, int]]) -> None:
        self._links: Links = frozenset(links)

    def align(self, pairs: Sequence[tuple[Words, Words]]) -> list[Links]:
        return [self._links for _ in pairs]


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ({(2, 3), (3, 2)}, [GlossaryEntry("dried", "seco")]),
        ({(2, 2), (2, 3)}, [GlossaryEntry("dried", "peixe seco")]),
        ({(3, 2)}, []),  # no link of the edited word
        ({(2, 1), (2, 3)}, []),  # not neighbours
        ({(2, 3), (3, 3)}, []),  # shared with another word
        ({(2, 2)}, []),  # the wrong output has "peixe", so that is not what went wrong
    ],
)
def test_an_edited_word_is_mapped_where_the_links_show_its_translation(
    links: set[tuple[int, int]], expected: list[GlossaryEntry]
) -> None:
    made = make_glossary([DRIED], edits={DRIED.id: EDIT}, aligner=FixedAligner(links))
    assert made.words == expected


def test_without_an_aligner_only_sentences_are_mapped() -> None:
    made = make_glossary([DRIED], edits={DRIED.id: EDIT})
    assert (made.words, made.sentences) == ([], [GlossaryEntry(DRIED.source, DRIED.correction)])


def test_an_edit_that_is_not_in_the_source_maps_no_word() -> None:
    elsewhere = EDIT._replace(start=0)
    made = make_glossary([DRIED], edits={DRIED.id: elsewhere}, aligner=FixedAligner({(2, 3)}))
    assert made.words == []


def test_a_phrase_with_two_translations_is_not_fixed() -> None:
    other = Correction("6", DRIED.source, "x", "Ela vende peixe desidratado.", "ben")
    made = make_glossary([DRIED, other])
    assert (made.sentences, made.unclear) == ([], [DRIED.source])


def test_a_glossary_is_written_as_lines_with_a_tab() -> None:
    handle = io.StringIO()
    write_glossary(handle, make_glossary([DRIED, DRIED]))
    assert handle.getvalue() == "She sells dried fish.\tEla vende peixe seco.\n"
