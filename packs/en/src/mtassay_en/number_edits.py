"""Offers of numbers that may replace others, in digits and in words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache

from mtassay.methods.behavior.pairs import ReadPair
from mtassay.nlp.numerals import spellings
from mtassay.nlp.plain_places import PlainAnnotator, makes_name, number_places
from mtassay_en.lexicon_entries import Substitute
from mtassay_en.offers import Offer, fitted, head_of

_ZH = "零一二三四五六七八九"
# Other words for a number.
_ALSO = {
    "pt": {"cem": 100},
    "en": {"one hundred": 100, "a hundred": 100},
    "de": {"hundert": 100},
    "zh": {"两": 2, "一百": 100},
}


def spell(number: int, language: str) -> str | None:
    """Write a number (3 to 99) in words; `None` if out of range or if it must agree with its noun.

    >>> spell(27, "en"), spell(27, "pt"), spell(27, "de"), spell(27, "zh"), spell(22, "pt")
    ('twenty-seven', 'vinte e sete', 'siebenundzwanzig', '二十七', None)
    """
    if not 3 <= number <= 99 or (language == "pt" and number > 20 and number % 10 in (1, 2)):
        return None
    if language != "zh":
        return spellings(number, language)[0]
    tens, ones = divmod(number, 10)
    return (_ZH[tens] if tens > 1 else "") + ("十" if tens else "") + (_ZH[ones] if ones else "")


def spelled_numbers(text: str, language: str) -> list[tuple[int, int, int]]:
    """Read the number words in a text as (start, end, value), in order, without 0 and 1.

    A row of number words that is not one number is left out: `four fifty` is neither 4 nor 50.

    >>> spelled_numbers("Fourteen of ninety-six cost four fifty.", "en")
    [(0, 8, 14), (12, 22, 96)]
    """
    vocabulary, pattern = _vocabulary(language)
    return [
        (match.start(), match.end(), vocabulary[match.group().lower()])
        for match in pattern.finditer(text)
        if match.group().lower() in vocabulary
    ]


@cache
def _vocabulary(language: str) -> tuple[dict[str, int], re.Pattern[str]]:
    vocabulary = {word: number for number in range(3, 100) if (word := spell(number, language))}
    also = {way: number for number in range(2, 20) for way in spellings(number, language)[1:]}
    also |= _ALSO.get(language, {})
    vocabulary |= also
    words = {n: spellings(n, language)[0] for n in (*range(1, 20), *range(20, 100, 10)) if language != "zh"}
    if language == "en":
        vocabulary |= {"two": 2} | {word.replace("-", " "): number for word, number in vocabulary.items()}
        parts = [*words.values(), "hundred", "thousand", "million", "billion"]
        joint = r"(?:[- ]|\sand\s)"
    elif language == "pt":
        vocabulary |= {"dois": 2}
        parts = [word for number, word in words.items() if number > 1]
        parts += [*also, r"\w+entos", r"\w+entas", "cento", "mil", "milhões"]
        parts += ["um(?= mil)", "uma?(?<= e um)", "uma(?<= e uma)"]
        joint = r"(?:\se\s|\s)"
    elif language == "de":
        vocabulary |= {"zwei": 2}
        parts, joint = [*vocabulary, r"\w+(?:hundert|tausend)\w*"], r"\s"
    else:
        return vocabulary, re.compile(r"[零一二三四五六七八九十百千万亿两几数半]+")
    either = "|".join(sorted(parts, key=len, reverse=True))
    return vocabulary, re.compile(rf"\b(?:{either})(?:{joint}(?:{either}))*\b", re.IGNORECASE)


_MANY = 12
_NEVER_AFTER = re.compile(
    r" ?(?:o['’]clock|hours? (?:later|ago)|horas? d[ao]\b|uhr\b|[点号余多来几])", re.IGNORECASE
)
# Two things that are mentioned one by one.
_ONE_BY_ONE = re.compile(r"\bone\b.*\b(?:one|other|another)\b", re.IGNORECASE)


def number_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """Return an offer for each number that occurs once in both texts, in digits or in words in both.

    Numbers keep their size and order. 1 is not replaced, and no number becomes 1 or 2, so that nouns and
    verbs stay singular or plural and Portuguese number words need no gender.
    """
    plain = PlainAnnotator.read(pair.source.text), PlainAnnotator.read(pair.reference.text)
    offers = []
    for place in number_places(languages, plain):
        head = head_of(pair.source, place.start, place.end)
        substitutes = tuple(Substitute(*both) for both in place.others)
        offers.append(Offer(*place[:4], head, "number", _LABELS, substitutes))
    return [*offers, *_word_offers(languages, pair)]


_LABELS = ("NUM", "CARDINAL")


def _word_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    texts = pair.source.text, pair.reference.text
    sides = [spelled_numbers(text, code) for text, code in zip(texts, languages, strict=True)]
    values = [[value for _, _, value in side] for side in sides]
    offers = []
    for start, end, value in sides[0]:
        if values[0].count(value) != 1 or values[1].count(value) != 1:
            continue
        there = sides[1][values[1].index(value)]
        if any(_NEVER_AFTER.match(text, stop) for text, stop in zip(texts, (end, there[1]), strict=True)):
            continue
        if _names(pair, start) or (value == 2 and _ONE_BY_ONE.search(texts[0], end)):
            continue
        others = [other for other in values[0] if other != value]
        substitutes = [
            Substitute(fitted(here, texts[0][start:end]), fitted(other, texts[1][there[0] : there[1]]))
            for new in _values(value, texts[0], others)
            if (here := spell(new, languages[0])) and (other := spell(new, languages[1]))
        ]
        if substitutes:
            place = (start, end, there[0], there[1], head_of(pair.source, start, end))
            offers.append(Offer(*place, "number", _LABELS, tuple(substitutes[:_MANY])))
    return offers


def _names(pair: ReadPair, start: int) -> bool:
    """Whether a number word is part of a name, as in `Three Gorges` or `phase three`."""
    after = [token.text for token in pair.source.tokens if token.start >= start]
    before = [token.text for token in pair.source.tokens if token.end <= start]
    is_raised = len(after) > 1 and after[0][:1].isupper() and after[1][:1].isupper()
    return is_raised or bool(before and makes_name(before[-1]))


def _values(old: int, text: str, others: Sequence[int]) -> list[int]:
    """Other values of the same size, in an order that depends only on the text."""
    range_ = range(3, 10) if old < 10 else range(max(old * 6 // 10, 10), min(old * 16 // 10, 99) + 1)
    kept = [
        value
        for value in range_
        if value != old and value not in others and all((value < o) == (old < o) for o in others)
    ]
    return sorted(kept, key=lambda value: hashlib.sha256(f"{text}\0{value}".encode()).digest())
