"""Checks of punctuation: ends of texts, quotation marks, brackets, doubled words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from mtassay.measures.check import (
    UNSPACED,
    Alarm,
    CheckContext,
    ConventionCheck,
    FormProblem,
    Unit,
    UnitCheck,
    code_of,
    mark,
    mark_all,
    quoted,
    words,
)
from mtassay.measures.talk import small_words

_KINDS: Mapping[str, str] = small_words("signs")
_NAMES: Mapping[str, str] = small_words("sign-names")
_KIND_OF = {char: kind for kind, chars in reversed([*_KINDS.items()]) for char in chars} | {";": "semicolon"}
_OWN = small_words("own-signs")
# Latin signs that a language never uses after its own letters.
_FOREIGN = small_words("foreign-signs")
_PLAIN = {"period": ".", "question": "?", "exclamation": "!", "colon": ":", "ellipsis": "…", "comma": ","}
# These may follow the punctuation that ends a text.
_CLOSERS = " \t\r\n\u00a0\u200e\u200f\"'”“’»«›」』)）]】*_`"
_TAGS_AT_END = re.compile(r"(?:(?:</[A-Za-z]\w{0,20}>|<br\s?/?>)\s{0,3}){1,8}$")
_KEY_AT_END = re.compile(r"\s?[(（][_&]\w$")
_CONSONANT = re.compile(r"[bcdfghjklmnpqrstvwxzбвгджзклмнпрстфхцчшщ]{2}$")
# The ends of Japanese sentences, which labels do not have.
_POLITE = ("です", "ます", "ました", "ません", "でした", "ください")
_NO_PERIOD = words("th lo km my bo dz")


# Words that begin a clause after a comma, and what may be before them instead.
_CLAUSES = {code: re.compile(rf" ({clause})(?= [^\W\d_])") for code, clause in small_words("clauses").items()}


def _lacks_comma(output: str, code: str) -> re.Match[str] | None:
    """The word of a clause that needs a comma before it and has none."""
    match = _CLAUSES[code].search(output) if code in _CLAUSES and len(output) < 300 else None
    before = output[: match.start()].split()[-1:] if match and "\n" not in output else []
    own = small_words("before-clauses")[code].split("|") if before else []
    return match if before and before[0].isalpha() and before[0] not in own else None


# A question that another sentence follows, in languages that mark questions as English does.
_ASKED = re.compile(r"(?<=\w)[\u00a0\u202f ]?[?？](?= ?[^\W\d_])")
_SENTENCE_END = re.compile(r"(?<=\w)[\u00a0\u202f ]?[.?!？。！](?=\s|$|[一-龥])")
_ASKING = words("en de es fr it pt ru cs pl nl zh")


def end_of(text: str) -> str:
    """The kind of punctuation at the end of a text; an empty string if there is none.

    >>> end_of("Wait..."), end_of("Really?)"), end_of("好。"), end_of("Open")
    ('ellipsis', 'question', 'period', '')
    """
    text = text.rstrip(_CLOSERS)
    if text[-2:-1] in ("_", "&"):
        text = _KEY_AT_END.sub("", text).rstrip(_CLOSERS)  # 開く(_O)
    if text.endswith(">"):
        text = _TAGS_AT_END.sub("", text).rstrip(_CLOSERS)
    if not text:
        return ""
    if text.endswith(("(..", "(...", "[...", "|...")):
        return ""
    if text.endswith(("..", "。。", "．．", ". . .")):
        return "ellipsis"
    return _KIND_OF.get(text[-1], "")


class EndPunctuation(ConventionCheck):
    """Punctuation at the end of texts that differs from the source.

    >>> units = [Unit("1", "Löschen", "Delete?"), Unit("2", "删除吗？", "Delete?")]
    >>> [(alarm.message, alarm.fix) for alarm in EndPunctuation().find(units, CheckContext("en", "de"))]
    [('The question mark at the end is missing', 'Löschen?')]
    """

    id = "end-punctuation"
    group = "form"
    severity = "minor"
    about = "other punctuation at the end than in the source, or a comma before a clause that is missing"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return alarms; Japanese files may consistently omit full stops."""
        alarms = super().find(units, context)
        if code_of(context.target) != "ja":
            yield from alarms
            return
        stops = Counter(unit.file for unit in units if unit.output.rstrip().endswith("。"))
        open_ends = Counter(unit.file for unit in units if unit.output.rstrip().endswith(_POLITE))
        for alarm in alarms:
            file = units[alarm.index].file
            is_habit = 20 * open_ends[file] > stops[file]
            if not (is_habit and alarm.message.startswith("The full stop at the end is missing")):
                yield alarm

    def can_say(self, message: str, unit: Unit) -> bool:
        sign = _NAMES.get(end_of(unit.source or ""))
        return f"The {sign} at" in message or message.endswith(f" {sign}") if sign else " no " in message

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        code = code_of(context.target)
        own = _PLAIN | _OWN.get(code, {})
        foreign = _FOREIGN.get(code, {})

        def problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
            if source[-1:].isalnum() and output[-1:].isalnum():
                return ()
            if match := _lacks_comma(output, code):
                place = mark("output", *match.span(1))
                return [FormProblem(f"The comma before {match[1]!r} is missing", place)]
            inner = len(_ASKED.findall(source)) - len(_ASKED.findall(output))
            if inner > 0 and code in _ASKING and _SENTENCE_END.sub("", source) != source:
                ends = len(_SENTENCE_END.findall(source)), len(_SENTENCE_END.findall(output))
                if ends[0] == ends[1] > 1 and len(source) < 300:
                    where = mark("output", 0, len(output))
                    return [FormProblem("A question ends with another mark", where)]
            before, given = end_of(source), end_of(output)
            if code == "es" and given in ("question", "exclamation") and before == given:
                return _inverted(output, given)
            if code in ("el", "hy") and given == "semicolon":
                given = "question"
            if before == given and given in foreign:
                return _foreign_sign(output, own[given], foreign[given])
            if before == given or _may_differ(before, given, output, source, code):
                return ()
            problem = _end_problem(before, given, source, output, own)
            return [problem] if problem is not None else []

        return problems


def _foreign_sign(output: str, own: str, foreign: str) -> Sequence[FormProblem]:
    """Find punctuation of another script after a letter of this script."""
    end = len(output.rstrip())
    if end < 2 or output[end - 1] != foreign or output[end - 2] < "\u0370":
        return ()
    fix = output[: end - 1] + own + output[end:]
    return [
        FormProblem(f"The target language writes {own}, not {foreign}", mark("output", end - 1, end), fix=fix)
    ]


def _may_differ(before: str, given: str, output: str, source: str, code: str) -> bool:
    if (
        given == "ellipsis"
        and before == "period"
        and not output.rstrip(_CLOSERS).endswith(("...", "…", ". "))
    ):
        return True  # The check `doubled-words` reports two full stops.
    if before == "comma" and given in ("exclamation", "colon"):
        return True  # a salutation
    if given == "period" and before and re.search(r"[!?…][\"”’»“]\.$", output.rstrip()):
        return True  # The mark is within the quotation marks: «Ура!».
    if {before, given} == {"exclamation", "period"} and len(source) > 100:
        return True  # Translators may add or drop exclamation marks in longer texts.
    if {before, given} & {"comma", "semicolon"} and "" in (before, given):
        return False
    if code in _NO_PERIOD and {before, given} <= {"period", "question", "exclamation", ""}:
        return True
    if code == "ja" and before in ("question", "exclamation", "period") and given in ("period", ""):
        if before == "period" and not given:
            return not output.rstrip(_CLOSERS).endswith(_POLITE)
        return before != "question" or output.rstrip(_CLOSERS + "。.").endswith(("か", "ん", "の"))
    if code in ("ja", "ko") and not before and given == "period":
        return len(source.split()) > 3  # an English phrase often becomes a sentence in these languages
    if code == "hy" and before in ("question", "exclamation"):
        return "՞" in output or "՜" in output
    # A word with a full stop is often an abbreviation: etc., usw.
    if {before, given} == {"period", ""}:
        text = (source if before else output).rstrip(_CLOSERS + ".")
        last = text.rsplit(None, 1)[-1:]
        # Blocco succ., Plik poprz.: a short text whose last word ends in a consonant
        if last and text.count(" ") in (1, 2) and len(last[0]) <= 5 and _CONSONANT.search(last[0]):
            return True
        return bool(last) and ("." in last[0] or (len(last[0]) <= 3 and last[0].isalpha()))
    return False


_ORDINAL = re.compile(r"\d\.\s*$")


def _end_problem(
    before: str, given: str, source: str, output: str, own: dict[str, str]
) -> FormProblem | None:
    bare = output.rstrip()
    where = mark("output", max(len(bare) - 1, 0), len(bare))
    # Inside brackets, quotes or tags, the place of the sign is unclear.
    is_plain = bool(bare) and source.rstrip()[-1:] not in _CLOSERS + ">" and bare[-1] not in _CLOSERS + ">"
    if not given:
        fix = bare + own[before] + output[len(bare) :] if is_plain and before in own else None
        return FormProblem(f"The {_NAMES[before]} at the end is missing", where, fix=fix)
    if not before:
        # Translators often end a sentence that the writer left open; labels have no full stops.
        if given == "period" and (len(source.split()) > 3 or _ORDINAL.search(output)):
            return None
        if given == "question" and source.startswith(("If ", "Whether ")):
            return None
        length = 3 if bare.endswith("...") else 1
        fix = bare[:-length].rstrip() + output[len(bare) :] if is_plain and bare[-1] in _KIND_OF else None
        return FormProblem(f"The source has no {_NAMES[given]} at the end", where, fix=fix)
    return FormProblem(f"The output ends with {_a(given)}, the source with {_a(before)}", where)


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'e' else 'a'} {_NAMES[kind]}"


def _inverted(output: str, kind: str) -> Sequence[FormProblem]:
    """Check that Spanish questions and exclamations have an opening mark: ¿…?, ¡…!"""
    opening = "¿" if kind == "question" else "¡"
    if opening in output or output.rstrip().endswith(("?!", "!?")):
        return ()
    end = len(output.rstrip())
    return [FormProblem(f"{opening} is missing", mark("output", end - 1, end))]


_PAIRS = {"(": ")", "[": "]", "{": "}", "（": "）", "【": "】", "「": "」", "『": "』", "《": "》"}
_ANY_BRACKET = re.compile(r"[()\[\]{}（）【】「」『』《》]")
_WIDE_BRACKET = {"（": "(", "）": ")", "【": "[", "】": "]", "［": "[", "］": "]", "｛": "{", "｝": "}"}
_ENUMERATION = re.compile(
    r"(?:^|(?<=\s))\w{1,3}\)(?=\s\S)|(?<!\w)[:;]-?[()\[\]{}]|(?<!\w)[()]-?[:;]|[\"'„“«‘`»][()\[\]{}][\"'”“»’«]|\\[()\[\]{}]"
)
_PAIRS_IN_QUOTES = re.compile(r"[\"'“‘`][()\[\]{}][\"'”’]")
_MIXED_WIDTH = re.compile(r"（[^()（）\n]{1,80}\)|\([^()（）\n]{1,80}）")
_SQUARE = re.compile(r"\[[A-Za-z][A-Za-z ]{3,}\](?![(.\w])")
_PLURAL_ENDING = re.compile(r"\([a-zA-Z]{1,4}\)|\[\w{1,3}\]|\(_\w\)|\(&\w\)|\(\)")


class Brackets(UnitCheck):
    """Brackets that are not closed or that are lost.

    >>> units = [Unit("1", "Datei (alt", "File (old)")]
    >>> [alarm.message for alarm in Brackets().find(units, CheckContext("en", "de"))]
    ["The bracket '(' is not closed"]
    """

    id = "brackets"
    signs = "()[]{}（）【】「」『』《》"
    group = "form"
    severity = "minor"
    about = "brackets that are not closed, not opened, or lost"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        return _bracket_problems


def _bracket_problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
    if not _ANY_BRACKET.search(output) and not _ANY_BRACKET.search(source):
        return ()
    opened = _unmatched(output)
    if opened is not None and _unmatched(source) is None and not _PAIRS_IN_QUOTES.search(source):
        char = output[opened]
        what = "not closed" if char in _PAIRS else "not opened"
        return [FormProblem(f"The bracket '{char}' is {what}", mark("output", opened, opened + 1))]
    match = _MIXED_WIDTH.search(output)
    if match:
        return [FormProblem.at(match, f"The bracket '{match[0][0]}' is closed with '{match[0][-1]}'")]
    lost = _PLURAL_ENDING.sub("", source).count("(") or bool(_SQUARE.search(source) and "--" not in source)
    has_others = any(sign in output for sign in "()（）[]—–-［【「")
    if lost and not has_others and opened is None and (" " in output or not output.isascii()):
        where = mark_all("source", source, "(") or mark_all("source", source, "[")
        return [FormProblem("The brackets are missing", where)]
    return ()


def _unmatched(text: str) -> int | None:
    """The place of the first bracket without a partner; `a)` and `:)` need none."""
    place = _first_unmatched(text)
    if place is not None and _ENUMERATION.search(text):
        return _first_unmatched(_ENUMERATION.sub(lambda match: "\0" * len(match[0]), text))
    return place


def _first_unmatched(text: str) -> int | None:
    stack: list[tuple[str, int]] = []
    for match in _ANY_BRACKET.finditer(text):
        char, place = _WIDE_BRACKET.get(match[0], match[0]), match.start()
        if char in _PAIRS:
            stack.append((_PAIRS[char], place))
        elif stack and stack[-1][0] == char:
            stack.pop()
        else:
            return place
    return stack[0][1] if stack else None


_ANY_QUOTE = re.compile("[\"'`“”„«»「」『』‹›‘’‚《》]")
_STRAIGHT = re.compile(r"(?<![\\\d])\"")
_ALL_QUOTES = "\"“”„«»「」『』‹›‘’‚'`《》〈〉‟″＂＇"
_ENGLISH_QUOTED = re.compile(r"“[^„“”\n]{1,200}”")
_SOURCE_QUOTED = re.compile(
    r"\"[^\"\n]{1,80}\"|“[^“”\n]{1,80}”|(?<!\w)'[^'\n]{2,80}'(?!\w)|‘[^‘’\n]{2,80}’(?!\w)|«[^«»\n]{1,80}»|`[^`'\n]{2,80}'"
)


class Quotes(ConventionCheck):
    """Quotation marks that are not closed or that are lost.

    >>> units = [Unit("1", 'Datei "a nicht gefunden', 'File "a" not found')]
    >>> [alarm.message for alarm in Quotes().find(units, CheckContext("en", "de"))]
    ['A quotation mark " is not closed']
    """

    id = "quotes"
    signs = "\"'`“”„«»「」『』‹›‘’‚《》"
    group = "form"
    severity = "minor"
    about = "quotation marks that are not closed or lost"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        """Make the function for the target language; German and Russian have no closing mark ”."""
        own = {"de": "German quotation marks are „…“", "ru": "Russian quotation marks are «…»"}
        message = own.get(code_of(context.target))
        if message is None:
            return _quote_problems

        def problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
            match = _ENGLISH_QUOTED.search(output) if "”" in output else None
            if match is None:
                return _quote_problems(source, output, unit)
            return [FormProblem.at(match, f"{message}, not “…”")]

        return problems


_SINGLE_QUOTED = re.compile(r"(?<!\w)'[^'\n]{2,80}'(?!\w)")
_OPEN_SINGLE = re.compile(r"^[^'`]*(?<![\w\\])'(?=[\w{])[^']*$")
_CLOSED_STRAIGHT = re.compile(r'„[^„“”"<>{}]{1,80}"')


def _odd_quotes(text: str) -> bool:
    return sum(text.count(char) for char in "\"'`‘’„“”«»") % 2 == 1


def _quote_problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
    if not _ANY_QUOTE.search(output) and not _ANY_QUOTE.search(source):
        return ()
    if len(source) < 3 or (
        (source[-1] in _ALL_QUOTES) != (source[0] in _ALL_QUOTES)
        and len(source) < 60
        and (_odd_quotes(source))
    ):
        return ()  # The program inserts something between two texts.
    problems: list[FormProblem] = []
    straight = _STRAIGHT.findall(output)
    # 5" may be inches, or the end of a quotation.
    if (
        len(straight) % 2
        and output.count('"') % 2
        and len(_STRAIGHT.findall(source)) % 2 == 0
        and not re.search("[„“”]", output)
    ):
        place = output.rindex('"')
        problems.append(FormProblem('A quotation mark " is not closed', mark("output", place, place + 1)))
    for opening, closing in (("«", "»"), ("「", "」"), ("『", "』"), ("《", "》")):
        if output.count(opening) != output.count(closing) and source.count(opening) == source.count(closing):
            more = opening if output.count(opening) > output.count(closing) else closing
            what = "closed" if more == opening else "opened"
            problems.append(
                FormProblem(f"A quotation mark {more} is not {what}", mark_all("output", output, more))
            )
    curly = sum(output.count(char) for char in "„“”")
    if curly % 2 and sum(source.count(char) for char in '„“”"') % 2 == 0 and not straight:
        place = max(output.rfind(char) for char in "„“”")
        problems.append(
            FormProblem(f"A quotation mark {output[place]} has no partner", mark("output", place, place + 1))
        )
    if not problems and "„" in output and (match := _CLOSED_STRAIGHT.search(output)):
        problems.append(FormProblem.at(match, f"{quoted(match[0])} is closed with another mark"))
    open_single = _OPEN_SINGLE.search(output) if "'" in output and not problems else None
    closed = output.rfind("'") if _SINGLE_QUOTED.search(source) and output.count("'") == 1 else -1
    if open_single and source.count("'") % 2 == 0:
        problems.append(FormProblem.at(open_single, "A quotation mark ' is not closed"))
    elif (
        closed > 2 and output[closed - 3 : closed].isalpha() and not output[closed + 1 : closed + 2].isalnum()
    ):
        problems.append(FormProblem("A quotation mark ' is not opened", mark("output", closed, closed + 1)))
    if not problems and not any(char in output for char in _ALL_QUOTES):
        match = _SOURCE_QUOTED.search(source)
        # A long text may be worded differently, and a value needs no quotes.
        is_plain = len(source) < 250 and not re.search(r"<[^<>]+=\s*[\"']", source)
        if match and is_plain and not set("%{").intersection(match[0]):
            where = mark("source", match.start(), match.end())
            problems.append(FormProblem(f"The quotation marks of {quoted(match[0])} are missing", where))
    return problems


_DOUBLED = re.compile(r"(?<![\w%{}$<\\.'’-])([^\W\d_]{2,}+)[ \u00a0\n]\1(?![\w'’-])", re.IGNORECASE)
# Words of one letter, which are also in names and options, and Japanese particles after a word.
_TWICE = {
    code: re.compile(rf"(?<![^\s(])([{letters}]) \1(?= [^\W\d_])")
    for code, letters in small_words("one-letter").items()
} | {code: re.compile(particles) for code, particles in small_words("doubled-particles").items()}
_DOUBLED_SIGN = re.compile(r"(?<![!?,，。！？、;.])([!?,，。！？、.])\1(?!\1)(?=[\s\"'”»)]|$)")
_TWO_SIGNS = [2 * sign for sign in "!?,，。！？、."]
_REDUPLICATE = words(small_words("repeating")["languages"]) | UNSPACED
_ARTICLES = words("der die das den dem")
_PHRASE_TWICE = re.compile(r"(?<![\w-])([^\W\d_]{1,20}(?: [^\W\d_]{2,20}){1,5}) \1(?![\w-])", re.IGNORECASE)
_NAMES_DOUBLED = words("bora duran papua pago new york walla chop bla yo tam")


class DoubledWords(UnitCheck):
    """A word that occurs twice in a row, unless the grammar requires this.

    >>> units = [Unit("1", "Das ist ist gut", "This is good")]
    >>> [alarm.message for alarm in DoubledWords().find(units, CheckContext("en", "de"))]
    ["The word 'ist' occurs twice in a row"]
    """

    id = "doubled-words"
    group = "form"
    severity = "minor"
    about = "a word or a punctuation mark that occurs twice in a row"

    def look(self, context: CheckContext) -> Callable[[str, str, Unit], Sequence[FormProblem]]:
        code = code_of(context.target)
        legitimate = words(small_words("doubled").get(code, ""))
        reduplicates = code in _REDUPLICATE
        short = _TWICE.get(code)

        def problems(source: str, output: str, unit: Unit) -> Sequence[FormProblem]:
            match = _DOUBLED_SIGN.search(output) if any(map(output.__contains__, _TWO_SIGNS)) else None
            if match and not _DOUBLED_SIGN.search(source):
                return [FormProblem.at(match, f"The sign {quoted(match[1])} occurs twice in a row")]
            match = short.search(output) if short else None
            if match and match[0] not in source:
                return [FormProblem.at(match, f"The word {quoted(match[0][0])} occurs twice in a row")]
            match = _PHRASE_TWICE.search(output)
            if match and not _PHRASE_TWICE.search(source) and "\n" not in output and len(output) < 400:
                return [FormProblem.at(match, f"{quoted(match[1])} occurs twice in a row")]
            match = None if reduplicates else _DOUBLED.search(output)
            if match is None:
                return ()
            word, again = match[1], match[0][len(match[1]) + 1 :]
            # FILE file: a name for something and the thing itself. Programme, die die Datei öffnen: two
            # pronouns after a comma.
            is_clause = word.lower() not in _ARTICLES or "," in output[: match.start()] or code != "de"
            if (
                (word.lower() in legitimate and is_clause)
                or word.lower() in _NAMES_DOUBLED
                or (word != again and (word.isupper() or again[0].isupper()))
            ):
                return ()
            if _DOUBLED.search(source) or f"{word} {word}" in source:
                return ()
            return [FormProblem.at(match, f"The word {quoted(match[1])} occurs twice in a row")]

        return problems
