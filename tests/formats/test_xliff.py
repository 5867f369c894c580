"""XLIFF 1.2 and 2.0."""

from __future__ import annotations

import pytest

from mtassay.data.errors import InputError
from mtassay.data.formats.segment_files import read_outputs, read_segments, read_stream
from mtassay.data.formats.test_sets import read_test_set
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Segment
from tests.formats.conftest import Write

ONE = """<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a.html" source-language="en-US" target-language="de-DE" datatype="html"><body>
  <trans-unit id="1"><source>Press <g id="1">OK</g>.</source>
    <target>Drücken Sie <g id="1">OK</g>.</target>
    <alt-trans><source>Press</source><target>Presse</target></alt-trans></trans-unit>
  <group><trans-unit id="2"><source>Save <ph id="1">{0}</ph></source></trans-unit></group>
  <trans-unit id="3"><source>New</source><target state="new"/></trans-unit>
  <trans-unit id="4"><source>Gone</source><target state="final"/></trans-unit>
</body></file>
<file original="b.html" source-language="en" target-language="de"><body>
  <trans-unit id="1"><source>End</source><target><mrk mtype="seg" mid="0">Ende</mrk></target></trans-unit>
</body></file>
<file original="b.html" source-language="en" target-language="fr"><body>
  <trans-unit id="1"><source>End</source><target>Fin</target></trans-unit>
</body></file>
</xliff>
"""
TWO = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de">
<file id="f1">
  <unit id="u1"><segment><source>A <pc id="1">bold</pc> one</source><target>Ein</target></segment></unit>
  <group id="g"><unit id="u2">
    <segment id="s1"><source>Two.</source><target>Zwei.</target></segment>
    <ignorable><source> </source></ignorable>
    <segment state="initial"><source>Three.</source><target/></segment>
    <segment state="final"><source>Four.</source><target/></segment>
  </unit></group>
</file>
</xliff>
"""


def test_a_unit_without_translation_is_missing_not_empty(write: Write) -> None:
    segments = read_test_set(write("a.xlf", ONE), pair=parse_pair("en-de")).segments
    assert segments == [
        Segment("a.html:1", "Press OK.", ("Drücken Sie OK.",), "a.html"),
        Segment("a.html:2", "Save {0}", (None,), "a.html"),
        Segment("a.html:3", "New", (None,), "a.html"),
        Segment("a.html:4", "Gone", ("",), "a.html"),
        Segment("b.html:1", "End", ("Ende",), "b.html"),
    ]


def test_units_of_version_2_may_have_several_segments(write: Write) -> None:
    segments = read_test_set(write("a.xliff", TWO), pair=parse_pair("en-de")).segments
    assert segments == [
        Segment("f1:u1", "A bold one", ("Ein",), "f1"),
        Segment("f1:u2:s1", "Two.", ("Zwei.",), "f1"),
        Segment("f1:u2:2", "Three.", (None,), "f1"),
        Segment("f1:u2:3", "Four.", ("",), "f1"),
    ]


def test_targets_can_be_outputs(write: Write) -> None:
    pair = parse_pair("en-de")
    segments = read_segments(write("source.xlf", ONE), [], pair=pair)
    outputs = read_outputs(write("done.xlf", ONE.replace("Ende", "Aus")), segments, pair=pair)
    assert outputs == ["Drücken Sie OK.", None, None, "", "Aus"]


def test_only_files_of_the_pair_are_read(write: Write) -> None:
    path = write("a.xlf", ONE)
    assert read_stream(path, role="reference", pair=parse_pair("en-fr")).texts == ["Fin"]
    with pytest.raises(InputError, match="no segments for en-cs; it holds en-US:de-DE, en:de, en:fr"):
        read_stream(path, role="reference", pair=parse_pair("en-cs"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<xliff/>", "no segments"),
        ("<xliff><file>\n<unit><segment/></unit></file></xliff>", "line 2: a unit without id"),
        ('<xliff><file>\n<unit id="1"><segment/></unit></file></xliff>', "line 2: a unit without source"),
        (ONE, "line 15: duplicate id 'b.html:1' (first on line 12)"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(write: Write, content: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_stream(write("a.xlf", content), role="source")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('Hello <ph id="1">{{name}}</ph>!', "Hello {{name}}!"),
        ('<bpt id="1">&lt;b&gt;</bpt>Hi<ept id="1">&lt;/b&gt;</ept> you', "<b>Hi</b> you"),
        ('<it id="1" pos="open">&lt;i&gt;</it>Hi', "<i>Hi"),
        ('<ph id="1">&lt;img alt="<sub>Two cats</sub>"&gt;</ph>', '<img alt="Two cats">'),
        ('<g id="1">One <mrk mtype="x">and <g id="2">two</g></mrk></g>', "One and two"),
        ('<mrk mid="0" mtype="seg"/>Hi', "Hi"),
        ("a<!-- a remark -->b &amp; &#160;c", "ab & \N{NO-BREAK SPACE}c"),
        ("Hi <![CDATA[<ph>%s</ph> & co]]>", "Hi <ph>%s</ph> & co"),
        ("Hi\n    you ", "Hi you"),
    ],
)
def test_what_inline_elements_hold_stays_in_the_text(write: Write, source: str, text: str) -> None:
    content = ONE.replace('Save <ph id="1">{0}</ph>', source)
    assert read_stream(write("a.xlf", content), role="source", pair=parse_pair("en-de")).texts[1] == text


@pytest.mark.parametrize(
    "element",
    [
        "<x/>",
        "<bx/>",
        "<ph/>",
        "<it/>",
        "<bpt/>",
        "<g/>",
        "<pc/>",
        "<sc/>",
        "<cp/>",
        "<g><x/></g>",
        "<?field?>",
    ],
)
@pytest.mark.parametrize(("content", "unit"), [(ONE, "a.html:1"), (TWO, "f1:u1")])
def test_what_the_text_would_lose_is_refused(write: Write, content: str, unit: str, element: str) -> None:
    content = content.replace("<source>", f"<source>{element}", 1)
    with pytest.raises(InputError) as caught:
        read_stream(write("a.xlf", content), role="source", pair=parse_pair("en-de"))
    shown = element.replace("<g><x/></g>", "<x/>")
    assert f"unit '{unit}': {shown} holds no text, and would be lost." in str(caught.value)
