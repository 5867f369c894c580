"""Finds the form of address (du, Sie; tu, vous) and the spelling variant (en-GB, en-US) of a text.

A sign counts only if it is certain: *Sie* at the beginning of a German sentence can mean *she* or *they*. The
words of each language are in `data/address_forms.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.words import read_table
from mtassay.measures.check import words

_NLP = Path(__file__).parent.parent / "nlp" / "data"


class AddressForm(NamedTuple):
    """A form of address or a variant in a text, and the place that shows it."""

    name: str
    text: str
    start: int
    end: int


@cache
def _tables() -> Mapping[str, Any]:
    return read_table(Path(__file__).parent / "data" / "address_forms.toml")


def knows_address(code: str) -> bool:
    """Whether the forms of address of a language are known.

    >>> knows_address("de"), knows_address("en")
    (True, False)
    """
    return code in _tables()["address"]


@cache
def _address_patterns(code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    forms = _tables()["address"][code]
    return re.compile(forms["formal"]), re.compile(forms["informal"])


_YOUR = re.compile(r"\byour\b(?!.*\b(?:his|her|its|their)\b)", re.IGNORECASE | re.DOTALL)
_SU = re.compile(r"\b[Ss]us?\b")


def find_address(text: str, code: str, source: str = "") -> list[AddressForm]:
    """Find the forms of address in a text: at most the first formal and the first informal one.

    Spanish `su` is formal if the English source has `your` and no other owner.

    >>> [found.name for found in find_address("Bitte geben Sie dein Passwort ein.", "de")]
    ['formal', 'informal']
    """
    found = []
    for name, pattern in zip(("formal", "informal"), _address_patterns(code), strict=True):
        match = pattern.search(text)
        if match is None and code == "es" and name == "formal" and _YOUR.search(source):
            match = _SU.search(text)
        if match:
            found.append(AddressForm(name, match[0].strip(), match.start(), match.end()))
    return found


_VARIANTS: dict[str, tuple[str, str]] = {
    "en": ("en-GB", "en-US"),
    "pt": ("pt-BR", "pt-PT"),
    "zh": ("zh-Hans", "zh-Hant"),
    "de": ("de-DE", "de-CH"),
    "es": ("es-ES", "es-419"),
}
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")


def variants_of(code: str) -> tuple[str, str] | None:
    """The two variants of a language that this module knows.

    >>> variants_of("en"), variants_of("fi")
    (('en-GB', 'en-US'), None)
    """
    return _VARIANTS.get(code)


@cache
def _marks(code: str) -> dict[str, tuple[str, str]]:
    """The words that show a variant, with the variant and the other variant's word, if known."""
    tables = _tables()["variants"]
    if code == "en":
        pairs = [pair.split("/") for pair in tables["en-GB-or-en-US"].split()]
        of_both = {variant: words(tables[f"both-{variant}"]) for variant in _VARIANTS["en"]}
        table = {gb: ("en-GB", us) for gb, us in pairs if gb not in of_both["en-GB"]}
        return table | {us: ("en-US", gb) for gb, us in pairs if us not in of_both["en-US"]}
    return {word: (name, "") for name in _VARIANTS[code] for word in tables.get(name, "").split()}


@cache
def _first_parts(code: str) -> frozenset[str]:
    """These words up to a hyphen."""
    return frozenset(word.partition("-")[0] for word in _marks(code))


@cache
def _chinese() -> dict[str, str]:
    signs = {name: _tables()["variants"][name] for name in _VARIANTS["zh"]}
    shared = set.intersection(*map(set, signs.values()))
    _, traditional, simplified = (_NLP / "simplified.txt").read_text(encoding="utf-8").splitlines()
    only = set(traditional).difference(simplified, "乾著瞭於夥藉摺餘鬥裏麼儘後隻係")
    return dict.fromkeys(only, "zh-Hant") | {
        sign: name for name, own in signs.items() for sign in own if sign not in shared
    }


@cache
def _taiwan() -> re.Pattern[str]:
    """Words of Taiwan in simplified characters: 软体 is 软件 elsewhere."""
    return re.compile("|".join(_tables()["variants"]["zh-TW"].split()))


@cache
def _old(code: str) -> frozenset[str]:
    return words(_tables()["old"].get(code, ""))


def find_variants(text: str, code: str) -> list[AddressForm]:
    """Find the words of a text that show a variant, in order; in Chinese, the first sign of each variant.

    >>> [(found.name, found.text) for found in find_variants("The colour of the center", "en")]
    [('en-GB', 'colour'), ('en-US', 'center')]
    """
    if code == "zh":
        signs = _chinese()
        first: dict[str, AddressForm] = {}
        # A text has few of these characters, often the same ones, and most are of one variant.
        for char in sorted(signs.keys() & set(text), key=text.index):
            place = text.index(char)
            first.setdefault(signs[char], AddressForm(signs[char], char, place, place + 1))
        if match := _taiwan().search(text):
            first.setdefault("zh-Hant", AddressForm("zh-Hant", match[0], *match.span()))
        return list(first.values())
    if code not in _VARIANTS:
        return []
    marks = _marks(code)
    small = text.lower()
    # Very few texts have one, and this is cheap to check.
    if not (code == "de" and "ß" in small) and _first_parts(code).isdisjoint(_LETTERS.findall(small)):
        return []
    if code == "de":
        return [
            AddressForm("de-CH" if word in marks else "de-DE", match[0], match.start(), match.end())
            for match in _WORD.finditer(text)
            if (word := match[0].lower()) in marks or ("ß" in word and word not in _old("de"))
        ]
    return [
        AddressForm(marks[word][0], match[0], match.start(), match.end())
        for match in _WORD.finditer(text)
        if (word := match[0].lower()) in marks
    ]


def find_old_spellings(text: str, code: str) -> list[AddressForm]:
    """Find the words of a text with an obsolete spelling.

    >>> [found.text for found in find_old_spellings("Ich weiß, daß es geht.", "de")]
    ['daß']
    """
    old = _old(code)
    if not old or (code == "de" and "ß" not in text) or old.isdisjoint(_WORD.findall(text.lower())):
        return []
    return [
        AddressForm("old", match[0], match.start(), match.end())
        for match in _WORD.finditer(text)
        if match[0].lower() in old
    ]


_KATAKANA = re.compile("[ァ-ヴー]{3,}")
_YO = re.compile("(?<![а-яё])(?=[а-дж-я]*+[её])[а-яё]++", re.IGNORECASE)


def spelled_twice(text: str, code: str) -> list[tuple[str, str, int]]:
    """Find words with two possible spellings (サーバ, ещё): a key for both, the word and its place."""
    if code == "ja":
        found = [(match[0].rstrip("ー"), match[0], match.start()) for match in _KATAKANA.finditer(text)]
        return [item for item in found if len(item[0]) > 2]
    if code != "ru":
        return []
    pairs = [
        (match[0].lower().replace("ё", "е"), match[0].lower(), match.start()) for match in _YO.finditer(text)
    ]
    two_words = words(_tables()["two-words"]["ru"])
    return [item for item in pairs if item[0] not in two_words]
