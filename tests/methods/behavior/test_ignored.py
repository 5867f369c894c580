"""Proof that an edit was ignored, and what is no proof."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtassay.data.nouns import Edit
from mtassay.methods.behavior.edit_search import EditedPair, is_ignored
from mtassay.methods.behavior.infiller import Distinct, distinct_edits

KNOWN, UNKNOWN = Distinct(True, True), Distinct(False, False)


def edit(source: tuple[str, str], reference: tuple[str, str], distinct: Distinct = UNKNOWN) -> EditedPair:
    """One change of each side, in references that have nothing else but `hoje`."""
    texts = (f"{reference[0]} hoje", f"{reference[1]} hoje")
    changes = [[Edit(0, len(old), old, new)] for old, new in (source, reference)]
    return EditedPair(changes[0], changes[1], texts, distinct, "en", "pt")


@pytest.mark.parametrize(
    ("source", "reference", "output", "edited_output", "ignored"),
    [
        (("31", "23"), ("31", "23"), "São 31 mil hoje", "São 31 mil, hoje", True),  # the very same
        (
            ("31", "23"),
            ("31", "23"),
            "São 31 mil hoje",
            "Hoje são 31.000",
            False,
        ),  # the old one is not there as it was
        (("31", "23"), ("31", "23"), "São 31 mil hoje", "Hoje são 31 mil", True),
        (("31", "23"), ("31", "23"), "São 31 mil hoje", "Hoje são 23 mil", False),
        (("31", "23"), ("31", "23"), "São 31 mil hoje", "Hoje são vinte e três mil", False),
        (("31", "23"), ("31", "23"), "São 31 mil hoje", "Hoje são muitos mil", False),  # silence is no proof
        (("three", "nine"), ("três", "nove"), "São 3 hoje", "Hoje são 3", True),  # digits for words
        (("three", "nine"), ("três", "nove"), "São três hoje", "Hoje são 9", False),
        (("12%", "19%"), ("12 %", "19 %"), "Uns 12% hoje", "Hoje uns 12%", True),
        (("1,250", "3,400"), ("1.250", "3.400"), "R$ 1.250,00 hoje", "Hoje R$ 1250", True),
        (("1,250", "3,400"), ("1.250", "3.400"), "R$ 1.250,00 hoje", "Hoje R$ 3400,00", False),
        (("$5", "€5"), ("$ 5", "€ 5"), "Custa $ 5 hoje", "Hoje custa $ 5", True),
        (("10:50", "9:15"), ("10:50", "9:15"), "Foi às 10:50 hoje", "Hoje foi às 10:50", True),
        (("May 3", "May 8"), ("3 de maio", "8 de maio"), "A 3 de maio", "Foi a 3 de maio", True),
        (("Ana", "Vera"), ("Ana", "Vera"), "A Ana vem", "Ela, a Ana, vem", True),  # a name stays as it is
        (("Ana", "Vera"), ("Ana", "Vera"), "A Ana vem", "A Vera e a Ana vêm", False),
        (("big", "large"), ("grande", "enorme"), "É grande", "É grande", False),  # perhaps a synonym
        (("big", "large"), ("grande", "enorme"), "É grande", "Hoje é grande", False),
    ],
)
def test_numbers_and_names_prove_it_whoever_made_the_edit(
    source: tuple[str, str], reference: tuple[str, str], output: str, edited_output: str, ignored: bool
) -> None:
    assert is_ignored(edit(source, reference), output, edited_output) is ignored


@pytest.mark.parametrize(
    ("reference", "output", "edited_output", "ignored"),
    [
        (("antes", "depois"), "Veio antes", "Ele veio antes", True),
        (("antes", "depois"), "Veio antes", "Veio depois e não antes", False),
        # The new word was there before, for something else.
        (("este", "aquele"), "Este cão e aquele rato", "Hoje este cão e aquele rato", True),
        (("este", "aquele"), "Este cão e aquele rato", "Aquele cão e aquele rato, este", False),
        (("segunda-feira", "terça-feira"), "Na segunda-feira", "Foi na segunda-feira", True),
        (("gato", "cavalo"), "Os gatos dormem", "Dormem os gatos", True),  # in another form
        (("gato", "cavalo"), "Os gatos dormem", "Os gatos e cavalos dormem", False),
        (("gato", "cavalo"), "Os bichanos dormem", "O gato dorme", False),  # it was not there before
        (("gato", "cavalo"), "Um gato e um gato", "Um gato e um bicho", False),  # one is gone
        (("a casa", "a rua"), "A casa azul", "Uma casa azul", True),
        (("de", "em"), "de casa", "de uma casa", False),  # too short to tell
        (("猫", "马"), "猫在睡", "猫睡了", False),
        (("老师", "医生"), "他是老师", "他是一名老师", True),
        (("", "não"), "Ele vem", "Ela vem", False),
        (("não", ""), "Ele não vem", "Ela não vem", False),
        (("gato", "cavalo"), "", "", False),
    ],
)
def test_words_prove_it_where_the_meaning_is_known_to_differ(
    reference: tuple[str, str], output: str, edited_output: str, ignored: bool
) -> None:
    known = edit(("x", "y"), reference, KNOWN)
    assert is_ignored(known, output, edited_output) is ignored
    assert not is_ignored(known._replace(distinct=UNKNOWN), output, edited_output)


def test_an_old_word_that_the_pseudo_reference_has_too_proves_nothing() -> None:
    change = Edit(2, 6, "gato", "cão")
    twice = EditedPair([], [change], ("o gato e o gato", "o cão e o gato"), KNOWN)
    assert not is_ignored(twice, "o gato e outro", "um gato e outro")
    assert is_ignored(twice, "o gato e o gato", "um gato e um gato")


def test_of_several_edits_words_prove_only_where_all_are_known() -> None:
    partly = edit(("x", "y"), ("antes", "depois"), Distinct(True, False))
    assert is_ignored(partly, "Veio antes", "veio antes.")
    assert not is_ignored(partly, "Veio antes", "Ele veio antes")


def test_equal_references_prove_nothing() -> None:
    same = EditedPair([Edit(0, 1, "3", "4")], [], ("O gato.", "o gato"), KNOWN, "en", "pt")
    assert not is_ignored(same, "O gato", "O gato")


@given(st.text(), st.text(), st.text(), st.text())
def test_the_references_themselves_are_never_said_to_ignore_the_edit(
    before: str, after: str, start: str, end: str
) -> None:
    references = (f"{start} {before} {end}", f"{start} {after} {end}")
    change = Edit(len(start) + 1, len(start) + 1 + len(before), before, after)
    assert not is_ignored(EditedPair([change], [change], references, KNOWN), *references)


@pytest.mark.parametrize(
    ("provenance", "found"),
    [
        ({"infiller": "lexicon:en-pt:1a", "lexicon": ["month"]}, (True, True)),
        ({"infiller": "lexicon:en-pt:1a", "lexicon": ["these"]}, (False, False)),
        ({"infiller": "lexicon:en-pt:1a", "lexicon": ["month", "pot"]}, (True, False)),
        ({"infiller": "lexicon:en-pt:1a"}, (False, False)),
        ({"infiller": "llm:x", "lexicon": ["month"]}, (False, False)),
        ({"lexicon": "month"}, (False, False)),
        ({}, (False, False)),
    ],
)
def test_only_the_lexicon_is_known_to_change_the_meaning(
    provenance: dict[str, object], found: tuple[bool, bool]
) -> None:
    assert distinct_edits(provenance) == found
