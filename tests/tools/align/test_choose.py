"""The right aligner is chosen, and what is missing is named with the command that gets it."""

from __future__ import annotations

import pytest

from mtassay.data.errors import MissingExtraError, MtassayError, UsageError
from mtassay.data.languages import parse_pair
from mtassay.nlp import encoder_aligner
from mtassay.nlp import links as choosing
from mtassay.nlp.links import aligner_names, open_aligner


@pytest.fixture
def installed(monkeypatch):
    """Says which of the optional aligners are on this machine."""

    def install(*names):
        monkeypatch.setattr(encoder_aligner, "is_installed", lambda: "encoder" in names)

    return install


BEST = [
    ("en-pt", (), "table"),
    ("pt-en", ("encoder",), "table"),
    ("zh-en", (), "table"),
    ("zh-en", ("encoder",), "encoder"),
    ("de-en", ("encoder",), "encoder"),
]


@pytest.mark.parametrize(("pair", "packages", "name"), BEST)
def test_the_best_installed_aligner_is_chosen(installed, pair, packages, name):
    installed(*packages)
    assert choosing.best_aligner(pair) == name


def test_where_nothing_is_installed_the_error_says_what_to_install(installed):
    installed()
    with pytest.raises(UsageError, match=r"No word aligner for de-en .*: pip install 'mtassay\[use\]'; or"):
        open_aligner("de-en")
    with pytest.raises(UsageError, match=r"for cs-en on this machine\. Bring links as pharaoh:FILE"):
        open_aligner("cs-en")


def test_spellings_of_a_pair_and_a_parsed_one_open_the_same_aligner():
    assert open_aligner("en-pt") is open_aligner("eng_Latn-por_Latn") is open_aligner(parse_pair("en-pt-BR"))


MISTAKES = [
    ("tabel", r"No word aligner 'tabel'\. Available: table, encoder, pharaoh:FILE"),
    ("table:x", r"No word aligner 'table:x'"),
    ("pharaoh", r"'pharaoh' needs the file with the links: pharaoh:FILE"),
    ("pharaoh:none", r"none: cannot be read \(No such file"),
]


@pytest.mark.parametrize(("name", "message"), MISTAKES)
def test_a_wrong_name_or_file_is_one_line(name, message):
    with pytest.raises(MtassayError, match=message) as caught:
        open_aligner("en-pt", name=name)
    assert "\n" not in str(caught.value)


def test_a_pair_without_a_table_is_pointed_to_the_encoder():
    with pytest.raises(UsageError, match=r"no table for de-en, only for en-pt, en-zh, both ways"):
        open_aligner("de-en", name="table")


@pytest.mark.parametrize("name", [name for name in aligner_names() if "FILE" not in name])
def test_every_name_opens_its_aligner_where_it_is_installed(name):
    try:
        aligner = open_aligner("en-pt", name=name)
    except MissingExtraError:
        pytest.skip(f"{name} is not installed")
    assert aligner.name == name
    assert aligner.signature.startswith(name)
