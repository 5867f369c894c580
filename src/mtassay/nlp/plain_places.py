"""Finds numbers and names of people that can be replaced in two texts, without parser or lexicon.

Only certain places are found: a number in digits that occurs once in each text, and a name that both texts
write in the same way. The two texts may be the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from mtassay.nlp.annotation import Annotation, Annotator, Layer, Token, TokenSpan
from mtassay.nlp.numerals import canonical_number, word_table

Sides = tuple[Annotation, Annotation]
"""A source and its reference, as read by a `PlainAnnotator` or a better annotator."""

_TOKEN = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*|[^\W\d_]+|[^\w\s]|_")


class PlainAnnotator(Annotator):
    """Annotates words only by their spelling: numbers, and listed names of people."""

    name = "plain"
    gives: frozenset[Layer] = frozenset(("tokens", "pos", "entities"))

    def __init__(self, language: str) -> None:
        self.language = language

    @property
    def signature(self) -> str:
        """The signature, which is the same for all languages."""
        return "plain:1"

    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        """Return one annotation per text; words other than numbers and names have no part of speech."""
        return [self.read(text) for text in texts]

    @staticmethod
    def read(text: str) -> Annotation:
        """Annotate one text."""
        tokens: list[Token] = []
        for match in _TOKEN.finditer(text):
            word = match.group()
            pos = "NUM" if word[0].isdigit() else "PROPN" if tokens and word[0].isupper() else ""
            tokens.append(Token(word, match.start(), match.end(), pos=pos))
        entities = [
            TokenSpan(i, i + 1, "PERSON" if token.text in known_names() else "CARDINAL")
            for i, token in enumerate(tokens)
            if token.pos == "NUM" or token.text in known_names()
        ]
        return Annotation(text, tuple(tokens), tuple(entities))


class Replacement(NamedTuple):
    """A place in both texts (character offsets) with its substitutes: pairs of source and reference.

    `number` is the number of the token in the source.
    """

    start: int
    end: int
    reference_start: int
    reference_end: int
    number: int
    kind: str
    labels: tuple[str, ...]
    others: tuple[tuple[str, str], ...]


# Numbers -------------------------------------------------------------------------------------------------

_JOINTS = frozenset("-–—/:'’‘′″²³_@#№+=<>×*^~\\&|{}[]第")
_AFTER = frozenset("月월号番余多来几은는이가을를와과로")
"""Numbers of months, and Korean particles that depend on the number before them."""
_NEVER_BEFORE = re.compile(r"(?:[+=×<>≥≤±~]|\s[-–—])\s*$")
_NEVER_AFTER = re.compile(
    r"\s?(?:stars?\b|sterne?n?\b|étoiles?\b|estrel(?:la|a)s?\b|stelle?\b|星)", re.IGNORECASE
)
_CONFIDENCE = re.compile(
    r"signifi[ck]|confid|konfid|confian|intervall?\b|\b[CIK]I\b|置信|显著", re.IGNORECASE
)
_HALF_DAY = re.compile(r"\bin the (?:morning|afternoon|evening)\b|\bat night\b|\d ?[ap]\.?m\b", re.IGNORECASE)
"""Words that turn a number up to 12 into an hour: `18 in the morning` is not an hour."""


def number_places(languages: tuple[str, str], texts: Sides) -> list[Replacement]:
    """Find numbers in digits that occur once in both texts and have the same meaning.

    Substitutes have the same size and roundness. They do not change the order of the numbers in a sentence,
    the plural form of the counted noun (some languages have one for 2 to 4), or an English `a` or `an`.
    Numbers that may be a name, a part of a sum, a range, a version or a time are not replaced.
    """
    sides = [dict(_numbers(side, code)) for side, code in zip(texts, languages, strict=True)]
    values = [Counter(side.values()) for side in sides]
    parts = _parts_of_sums([Decimal(value) for value in values[0]])
    is_hour = any(_HALF_DAY.search(side.text) for side in texts)
    places = []
    for number, value in sides[0].items():
        found = [j for j, other in sides[1].items() if other == value]
        if values[0][value] != 1 or len(found) != 1 or Decimal(value) in parts:
            continue
        tokens = texts[0].tokens[number], texts[1].tokens[found[0]]
        sides_at = zip(texts, (number, found[0]), languages, strict=True)
        if any(_is_name(side, i, code) for side, i, code in sides_at):
            continue
        if _digits(tokens[0].text) != _digits(tokens[1].text):
            continue
        others = [Decimal(v) for side in values for v in side if v != value]
        new = [
            (_written(tokens[0].text, digits), _written(tokens[1].text, digits))
            for digits, new_value in _alternatives(tokens[0].text, Decimal(value))
            if new_value not in others
            and not (is_hour and Decimal(value) <= 12 < new_value)
            and all((new_value < other) == (Decimal(value) < other) for other in others)
        ]
        if new:
            where = (tokens[0].start, tokens[0].end, tokens[1].start, tokens[1].end)
            places.append(Replacement(*where, number, "number", ("NUM",), tuple(new)))
    return places


def _numbers(annotation: Annotation, code: str) -> Iterator[tuple[int, str]]:
    """The tokens that are numbers, with their values."""
    for i, token in enumerate(annotation.tokens):
        value = canonical_number(token.text, language=code) if token.text[0].isdigit() else None
        if value is not None:
            yield i, value


def _parts_of_sums(values: Sequence[Decimal]) -> set[Decimal]:
    """Numbers that add up to another number or to 100, and the sums."""
    parts: set[Decimal] = set()
    for a, b in combinations(values, 2):
        if a + b in (*values, 100):
            parts |= {a, b, a + b}
    return parts


def _is_name(annotation: Annotation, number: int, code: str) -> bool:
    """Whether a number is joined to something or is not a quantity: `COVID-19`, `Boeing 787`, `5th`."""
    token, text = annotation.tokens[number], annotation.text
    before, after = text[: token.start], text[token.end :]
    if _NEVER_BEFORE.search(before) or _NEVER_AFTER.match(after) or (number == 0 and after[:1] in ").:"):
        return True
    if token.text in ("5", "95", "99") and _CONFIDENCE.search(text):
        return True
    if before[-1:] in _JOINTS or after[:1] in _JOINTS or after[:1] in _AFTER:
        return True
    near = (before[-1:], after[:1])
    if any(c.isalpha() and unicodedata.name(c, "").startswith(("LATIN", "CYRILLIC")) for c in near):
        return True
    if (
        _year(token.text) is not None
        and re.search(r"(?<!\w)[^\W\d_]\w*+ ?[(（]$", before)
        and after[:1] in ")）"
    ):
        return True  # the year of a publication: `Lewis (1969)`
    if before[-1:] == "." or re.match(r"[.,]\w", after):
        return True
    previous = annotation.tokens[number - 1] if number else None
    if previous is None:
        return False
    # In languages other than German, a capitalised word before a number (not a year) makes a name.
    is_date = _year(token.text) is not None or _words("months").match(previous.text) is not None
    if previous.pos == "PROPN" and code != "de" and not is_date and not _opens(annotation, number - 1):
        return True
    return makes_name(previous.text)


@cache
def _words(kind: str) -> re.Pattern[str]:
    return re.compile(word_table("before-numbers")[kind], re.IGNORECASE)


def makes_name(word: str) -> bool:
    """Whether a number after this word names something: `type 2`, `phase 3`."""
    return _words("labels").fullmatch(word) is not None


def _opens(annotation: Annotation, number: int) -> bool:
    """Whether a token is the first of a sentence."""
    return number == 0 or annotation.tokens[number - 1].text in tuple('.!?:;"“”«»()')


def _year(digits: str) -> int | None:
    return int(digits) if re.fullmatch(r"1[5-9]\d\d|20\d\d", digits) else None


def _digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(c)) for c in text if c.isdecimal())


def _written(text: str, digits: str) -> str:
    """Write digits in the format of the text.

    >>> _written("4.500", "4300"), _written("１２", "13")
    ('4.300', '１３')
    """
    left = iter(digits)
    return "".join(
        chr(ord(c) - unicodedata.decimal(c) + int(next(left))) if c.isdecimal() else c for c in text
    )


def _alternatives(text: str, value: Decimal) -> Iterator[tuple[str, Decimal]]:
    """Other digits for a number, with their values; the last digit that is not 0 is replaced.

    >>> [digits for digits, _ in _alternatives("35", Decimal(35))]
    ['36', '37', '38', '39']
    >>> [digits for digits, _ in _alternatives("2,500", Decimal(2500))]
    ['2100', '2200', '2300', '2400', '2600', '2700', '2800', '2900']
    """
    digits = _digits(text)
    if (year := _year(text)) is not None:  # A close year that is not in the future; 1900 may not be a year.
        near = (year - 2, year - 1, year + 1) if year % 100 else ()
        yield from ((str(new), Decimal(new)) for new in near if new < max(2020, year))
        return
    at = len(digits.rstrip("0")) - 1
    if at < 0 or value in (1, 2, 24, 100, 365, 911) or (digits[0] == "0" == digits[:1] and value >= 1):
        return
    scale = Decimal(10) ** (len(digits) - 1 - at) * (value / int(digits) if int(digits) else 1)
    # Days and hours stay valid in all uses of the number.
    most = 23 if value <= 23 else 28 if value <= 31 else None
    for digit in "123456789":
        new = digits[:at] + digit + digits[at + 1 :]
        new_value = value + (int(digit) - int(digits[at])) * scale
        if digit == digits[at] or _plural(new) != _plural(digits) or new in ("1", "2"):
            continue
        if _sounds_vowel(new) == _sounds_vowel(digits) and (most is None or new_value <= most):
            yield new, new_value


def _plural(digits: str) -> str:
    """The plural form that a number requires in Slavic languages; 1 has its own form everywhere."""
    last, teens = digits[-1], digits[-2:-1] == "1"
    return "many" if teens or last in "056789" else "one" if last == "1" else "few"


def _sounds_vowel(digits: str) -> bool:
    """Whether a number needs `an` in English, or `l'` in Italian."""
    return digits[0] == "8" or digits[:2] in ("11", "18")


# Names ---------------------------------------------------------------------------------------------------

_ROMAN = re.compile(r"[IVX]+")
_AS_WRITTEN = frozenset(("ca", "da", "de", "en", "es", "fr", "gl", "it", "nb", "nl", "no", "pt", "sv"))
"""Languages in Latin letters that do not inflect names."""
_TITLES = frozenset((
    "mr", "mrs", "ms", "dr", "sr", "sra", "mr.", "mrs.", "ms.", "dr.", "sr.", "sra.", "herr", "frau",
))  # fmt: skip
_KNOWN_BEFORE = frozenset((
    "mayor", "president", "queen", "king", "prince", "princess", "captain", "coach", "goalkeeper",
    "defender", "judge", "aunt", "uncle", "grandma", "grandpa", "dona", "seu", "dom", "sir", "lady",
    "professor", "doctor", "chef", "sister", "brother", "emperor", "senator", "minister",
))  # fmt: skip
_PARTICLES = frozenset(("da", "de", "do", "das", "dos", "e", "van", "von", "der", "den", "di", "la", "le"))
_GENITIVE = re.compile(r"['’](s\b)?")
_SIBILANTS = ("s", "x", "z", "ß")


@cache
def known_names() -> dict[str, tuple[str, str]]:
    """The kind (`female`, `male`, `family`) and the origin of each name."""
    lines = (Path(__file__).parent / "data" / "names.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines if line.strip())
    return {name: (kind, origin) for kind, origin, names in rows for name in names.split()}


def name_places(languages: tuple[str, str], texts: Sides) -> list[Replacement]:
    """Find given and family names that occur once in both texts, unchanged, in order.

    A family name needs a given name or title before it, so places and companies are left out. A given name is
    replaced by one of the same gender and, if known, the same origin.
    """
    if not set(languages) <= _AS_WRITTEN:
        return []
    source, reference = texts
    counts = [Counter(token.text for token in side.tokens) for side in texts]
    places = []
    for number, token in enumerate(source.tokens):
        if counts[0][token.text] != 1 or counts[1][token.text] != 1:
            continue
        there = next(i for i, other in enumerate(reference.tokens) if other.text == token.text)
        kind = _kind(source, number)
        if kind is None or _kind(reference, there) is None:
            continue
        other = reference.tokens[there]
        where = (token.start, token.end, other.start, other.end)
        free = [
            name
            for name, (its_kind, _) in known_names().items()
            if its_kind == kind
            and not counts[0][name] + counts[1][name]
            and keeps_genitive(source.text, *where[:2], name)
            and keeps_genitive(reference.text, *where[2:], name)
        ]
        origin = known_names().get(token.text, ("", ""))[1]
        near = [name for name in free if known_names()[name][1] == origin] or free
        if near:
            others = tuple((name, name) for name in near)
            places.append(Replacement(*where, number, f"{kind} name", ("PROPN", "PERSON"), others))
    return places


def keeps_genitive(text: str, start: int, end: int, after: str) -> bool:
    """Whether an apostrophe after this span, if any, is still right after the replacement.

    >>> [keeps_genitive("Hans' bicycle", 0, 4, name) for name in ("Lars", "Peter")]
    [True, False]
    >>> [keeps_genitive("Anna's bicycle", 0, 4, name) for name in ("Lars", "Peter")]
    [False, True]
    """
    mark = _GENITIVE.match(text, end)
    if mark is None:
        return True
    if mark[1]:
        return not after.endswith("s") or text[start:end].endswith("s")
    # After any other word, it closes a quotation.
    return after.endswith(_SIBILANTS) or not text[start:end].endswith(_SIBILANTS)


def _kind(annotation: Annotation, number: int) -> str | None:
    tokens = annotation.tokens
    token = tokens[number]
    if not token.text[:1].isupper() or _ROMAN.fullmatch(token.text):
        return None
    if _is_joined(annotation, token) or _is_in_firm(annotation, number):
        return None
    before = tokens[number - 1] if number else None
    after = tokens[number + 1] if number + 1 < len(tokens) else None
    listed = known_names().get(token.text, ("", ""))[0]
    given_before = before is not None and known_names().get(before.text, ("", ""))[0] in ("female", "male")
    if after is not None and _ROMAN.fullmatch(after.text):
        return None
    if given_before or (before is not None and before.text.lower() in _TITLES and listed in ("", "family")):
        last = after is None or not (after.text[:1].isupper() or after.text in _PARTICLES)
        return "family" if last and listed in ("", "family") and token.text.isalpha() else None
    if listed not in ("female", "male"):
        return None
    if before is not None and before.text[:1].isupper() and before.pos == "PROPN":
        # `Santa Marta`, `Lake Charlotte`: the name of something else
        return listed if before.text.lower() in _TITLES | _KNOWN_BEFORE else None
    return listed


def _is_in_firm(annotation: Annotation, number: int) -> bool:
    """Whether an annotator reads the name as part of a company, a building or a work."""
    kinds = {entity.label for entity in annotation.entities if entity.start <= number < entity.end}
    return bool(kinds & {"ORG", "FAC", "WORK_OF_ART", "PRODUCT", "LAW", "EVENT"})


def _is_joined(annotation: Annotation, token: Token) -> bool:
    return annotation.text[token.end : token.end + 1] in ("-", "@", "_", "/") or (
        token.start > 0 and annotation.text[token.start - 1] in "-@_/{"
    )
