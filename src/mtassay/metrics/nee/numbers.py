"""Numbers as entities, in digits and in words, and letters without their accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import regex

# A mark stays where it makes another letter (й, ї, が) or carries the vowel (Devanagari, Thai).
# Hebrew and Arabic vowel points and the Arabic stretching mark are optional in ordinary text.
_OPTIONAL_MARKS = regex.compile(
    r"(?<=[\p{Latin}\p{Greek}])\p{Mn}+"
    r"|(?<=[ЕеѐЀ])\u0308"
    r"|(?<=[АЕИОУЫЭЮЯаеиоуыэюя])[\u0300\u0301]+"
    r"|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]"
    r"|[\u064b-\u0652\u0670\u0640]"
)

_MARKED_BY_A_STROKE = str.maketrans(
    {
        "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O",
        "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ł": "l", "Ł": "L",
        "ħ": "h", "Ħ": "H", "ŧ": "t", "Ŧ": "T", "ı": "i", "ŋ": "n", "Ŋ": "N",
    }
)  # fmt: skip

_SPELLED_OUT = str.maketrans(
    {
        "ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa",
        "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Ø": "Oe", "Å": "Aa",
    }
)  # fmt: skip

MARKS_ARE_LETTERS = frozenset({"vi"})
"""Languages in Latin script where a word without its marks is another word."""


def strip_marks(text: str) -> str:
    """The text without optional marks.

    >>> strip_marks("São Tomé, Łódź, Αθήνα, Ёлкин, Йошкар")
    'Sao Tome, Lodz, Αθηνα, Елкин, Йошкар'
    """
    if text.isascii():
        return text
    plain = _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFD", text.translate(_MARKED_BY_A_STROKE)))
    return unicodedata.normalize("NFC", plain)


def spell_out_marks(text: str) -> str:
    """The text in the spelling that German and the Scandinavian languages use where marks are not to be had.

    >>> spell_out_marks("Müller, Århus, Ærø")
    'Mueller, Aarhus, AEroe'
    """
    if text.isascii():
        return text
    return strip_marks(unicodedata.normalize("NFC", text).translate(_SPELLED_OUT))


def lower(text: str, *, language: str) -> str:
    """The text without case; `language` is a primary subtag, and Turkish and Azerbaijani have two i's.

    >>> lower("DİYARBAKIR", language="tr"), lower("STRASSE", language="de") == lower("Straße", language="de")
    ('diyarbakır', True)
    """
    if language in ("tr", "az"):
        text = text.replace("İ", "i").replace("I", "ı")
    return text.casefold()


Trie = dict[str, Any]
"""Words to sub-tries; the key "" holds the value of the phrase that ends there."""

# Below twenty (or thirty, where those are single words), then the tens. Spellings of one number are
# separated by "/". Forms that are also articles (um, un, ein, een) stand in _UNIT_ONLY instead.
_SMALL = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen",
    "pt": "zero - dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze"
    " dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis"
    " diecisiete dieciocho diecinueve veinte veintiuno/veintiún/veintiuna veintidós veintitrés veinticuatro"
    " veinticinco veintiséis veintisiete veintiocho veintinueve",
    "fr": "zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "de": "null eins zwei/zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
    " sechzehn siebzehn achtzehn neunzehn",
    "it": "zero - due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici"
    " sedici diciassette diciotto diciannove",
    "nl": "nul - twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien"
    " zeventien achttien negentien",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "pt": "vinte trinta quarenta cinquenta/cinqüenta sessenta setenta oitenta noventa",
    "es": "- treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "fr": "vingt trente quarante cinquante soixante septante huitante/octante nonante",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "it": "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
}
_UNIT_ONLY = {
    "pt": "um/uma",
    "es": "un/una",
    "fr": "un/une",
    "de": "ein",
    "it": "uno/una/un",
    "nl": "een",
}
_JOINED_BY = {"pt": "e", "es": "y"}
LANGUAGES = frozenset(_SMALL)


def number_phrases(language: str) -> Iterator[tuple[str, int]]:
    """Phrases, words separated by one space (hyphens count as spaces), and their values."""
    small = [_spellings(word) for word in _SMALL[language].split()]
    tens = [_spellings(word) for word in _TENS[language].split()]
    for value, words in enumerate(small):
        yield from ((word, value) for word in words)
    for index, words in enumerate(tens, start=2):
        yield from ((word, index * 10) for word in words)
    units = [[*words] for words in small[:10]]
    units[1] += _spellings(_UNIT_ONLY.get(language, "-"))
    for index, words in enumerate(tens, start=2):
        for ten in words:
            for unit in range(1, 10):
                for one in units[unit]:
                    yield from ((phrase, index * 10 + unit) for phrase in _join(language, ten, one))
    if language == "fr":
        yield from _french_scores(small, units)


def _spellings(word: str) -> list[str]:
    return [] if word == "-" else word.split("/")


def _join(language: str, ten: str, unit: str) -> Iterable[str]:
    if language in _JOINED_BY:
        return [f"{ten} {_JOINED_BY[language]} {unit}"]
    if language == "de":
        return [] if unit == "eins" else [f"{unit}und{ten}"]
    if language == "nl":
        return [f"{unit}{'ën' if unit.endswith('e') else 'en'}{ten}"]
    if language == "it":
        return [ten[:-1] + unit] if unit[0] in "uo" else [ten + unit]
    if language == "fr":
        return [f"{ten} et {unit}"] if unit in ("un", "une") else [f"{ten} {unit}"]
    return [f"{ten} {unit}"]


def _french_scores(small: list[list[str]], units: list[list[str]]) -> Iterator[tuple[str, int]]:
    """17 to 19, and the numbers that French counts from sixty and from four twenties."""
    below_twenty = [units[value] if value < 10 else small[value] for value in range(17)]
    below_twenty += [[f"dix {word}" for word in small[value]] for value in (7, 8, 9)]
    yield "quatre vingts", 80
    yield "quatre vingt", 80
    for value in range(17, 20):
        yield from ((word, value) for word in below_twenty[value])
    for value in range(1, 20):
        for word in below_twenty[value]:
            yield f"quatre vingt {word}", 80 + value
            if value >= 10:
                yield (f"soixante et {word}" if value == 11 else f"soixante {word}"), 60 + value


@cache
def number_trie(language: str) -> Trie:
    """The phrases of one language by their words, without case and marks; empty where we know none.

    >>> trie = number_trie("pt")
    >>> trie["vinte"]["e"]["tres"][""], trie["vinte"][""]
    (23, 20)
    """
    trie: Trie = {}
    for phrase, value in number_phrases(language) if language in LANGUAGES else ():
        for spelling in {strip_marks(phrase), spell_out_marks(phrase)}:
            node = trie
            for word in spelling.split():
                node = node.setdefault(word, {})
            node[""] = value
    return trie


_DECIMAL_COMMA = {
    "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "hr",
    "hu", "hy", "id", "is", "it", "ka", "kk", "lt", "lv", "mk", "nb", "nl", "nn", "no", "pl", "pt", "ro",
    "ru", "sk", "sl", "sq", "sr", "sv", "tr", "uk", "uz", "vi",
}  # fmt: skip
# Where a region writes numbers unlike its language.
_DECIMAL_POINT = {
    "de-ch", "de-li", "it-ch", "es-do", "es-gt", "es-hn", "es-mx", "es-ni", "es-pa", "es-pr", "es-sv",
    "es-us",
}  # fmt: skip

GROUPED_BY_SPACE = {
    "be", "bg", "ca", "cs", "es", "et", "fi", "fr", "hu", "hy", "ka", "kk", "lt", "lv", "nb", "nn", "no",
    "pl", "pt", "ru", "sk", "sl", "sv", "uk",
}  # fmt: skip
"""Languages where an ordinary space can separate thousands; a no-break space can in all."""

_MARK = "[.,'d]"
_ASCII_MARKS = {"，": ",", "．": ".", "٫": "d"}


def group_mark(language: str) -> str:
    """The mark, of "," and ".", that separates thousands. An unknown language counts like English.

    >>> group_mark("pt-BR"), group_mark("es-MX"), group_mark("")
    ('.', ',', ',')
    """
    tag = language.lower().replace("_", "-")
    return "." if tag.split("-")[0] in _DECIMAL_COMMA and tag not in _DECIMAL_POINT else ","


def canonical_number(number: str, *, language: str) -> str | None:
    """The value in ASCII digits with a decimal point and no idle zeros; `None` if it is no single value.

    >>> canonical_number("1.234,50", language="de"), canonical_number("1,234", language="de")
    ('1234.5', '1.234')
    >>> canonical_number("１２", language="ja"), canonical_number("12.05.2020", language="de")
    ('12', None)
    """
    text = "".join(_plain(character) for character in number)
    marks, parts = re.findall(_MARK, text), re.split(_MARK, text)
    if not marks:
        return _value(text, "")
    is_group = len(marks) == 1 and marks[0] == group_mark(language) and _are_groups(parts)
    if not is_group and marks[-1] in ".,d" and marks[-1] not in marks[:-1] and len(set(marks[:-1])) <= 1:
        *whole, fraction = parts
        return _value("".join(whole), fraction) if len(whole) == 1 or _are_groups(whole) else None
    return _value("".join(parts), "") if len(set(marks)) == 1 and _are_groups(parts) else None


def _plain(character: str) -> str:
    """ASCII digits and marks; "'" separates groups, "d" decimals, whatever the language."""
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    return "'" if character.isspace() or character in "’ʼ＇٬" else _ASCII_MARKS.get(character, character)


def _are_groups(parts: list[str]) -> bool:
    """Thousands, or lakhs and crores as in India."""
    first, *middle, last = parts
    lengths = {len(part) for part in middle}
    return 1 <= len(first) <= 3 and len(last) == 3 and first != "0" and (lengths <= {3} or lengths == {2})


def _value(whole: str, fraction: str) -> str:
    whole = whole.lstrip("0") or "0"
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
