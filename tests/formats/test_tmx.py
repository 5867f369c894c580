"""Translation memories."""

from __future__ import annotations

import pytest

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.segment_files import read_stream
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment
from tests.formats.conftest import Write

MEMORY = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US"/><body>
<tu tuid="greeting">
  <tuv xml:lang="EN-US"><seg>Hello <bpt i="1">&lt;b&gt;</bpt>world<ept i="1">&lt;/b&gt;</ept>!</seg></tuv>
  <tuv xml:lang="pt-PT"><seg>Olá <hi>mundo</hi>! <ph>img<sub>legenda</sub></ph></seg></tuv>
  <tuv xml:lang="pt-BR"><seg>Oi mundo!</seg></tuv>
</tu>
<tu><tuv lang="en"><seg>Bye</seg></tuv><tuv lang="de"><seg>Tschüss</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>Ja</seg></tuv><tuv xml:lang="fr"><seg>Oui</seg></tuv></tu>
</body></tmx>
"""


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("en-pt", [("greeting", "Hello <b>world</b>!", "Olá mundo! imglegenda"), ("2", "Bye", None)]),
        ("en-pt_BR", [("greeting", "Hello <b>world</b>!", "Oi mundo!"), ("2", "Bye", None)]),
        ("fr-de", [("2", None, "Tschüss"), ("3", "Oui", "Ja")]),
        ("en_GB-de_DE", [("2", "Bye", "Tschüss"), ("3", None, "Ja")]),
    ],
)
def test_the_pair_chooses_the_variants(write: Write, pair: str, expected: list[tuple[str, str, str]]) -> None:
    segments = read_test_set(write("a.tmx", MEMORY), pair=parse_pair(pair)).segments
    assert segments == [Segment(row_id, source, (target,)) for row_id, source, target in expected]


def test_a_memory_can_hold_outputs(write: Write) -> None:
    stream = read_stream(write("a.tmx", MEMORY), role="output", pair=parse_pair("fr-de"))
    assert stream.texts == ["Tschüss", "Ja"]


def test_a_memory_needs_a_pair(write: Write) -> None:
    with pytest.raises(
        UsageError, match=r"needs a language pair; it holds EN-US, de, en, fr, pt-BR, pt-PT\.$"
    ):
        read_stream(write("a.tmx", MEMORY), role="source")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (MEMORY.replace("fr", "es"), "no segments for cs-uk; it holds EN-US, de, en, es, pt-BR, pt-PT"),
        ("<tmx/>", "no segments for cs-uk; it holds none"),
        ('<tmx><tu>\n<tuv xml:lang="cs"/></tu></tmx>', "line 2: tuv without seg"),
        (
            '<tmx><tu tuid="a"><tuv xml:lang="cs">\n<seg>Ano <ut/></seg></tuv></tu></tmx>',
            "line 2: unit 'a': <ut/> holds no text, and would be lost. Write the text",
        ),
        (
            "<tmx>" + '<tu tuid="a"><tuv lang="cs"><seg/></tuv></tu>\n' * 2 + "</tmx>",
            "line 2: duplicate id 'a' (first on line 1)",
        ),
    ],
)
def test_a_wrong_memory_is_refused(write: Write, content: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_stream(write("a.tmx", content), role="source", pair=parse_pair("cs-uk"))
    assert message in str(caught.value)
