"""Numbers below one hundred as people write them in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from mtassay.metrics.nee.letters import spell_out_marks, strip_marks

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
