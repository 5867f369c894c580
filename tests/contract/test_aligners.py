"""What every word aligner keeps: add a row to EXAMPLES and it is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.data.errors import MissingExtraError
from mtassay.data.registry import find, names
from mtassay.nlp.links import WordAligner, aligner_names, open_aligner
from tests.tools.align.checks import assert_within

PAIRS = [(["The", "sea"], ["O", "mar"]), ([], ["mar"]), (["sea", "\ud800", ""], ["mar"])]
EXAMPLES = {
    "table": "table",
    "encoder": "encoder",
    "pharaoh": "pharaoh:{folder}/links.txt",
}
LANGUAGES = ("en-pt", "zh-en", "de-en", "cs-fi")


@pytest.fixture(params=names("aligner"))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def spec(name: str, tmp_path: Path) -> str:
    """What `open_aligner` is given, with the files that it names."""
    (tmp_path / "links.txt").write_text("0-0 1-1\n\n0-0\n")
    return EXAMPLES[name].format(folder=tmp_path)


@pytest.fixture
def aligner(spec: str) -> WordAligner:
    """The aligner of an example; skips where its package is not here, which the error names."""
    try:
        return open_aligner("en-pt", name=spec)
    except MissingExtraError as error:
        pytest.skip(str(error))


def test_every_registered_aligner_is_checked() -> None:
    assert EXAMPLES.keys() >= set(names("aligner"))


def test_each_pair_has_its_links_within_its_words(aligner: WordAligner) -> None:
    assert_within(PAIRS, aligner.align(PAIRS))


def test_it_has_its_name_and_a_signature_that_stays(name: str, aligner: WordAligner) -> None:
    assert aligner.name == name
    assert aligner.signature == aligner.signature != ""


def test_it_is_written_as_it_is_opened(name: str) -> None:
    [written] = [written for written in aligner_names() if written.partition(":")[0] == name]
    assert ":" not in written or ":" in EXAMPLES[name]
    assert find("aligner", name).argument or ":" not in EXAMPLES[name]


def test_what_it_says_of_any_pair_can_be_compared_and_typed(name: str) -> None:
    for pair in LANGUAGES:
        assert find("aligner", name).preference(pair) >= 0
        advice = find("aligner", name).advice(pair)
        assert advice == "" or advice.startswith("pip install 'mtassay[")
