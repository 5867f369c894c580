"""Localisation files: read as they are, written back with other targets and nothing else changed."""

# ruff: noqa: E501  (a file on one line is easier to read here)
from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.localisation import LocalisationFile, find_source, read_localisation
from mtassay.data.formats.segment_files import read_stream
from mtassay.data.languages import parse_pair
from tests.formats.conftest import Write
from tests.formats.localisation_oddities import FAMILIES, ODDITIES, Oddity

PAIR = parse_pair("en-de")
NAMES = [f"{oddity.suffix[1:]}: {oddity.what}" for oddity in ODDITIES]


def opened(tmp_path: Path, oddity: Oddity, data: bytes | None = None) -> LocalisationFile:
    path = tmp_path / f"a{oddity.suffix}"
    path.write_bytes(oddity.data if data is None else data)
    return read_localisation(path, pair=PAIR)


def test_there_are_at_least_fifteen_of_each() -> None:
    assert min(map(len, FAMILIES.values())) >= 15


@pytest.mark.parametrize("oddity", ODDITIES, ids=NAMES)
def test_units_are_read_as_the_file_means_them(tmp_path: Path, oddity: Oddity) -> None:
    file = opened(tmp_path, oddity)
    targets = {unit.id: unit.target for unit in file.units}
    assert {unit_id: targets[unit_id] for unit_id in oddity.units} == oddity.units
    assert len(targets) == len(file.units)


@pytest.mark.parametrize("oddity", ODDITIES, ids=NAMES)
def test_without_a_change_every_byte_stays(tmp_path: Path, oddity: Oddity) -> None:
    file = opened(tmp_path, oddity)
    assert file.with_targets({}) == oddity.data
    same = {unit.id: unit.target for unit in file.units if unit.target is not None}
    assert file.with_targets(same) == oddity.data


@pytest.mark.parametrize("oddity", ODDITIES, ids=NAMES)
def test_a_new_target_changes_nothing_else(tmp_path: Path, oddity: Oddity) -> None:
    file = opened(tmp_path, oddity)
    for unit in file.units:
        if unit.slot is None and file.insert is None:
            continue
        text = "Etwas <neu> & 'gut' \"hier\""
        written = file.with_targets({unit.id: text})
        again = opened(tmp_path, oddity, written)
        expected = {u.id: text if u.id == unit.id else u.target for u in file.units}
        assert {u.id: u.target for u in again.units} == expected
        assert [u.source for u in again.units] == [u.source for u in file.units]
        if unit.slot is not None:
            # All that changed is within the place of the target.
            before = file.content.encode(file.content.text[: unit.slot.start])
            after = file.content.text[unit.slot.end :].encode(file.content.encoding)
            assert written.startswith(before)
            assert written.endswith(after)


FREE = st.text(st.characters(blacklist_categories=["Cs", "Cn", "Co"], blacklist_characters="\0"), max_size=40)


def _fitting(text: str, suffix: str, content: str) -> str:
    if content.lstrip().startswith("<"):
        text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", text)
    if suffix == ".tsv":
        text = re.sub("[\t\r\n]", " ", text)
    return text


@settings(max_examples=15, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("family", FAMILIES)
def test_any_text_is_read_back_as_it_was_set(
    tmp_path_factory: pytest.TempPathFactory, family: str, data: st.DataObject
) -> None:
    oddity = data.draw(st.sampled_from(FAMILIES[family]))
    file = opened(tmp_path_factory.mktemp("a"), oddity)
    if file.content.encoding not in ("utf-8", "utf-16-le", "utf-16-be") and family != "xliff":
        return
    targets = {
        unit.id: _fitting(data.draw(FREE), oddity.suffix, file.content.text)
        for unit in file.units
        if (unit.slot is not None or file.insert is not None)
    }
    written = file.with_targets(targets)
    again = opened(tmp_path_factory.mktemp("b"), oddity, written)
    # What has its own source says nothing by an empty target.
    expected = {u: t if file.is_monolingual else t or None for u, t in targets.items()}
    found = {unit.id: unit.target for unit in again.units if unit.id in targets}
    found = found if file.is_monolingual else {u: t or None for u, t in found.items()}
    assert found == expected


BOMB = b"<!DOCTYPE %b [<!ENTITY a 'aaaaaaaaaa'>" + b"".join(
    b"<!ENTITY %c '%b'>" % (i, b"&%c;" % (i - 1) * 10) for i in range(98, 108)
)
DEEP = b'{"a":' * 5000 + b'"x"' + b"}" * 5000


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.xlf", BOMB % b"xliff" + b"]><xliff><file><body/></file></xliff>", "entities"),
        ("strings.xml", BOMB % b"resources" + b']><resources><string name="&k;">x</string></resources>', "."),
        ("a.json", DEEP, "nested too deeply"),
        ("a.arb", b"[" * 100_000, "not JSON|nested"),
        ("a.xcstrings", b'{"sourceLanguage": "en", "strings": {"a"', "not JSON"),
        ("a.xlf", b"<xliff>" + b"<group>" * 5000, "not well-formed"),
        ("a.xlf", b"<xliff><file><body><trans-unit", "not well-formed"),
        ("a.po", b'msgid "a"\nmsgstr "b', "line 2: a text without end"),
        ("a.po", b'msgid "a"\n', "an entry without msgstr"),
        ("a.po", b"Just text.\n", "line 1: expected msgid"),
        ("a.po", b'msgid ""\nmsgstr "charset=UTF-8"\n\nmsgid "\xe9"\nmsgstr ""\n', "0xE9"),
        ("a.po", b'msgid ""\nmsgstr "charset=no-such"\n', "not readable as no-such"),
        ("a.po", b'msgid ""\nmsgstr "charset=base64"\n', "not readable as base64"),
        ("a.strings", b'"a" = "b"', "without ; at its end"),
        ("a.strings", b'"a" = "b', "line 1: expected"),
        ("a.strings", b"bplist00\xd1\x01\x02", "plutil -convert xml1"),
        ("a.strings", b'{"a": "b"}', "expected"),
        ("a.json", b'{"a": "b",}', "a comma before }"),
        ("a.json", b'{"a": "b"} x', "not JSON|follows"),
        ("a.json", b'{"a": "\\ud800"}', "surrogate"),
        ("a.json", b'{"a": "\\u0000"}', "NUL"),
        ("a.json", b'["a"]', "expected a JSON object"),
        ("a.json", b'"a" = "b";', "not JSON|follows|expected"),
        ("a.json", b"{}", "no texts"),
        ("a.csv", b'key,source,target\na,"b', "a quote that is not closed"),
        ("a.csv", b"key,source,target\na,b\n", "line 2: 2 columns, expected 3"),
        ("a.csv", b"a,b\n1,2\n", "the header must name the columns"),
        ("a.properties", b'{"a": "b"}', "expected lines"),
        ("a.properties", b"<a b='c'/>", "expected lines"),
        ("values.xml", b"<dataset/>", "no localisation file"),
        ("a.xyz", b"x", "no localisation file that we know. Known: .tsv"),
        ("a.strings", b"\xff\xfe\"\x00a", "not readable as utf-16"),
    ],
)  # fmt: skip
def test_what_is_damaged_or_hostile_is_told_in_one_line(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        read_localisation(path, pair=PAIR)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("oddity", ODDITIES, ids=NAMES)
def test_half_a_file_is_read_or_refused(tmp_path: Path, oddity: Oddity) -> None:
    for part in range(1, 8):
        with suppress(InputError, UsageError):
            opened(tmp_path, oddity, oddity.data[: len(oddity.data) * part // 8] or b" ")


FACTS = [
    ("a.po", '#, c-format, max-length:12\n#. note\nmsgid "%s"\nmsgstr ""\n', {"syntax": "printf", "max_length": 12}),
    ("a.po", '#, fuzzy, python-brace-format\nmsgid "a"\nmsgstr "b"\n', {"fuzzy": True, "syntax": "brace"}),
    ("a.xlf", '<xliff><file original="f"><body><trans-unit id="1" maxwidth="9" size-unit="char"><source>A</source>'
     '<target state="translated">B</target></trans-unit></body></file></xliff>', {"max_length": 9, "state": "translated"}),
    ("a.xlf", '<xliff xmlns:slr="urn:s" version="2.0" srcLang="en"><file id="f"><unit id="1" slr:sizeRestriction="3,7" translate="no">'
     "<segment><source>A</source></segment></unit></file></xliff>",
     {"max_length": 7, "translatable": False, "state": "initial"}),
    ("a.json", '{"a_one": "{{n}}", "a_other": "{{n}}"}', {"syntax": "i18next", "plural": "one"}),
    ("a.json", '{"a": "{n, plural, other {#}}"}', {"syntax": "icu"}),
    ("a.json", '{"a": "{name}"}', {"syntax": "brace"}),
    ("a.arb", '{"a": "x"}', {"syntax": "icu"}),
    ("a.csv", "source,target,max_length\na,b,5\n", {"max_length": 5}),
    ("a.properties", "a={0} x\n", {"syntax": "java"}),
    ("strings.xml", '<resources><plurals name="p"><item quantity="few">%d</item></plurals></resources>',
     {"syntax": "printf", "plural": "few"}),
    ("strings.xml", '<resources><string name="a" translatable="false">x</string></resources>', {"translatable": False}),
    ("a.xcstrings", '{"sourceLanguage": "en", "strings": {"%@": {"shouldTranslate": false}}}',
     {"syntax": "printf", "translatable": False}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "facts"), FACTS)
def test_facts_are_what_the_file_says(write: Write, name: str, text: str, facts: dict[str, object]) -> None:
    assert dict(read_localisation(write(name, text), pair=PAIR).units[0].facts) == facts


def test_the_categories_of_plurals_follow_the_language(write: Write) -> None:
    head = 'msgid ""\nmsgstr "Language: %s\\n"\n\nmsgid "a"\nmsgid_plural "b"\n'
    body = "".join(f'msgstr[{i}] "x"\n' for i in range(3))
    for language, expected in (("ru", ["one", "few", "many"]), ("cs", ["one", "few", "other"])):
        units = read_localisation(write("a.po", head % language + body)).units
        assert [unit.facts["plural"] for unit in units] == expected
        assert [unit.source for unit in units] == ["a", "b", "b"]


@pytest.mark.parametrize(
    ("source", "target", "text"),
    [
        (
            "values/strings.xml",
            "values-de/strings.xml",
            '<resources><string name="a">%s</string></resources>',
        ),
        (
            "values/strings.xml",
            "values-pt-rBR/strings.xml",
            '<resources><string name="a">%s</string></resources>',
        ),
        ("en.json", "de.json", '{"a": "%s"}'),
        ("en/app.json", "de/app.json", '{"a": "%s"}'),
        ("app_en.arb", "app_de.arb", '{"a": "%s"}'),
        ("en.lproj/L.strings", "de.lproj/L.strings", '"a" = "%s";'),
        ("Base.lproj/L.strings", "de.lproj/L.strings", '"a" = "%s";'),
        ("m.properties", "m_de.properties", "a=%s"),
        ("m_en.properties", "m_de_AT.properties", "a=%s"),
    ],
)
def test_the_source_is_found_by_convention(tmp_path: Path, source: str, target: str, text: str) -> None:
    for name, word in ((source, "Sea"), (target, "Meer")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text % word, encoding="utf-8")
    file = read_localisation(tmp_path / target)
    assert [(unit.source, unit.target) for unit in file.units] == [("Sea", "Meer")]
    assert file.source_path == str(tmp_path / source)
    assert file.languages[1]
    assert find_source(str(tmp_path / source)) is None


def test_a_source_file_gives_sources_by_key_and_what_is_missing(write: Write) -> None:
    source = write("x.json", '{"a_one": "{{n}} f", "a_other": "{{n}} fs", "b": "B", "c": "C"}')
    target = write("y.json", '{"b": "be", "a_one": "1", "a_few": "2", "a_other": "3", "z": "Z"}')
    file = read_localisation(target, source)
    assert {unit.id: (unit.source, unit.target) for unit in file.units} == {
        "b": ("B", "be"),
        "a_one": ("{{n}} f", "1"),
        "a_few": ("{{n}} fs", "2"),
        "a_other": ("{{n}} fs", "3"),
        "z": (None, "Z"),
        "c": ("C", None),
    }
    with pytest.raises(InputError, match="not the same format"):
        read_localisation(target, write("x.po", 'msgid "a"\nmsgstr ""\n'))
    with pytest.raises(UsageError, match="has its own sources"):
        read_localisation(write("x.po", 'msgid "a"\nmsgstr ""\n'), source)


def test_a_text_that_the_encoding_lacks_is_an_error_or_a_reference(write: Write, tmp_path: Path) -> None:
    head = 'msgid ""\nmsgstr "charset=ISO-8859-1"\n\nmsgid "a"\nmsgstr ""\n'
    with pytest.raises(InputError, match="ISO-8859-1 has no 'Ж'"):
        read_localisation(write("a.po", head)).with_targets({"a": "Ж"})
    latin = next(oddity for oddity in FAMILIES["xliff"] if oddity.what == "Latin-1")
    assert b"&#1046;" in opened(tmp_path, latin).with_targets({"f:1": "Ж"})
    with pytest.raises(InputError, match="unit 'f:1': XML cannot hold the character U\\+0001"):
        opened(tmp_path, latin).with_targets({"f:1": "\1"})
    with pytest.raises(InputError, match="there is no unit 'x'"):
        opened(tmp_path, latin).with_targets({"x": ""})


def test_codes_must_open_and_close_in_a_target(tmp_path: Path) -> None:
    oddity = next(oddity for oddity in FAMILIES["xliff"] if oddity.what == "inline codes")
    file = opened(tmp_path, oddity)
    for target in ('<g id="2">B', "B</g>", '</g><g id="2">'):
        with pytest.raises(InputError, match=r"unit 'f:1': the inline code"):
            file.with_targets({"f:1": target})


def _files() -> Iterator[tuple[str, str]]:
    yield "a.po", 'msgid "The sea."\nmsgstr "Das Meer."\n'
    yield (
        "a.xcstrings",
        '{"sourceLanguage":"en","strings":{"The sea.":{"localizations":{"de":{"stringUnit":{"value":"Das Meer."}}}}}}',
    )
    yield "a.csv", "key,en,de\na,The sea.,Das Meer.\n"


@pytest.mark.parametrize(("name", "text"), [*_files()])
def test_other_commands_read_source_and_target(write: Write, name: str, text: str) -> None:
    path = write(name, text)
    assert read_stream(path, role="source", pair=PAIR).texts == ["The sea."]
    assert read_stream(path, role="reference", pair=PAIR).texts == ["Das Meer."]
