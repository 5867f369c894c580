"""Codes and placeholders come back from an engine in place, or the text has an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtassay.app.protection import FORMS, ProtectedText, find_codes, translate_messages
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Output, Request
from mtassay.measures.message_format import parse_message
from mtassay.systems.fake import Fake


def translated(message: ProtectedText, respond: Callable[[str], str]) -> Output:
    def ask(requests: Sequence[Request]) -> list[Output]:
        return [Output(request.id, respond(request.text or "")) for request in requests]

    (output,) = translate_messages([message], ask)
    return output


def reverse(text: str) -> str:
    return " ".join(reversed(text.split(" ")))


CASES = [
    ("Hello %s, you have %d mails", "", "HELLO %s, YOU HAVE %d MAILS"),
    ("<b>Hi</b> <i>%1$s</i>!", "", "<b>HI</b> <i>%1$s</i>!"),
    ("Error: %s", "printf", "ERROR: %s"),
    ("%s: file {name} not found", "", "%s: FILE {name} NOT FOUND"),
    ("One\n\n  two %s\n", "", "ONE\n\n  TWO %s\n"),
    ("{{count}} of $t(all)", "i18next", "{{count}} OF $t(all)"),
    ("100%% of %d", "printf", "100%% OF %d"),
    ("It''s {0}", "java", "IT''S {0}"),
    ("a | {n} b", "vue", "A | {n} B"),
    ("See @:menu.file and https://x.org/a_b?c=d.", "vue", "SEE @:menu.file AND https://x.org/a_b?c=d."),
    ("Tom &amp; Jerry&nbsp;", "", "TOM &amp; JERRY&nbsp;"),
    ("%d", "printf", "%d"),
    ("<br/>", "", "<br/>"),
    ("{n, plural, =0 {none} one {# cat} other {# cats}}", "icu",
     "{n, plural, =0 {NONE} one {# CAT} other {# CATS}}"),
    ("{who} has {n, plural, one {# cat} other {# cats}}.", "icu",
     "{n, plural, one {{who} HAS # CAT.} other {{who} HAS # CATS.}}"),
    ("{g, select, f {her {n, plural, one {cat} other {cats}}} other {it}}", "icu",
     "{g, select, f {{n, plural, one {HER CAT} other {HER CATS}}} other {IT}}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "syntax", "expected"), CASES)
def test_only_words_are_translated(text: str, syntax: str, expected: str) -> None:
    assert translated(ProtectedText("1", text, syntax, language="de"), str.upper).text == expected


def test_arguments_that_change_places_get_numbers_where_programs_read_them() -> None:
    text = "%s of %d"
    assert translated(ProtectedText("1", text, "printf"), reverse).text == "%2$d of %1$s"
    assert translated(ProtectedText("1", text, "python"), reverse).text == "%s of %d"  # in parts


@pytest.mark.parametrize("kept", [*range(len(FORMS) + 1)])
def test_where_tokens_are_lost_another_form_is_tried_and_then_parts(kept: int) -> None:
    asked = []

    def engine(text: str) -> str:
        asked.append(text)
        for form in FORMS[:kept]:
            text = re.sub(re.escape(form).replace(r"\{\}", r"\d"), "", text)
        return text.upper()

    output = translated(ProtectedText("1", "open {file} now"), engine)
    assert output.text == "OPEN {file} NOW"
    assert len(asked) == kept + 1 + (kept == len(FORMS))


@pytest.mark.parametrize(
    "respond", [lambda text: f"{text} {text}", lambda text: f"{text} %s", lambda text: f"<b>{text}"]
)
def test_doubled_and_invented_codes_are_not_taken(respond: Callable[[str], str]) -> None:
    output = translated(ProtectedText("1", "open {file} now"), respond)
    assert output.text is not None
    assert output.text.count("{file}") == 1


def test_tags_that_an_engine_crosses_are_asked_for_in_parts() -> None:
    def cross(text: str) -> str:
        return text.replace("%1", "x").replace("%2", "%1").replace("x", "%2")

    message = ProtectedText("1", "a <b>bold</b> word and <i>more</i>")
    assert translated(message, cross).text == "a <b>bold</b> word and <i>more</i>"


def test_errors_are_those_of_the_unit() -> None:
    engine = Fake(name="f", pair=parse_pair("en-de"), style="upper")
    messages = [ProtectedText("1", "{n, plural, one {x}", "icu"), ProtectedText("2", "fine {x}")]
    outputs = translate_messages(messages, engine.translate)
    assert [(o.id, o.text) for o in outputs] == [("1", None), ("2", "FINE {x}")]
    assert outputs[0].error == "the source is not a correct ICU message: a brace is not closed"
    assert translated(ProtectedText("1", "hi"), lambda _: " ").error == "the engine answered nothing"
    (failed,) = translate_messages([ProtectedText("1", "hi {x}")], lambda r: [Output(r[0].id, None, "busy")])
    assert failed.error == "busy"
    many = "{a, select, x {1} y {2} other {3}} and " * 5
    assert "more than 60 branches" in (translated(ProtectedText("1", many, "icu"), str.upper).error or "")


def test_a_language_with_more_plurals_gets_them() -> None:
    asked = []

    def engine(text: str) -> str:
        asked.append(text)
        return text.replace("3 files", "3 файла").replace("11 files", "11 файлов")

    text = "{n, plural, one {# file} other {# files}}"
    output = translated(ProtectedText("1", text, "icu", language="ru"), engine)
    assert output.text == "{n, plural, one {# file} few {# файла} many {# файлов} other {# files}}"
    assert asked == ["1 file", "3 files", "11 files", "25 files"]
    form = ProtectedText("1", "%d files", "printf", plural="few", language="ru")
    assert translated(form, engine).text == "%d файла"


def test_inline_elements_that_a_file_lists_are_codes() -> None:
    codes = ('<ph id="1">a > b</ph>', '<g id="2">', "</g>")
    message = ProtectedText("1", 'see <ph id="1">a > b</ph> <g id="2">here</g> now', codes=codes)
    assert translated(message, str.upper).text == 'SEE <ph id="1">a > b</ph> <g id="2">HERE</g> NOW'


PIECES = st.sampled_from(
    [
        "word ",
        "two words",
        "%s",
        "%(n)s",
        "{x}",
        "{{y}}",
        "<b>",
        "</b>",
        "\n",
        "%",
        "[1]",
        "%1",
        " ",
        ":",
        "'",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=12).map("".join), st.sampled_from(["upper", "reverse", "copy"]))
def test_no_code_is_lost_whatever_the_text(text: str, style: str) -> None:
    engine = Fake(name="f", pair=parse_pair("en-de"), style=style)
    (output,) = translate_messages([ProtectedText("1", text, "python")], engine.translate)
    assert output.text is not None or "answered nothing" in (output.error or "")
    if output.text is not None:
        before = sorted(text[start:end] for start, end in find_codes(text))
        assert sorted(output.text.count(code) >= before.count(code) for code in before) == [True] * len(
            before
        )


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from(["a ", "{x} ", "{n, plural, one {# b} other {# c}} ", "# "]), max_size=4).map(
        "".join
    )
)
def test_what_is_made_of_a_message_is_a_message(text: str) -> None:
    output = translated(ProtectedText("1", text, "icu", language="ru"), str.upper)
    parse_message(output.text or "")
