"""Letters that are one for a reader: with marks and without, in capitals and not."""

from __future__ import annotations

import unicodedata

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

_ARABIC_WORD = regex.compile(r"[\u0621-\u064a\u0671-\u06d3]+")
_HAMZA_ON_ALEF = str.maketrans("أإٱ", "ااا")
_LONG_WORD_LETTERS = str.maketrans("آى", "اي")
_PERSIAN_KEYBOARD = str.maketrans("یک", "يك")
_ALEF_LETTERS = 3

MARKS_ARE_LETTERS = frozenset({"vi"})
"""Languages in Latin script where a word without its marks is another word."""


def strip_marks(text: str) -> str:
    """The text without optional marks.

    >>> strip_marks("São Tomé, Łódź, Αθήνα, Ёлкин, Йошкар")
    'Sao Tome, Lodz, Αθηνα, Елкин, Йошкар'
    >>> strip_marks("أَحْمَد إيران") == "احمد ايران"
    True
    """
    if text.isascii():
        return text
    plain = _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFD", text.translate(_MARKED_BY_A_STROKE)))
    return str(_ARABIC_WORD.sub(_plain_arabic, unicodedata.normalize("NFC", plain)))


def _plain_arabic(match: regex.Match[str]) -> str:
    """An Arabic word in the spelling of those who leave out what readers add.

    Short words are left alone where the letter makes another word of it: آن (Anne) and أن (that), علي (Ali)
    and على (on), أمل (Amal) and آمل (I hope).
    """
    word = str(match.group()).translate(_PERSIAN_KEYBOARD)
    if len(word) >= _ALEF_LETTERS:
        word = word.translate(_HAMZA_ON_ALEF)
    return word.translate(_LONG_WORD_LETTERS) if len(word) > _ALEF_LETTERS else word


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
