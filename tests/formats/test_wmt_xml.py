"""The XML of WMT test sets since 2021."""

from __future__ import annotations

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.segment_files import read_outputs, read_references, read_segments, read_stream
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment
from tests.formats.conftest import Write

DATASET = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="tiny">
  <collection id="general">
    <doc id="d1" origlang="en" domain="news">
      <src lang="en"><p><seg id="1">One &amp; two</seg><seg id="2">Three</seg></p></src>
      <ref lang="de" translator="A"><p><seg id="1">Eins &amp; zwei</seg><seg id="2">Drei</seg></p></ref>
      <ref lang="de" translator="B"><p><seg id="1">Eins und zwei</seg></p></ref>
      <hyp system="S1" language="de"><p><seg id="1">Ein</seg><seg id="2"></seg></p></hyp>
      <hyp system="S2" language="de"><p><seg id="2">Drei!</seg></p></hyp>
    </doc>
  </collection>
  <doc id="d2" origlang="en" testsuite="gender">
    <src lang="en"><p><seg id="1">
      Four
      five
    </seg></p></src>
    <ref lang="fr" translator="A"><p><seg id="1">Quatre cinq</seg></p></ref>
  </doc>
</dataset>
"""


def test_a_dataset_holds_the_whole_test_set(write: Write) -> None:
    test_set = read_test_set(write("set.xml", DATASET), pair=parse_pair("en-de"))
    news = {"domain": "news", "origlang": "en", "collection": "general"}
    assert test_set.segments == [
        Segment("d1:1", "One & two", ("Eins & zwei", "Eins und zwei"), "d1", news),
        Segment("d1:2", "Three", ("Drei", None), "d1", news),
        Segment("d2:1", "Four five", (None, None), "d2", {"origlang": "en", "testsuite": "gender"}),
    ]
    assert test_set.outputs == {"S1": ["Ein", "", None], "S2": [None, "Drei!", None]}
    assert test_set.reference_names == ["A", "B"]


def test_the_pair_chooses_the_language(write: Write) -> None:
    path = write("set.xml", DATASET)
    assert read_stream(path, role="reference", pair=parse_pair("en-fr")).texts == [None, None, "Quatre cinq"]
    with pytest.raises(InputError, match="it holds no reference, only source"):
        read_references(path, pair=parse_pair("en-cs"))
    with pytest.raises(InputError, match="no segments for cs-uk; it holds de, en, fr"):
        read_stream(path, role="source", pair=parse_pair("cs-uk"))


def test_outputs_in_another_file_are_joined_by_id(write: Write) -> None:
    path = write("set.xml", DATASET)
    pair = parse_pair("en-de")
    segments = read_segments(path, [path], pair=pair)
    other = '<dataset><doc id="d1"><hyp system="new"><seg id="2">Neu</seg></hyp></doc></dataset>'
    assert read_outputs(write("new.xml", other), segments, pair=pair) == [None, "Neu", None]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<dataset>\n<doc><src/></doc></dataset>", "line 2: doc without id"),
        ('<dataset><doc id="d"><src>\n<seg>x</seg></src></doc></dataset>', "line 2: seg without id"),
        (
            '<dataset><doc id="d"><src>\n<seg id="1">x</seg>\n<seg id="1">y</seg></src></doc></dataset>',
            "line 3: duplicate id 'd:1': its source is on line 2 already",
        ),
        ("<dataset/>", "no segments"),
        ("<dataset>\n<doc>", "line 2: not well-formed XML: Premature end of data"),
        ("<html/>", "line 1: <html> is not read. The root must be dataset"),
        ("text", "line 1: not well-formed XML"),
    ],
)
def test_a_wrong_dataset_is_refused_with_its_line(write: Write, content: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_stream(write("a.xml", content), role="source")
    assert message in str(caught.value)


def test_another_encoding_that_xml_declares_is_read(write: Write) -> None:
    declaration = '<?xml version="1.0" encoding="iso-8859-1"?>'
    content = f'{declaration}<dataset><doc id="d"><src><seg id="1">Bär</seg></src></doc></dataset>'
    assert read_stream(write("a.xml", content.encode("latin-1")), role="source").texts == ["Bär"]
