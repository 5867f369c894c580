"""`mtassay check FILE`: localisation files of each kind, with the line of every finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Done, Run

PO = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: de\\n"

msgid "Open {name} now."
msgstr "Jetzt {nam} öffnen."

#, c-format
msgid "You have %d new messages."
msgstr "Sie haben neue Nachrichten."

msgid "Good day."
msgstr ""
"""
XLIFF = """<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="x" source-language="en" target-language="de" datatype="plaintext"><body>
<trans-unit id="1"><source>Open <x id="1"/> now.</source><target>Jetzt öffnen.</target></trans-unit>
<trans-unit id="2"><source>You have 3 files.</source><target>Sie haben 4 Dateien.</target></trans-unit>
<trans-unit id="3" translate="no"><source>X9 {a}</source><target>Y</target></trans-unit>
</body></file></xliff>
"""
FILES = {
    "de.po": PO,
    "a.xlf": XLIFF,
    "i18n/en.json": '{\n  "a": "Open {name} now.",\n  "b": {\n    "c": "See <b>this</b> page."\n  }\n}\n',
    "i18n/de.json": '{\n  "a": "Jetzt {nam} öffnen.",\n  "b": {\n    "c": "Siehe <b>diese Seite."\n  }\n}\n',
    "res/values/strings.xml": '<resources>\n<string name="x">Hello %1$s</string>\n</resources>\n',
    "res/values-de/strings.xml": '<resources>\n<string name="x">Hallo</string>\n</resources>\n',
    "en.lproj/a.strings": '"k" = "Open %@ now";\n"m" = "Yes";\n',
    "de.lproj/a.strings": '/* c */\n"k" = "Jetzt öffnen";\n"m" = "Ja";\n',
}


def called(run: Run, *words: object, code: int) -> Done:
    done = run(*words)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("de.po", [(6, "placeholders"), (10, "placeholders")]),
        ("a.xlf", [(4, "tags"), (5, "numbers")]),
        ("i18n/de.json", [(2, "placeholders"), (4, "tags")]),
        ("res/values-de/strings.xml", [(2, "placeholders")]),
        ("de.lproj/a.strings", [(2, "placeholders")]),
    ],
)
def test_planted_defects_are_found_on_their_lines(
    run: Run, files: Path, name: str, found: list[tuple[int, str]]
) -> None:
    log = json.loads(called(run, "check", name, "-l", "en-de", "-f", "sarif", code=1).stdout)
    results = log["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"] for result in results]
    assert [place["artifactLocation"]["uri"] for place in places] == [name] * len(found)
    lines = [place["region"]["startLine"] for place in places]
    assert list(zip(lines, [result["ruleId"] for result in results], strict=True)) == found
    told = called(run, "check", name, "-l", "en-de", "-f", "github", code=1).stdout.splitlines()
    assert all(f"line={line},title={check}" in text for (line, check), text in zip(found, told, strict=True))


def test_what_nobody_translated_yet_is_counted_and_no_alarm(run: Run, files: Path) -> None:
    assert "1 text not translated yet" in called(run, "check", "de.po", "-l", "en-de", code=1).stdout


def test_the_file_states_its_languages_and_the_source_file_may_be_given(run: Run, files: Path) -> None:
    record = json.loads(called(run, "check", "a.xlf", "-f", "json", code=1).stdout)
    assert "negation" in record["basis"]["checks"]["run"]  # which only a known pair has
    (files / "i18n" / "en.json").rename(files / "source.json")
    done = called(run, "check", "i18n/de.json", "-s", "source.json", "-l", "en-de", "-f", "github", code=1)
    assert len(done.stdout.splitlines()) == 2
    alone = called(run, "check", "i18n/de.json", "-l", "en-de", code=2)
    assert "one language only" in alone.stderr


def test_a_catalogue_that_names_its_target_alone_needs_no_pair(run: Run, tmp_path: Path) -> None:
    (tmp_path / "de.po").write_text(
        'msgid ""\nmsgstr "Language: de\\n"\n\n'
        'msgid "Please do not close this window while the program copies your files."\n'
        'msgstr "Bitte schließen Sie dieses Fenster, während das Programm Ihre Dateien kopiert."\n',
        encoding="utf-8",
    )
    done = called(run, "check", "de.po", "-f", "github", code=1)
    assert "title=negation" in done.stdout


def test_files_of_one_language_are_checked_together_and_others_refused(run: Run, tmp_path: Path) -> None:
    for name, target in (("a", "de"), ("b", "de"), ("c", "fr")):
        text = f'msgid ""\nmsgstr "Language: {target}\\n"\n\nmsgid "%d"\nmsgstr ""\n'
        (tmp_path / f"{name}.po").write_text(text, encoding="utf-8")
    called(run, "check", "a.po", "b.po", code=0)
    assert "several languages (de, fr)" in called(run, "check", "a.po", "c.po", code=2).stderr
