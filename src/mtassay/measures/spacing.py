"""Checks of spaces, line breaks and unusual characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from mtassay.measures.check import (
    UNSPACED,
    CheckContext,
    ConventionCheck,
    FormProblem,
    Mark,
    Unit,
    UnitCheck,
    code_of,
    language_of,
    mark,
    mark_all,
    quoted,
    times,
    words,
)
from mtassay.measures.message_format import is_message
from mtassay.measures.talk import small_words

_BLANK = " \t\u00a0\u202f\u3000"
_WIDE_END = "：。，！？；（）「」、…～"
# Languages where a placeholder may have an ending or a particle, so that no space follows.
_ENDINGS = UNSPACED | words("ko tr hu fi et eu ka az kk ky uz tt mn ml kn te ta hy he ar fa ur am")
_SPACE_BEFORE = words("fr br gcr ht ar fa ur ps ckb")  # before : ; ! ?
_DOUBLE = re.compile(r"(?<=[^\s.!?:;]) {2,}(?=[^\s])")
_BEFORE = re.compile(r" (?=[,.](?:\s|$))(?<=[^\W\d_] )")
_BEFORE_ALL = re.compile(r" (?=[,.;:!?](?:\s|$))(?<=[^\W\d_] )")
_AFTER = re.compile(r",(?=[^\W\d_]{2})(?<=[^\W\d_]{2},)|[.!?](?=[A-ZÄÖÜÀÉÈ][^\W\d_]{2})(?<=[^\W\d_]{3}[.!?])")
_FRENCH = re.compile(r"[;!?](?=\s|$)(?<=[^\W\d_]{2}.)")
_PLACEHOLDER = r"%(?:\d+\$)?[sd@]|%\(\w+\)[sd]|\{\w*\}"
_GLUED = re.compile(rf"(?<=[^\W\d_]{{3}})({_PLACEHOLDER})(?!\w)|({_PLACEHOLDER})[^\W\d_]{{3,}}+")
_GLUED_SOURCE = re.compile(rf"(?<=[^\W\d_])(?:{_PLACEHOLDER})|(?:{_PLACEHOLDER})(?=[^\W\d_])")
_INSIDE = re.compile(r"\( (?=\w)|(?<=\w) \)")
_OPENED = re.compile(r"[¿¡] (?=\w)")
_AFTER_SIGN = re.compile(rf"(?<=[^\W\d_]{{2}})([,;:!?])({_PLACEHOLDER})")
# Endings of verbs, without a space after the stem.
_SPLIT_VERB = re.compile(r"(?<=[ぁ-ん]) (?=ませ|まし|ます|でし|です|した|してい)")
_SPLIT_HAN = re.compile(r"(?<=[一-龥]) (?=[一-龥])")
_UNIT = re.compile(r"(\{\w*\}|%\w*[sd]) ([KMGT]i?B|k[mgWB]|[mc]m|m[gls]|°C|%|[gsl])(?!\w)")
_CODE_LIKE = re.compile(r"[=;{}<>]|://|\w\.\w|\w_\w|^\s*[-/\\]")


class Spaces(ConventionCheck):
    """Spaces at the ends, repeated spaces, and spaces around punctuation and placeholders.

    >>> units = [Unit("1", "Name:", "Name: "), Unit("2", "Ja,  gut", "Yes, fine")]
    >>> [(alarm.message, alarm.fix) for alarm in Spaces().find(units, CheckContext("en", "de"))]
    [('The space at the end is missing', 'Name: '), ('2 spaces in a row', 'Ja, gut')]
    """

    id = "spaces"
    group = "form"
    severity = "minor"
    about = "spaces lost or added at the ends, doubled, or wrong beside punctuation and placeholders"

    def can_say(self, message: str, unit: Unit) -> bool:
        if not message.startswith("The space at"):
            return True
        text = unit.source or ""
        return text[:1].isspace() if "beginning" in message else text[-1:].isspace()

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        code = code_of(context.target)
        language = language_of(context.target)
        # Canadian and Swiss French have no space there.
        is_french = code == "fr" and (language is None or language.region not in ("CA", "CH"))
        before = _BEFORE if code in _SPACE_BEFORE else _BEFORE_ALL

        def problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
            found = list(_ends(source, output, code))
            if "  " in output and "  " not in source:
                match = _DOUBLE.search(output)
                if match and match.end() - match.start() < 5:  # more spaces are a column
                    fix = _DOUBLE.sub(" ", output) if "\n" not in output else None
                    found.append(
                        FormProblem.at(match, f"{match.end() - match.start()} spaces in a row", fix=fix)
                    )
            for match in _UNIT.finditer(source):
                if f"{match[1]}{match[2]}" in output and code not in UNSPACED:
                    message = f"No space between {match[1]} and {match[2]}"
                    found.append(FormProblem(message, mark_all("output", output, f"{match[1]}{match[2]}")))
            if code in UNSPACED:
                match = _SPLIT_HAN.search(output) if code == "zh" and output[-1:] in _WIDE_END else None
                if match and len(_SPLIT_HAN.findall(output)) == 1:
                    found.append(FormProblem.at(match, "A space inside a sentence"))
                if code == "ja" and " " in output and (match := _SPLIT_VERB.search(output)):
                    found.append(FormProblem.at(match, "A space inside a word"))
                return found
            match = before.search(output) if " " in output else None
            if match and (
                not _BEFORE_ALL.search(source)
                or (code_of(context.source) in _SPACE_BEFORE and code not in _SPACE_BEFORE)
            ):
                sign = output[match.end()]
                found.append(
                    FormProblem(f"A space before '{sign}'", mark("output", match.start(), match.end() + 1))
                )
            match = _INSIDE.search(output) if "( " in output or " )" in output else None
            if match and "( " not in source and " )" not in source:
                found.append(FormProblem.at(match, "A space inside the brackets"))
            match = _OPENED.search(output) if code in ("es", "ast", "gl") else None
            if match:
                found.append(FormProblem.at(match, f"A space after '{match[0][0]}'"))
            match = _FRENCH.search(output) if is_french else None
            if match and not _CODE_LIKE.search(source):
                found.append(FormProblem.at(match, f"No space before '{match[0]}', as French writes"))
            match = _AFTER.search(output)
            if match and not _AFTER.search(source) and not _CODE_LIKE.search(source):
                where = mark("output", match.start(), match.end() + 1)
                found.append(FormProblem(f"No space after '{match[0]}'", where))
            match = _AFTER_SIGN.search(output) if "%" in output or "{" in output else None
            if match and f"{match[1]} {match[2]}" in source:
                found.append(FormProblem.at(match, f"No space after '{match[1]}'"))
            if code not in _ENDINGS and ("%" in output or "{" in output):
                match = _GLUED.search(output)
                if match and not _GLUED_SOURCE.search(source):
                    item = match[1] or match[2]
                    found.append(FormProblem.at(match, f"No space beside {item}"))
            return found

        return problems


def _ends(source: str, output: str, code: str) -> Iterator[FormProblem]:
    if output.isspace() or source.isspace():
        return
    before, given = _leading(source), _leading(output)
    if (before == "") != (given == ""):
        where = mark("output", 0, max(len(given), 1))
        if given:
            yield FormProblem("A space is added at the beginning", where, fix=output[len(given) :])
        else:
            yield FormProblem("The space at the beginning is missing", where, fix=before + output)
    before, given = _trailing(source), _trailing(output)
    # A space before a line break is invisible.
    if (before == "") != (given == "") and source[-1] not in "\r\n" and output[-1] not in "\r\n":
        end = len(output)
        if given:
            where = mark("output", end - len(given), end)
            fix = output[: end - len(given)] + output[end:]
            yield FormProblem("A space is added at the end", where, fix=fix)
        elif not (code in UNSPACED and (output[end - 1] in _WIDE_END or output[end - 1] > "\u2e80")):
            where = mark("output", max(end - 1, 0), end)
            yield FormProblem(
                "The space at the end is missing", where, fix=output[:end] + before + output[end:]
            )


def _leading(text: str) -> str:
    if text[0] not in _BLANK:
        return ""
    return text[: len(text) - len(text.lstrip(_BLANK))]


def _trailing(text: str) -> str:
    """Spaces at the end, or before the line breaks at the end."""
    text = text.rstrip("\r\n")
    return text[len(text.rstrip(_BLANK)) :]


_ESCAPE = re.compile(r"\\(?:[nrt\"]|u[0-9A-Fa-f]{4})")
_INDENTED = re.compile(r"(?<![ \t])[ \t]*+\r?\n(?:[ \t]++(?=\r?\n))?")
_LIST_LINE = re.compile(r"\n[ \t]{0,40}(?:[-*•+]|\d{1,2}[.)])\s")
# Lines wrapped at a width may be wrapped differently in a translation; other line breaks have a meaning.
_WRAPPED = 48


class LineBreaks(UnitCheck):
    """Line breaks, tabs and escapes such as a written-out backslash-n.

    >>> units = [Unit("1", "Bitte warten", "Please wait\\n")]
    >>> [(alarm.message, alarm.fix) for alarm in LineBreaks().find(units, CheckContext("en", "de"))]
    [('The line break at the end is missing', 'Bitte warten\\n')]
    """

    id = "line-breaks"
    signs = "\n\t\\"
    group = "form"
    severity = "major"
    about = "line breaks, tabs and escapes (\\n) that are lost or added"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Iterable[FormProblem]]:
        return _break_problems


def _break_problems(source: str, output: str, unit: Unit) -> Iterator[FormProblem]:
    if not ("\n" in source or "\n" in output or "\\" in source or "\\" in output or "\t" in source):
        return
    for escape in dict.fromkeys([*_ESCAPE.findall(source), *_ESCAPE.findall(output)]):
        if escape == '\\"':
            continue
        before, given = source.count(escape), output.count(escape)
        if before != given and (before == 0 or given == 0 or before < 4):
            # \\new in a Windows path is not an escape; then both sides have it.
            where = mark_all("output", output, escape) or mark_all("source", source, escape)
            yield FormProblem(f"{escape} occurs {times(given)}, in the source {times(before)}", where)
    if "\t" in source and "\t" not in output:
        yield FormProblem("The tab is missing", mark_all("source", source, "\t"), "minor")
    if "\n" not in source and "\n" not in output:
        return
    if "\r\n" in source and "\r\n" not in output and "\n" in output:
        yield FormProblem("Lines end with \\n, in the source with \\r\\n", mark_all("output", output, "\n"))
    stripped, output_stripped = _INDENTED.sub("\n", source).strip(), _INDENTED.sub("\n", output).strip()
    if " " not in stripped and len(output) > 2 * len(source):
        return  # a key such as `translator-credits`, not a text
    if source.endswith("\n") != output.endswith("\n"):
        end = source[len(source.rstrip("\r\n")) :]
        fix = output.rstrip("\r\n") + end
        if end:
            yield FormProblem(
                "The line break at the end is missing",
                mark("output", len(output) - 1, len(output)),
                fix=fix,
            )
        else:
            where = mark("output", len(output.rstrip("\r\n")), len(output))
            yield FormProblem("A line break is added at the end", where, fix=fix)
    if source.startswith("\n") != output.startswith("\n"):
        start = source[: len(source) - len(source.lstrip("\r\n"))]
        message = (
            "The line break at the beginning is missing"
            if start
            else "A line break is added at the beginning"
        )
        yield FormProblem(message, mark("output", 0, 1), fix=start + output.lstrip("\r\n"))
    if is_message(source):
        return  # Other plural forms may have other lines.
    before, given = stripped.count("\n"), output_stripped.count("\n")
    if before != given:
        lines = stripped.split("\n")
        is_list = len(_LIST_LINE.findall(stripped)) != len(_LIST_LINE.findall(output_stripped))
        lone = before == 0 or given == 0
        if (
            is_list
            or (max(map(len, lines)) <= _WRAPPED and (given < before or before == 0))
            or (lone and _is_short(lines, output))
            or (before == 0 and given == 1 and "  " not in source and _is_between(source, output_stripped))
            or (given < before and stripped.count("\n\n") > output_stripped.count("\n\n") > 0)
        ):
            where = mark_all("output", output, "\n") if given > before else mark_all("source", source, "\n")
            what = "no line break" if given == 0 else "1 line break" if given == 1 else f"{given} line breaks"
            yield FormProblem(f"{what[0].upper()}{what[1:]}, in the source {before}", where)
    paragraphs, given_paragraphs = stripped.count("\n\n"), output_stripped.count("\n\n")
    if before == given and paragraphs != given_paragraphs:
        message = f"{given_paragraphs + 1} paragraphs, in the source {paragraphs + 1}"
        yield FormProblem(message, mark_all("source", source, "\n\n"), "minor")


_SENTENCES_END = re.compile(r"(?<=\w)[.!?](?=\s|$)")


def _is_between(source: str, output: str) -> bool:
    """Whether a line break of the output separates the only two sentences of the source."""
    first = output.partition("\n")[0].rstrip()
    return len(_SENTENCES_END.findall(source)) == 2 and first[-1:] in ".!?。！？" and len(source) < 200


def _is_short(lines: Sequence[str], output: str) -> bool:
    """Whether the lines are too short to be wrapped only for their length."""
    return sum(map(len, lines)) <= 45 and len(output) <= 66


# UTF-8 bytes read as Windows-1252 or Latin-1, which are not in any language: Ã©, â€™, Ð¿Ñ€.
_LATE = r"\u0080-\u00bf\u0152-\u0192\u02c6\u02dc\u2013-\u2122"
_WRONGLY_READ = re.compile(
    rf"Ã[{_LATE}]|â€[{_LATE}]|Â[\u00a0-\u00bf]|(?:[ÐÑ][{_LATE}]){{2,}}|(?:Å[\u0080-\u00bf\u0152-\u0178]"
    rf"|Ä[\u0080-\u00bf\u0152-\u0178]){{2,}}|[ÅÄ][\u0152-\u0178\u2122](?=[a-z])|锟斤|斤拷|烫烫|屯屯|(?:[äåæçèé][{_LATE}]{{2}}){{2,}}|[\u00c0-\u00ff]{{4,}}"
)
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")
_CONTROL = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffc\ufffe\uffff]")
# Without the joiners U+200C and U+200D, which Persian, Hindi and emoji use.
_UNSEEN = re.compile("[\ufeff\u2060\u00ad\u202a-\u202e\u2066-\u2069]")
_UNSEEN_OR_ZERO = re.compile(_UNSEEN.pattern[:-1] + "\u200b]")
# A common part of all of these, for a fast test.
_ODD = re.compile(
    f"{_CONTROL.pattern}|{_UNSEEN_OR_ZERO.pattern}|\ufffd|[ÃâÂÐÑÅÄäåæçèé][{_LATE}€]|[\u00c0-\u00ff]{{4}}|[锟烫屯]"
)
_LATIN_OTHER = re.compile(r"[A-Za-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z]")
_LOOKALIKE = frozenset("аеорсухіјѕԁһАВЕКМНОРСТХІЈЅαβνορυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "aeopcyxijsABEKMHOPCTXIJSZNvu")
_MIXED = re.compile(r"[^\W\d_]+")


class Characters(UnitCheck):
    """Mojibake, lost, escaped, invisible and look-alike characters.

    >>> units = [Unit("1", "MÃ¼ller ist da", "Müller is here"), Unit("2", "Имя \\ufffd", "Name")]
    >>> [alarm.message for alarm in Characters().find(units, CheckContext("en", "de"))]
    ["'Ã¼' looks like text in a wrong encoding", 'A character was lost (U+FFFD)']
    """

    id = "characters"
    group = "form"
    severity = "major"
    about = (
        "characters that are lost, escaped, in a wrong encoding, invisible, or of another script in a word"
    )

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        invisible = _UNSEEN if code_of(context.target) in UNSPACED else _UNSEEN_OR_ZERO
        if code_of(context.target) not in ("ja", "zh"):
            strange = _STRANGE.get(code_of(context.target))
            return lambda source, output, unit: [
                *_character_problems(source, output, invisible),
                *_letter_problems(source, output, strange),
                *_mark_problems(output),
            ]
        is_japanese = code_of(context.target) == "ja"
        return lambda source, output, unit: [
            *_character_problems(source, output, invisible),
            *_width_problems(source, output),
            *(_chinese_problems(source, output) if is_japanese else ()),
        ]


def _character_problems(source: str, output: str, invisible: re.Pattern[str]) -> Iterator[FormProblem]:
    for char in () if source.isascii() else _symbols(source):
        if char not in output:
            yield FormProblem(f"{char} is missing", mark_all("source", source, char), "minor")
    if "\\u" in output and (match := _ESCAPED.search(output)) and not _ESCAPED.search(source):
        yield FormProblem.at(match, f"{quoted(match[0])} is escaped")
    if output.isascii() and output.isprintable():
        return
    if _ODD.search(output):
        yield from _odd_problems(source, output, invisible)
    match = _LATIN_OTHER.search(output)
    if match and match[0] not in source:
        yield from _mixed_words(source, output)


def _odd_problems(source: str, output: str, invisible: re.Pattern[str]) -> Iterator[FormProblem]:
    if "\ufffd" in output and "\ufffd" not in source:
        where = mark_all("output", output, "\ufffd")
        yield FormProblem("A character was lost (U+FFFD)", where, "critical")
    if (match := _WRONGLY_READ.search(output)) and match[0] not in source:
        yield FormProblem.at(match, f"{quoted(match[0])} looks like text in a wrong encoding")
    if (match := _CONTROL.search(output)) and not _CONTROL.search(source):
        yield FormProblem.at(match, f"An invisible control character (U+{ord(match[0]):04X})")
    elif (match := invisible.search(output)) and not invisible.search(source):
        message = f"An invisible character (U+{ord(match[0]):04X})"
        yield FormProblem.at(match, message, "minor", invisible.sub("", output))


@lru_cache(maxsize=1 << 14)
def _symbols(source: str) -> Sequence[str]:
    """Symbols such as emoji, each once."""
    return [
        char
        for char in dict.fromkeys(source)
        if char > "\u00a8" and char != "°" and unicodedata.category(char) == "So"
    ]


# A full-width & breaks an entity; half-width katakana and Latin commas in Japanese are from old programs.
_WIDTH = re.compile(
    r"＆(?:amp|lt|gt|quot|nbsp|#\d{1,5});|[\uff66-\uff9f]{2,}|(?<=[ぁ-んァ-ヶー一-龥]),(?=[ぁ-んァ-ヶー一-龥])"
)


# A Chinese mark after a Latin word.
_WIDE_MARK = re.compile(r"(?<=[A-Za-zÀ-ÿ]{3})[。，、！？；：](?=$|[A-Za-zÀ-ÿ ])")


def _mark_problems(output: str) -> Iterator[FormProblem]:
    if not output.isascii() and (match := _WIDE_MARK.search(output)):
        yield FormProblem.at(match, f"{match[0]} is no mark of the target language", "minor")


def _width_problems(source: str, output: str) -> Iterator[FormProblem]:
    match = None if output.isascii() else _WIDTH.search(output)
    if (
        match
        and not (match[0] == "," and not re.search("[、，。]", output))
        and match[0] not in source.split()
    ):
        yield FormProblem.at(match, f"{quoted(match[0])} has the wrong width", "minor")


# A letter that became a question mark, at the beginning or inside a word.
_LOST_LETTER = re.compile(r"(?:^|(?<=[^\W\d_]{2}))\?{1,3}(?=[^\W\d_])|(?<![^\s(\"'])\?{4,}")
# Lower-case letters that a language does not have; a word with one belongs to another language.
_STRANGE = {
    code: re.compile(rf"(?<![\w@.-])[^\W\d_A-ZÀ-Þ][^\W\d_]*[{letters}][^\W\d_]*(?![\w@]|[.-]\w)")
    for code, letters in small_words("strange-letters").items()
}


def _letter_problems(source: str, output: str, strange: re.Pattern[str] | None) -> Iterator[FormProblem]:
    match = _LOST_LETTER.search(output) if "?" in output and "?" not in source else None
    if match:
        yield FormProblem.at(match, "A letter became a question mark")
    match = None if strange is None or output.isascii() else strange.search(output)
    if match and match[0].casefold() not in source.casefold():
        message = f"{quoted(match[0])} has a letter that the language does not use"
        yield FormProblem.at(match, message, "minor")


# Simplified characters that Japanese does not have.
_CHINESE = re.compile(
    "[这为们说时对过还发么开关见问间东车长门马鸟书觉应该认识设计语译输选项击启动务标签载网络请户录删确实验种图创您吗单无连]"
)


def _chinese_problems(source: str, output: str) -> Iterator[FormProblem]:
    match = None if output.isascii() else _CHINESE.search(output)
    if match and match[0] not in source:
        yield FormProblem.at(match, f"'{match[0]}' is a Chinese character, which Japanese does not use")


def _mixed_words(source: str, output: str) -> Iterator[FormProblem]:
    """Find words with a letter of another script that looks like a letter of their own."""
    for match in _MIXED.finditer(output):
        word = match[0]
        latin = [char for char in word if char.isascii()]
        other = [char for char in word if "\u0370" <= char <= "\u04ff"]
        if (
            not latin
            or not other
            or len(word) < 4
            or word in source
            or output[match.start() - 1 :][:1] in "%$\\"
        ):
            continue
        few = latin if len(latin) < len(other) else other
        # A word does not normally alternate between scripts; HTTPсервер does not alternate.
        turns = sum(one.isascii() != two.isascii() for one, two in pairwise(word))
        if all(char in _LOOKALIKE for char in few) and (len(few) <= 2 or turns > 2):
            name = unicodedata.name(few[0], "a letter").split(" ")[0].capitalize()
            yield FormProblem.at(match, f"{quoted(word)} has a {name} letter in it: '{few[0]}'")


class UnicodeForm(ConventionCheck):
    """Text that is not in the Unicode form NFC.

    >>> units = [Unit("1", "Mu\\u0308ller", "Miller")]
    >>> [(alarm.message, alarm.fix) for alarm in UnicodeForm().find(units, CheckContext("en", "de"))]
    [("'ü' is written as several characters (not NFC)", 'Müller')]
    """

    id = "unicode-form"
    group = "form"
    severity = "minor"
    about = "letters and accents as separate characters (NFD), which search and fonts handle badly"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        return _form_problems


def _form_problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
    if output.isascii() or unicodedata.is_normalized("NFC", output):
        return ()
    normal = unicodedata.normalize("NFC", output)
    if len(normal) > len(output) or (len(normal) == len(output) and sorted(normal) == sorted(output)):
        # Letters that NFC decomposes (Hindi ड़), or marks in the order of Arabic keyboards.
        return ()
    start = next((i for i, (a, b) in enumerate(zip(output, normal, strict=False)) if a != b), 0)
    end = start + 1
    while end < len(output) and unicodedata.combining(output[end]):
        end += 1
    if not unicodedata.combining(output[min(start + 1, len(output) - 1)]) and output[start] not in normal:
        # A character such as the Kelvin or Ohm sign, which NFC replaces by a letter.
        return [
            FormProblem(f"'{output[start]}' has another form in NFC", mark("output", start, end), fix=normal)
        ]
    shown = unicodedata.normalize("NFC", output[start:end])
    return [
        FormProblem(
            f"'{shown}' is written as several characters (not NFC)", (Mark("output", start, end),), fix=normal
        )
    ]
