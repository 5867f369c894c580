"""Checks whether an output keeps names that are not translated: brands, models, handles, codes."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from operator import add
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

from mtassay.data.languages import parse_language
from mtassay.data.words import edit_distance, sound_apart, strip_marks
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit, code_of
from mtassay.measures.output_language import given_names, scripts_of
from mtassay.measures.talk import small_words
from mtassay.nlp.word_forms import WordForms, word_forms

# A capital letter within a short word (iPhone, GitHub), letters with digits (A321, COVID-19), a handle.
# Longer ones are words without the space between them; shorter ones are abbreviations (QoL).
_HANDLE = r"@[A-Za-z_]\w{1,30}"
_NAME = r"[a-z]{1,2}[A-Z][a-z]{3,12}|[A-Z][a-z]{1,4}[A-Z][a-z]{2,4}|[A-Z][a-z]{3,8}[A-Z][A-Za-z]{0,2}"
# Codes are the same in any script: LX-4470, B2.14, CZ3108.
_CODE = (
    r"[A-Z]{1,4}-\d{2,6}(?:-[A-Z\d]{1,4})?|[A-Z]{1,3}\d{3,5}[A-Z]?|[A-Z]{4,8}-\d{1,4}|[A-Z]\d{1,2}\.\d{2,3}"
    r"|[A-Z]{1,3}\d-[A-Z\d]{2,4}"
)
# Chinese and Japanese have no space beside a name.
_BEFORE, _AFTER = r"(?<![A-Za-z0-9_à-ÿа-я@./:#&%~\\-])", r"(?![A-Za-z0-9_à-ÿа-я@/-]|\.[A-Za-z0-9_])"
_SEPARATOR = re.compile(r"[\W_]+")
_WORDS = re.compile(r"[^\W\d_]+")


class Names(Check):
    """Brands, models, codes, handles, people and cities of the source that are missing or replaced."""

    id: ClassVar[str] = "names"
    group: ClassVar[str] = "meaning"
    severity: ClassVar[Severity] = "major"
    about: ClassVar[str] = "a name, code or handle of the source is missing or replaced"
    scope: ClassVar[Literal["unit", "file"]] = "file"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return one alarm for each unit, with all missing names.

        >>> unit = Unit("1", "Das iPad ist neu.", "The new iPhone is here.")
        >>> [alarm.message for alarm in Names().find([unit], CheckContext("en", "de"))]
        ["'iPhone' is missing"]
        """
        # A target with another script spells names in its own script.
        is_latin = context.target is None or scripts_of(parse_language(context.target).code) == ("Latin",)
        name = re.compile(f"{_BEFORE}(?:{_HANDLE}|{_CODE}{f'|{_NAME}' if is_latin else ''}){_AFTER}")
        code = code_of(context.target)
        can_swap = (
            bool(code) and context.source is not None and parse_language(context.source).code in ("en", "de")
        )
        source_code = code_of(context.source)
        can_lose = source_code in _PLAIN_NOUNS and code in _LATER_NAMED and source_code != code
        is_cyrillic = source_code in ("ru", "uk", "bg") and code in _LATER_NAMED and is_latin
        gone: dict[int, Sequence[re.Match[str]]] = {}
        for index, unit in enumerate(units):
            source, output = unit.source, unit.output
            if not source or not output or (source.isupper() and max(source) < "\u2e80") or source.isalnum():
                continue
            # Most names are unchanged in the output, and this is cheap to check.
            missing = [match for match in _names_in(source, name) if match.group() not in output]
            if not missing:
                swapped = swapped_name(source, output, code) if can_swap else None
                if swapped and not any(swapped.other in reference for reference in unit.references):
                    places = source.find(swapped.name), output.find(swapped.other)
                    message = f"'{swapped.name}' became '{swapped.other}'"
                    ends = (
                        Mark("source", places[0], places[0] + len(swapped.name)),
                        Mark("output", places[1], places[1] + len(swapped.other)),
                    )
                    yield Alarm(index, message, ends)
                elif (
                    can_lose
                    and not unit.references
                    and (lost := lost_name(source, output, source_code, code))
                ):
                    gone[index] = [lost]
                elif (
                    is_cyrillic
                    and not unit.references
                    and (found := _latin_for_cyrillic(source, output, code))
                ):
                    there, here = found
                    message = f"{there[0]!r} became {here[0]!r}"
                    yield Alarm(index, message, (Mark("source", *there.span()), Mark("output", *here.span())))
                continue
            bare = _bare(output)
            missing = [match for match in missing if _bare(match.group()) not in bare]
            if not is_latin:  # Russian and Greek have their own letters for the letters of codes.
                missing = [m for m in missing if m[0][0] == "@" or not _has_digits(m[0], output)]
            for reference in unit.references:
                own = _bare(reference)
                missing = [match for match in missing if _bare(match.group()) in own]
            if missing:
                gone[index] = missing
        # A word that a file always translates is not a name, for example in a game: Dunefolk.
        often = Counter(name for missing in gone.values() for name in {match[0] for match in missing})
        words = {
            name
            for name, n in often.items()
            if n > 2 and 3 * n >= 2 * sum(name in (unit.source or "") for unit in units)
        }
        for index, lost_names in gone.items():
            if missing := [match for match in lost_names if match[0] not in words]:
                shown = list(dict.fromkeys(match.group() for match in missing))
                verb = "is" if len(shown) == 1 else "are"
                marks = tuple(Mark("source", *match.span()) for match in missing)
                yield Alarm(index, f"{', '.join(map(repr, shown[:5]))} {verb} missing", marks)


@lru_cache(maxsize=1 << 14)
def _names_in(source: str, name: re.Pattern[str]) -> Sequence[re.Match[str]]:
    return list(name.finditer(source))


def _has_digits(code: str, output: str) -> bool:
    return all(re.search(rf"(?<!\d){run}(?!\d)", output) for run in re.findall(r"\d+", code))


def _bare(text: str) -> str:
    return _SEPARATOR.sub("", html.unescape(text)).casefold()


_DATA = Path(__file__).parent / "data"
_PERSON = re.compile(r"(?<![\w-])([A-Z][a-zäöüß]{1,12}) ([A-Z][a-zäöüß]{2,14})(?![\w-]| [A-Z])")
_TITLED = re.compile(
    r"(?<!\w)(?:Mrs?|Ms|Miss|Dr|Doctor|Prof(?:essor)?|Frau|Herrn?|Fräulein|Doktor|Sra?|Srta|Señora?|Senhora?|Doutora?"
    r"|Doctora?|Monsieur|Madame|Mme|Mlle|M|Signora?|Sig|Dott)"
    r"\.? (?:(?:Dr|Prof)\.? )?(?:[A-ZÄÖÜ][a-zäöüßé]+ )?([A-ZÄÖÜ][a-zäöüßé]{3,14})"
    r"(?![\w-]| [A-ZÄÖÜ])"
)
# A capital that is not at the start of a sentence.
_INNER = re.compile(r"(?<=[a-zäöüß,] )[A-ZÄÖÜ][a-zäöüß]{2,14}(?![\w-])")
_LATIN_NEXT = re.compile(r" ([A-ZÀ-ÞŠŽČŁŚ][^\W\d_]{2,14})(?![\w-])")
_CYRILLIC_PERSON = re.compile(r"(?<!\w)([А-ЯЁ])[а-яё]{1,12} (([А-ЯЁ])[а-яё]{2,14})(?![\w-]| [А-ЯЁ])")
_KANA_PERSON = re.compile(r"(?<![ァ-ヴー・])([ァ-ヴ])[ァ-ヴー]*・(([ァ-ヴ])[ァ-ヴー]+)(?![ァ-ヴー・])")
# The Latin letters that a first letter may represent; other letters are unknown.
_CYRILLIC, _KANA = small_words("cyrillic"), small_words("kana")
# Languages where all spellings of the cities are known and common words have no capital.
_SPELLED = frozenset(("es", "fr", "it", "pt", "ru"))
_OUTPUT_INNER = re.compile(r"(?<=[a-zà-ÿа-яё] )[A-ZÀ-ÞА-ЯЁ][^\W\d_]{3,14}(?![\w-])")
_SURE = frozenset("BDFHKLMNPRST")
# Languages whose names have endings, so that only a different beginning shows another name.
_INFLECTED = frozenset(
    ("cs", "sk", "pl", "lt", "lv", "sl", "hr", "sr", "bs", "hu", "fi", "et", "tr", "az", "la")
)


_LATER_NAMED = frozenset(("de", "en", "es", "fr", "it", "pt", "ru", "ja", "zh", "nl", "pl", "cs"))
# Languages whose common nouns have no capital, and whose dictionaries are large.
_PLAIN_NOUNS = frozenset(("en", "es", "fr", "it", "pt", "de"))
# In German, only the word before a place distinguishes it from a noun.
_GERMAN_PLACE = re.compile(r"(?:(?<=\bin )|(?<=\bnach )|(?<=\baus ))[A-ZÄÖÜ][a-zäöüß]{3,11}(?![\w-])")
_LATER = re.compile(
    r"(?:(?<=[^\W_] )|(?<=[^\W_], )|(?<=Dr\. )|(?<=Mr\. ))[A-ZÀ-Þ][a-zß-ÿ]{3,14}(?![\w.@/-]|['’](?!s\b))"
)
_CYRILLIC_NAME = re.compile(r"(?<![\w«\"-])[А-ЯЁЄІЇ][а-яёєії]{2,14}(?![\w-])")
_INNER_LATIN = re.compile(r"(?<=[a-zà-ÿ,] )[A-Z][a-zà-ÿ]{3,14}(?![\w-])")


def _latin_for_cyrillic(source: str, output: str, target: str) -> tuple[re.Match[str], re.Match[str]] | None:
    """A name in Cyrillic letters, and a different-sounding name in Latin letters that replaces it."""
    theirs = list(_CYRILLIC_NAME.finditer(source))
    inner = [match for match in theirs if match.start() and source[match.start() - 2] not in ".!?:—"]
    ours = list(_INNER_LATIN.finditer(output))
    if not inner or not ours or len(theirs) > 8:
        return None
    forms, table = word_forms(target), _places().rows
    said = re.findall(r"[A-Z][a-zà-ÿ]{2,}", output)
    lost = [m for m in inner if all(sound_apart(word, m[0].lower()) for word in said)]
    new = [
        m
        for m in ours
        if (m[0] in table or not (forms.knows(m[0]) or forms.knows(m[0].lower())))
        and all(sound_apart(m[0], name[0].lower()) for name in theirs)
    ]
    if len(lost) != 1 or len(new) != 1 or table.get(new[0][0], -1) in _places_in(source):
        return None
    return lost[0], new[0]


_LATIN_WORD = re.compile(r"(?<![\w.@/-])[A-Z][a-z]{3,14}(?![\w.@/-])")


def lost_name(source: str, output: str, language: str, target: str) -> re.Match[str] | None:
    """Find a capitalised word that is in no dictionary and not similar to any word of the output.

    >>> lost_name("Please ask Professor Adeyemi first.", "Demandez d'abord au professeur.", "en", "fr")[0]
    'Adeyemi'
    """
    names = _GERMAN_PLACE if language == "de" else _LATER
    lost = [m for m in names.finditer(source) if m[0] not in output and (m[0].isascii() or language != "en")]
    small = strip_marks(output).lower() if lost else ""
    lost = [match for match in lost if match[0][:4].lower() not in small]
    plain = [word for word in _WORDS.findall(source)[1:] if len(word) > 2]
    # In a title, every long word has a capital.
    small_words = [word for word in plain if word.islower()]
    if not lost or (
        language != "de" and 2 * len(small_words) < len(plain) and max(map(len, small_words), default=0) < 5
    ):
        return None
    forms = word_forms(language)
    lost = [m for m in lost if not forms.knows(m[0]) and not forms.knows(m[0].lower())]
    if language == "de":
        lost = [m for m in lost if not forms.is_word(m[0].lower())]
    lost = [m for m in lost if not m[0].endswith(("ish", "ian")) and not _is_compound(m[0].lower(), forms)]
    rows, there = _places().rows, _places_in(output) if lost else {}
    lost = [m for m in lost if rows.get(m[0], -1) not in there]
    if target in ("ja", "zh"):
        # only if another name in Latin letters replaces it
        new = [word for word in _LATIN_WORD.findall(output) if word not in source]
        return lost[0] if lost and len(new) == 1 and not forms.knows(new[0].lower()) else None
    words = {word for word in _WORDS.findall(small) if len(word) > 2}
    for match in lost:
        name = match[0].lower()
        if not any(
            not sound_apart(name, word) if target == "ru" else 2 * edit_distance(name, word) <= len(name) + 1
            for word in words
        ):
            return match
    return None


def _is_compound(word: str, forms: WordForms) -> bool:
    """Whether a word consists of two words, one of them long: Mudcrawlers."""
    cuts = (cut for cut in range(3, len(word) - 2) if max(cut, len(word) - cut) > 4)
    return any(forms.knows(word[:cut]) and forms.knows(word[cut:]) for cut in cuts)


class SwappedName(NamedTuple):
    """A name of the source, and the name that replaces it in the output."""

    name: str
    other: str


def swapped_name(source: str, output: str, target: str) -> SwappedName | None:
    """Find the first name of the source that the output replaces by another name.

    >>> swapped_name("The train to Vienna is late.", "Der Zug nach Prag hat Verspätung.", "de")
    SwappedName(name='Vienna', other='Prag')
    >>> swapped_name("We met Peter Dunham.", "Wir trafen Peter Durrell.", "de").other
    'Durrell'
    """
    persons, titled, inner = _named_in(source)
    for person in persons:
        if person[2] not in output:
            if other := _other_person(person, source, output, target):
                return SwappedName(person[2], other)
        elif person[1] not in output:
            before = re.search(rf"(?<![\w-])([A-Z][a-z]+) {person[2]}\b", output)
            if (
                before
                and before[1] in given_names()
                and before[1] not in source
                and before[1][:3] != person[1][:3]
            ):
                return SwappedName(person[1], before[1])
    if titled and (swapped := _after_title(titled, source, output, target)):
        return swapped
    missing = [name for name in inner if name not in output]
    return _other_place(missing, source, output, target) if missing else None


@lru_cache(maxsize=1 << 14)
def _named_in(source: str) -> tuple[Sequence[re.Match[str]], re.Match[str] | None, Sequence[str]]:
    """The people of a source, a name after a title, and capitalised words except for the first word."""
    return list(_PERSON.finditer(source)), _TITLED.search(source), _INNER.findall(source)


def _after_title(found: re.Match[str], source: str, output: str, target: str) -> SwappedName | None:
    """Find a changed name after a title, in the same script: Frau Schilling and Mrs Schelling."""
    other = _TITLED.search(output)
    if not other or target in _INFLECTED or found[1] in output or other[1] in source:
        return None
    return SwappedName(found[1], other[1])


def _other_person(person: re.Match[str], source: str, output: str, target: str) -> str | None:
    first, last = person[1], person[2]
    # The name of Firefox Help differs by language.
    if first not in given_names() and (target in ("ru", "ja") or word_forms("en").knows(last)):
        return None
    if target in ("ru", "ja"):
        pattern, letters = (_CYRILLIC_PERSON, _CYRILLIC) if target == "ru" else (_KANA_PERSON, _KANA)
        found = pattern.search(output)
        if found is None or first[0] not in letters.get(found[1], first[0]):
            return None
        is_sure = last[0] in _SURE and last[:2] not in ("Kn", "Ph", "Ts", "Th")
        if is_sure and last[0] not in letters.get(found[3], last[0]):
            return found[2]
        is_far = target == "ru" and sound_apart(last, found[2])
        return found[2] if is_far else None
    start = output.find(f"{first} ")
    found = _LATIN_NEXT.match(output, start + len(first)) if start >= 0 else None
    if found is None or found[1] in source:
        return None
    shared = 2 if target in _INFLECTED else len(last) - 1
    if found[1][:shared].casefold() == last[:shared].casefold():
        return None
    return found[1]


def small_place(source: str, output: str) -> str:
    """A place of the source that the output writes in lower case; empty if there is none.

    >>> small_place("See you in London.", "Nos vemos en londres.")
    'londres'
    """
    rows = _places_in(source).keys()
    if not rows or rows & _places_in(output).keys():
        return ""
    names = (name.lower() for name, row in _places().rows.items() if row in rows)
    return next((name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", output)), "")


class _Places(NamedTuple):
    """The number of each place by its names (Russian names without endings), and patterns to find them.

    `firsts` has Latin names by their first words, with and without the ending that the pattern allows,
    `heads` the first two letters of all others.
    """

    rows: dict[str, int]
    pattern: re.Pattern[str]
    firsts: dict[str, list[str]]
    heads: frozenset[str]


@cache
def _places() -> _Places:
    rows = [line.split() for line in (_DATA / "places.txt").read_text(encoding="utf-8").splitlines()]
    table = {name.replace("_", " "): number for number, row in enumerate(rows) for name in row}
    names = [name for name in table if name[0] < "\u0400"]
    cyrillic = "|".join(name for name in table if "\u0400" <= name[0] < "\u0500")
    wide = (name for name in table if name[0] > "\u2e80")
    others = "|".join(sorted(wide, key=len, reverse=True))  # 印度尼西亚 begins as 印度
    pattern = rf"{_latin(names)}|(?<![\w-])(?:{cyrillic})(?=[а-яё]{{0,2}}(?![\w-]))"
    firsts: dict[str, list[str]] = {}
    for name in names:
        first = _WORD.findall(name)[0]
        for word in (first, f"{first}s"):
            firsts.setdefault(word, []).append(name)
    heads = frozenset(name[:2] for name in table if name[0] >= "\u0400")
    return _Places(table, re.compile(rf"{pattern}|(?<![ァ-ヴー])(?:{others})(?![ァ-ヴー])"), firsts, heads)


def _latin(names: Iterable[str]) -> str:
    return rf"(?<![\w-])(?:{'|'.join(names)})(?=s?(?![\w-]))"


_WORD = re.compile(r"\w+")


@lru_cache(maxsize=1 << 15)
def _places_in(text: str) -> dict[int, str]:
    """The places in a text by number, each with its last name in the text."""
    rows, pattern, firsts, heads = _places()
    # Few texts name a place, and splitting a text is much faster than searching for hundreds of names.
    if text.isascii() or heads.isdisjoint(map(add, text, text[1:])):
        names = {name for word in _WORD.findall(text) for name in firsts.get(word, ())}
        # In the order of the table, since the first of two names with the same beginning counts.
        found = re.findall(_latin(sorted(names, key=list(rows).index)), text) if names else ()
    else:
        found = pattern.findall(text)
    return {rows[name]: name for name in found}


def _other_place(missing: list[str], source: str, output: str, target: str) -> SwappedName | None:
    ours = _places_in(output)
    if not ours and target not in _SPELLED:
        return None
    table, theirs = _places().rows, _places_in(source)
    added = [name for row, name in ours.items() if row not in theirs and name not in source]
    if target in ("ja", "zh"):  # 乌克兰 may be Ukrainian, too.
        near = {row for name, row in table.items() if name[:4] in source}
        added = [name for name in added if table[name] not in near]
    # If the output has a place of the source under another name, this name explains it.
    lost = [name for name in missing if name not in table or table[name] not in ours]
    if not added and target in _SPELLED and theirs and ours.keys() <= theirs.keys():
        new = [name for name in _OUTPUT_INNER.findall(output) if name not in source]
        gone = [name for name in lost if name in table]
        if gone and len(new) == 1 and new[0][:4] != gone[0][:4] and not re.search(f"{gone[0]}[-’']", source):
            return SwappedName(gone[0], new[0])
    if not added or not lost or len(ours) > max(len(theirs), 1):
        return None
    known = [name for name in lost if name in table]
    lost = [name for name in lost if not name.endswith(("ese", "ish", "ian"))] or lost[:0]
    if not known and not lost:
        return None
    if not known and not re.search(rf"\b(?:in|from|to|near|at|connects|between|and) {lost[0]}\b", source):
        return None
    return SwappedName((known or lost)[0], added[0])
