"""The SGML of NIST and WMT, which no XML parser takes."""

from __future__ import annotations

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.segment_files import read_outputs, read_references, read_segments, read_stream
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.nouns import Segment
from tests.formats.conftest import Write

SOURCE = """<srcset setid="tiny" srclang="any">
<doc docid="d.1" genre="news" origlang="en">
<hl>
<seg id="1">Cats & dogs</seg>
</hl>
<p>
<seg id="2">3 < 4 &amp; 5 &lt; 6 <b> </seg>
</p>
</doc>
<DOC docid='d.2' origlang="de">
<SEG ID=1>
 Two
 lines </SEG>
</DOC>
</srcset>
"""
REFERENCE = """<refset setid="tiny" srclang="any" trglang="de">
<doc sysid="refA" docid="d.1"><seg id="1">Katzen &#38; Hunde</seg><seg id="2">x</seg></doc>
<doc sysid="refA" docid="d.2"><seg id="1"></seg></doc>
<doc sysid="refB" docid="d.1"><seg id="1">Katze und Hund</seg></doc>
</refset>
"""
OUTPUT = """<tstset trglang="de" setid="tiny" srclang="any" sysid="NMT">
<doc docid="d.2"><seg id="1">Zwei Zeilen</seg></doc>
<doc docid="d.1"><seg id="1">Katzen</seg><seg id="2"/></doc>
</tstset>
"""


def test_sets_are_joined_by_document_and_segment(write: Write) -> None:
    segments = read_segments(write("src.sgm", SOURCE), [write("ref.sgm", REFERENCE)])
    news = {"origlang": "en", "genre": "news"}
    assert segments == [
        Segment("d.1:1", "Cats & dogs", ("Katzen & Hunde", "Katze und Hund"), "d.1", news),
        Segment("d.1:2", "3 < 4 & 5 < 6 <b>", ("x", None), "d.1", news),
        Segment("d.2:1", "Two lines", ("", None), "d.2", {"origlang": "de"}),
    ]
    assert read_outputs(write("out.sgml", OUTPUT), segments) == ["Katzen", "", "Zwei Zeilen"]


def test_references_and_systems_keep_their_names(write: Write) -> None:
    assert [stream.name for stream in read_references(write("ref.sgm", REFERENCE))] == ["refA", "refB"]
    assert read_stream(write("out.sgm", OUTPUT), role="output").name == "NMT"


def test_several_sets_in_one_file_are_one_test_set(write: Write) -> None:
    test_set = read_test_set(write("all.xml", f"<mteval>{SOURCE}{REFERENCE}{OUTPUT}</mteval>"))
    assert len(test_set.segments) == 3
    assert test_set.outputs == {"NMT": ["Katzen", "", "Zwei Zeilen"]}


def test_a_file_without_known_ending_is_recognised(write: Write) -> None:
    assert read_stream(write("out", OUTPUT), role="output").ids == ["d.2:1", "d.1:1", "d.1:2"]


def test_a_number_that_is_no_character_stays_as_it_is(write: Write) -> None:
    content = '<tstset><seg id="1">&#0;&#xD800;&#x41;&#9999999;&nbsp;</seg></tstset>'
    assert read_stream(write("a.sgm", content), role="output").texts == ["&#0;&#xD800;A&#9999999;&nbsp;"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<tstset>\n<seg id=1>a\n<seg id=2>b</seg></tstset>", "line 2: this seg is not closed"),
        ("<tstset>\n<seg id=1>a", "line 2: this seg is not closed"),
        ("<doc>\n<seg id=1>a</seg>", "line 2: a seg outside of srcset, refset and tstset"),
        ("<tstset><seg>a</seg></tstset>", "line 1: seg without id"),
        ("<tstset></tstset>", "no seg in a srcset, refset or tstset"),
        ("text", "no seg in a srcset, refset or tstset"),
        (
            "<tstset>\n<seg id=1>a</seg>\n<seg id=1>b</seg></tstset>",
            "line 3: duplicate id '1': its output is on line 2 already",
        ),
    ],
)
def test_wrong_markup_is_refused_with_its_line(write: Write, content: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_stream(write("a.sgm", content), role="output")
    assert message in str(caught.value)


def test_a_set_does_not_play_another_role(write: Write) -> None:
    with pytest.raises(InputError, match="it holds no reference, only output"):
        read_references(write("out.sgm", OUTPUT))
