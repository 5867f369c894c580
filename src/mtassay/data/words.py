"""Splits a text into words that people can mark (in scripts without spaces: characters), and plain marks."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
"""Scripts without spaces between words, by the prefix of their characters' names."""
_JOINERS = "'’\u200c\u200d"


class Piece(NamedTuple):
    """A part of a text, characters `start` to `end` (exclusive); people cannot mark spaces (`is_space`)."""

    start: int
    end: int
    text: str
    is_space: bool


def split_words(text: str) -> list[Piece]:
    """Split a text into words, single signs and spaces, in order. Marks stay with their base character.

    >>> [piece.text for piece in split_words("Não, don't!")]
    ['Não', ',', ' ', "don't", '!']
    >>> [piece.text for piece in split_words("猫です")]
    ['猫', 'で', 'す']
    """
    starts: list[int] = []
    before = ""
    for place, character in enumerate(text):
        kind = _kind(character)
        joins = (
            kind == "mark"
            or (kind == before and kind in ("word", "space"))
            or (kind == "word" and before == "joiner")
        )
        if kind == "joiner":
            is_inside = before == "word" and _kind(text[place + 1 : place + 2]) == "word"
            kind, joins = ("joiner", True) if is_inside else ("sign", False)
        if not joins or not starts:
            starts.append(place)
        if kind != "mark" or not before:
            before = kind
    ends = [*starts[1:], len(text)]
    return [
        Piece(start, end, text[start:end], text[start:end].isspace())
        for start, end in zip(starts, ends if starts else [], strict=True)
    ]


def _kind(character: str) -> str:
    if not character:
        return ""
    if character in _JOINERS:
        return "joiner"
    category = unicodedata.category(character)
    if category[0] == "M" or character in "\ufe0e\ufe0f":
        return "mark"
    if character.isspace():
        return "space"
    if category[0] not in "LN":
        return "sign"
    return "sign" if unicodedata.name(character, "").startswith(_UNSPACED) else "word"


# A mark stays where it makes another letter (й, ї, が) or carries the vowel (Devanagari, Thai).
# Hebrew and Arabic vowel points and the Arabic stretching mark are optional in ordinary text.
_OPTIONAL_MARKS = (
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

_ARABIC_WORD = re.compile(r"[\u0621-\u064a\u0671-\u06d3]+")
_HAMZA_ON_ALEF = str.maketrans("أإٱ", "ااا")
_LONG_WORD_LETTERS = str.maketrans("آى", "اي")
_PERSIAN_KEYBOARD = str.maketrans("یک", "يك")
_ALEF_LETTERS = 3

MARKS_ARE_LETTERS = frozenset({"vi"})
"""Languages in Latin script in which marks distinguish words."""


def strip_marks(text: str) -> str:
    """Remove optional marks from a text.

    >>> strip_marks("São Tomé, Łódź, Αθήνα, Ёлкин, Йошкар")
    'Sao Tome, Lodz, Αθηνα, Елкин, Йошкар'
    >>> strip_marks("أَحْمَد إيران") == "احمد ايران"
    True
    """
    if text.isascii():
        return text
    plain = _optional_marks().sub("", unicodedata.normalize("NFD", text.translate(_MARKED_BY_A_STROKE)))
    return _ARABIC_WORD.sub(_plain_arabic, unicodedata.normalize("NFC", plain))


@cache
def _optional_marks() -> Any:
    import regex  # slow to load, and plain ASCII never needs it

    return regex.compile(_OPTIONAL_MARKS)


def _plain_arabic(match: re.Match[str]) -> str:
    """Spell an Arabic word as writers do who omit optional signs.

    Short words stay unchanged if the letter distinguishes words: آن (Anne) and أن (that), علي (Ali) and
    على (on), أمل (Amal) and آمل (I hope).
    """
    word = str(match.group()).translate(_PERSIAN_KEYBOARD)
    if len(word) >= _ALEF_LETTERS:
        word = word.translate(_HAMZA_ON_ALEF)
    return word.translate(_LONG_WORD_LETTERS) if len(word) > _ALEF_LETTERS else word


def spell_out_marks(text: str) -> str:
    """Replace marked letters as German and the Scandinavian languages do in text without marks.

    >>> spell_out_marks("Müller, Århus, Ærø")
    'Mueller, Aarhus, AEroe'
    """
    if text.isascii():
        return text
    return strip_marks(unicodedata.normalize("NFC", text).translate(_SPELLED_OUT))


def lower(text: str, *, language: str) -> str:
    """Fold the case of a text; `language` is a primary subtag, since Turkish and Azerbaijani have two i's.

    >>> lower("DİYARBAKIR", language="tr"), lower("STRASSE", language="de") == lower("Straße", language="de")
    ('diyarbakır', True)
    """
    if language in ("tr", "az"):
        text = text.replace("İ", "i").replace("I", "ı")
    return text.casefold()


def edit_distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """The number of items to add, drop or replace to turn one sequence into the other.

    >>> edit_distance("kitten", "sitting"), edit_distance(["he", "went"], ["went"])
    (3, 1)
    """
    start, end = common_ends(a, b)
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    if not a or not b:
        return len(a) + len(b)
    places: dict[Hashable, int] = {}
    for place, item in enumerate(a):
        places[item] = places.get(item, 0) | 1 << place
    full, last = (1 << len(a)) - 1, 1 << len(a) - 1
    # Neighbouring cells differ by at most one: `plus` and `minus` mark where one is above or below the last.
    plus, minus, distance = full, 0, len(a)
    for item in b:
        match = places.get(item, 0) | minus
        same = (((match & plus) + plus) ^ plus) | match
        higher, lower = minus | (full & ~(same | plus)), plus & same
        distance += bool(higher & last) - bool(lower & last)
        higher = higher << 1 | 1
        plus = ((lower << 1) | ~(higher | same)) & full
        minus = higher & same & full
    return distance


def common_ends(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int]:
    """The number of items that two sequences share at their start, and then at their end.

    >>> common_ends("abcd", "abxd"), common_ends("aa", "aaa")
    ((2, 1), (2, 0))
    """
    shorter = min(len(a), len(b))
    start = 0
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start, end


@cache
def read_table(path: Path, *, lists: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """Read a table of words in TOML, once; lists are joined to one text, except under the keys in `lists`."""

    def value(key: str, item: Any) -> Any:
        if isinstance(item, dict):
            return {inner: value(inner, own) for inner, own in item.items()}
        if key in lists:
            return tuple(item)
        return item if isinstance(item, str) else "".join(item)

    return value("", tomllib.loads(path.read_text(encoding="utf-8")))  # type: ignore[no-any-return]


_LATIN_OF = str.maketrans("бвгджзклмнпрстфхцчшщ", "bvgdzzklmnprstfhkkss", "аеёиоуыэюяйъьієїў")
_SKELETON = str.maketrans("cqwx", "kkvk", "aeiouyhj'")


def sound_distance(word: str, cyrillic: str) -> tuple[int, int]:
    """The number of consonants that differ between a Latin and a Cyrillic word, and their total number.

    >>> sound_distance("Pushkin", "Пушкин"), sound_distance("Pelevin", "Зарубин")
    ((0, 4), (3, 4))
    """
    one = re.sub(r"(.)\1+", r"\1", word.lower().replace("ph", "f").translate(_SKELETON))
    two = re.sub(r"(.)\1+", r"\1", cyrillic.lower().translate(_LATIN_OF).translate(_SKELETON))
    return edit_distance(one, two), max(len(one), len(two))


def sound_apart(word: str, cyrillic: str) -> bool:
    """Whether the consonants of the two words differ too much for the same name."""
    distance, most = sound_distance(word, cyrillic)
    return distance >= 3 and 2 * distance >= most


APOSTROPHES = "'’ʼ＇´`‘"
QUOTES_AND_DASHES = (
    dict.fromkeys(APOSTROPHES + "‚‛′", "'")
    | dict.fromkeys('"“”„‟«»″＂〝〞', '"')
    | dict.fromkeys("‐‑‒–—―−﹣－", "-")
)
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
# Keep the joiners U+200C and U+200D, which are part of the spelling in Persian and Hindi.
_INVISIBLE = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
_ODD_MARK = re.compile(rf"[{_SPACES}{_INVISIBLE}{''.join(m for m in QUOTES_AND_DASHES if not m.isascii())}]")


class PlainText(NamedTuple):
    """A text with plain marks; `places` has the index of each character in the original."""

    text: str
    places: Sequence[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The start and end in the original of a span that is not empty."""
        return self.places[start], self.places[end - 1] + 1


def plain_marks(text: str) -> str:
    """Return a text with quotes, apostrophes, dashes and spaces as on a keyboard, and nothing invisible.

    Models were trained on texts that were cleaned like this, so other marks are unknown letters to them.

    >>> print(plain_marks("“I don’t”\u00a0– a\u00adgain—he said"))
    "I don't" - again - he said
    """
    return text if text.isascii() else _ODD_MARK.sub(_plain_mark, text)


def plain_text(text: str) -> PlainText:
    """Like `plain_marks`, with the places of characters, to show a model's results in the original.

    >>> plain = plain_text("«Não»—a\u00adgora")
    >>> plain.text, plain.original(8, 13)
    ('"Não" - agora', (6, 12))
    """
    parts: list[str] = []
    places: list[int] = []
    done = 0
    for match in _ODD_MARK.finditer(text):
        plain = _plain_mark(match)
        parts += text[done : match.start()], plain
        places += [*range(done, match.start()), *[match.start()] * len(plain)]
        done = match.end()
    return PlainText("".join((*parts, text[done:])), [*places, *range(done, len(text))])


def _plain_mark(match: re.Match[str]) -> str:
    mark, text = match.group(), match.string
    if mark in "—―":  # a long dash separates words, a hyphen does not
        before, after = text[max(match.start() - 1, 0) : match.start()], text[match.end() : match.end() + 1]
        return f"{_gap(before)}-{_gap(after)}"
    return " " if mark.isspace() else QUOTES_AND_DASHES.get(mark, "")


def _gap(beside: str) -> str:
    return "" if not beside.strip() or beside in "—―" else " "
