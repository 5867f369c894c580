"""Localisation files through engines: only targets change, codes stay, errors leave the unit as it was."""

# ruff: noqa: E501  (a file on one line is easier to read here)
from __future__ import annotations

from pathlib import Path

import pytest

from mtassay.app.translation import translate_file
from mtassay.data.errors import UsageError
from tests.cli.conftest import Run
from tests.formats.localisation_oddities import FAMILIES, ODDITIES

FILES = {
    "a.po": (
        '# c\n#, c-format\nmsgid "open %s"\nmsgstr ""\n\nmsgid "file"\nmsgid_plural "%d files"\nmsgstr[0] "x"\nmsgstr[1] ""\n',
        '# c\n#, c-format\nmsgid "open %s"\nmsgstr "OPEN %s"\n\nmsgid "file"\nmsgid_plural "%d files"\nmsgstr[0] "FILE"\nmsgstr[1] "%d FILES"\n',
    ),
    "a.xlf": (
        '<xliff version="1.2"><file original="f" source-language="en"><body>\n<trans-unit id="1">\n  <source>go <x id="1"/> &amp; <g id="2">on</g></source>\n</trans-unit>'
        '<trans-unit id="2" translate="no"><source>no</source></trans-unit></body></file></xliff>',
        '<xliff version="1.2"><file original="f" source-language="en"><body>\n<trans-unit id="1">\n  <source>go <x id="1"/> &amp; <g id="2">on</g></source>\n  <target>GO <x id="1"/> &amp; <g id="2">ON</g></target>\n</trans-unit>'
        '<trans-unit id="2" translate="no"><source>no</source></trans-unit></body></file></xliff>',
    ),
    "en.json": ('{\n\t"a": "hi {{name}}", "n": 1}', '{\n\t"a": "HI {{name}}", "n": 1}'),
    "app_en.arb": (
        '{"@@locale": "en", "n": "{c, plural, one{a cat} other{# cats}}", "@n": {"description": "d"}}',
        '{"@@locale": "en", "n": "{c, plural, one{A CAT} other{# CATS}}", "@n": {"description": "d"}}',
    ),
    "values/strings.xml": (
        '<resources>\n  <string name="a">don\\\'t <b>%1$s</b></string>\n  <string name="b" translatable="false">x</string>\n</resources>\n',
        '<resources>\n  <string name="a">DON\\\'T <b>%1$s</b></string>\n  <string name="b" translatable="false">x</string>\n</resources>\n',
    ),
    "en.lproj/L.strings": ('/* n */\n"k" = "say \\"%@\\"";\n', '/* n */\n"k" = "SAY \\"%@\\"";\n'),
    "a.xcstrings": (
        '{\n  "sourceLanguage" : "en",\n  "strings" : {\n    "hi %@" : {\n\n    }\n  },\n  "version" : "1.0"\n}',
        '{\n  "sourceLanguage" : "en",\n  "strings" : {\n    "hi %@" : {\n      "localizations" : {\n        "de" : {\n'
        '          "stringUnit" : {\n            "state" : "translated",\n            "value" : "HI %@"\n          }\n        }\n      }\n    }\n  },\n  "version" : "1.0"\n}',
    ),
    "m.properties": ("# c\na = it''s {0}\n", "# c\na = IT''S {0}\n"),
    "a.csv": ("key,en,de\na,hi,\nb,yo,x\n", "key,en,de\na,hi,HI\nb,yo,YO\n"),
    "a.tsv": ("id\tsource\ttarget\na\thi\t\n", "id\tsource\ttarget\na\thi\tHI\n"),
}  # fmt: skip
BESIDE = {
    "en.json": "de.json",
    "app_en.arb": "app_de.arb",
    "values/strings.xml": "values-de/strings.xml",
    "en.lproj/L.strings": "de.lproj/L.strings",
    "m.properties": "m_de.properties",
}


def made(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", FILES)
def test_a_file_comes_back_with_other_targets_and_nothing_else(tmp_path: Path, name: str) -> None:
    before, after = FILES[name]
    source = made(tmp_path, name, before)
    target = tmp_path / f"out{source.suffix}"
    how = {"langpair": "en-de", "workspace": ":memory:"}
    (done,) = translate_file(source, ["fake:upper"], target, **how)
    assert target.read_text("utf-8") == after
    assert done.failed == 0
    assert source.read_text("utf-8") == before


@pytest.mark.parametrize(("name", "beside"), BESIDE.items())
def test_without_a_target_the_other_language_goes_where_it_belongs(
    tmp_path: Path, name: str, beside: str
) -> None:
    source = made(tmp_path, name, FILES[name][0])
    how = {"langpair": "en-de", "workspace": ":memory:"}
    translate_file(source, ["fake:upper"], **how)
    assert (tmp_path / beside).read_text("utf-8") == FILES[name][1]
    with pytest.raises(UsageError, match=f"{Path(beside).name} is there already"):
        translate_file(source, ["fake:upper"], **how)


@pytest.mark.parametrize("oddity", ODDITIES, ids=lambda oddity: f"{oddity.suffix[1:]}: {oddity.what}")
def test_an_engine_that_repeats_leaves_files_of_one_language_as_they_are(
    tmp_path: Path, oddity: object
) -> None:
    suffix, what, data, _ = oddity  # type: ignore[misc]
    source = tmp_path / f"a{suffix}"
    source.write_bytes(data)
    target = tmp_path / f"b{suffix}"
    translate_file(source, ["fake:copy"], target, langpair="en-de", workspace=":memory:")
    one_language = ("android", "strings", "json", "properties")
    if any(oddity in FAMILIES[family] for family in one_language) and what != "ARB":
        assert target.read_bytes() == data  # German needs a plural form more in the one that is left out


def test_only_missing_leaves_translations_alone(tmp_path: Path) -> None:
    text = 'msgid "a"\nmsgstr "done"\n\nmsgid "b"\nmsgstr ""\n\n#, fuzzy\nmsgid "c"\nmsgstr "old"\n'
    source = made(tmp_path, "a.po", text)
    how = {"langpair": "en-de", "workspace": ":memory:", "only_missing": True}
    (done,) = translate_file(source, ["fake:upper"], tmp_path / "b.po", **how)
    assert done.n == 2
    assert (tmp_path / "b.po").read_text("utf-8") == text.replace('""', '"B"').replace("old", "C")


def test_what_cannot_be_translated_stays_and_is_counted(tmp_path: Path) -> None:
    source = made(tmp_path, "en.json", '{"a": "{n, plural, one {x}", "b": "fine"}')
    (done,) = translate_file(
        source, ["fake:upper"], tmp_path / "de.json", langpair="en-de", workspace=":memory:"
    )
    assert (done.n, done.failed) == (2, 1)
    assert done.first == "the source is not a correct ICU message: a brace is not closed (unit 'a')"
    assert (tmp_path / "de.json").read_text("utf-8") == '{"a": "{n, plural, one {x}", "b": "FINE"}'


def test_a_target_file_is_translated_anew_from_its_source(tmp_path: Path) -> None:
    made(tmp_path, "en.json", '{"a": "sea"}')
    source = made(tmp_path, "de.json", '{"a": "Meer"}')
    translate_file(source, ["fake:upper"], tmp_path / "out.json", langpair="en-de", workspace=":memory:")
    assert (tmp_path / "out.json").read_text("utf-8") == '{"a": "SEA"}'


def test_several_engines_need_a_folder(tmp_path: Path) -> None:
    source = made(tmp_path, "a.po", 'msgid "a"\nmsgstr ""\n')
    how = {"langpair": "en-de", "workspace": ":memory:"}
    engines = {"up": "fake:upper", "back": "fake:reverse"}
    with pytest.raises(UsageError, match="Give a folder"):
        translate_file(source, engines, tmp_path / "b.po", **how)
    translate_file(source, engines, tmp_path / "all", **how)
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == ["back.po", "up.po"]
    with pytest.raises(UsageError, match=r"b\.json: a\.po is written as \.po, or as \.txt"):
        translate_file(source, ["fake:upper"], tmp_path / "b.json", **how)
    with pytest.raises(UsageError, match="the source itself"):
        translate_file(source, ["fake:upper"], source, **how)
    translate_file(source, ["fake:upper"], tmp_path / "b.txt", **how)
    assert (tmp_path / "b.txt").read_text("utf-8") == "A\n"


def test_the_command_writes_to_standard_output_and_says_what_failed(run: Run, tmp_path: Path) -> None:
    made(tmp_path, "a.po", 'msgid "a"\nmsgstr ""\n')
    done = run("translate", "a.po", "-t", "fake:upper", "-l", "en-de")
    assert (done.returncode, done.stdout) == (0, 'msgid "a"\nmsgstr "A"\n')
    made(tmp_path, "en.json", '{"a": "{n, plural, one {x}"}')
    done = run("translate", "en.json", "-t", "fake:upper", "-l", "en-de")
    assert done.returncode == 3
    assert "1 of 1 not translated, the first because the source is not a correct ICU message" in done.stderr
    assert "written to de.json" in done.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.po", 'msgid "sea"\nmsgstr "Meer"\n'), ("a.csv", "id,source,reference,output\n1,sea,Meer,Meer\n")],
)
def test_other_commands_read_what_the_file_is(run: Run, tmp_path: Path, name: str, text: str) -> None:
    made(tmp_path, name, text)
    done = run("score", "-r", name, "-t", f"a={name}", "-m", "chrf", "-l", "en-de")
    assert done.returncode == 0, done.stderr
    assert "100.0" in done.stdout
