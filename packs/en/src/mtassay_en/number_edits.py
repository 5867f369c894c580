"""Numbers that take the place of others, in digits and in words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from mtassay.methods.behavior.pairs import ReadPair
from mtassay.nlp.numerals import spellings
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
    """The number in words, 3 to 99; `None` where it would have to agree with its noun, or is out of range.

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
    """The number words in a text that we can read, as (start, end, value), in order; 0 and 1 are no numbers.

    A row of number words that is no number we know is left out whole: `four fifty` is neither 4 nor 50.

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


# Chinese needs no space around a number; elsewhere a letter next to it makes it part of a code.
_LETTER = r"[^\W\u4e00-\u9fff]"
_DIGITS = re.compile(
    rf"(?<![.,/:%#@+=&{{<~^-])(?<!{_LETTER})(?<!{_LETTER}[–−])\d[\d.,]*(?<![.,])"
    rf"(?!{_LETTER}|[/:@=}}~^百千万亿]|[-–−]\w|[.,]\d)"
)
_POINT = {"en": ".", "zh": ".", "pt": ",", "de": ","}
_COMMA = {"en": ",", "zh": ",", "pt": ".", "de": "."}


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text, at these characters.

    `style` is how it is written: `digits` (as 1938), `grouped` (as 31,000) or `words`. `places` counts the
    digits after the decimal point.
    """

    start: int
    end: int
    value: Decimal
    style: str
    places: int = 0


def numerals(text: str, language: str) -> list[Numeral]:
    """The numbers in a text, in order; parts of codes, scores, dates with strokes and addresses are none.

    >>> [(n.value, n.style) for n in numerals("1.234,5 em 1938, por 3-1", "pt")]
    [(Decimal('1234.5'), 'grouped'), (Decimal('1938'), 'digits')]
    """
    numbers = [Numeral(s, e, Decimal(value), "words") for s, e, value in spelled_numbers(text, language)]
    for match in _DIGITS.finditer(text):
        numeral = _digits(match, text, language)
        if numeral is not None:
            numbers.append(numeral)
    return sorted(numbers, key=lambda numeral: numeral.start)


def written(value: Decimal, like: Numeral, language: str) -> str | None:
    """The value as this language writes it, in the style of another; `None` where that cannot be.

    >>> written(Decimal("23.5"), Numeral(0, 4, Decimal("21.5"), "digits", 1), "pt")
    '23,5'
    >>> written(Decimal(1450), Numeral(0, 5, Decimal(1850), "grouped"), "pt")
    '1.450'
    """
    if like.style == "words":
        return spell(int(value), language)
    text = f"{value:,.{like.places}f}" if like.style == "grouped" else f"{value:.{like.places}f}"
    if like.style == "grouped" and value < 1000:
        return None
    swap = str.maketrans({",": _COMMA[language], ".": _POINT[language]})
    return text.translate(swap)


def _digits(match: re.Match[str], text: str, language: str) -> Numeral | None:
    point, comma = re.escape(_POINT[language]), re.escape(_COMMA[language])
    shape = re.fullmatch(rf"(\d{{1,3}}(?:{comma}\d{{3}})+|\d+)(?:{point}(\d+))?", match.group())
    if shape is None or match.group().startswith("0"):
        return None
    whole, fraction = shape[1].replace(_COMMA[language], ""), shape[2] or ""
    value = Decimal(f"{whole}.{fraction}" if fraction else whole)
    style = "digits" if shape[1] == whole else "grouped"
    return Numeral(match.start(), match.end(), value, style, len(fraction))


_YEARS = range(1500, 2100)
_MOST_DAY = 28  # every month has it
_MANY = 12
_MONTH = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|janeiro|fevereiro"
    r"|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|januar|februar|märz|mai|juni"
    r"|juli|oktober|dezember"
)
_BEFORE_DAY = re.compile(rf"\b(?:{_MONTH}|dia) $|月$", re.IGNORECASE)
_AFTER_DAY = re.compile(rf"\.? (?:de |of )?(?:{_MONTH})\b|日", re.IGNORECASE)
_AFTER_PERCENT = re.compile(r" ?(?:%|percent\b|per cent\b|por cento\b|prozent\b)", re.IGNORECASE)
_BEFORE_MONEY = re.compile(r"[$€£¥] ?$")
_AFTER_MONEY = re.compile(
    r"(?: (?:million|billion|milhões|bilhões))?(?: de)? ?(?:dollar|euro|dólar|rea(?:is|l)\b|€)", re.I
)
_NAMED = (
    "no", "nº", "n.º", "number", "version", "windows", "chapter", "article", "section", "part", "page",
    "volume", "figure", "fig", "table", "appendix", "paragraph", "phase", "type", "stage", "grade", "group",
    "class", "level", "category", "step", "season", "episode", "room", "gate", "route", "line", "platform",
    "model", "layer", "tier", "scenario", "question", "exercise", "lesson", "unit", "channel", "day", "week",
    "número", "versão", "capítulo", "artigo", "seção", "secção", "parte", "página", "figura", "tabela",
    "quadro", "apêndice", "parágrafo", "fase", "tipo", "estágio", "estádio", "grau", "grupo", "classe",
    "nível", "categoria", "etapa", "passo", "temporada", "episódio", "sala", "portão", "rota", "linha",
    "plataforma", "modelo", "camada", "cenário", "questão", "exercício", "lição", "unidade", "canal",
    "nummer", "kapitel", "artikel", "abschnitt", "teil", "seite", "band", "abbildung", "tabelle", "typ",
    "stadium", "grad", "gruppe", "klasse", "stufe", "kategorie", "zimmer", "linie", "gleis", "modell",
)  # fmt: skip
"""What a number behind it names, and does not count: `phase 3`."""
_NEVER_BEFORE = re.compile(
    rf"(?:\b0 (?:to|auf|a) |\b(?:{'|'.join(map(re.escape, _NAMED))})\.? ?|(?:\b(?:plus|minus)|§) ?|[-−]"
    r"|(?<!['’])\b(?:[ckm]?m|kg) ?|第|(?-i:[A-Z]{2})\w{0,30}[ -])$",
    re.I,
)
_NEVER_AFTER = re.compile(
    r" ?(?:o'clock|horas? da|[ap]\.?m\b|h\d*\b|uhr\b|º|ª|th\b|[点号余多来几′″'’²³]|-)", re.I
)
# Two things of which each is reported.
_ONE_BY_ONE = re.compile(r"\bone\b.*\b(?:one|other|another)\b", re.IGNORECASE)


def number_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """One offer for each number that is once on either side, in order.

    Numbers keep their kind and their order: a year stays a year, a day of the month stays one, what was more
    than another number in the sentence still is. 1 is left alone, and nothing becomes 1 or 2, so that nouns
    and verbs keep their number and Portuguese number words need no gender.
    """
    sides = numerals(pair.source.text, languages[0]), numerals(pair.reference.text, languages[1])
    offers = []
    for numeral in sides[0]:
        same = [[other for other in side if other.value == numeral.value] for side in sides]
        if len(same[0]) != 1 or len(same[1]) != 1 or numeral.value < 2:
            continue
        offer = _offer(languages, pair, numeral, same[1][0], sides[0])
        if offer is not None:
            offers.append(offer)
    return offers


def _offer(
    languages: tuple[str, str], pair: ReadPair, numeral: Numeral, partner: Numeral, others: Sequence[Numeral]
) -> Offer | None:
    kind = _kind(pair.source.text, numeral)
    if kind is None or kind != _kind(pair.reference.text, partner) or _names(pair, numeral):
        return None
    if any(
        _is_told_twice(text, n) for text, n in ((pair.source.text, numeral), (pair.reference.text, partner))
    ):
        return None
    substitutes = []
    for value in _values(numeral, kind, pair.source.text, [n.value for n in others if n is not numeral]):
        texts = written(value, numeral, languages[0]), written(value, partner, languages[1])
        if texts[0] and texts[1]:
            before = (
                pair.source.text[numeral.start : numeral.end],
                pair.reference.text[partner.start : partner.end],
            )
            substitutes.append(Substitute(fitted(texts[0], before[0]), fitted(texts[1], before[1])))
    if not substitutes:
        return None
    head = head_of(pair.source, numeral.start, numeral.end)
    return Offer(
        numeral.start, numeral.end, partner.start, partner.end,
        head, kind, ("NUM", _LABELS[kind]), tuple(substitutes[:_MANY]),
    )  # fmt: skip


_LABELS = {"day": "DATE", "year": "DATE", "percentage": "PERCENT", "money": "MONEY", "number": "CARDINAL"}


def _kind(text: str, numeral: Numeral) -> str | None:
    """What sort of number it is; `None` for those that are no quantity."""
    before, after = text[: numeral.start], text[numeral.end :]
    if _BEFORE_DAY.search(before) or _AFTER_DAY.match(after):
        # A year may be after a month too.
        if numeral.value > 31:
            return "year" if _is_year(numeral) else None
        return "day" if numeral.style == "digits" and not numeral.places else None
    if _AFTER_PERCENT.match(after):
        return "percentage"
    if _NEVER_BEFORE.search(before) or _NEVER_AFTER.match(after):
        return None
    if _BEFORE_MONEY.search(before) or _AFTER_MONEY.match(after):
        return "money"
    return "year" if _is_year(numeral) or after.startswith("年") else "number"


def _is_year(numeral: Numeral) -> bool:
    return numeral.style == "digits" and not numeral.places and numeral.value in _YEARS


def _names(pair: ReadPair, numeral: Numeral) -> bool:
    """Whether the number is part of a name, as in `Windows 7`, `Apollo 13` or `Three Gorges`."""
    if numeral.style == "words":
        starts = [token for token in pair.source.tokens if token.start >= numeral.start]
        return len(starts) > 1 and starts[0].text[:1].isupper() and starts[1].text[:1].isupper()
    before = [token for token in pair.source.tokens if token.end <= numeral.start]
    if not before or not before[-1].text[:1].isupper() or before[-1].pos != "PROPN":
        return False
    return re.fullmatch(_MONTH, before[-1].text, re.IGNORECASE) is None


def _is_told_twice(text: str, numeral: Numeral) -> bool:
    """Whether the text says the same amount in another way, so that a new number would contradict it."""
    return numeral.value == 2 and _ONE_BY_ONE.search(text, numeral.end) is not None


def _values(numeral: Numeral, kind: str, text: str, others: Sequence[Decimal]) -> list[Decimal]:
    """Other values of the same size and roundness, in an order that depends on the text alone."""
    old = numeral.value
    step = _step(old, numeral.places)
    if kind == "year":
        low, high, step = old - 9, min(old + 9, Decimal(2060)), Decimal(1)
    elif kind == "day":
        low, high = Decimal(2), Decimal(_MOST_DAY)
    elif old < 10 and not numeral.places:
        low, high = Decimal(3), Decimal(9)
    else:
        low, high = max(old * Decimal("0.6"), Decimal(3)), old * Decimal("1.6")
        high = min(high, Decimal(99)) if kind == "percentage" or numeral.style == "words" else high
    count = int((high - low) / step)
    low = (low / step).to_integral_value() * step
    every = max(count // 200, 1)
    values = [low + step * every * i for i in range(count // every + 1)]
    kept = [
        value
        for value in values
        if value != old
        and value not in others
        and all((value < other) == (old < other) for other in others)
        and len(str(int(value))) == len(str(int(old)))
        and _step(value, numeral.places) == _step(old, numeral.places)
    ]
    return sorted(kept, key=lambda value: hashlib.sha256(f"{text}\0{value}".encode()).digest())


def _step(value: Decimal, places: int) -> Decimal:
    """How round it is: 1000 for 31000, 10 for 250, 1 for 65, and 0.1 for 23.5."""
    if places:
        return Decimal(1).scaleb(-places)
    step = Decimal(1)
    while value >= 100 and value % (step * 10) == 0:
        step *= 10
    return step
