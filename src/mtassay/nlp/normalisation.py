"""Normalises texts to tokens that are equal for equal names, numbers or dates."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from mtassay.data.words import (
    APOSTROPHES,
    MARKS_ARE_LETTERS,
    QUOTES_AND_DASHES,
    lower,
    spell_out_marks,
    strip_marks,
)
from mtassay.nlp.numbers import find_dates, month_of
from mtassay.nlp.numerals import (
    DECIMAL_WORDS,
    FRACTION_AFTER,
    FRACTION_BEFORE,
    HAN_LANGUAGES,
    HAN_NUMERALS,
    HAN_SCALES,
    MORE_THAN,
    PARTS,
    TEN_THOUSAND,
    NumberWord,
    canonical_number,
    key_of,
    languages_with,
    measure_begins,
    numerals_of,
    ordinal,
    ordinal_pattern,
    read_han,
    read_phrase,
    scaled,
    word_table,
)
from mtassay.nlp.word_forms import MadeOnce

if TYPE_CHECKING:
    import regex  # slow to load

# In scripts without spaces, and in Hangul (which joins particles to names), every character is a token, so
# that a name is found wherever its characters are adjacent.
_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
    r"\u3007\u30fc\uff70"
)
_DASHES = "-‐‑–"
_DOTS = "·・•‧･"
_POSSESSIVE = rf"(?:[{APOSTROPHES}][sS](?![\p{{L}}\p{{N}}])|(?<=[sS])[{APOSTROPHES}](?![\p{{L}}\p{{N}}]))"
_PUNCTUATION = str.maketrans(QUOTES_AND_DASHES | dict.fromkeys(_DOTS, "·"))


class NormalisedToken(NamedTuple):
    """A normalised token, its variant with letters such as ä spelled out, and the characters it covers.

    `month` is the number of the month that it names, or 0.
    """

    text: str
    spelled_out: str
    start: int
    end: int
    month: int = 0


class _Word(NamedTuple):
    plain: str
    spelled_out: str
    numerals: tuple[NumberWord, ...] = ()
    month: int = 0


_HAN = (NumberWord("small"),)


@dataclass(frozen=True)
class Normaliser:
    """Splits and normalises texts; two texts name the same thing if their tokens are equal.

    >>> Normaliser().words("Brazil’s Twenty-three São Paulo clubs: 1,234.50!")
    ['brazil', '23', 'sao', 'paulo', 'clubs', ':', '1234.5', '!']
    >>> Normaliser(language="en").words("Dr. Jean-Luc paid $2.5 million on the twenty-first")
    ['dr', 'jean', 'luc', 'paid', '$', '2500000', 'on', 'the', '21.']
    """

    diacritics: bool = True
    case: bool = True
    numbers: bool = True
    possessives: bool = True
    names: bool = True
    dates: bool = True
    language: str = ""

    def words(self, text: str) -> list[str]:
        """The tokens of a text, in order; dates stay as written."""
        return self.renderings(text)[0]

    def renderings(self, text: str) -> list[list[str]]:
        """The tokens and, if different, variants with letters (ä) spelled out and dates as one token."""
        words = list(map(self._known.__getitem__, self._pattern.findall(text)))
        for start, stop, value in reversed(list(self._numbers(words))):
            words[start:stop] = [_Word(value, value)]
        words = [word for word in words if word.plain]
        plain, spelled_out = [word.plain for word in words], [word.spelled_out for word in words]
        renderings = [plain] if plain == spelled_out else [plain, spelled_out]
        dates = self._dates(plain, [word.month for word in words])
        if dates:
            dated = list(plain)
            for start, stop, value in reversed(dates):
                dated[start:stop] = [value]
            renderings.append(dated)
        return renderings

    def tokens(self, text: str) -> list[NormalisedToken]:
        """The tokens with their places; dates stay as written."""
        matches = list(self._pattern.finditer(text))
        words = [self._known[match.group()] for match in matches]
        tokens = [
            NormalisedToken(word.plain, word.spelled_out, match.start(), match.end(), word.month)
            for word, match in zip(words, matches, strict=True)
        ]
        for start, stop, value in reversed(list(self._numbers(words))):
            tokens[start:stop] = [NormalisedToken(value, value, tokens[start].start, tokens[stop - 1].end)]
        return [token for token in tokens if token.text]

    def number_tokens(self, text: str) -> list[NormalisedToken]:
        """The numbers among `tokens`, in order; faster, since few tokens are numbers.

        >>> [token.text for token in Normaliser(language="en").number_tokens("Two dogs, 2.5 million cats")]
        ['2', '2500000']
        """
        matches = list(self._pattern.finditer(text))
        spans = self._number_spans([self._known[match.group()] for match in matches])
        return [
            NormalisedToken(value, value, matches[start].start(), matches[stop - 1].end())
            for start, stop, value in spans
        ]

    def number_values(self, text: str) -> list[str]:
        """The texts of `number_tokens`, in half the time."""
        spans = self._number_spans([*map(self._known.__getitem__, self._pattern.findall(text))])
        return [value for _, _, value in spans]

    def _number_spans(self, words: Sequence[_Word]) -> list[tuple[int, int, str]]:
        """All numbers in words and digits, in order: start, end, value."""
        joined = list(self._numbers(words))
        inside = {place for start, stop, _ in joined for place in range(start, stop)}
        alone = [
            (place, place + 1, word.plain)
            for place, word in enumerate(words)
            if word.plain[:1].isdecimal() and place not in inside
        ]
        return [span for span in sorted([*joined, *alone]) if span[2][:1].isdecimal()]

    def with_dates(self, tokens: Sequence[NormalisedToken]) -> list[NormalisedToken]:
        """Return the tokens with each date as one token.

        >>> normaliser = Normaliser(language="de")
        >>> [token.text for token in normaliser.with_dates(normaliser.tokens("am 3. Mai 2024"))]
        ['am', '2024-05-03']
        """
        dated = list(tokens)
        found = self._dates([token.text for token in tokens], [token.month for token in tokens])
        for start, stop, value in reversed(found):
            dated[start:stop] = [NormalisedToken(value, value, dated[start].start, dated[stop - 1].end)]
        return dated

    def _dates(self, tokens: Sequence[str], months: Sequence[int]) -> list[tuple[int, int, str]]:
        return list(find_dates(tokens, months, self.language)) if self.dates else []

    def _numbers(self, words: Sequence[_Word]) -> Iterator[tuple[int, int, str]]:
        """Places of numbers in words, longest first: start, end, value."""
        done = 0
        for at in [place for place, word in enumerate(words) if word.numerals]:
            if at < done:
                continue
            if words[at].numerals is _HAN:
                found = self._han_number(words, at, done)
            else:
                found = self._multiplied(words, at, done) or self._phrase(words, at)
            if found is not None:
                if found[2]:
                    yield found
                done = found[1]

    def _han_number(self, words: Sequence[_Word], at: int, done: int) -> tuple[int, int, str] | None:
        """The run of numerals and digits around a place; it has no value if it is not a number."""
        start = at
        if start > done and words[start - 1].plain in MORE_THAN and words[at].plain in HAN_SCALES:  # 200多万
            start -= 1
        while start > done and _is_number(words[start - 1].plain):
            start -= 1
        stop = at + 1
        while stop < len(words) and _goes_on(words, stop):
            stop += 1
        before = words[start - 1].plain if start else ""
        after = words[stop].plain if stop < len(words) else ""
        run = [word.plain for word in words[start:stop] if word.plain not in MORE_THAN]
        if measure_begins(run, after):
            *run, after = run
            stop -= 1
        value = read_han(run, before=before, after=after, language=self.primary_language)
        return start, stop, value or ""

    def _multiplied(self, words: Sequence[_Word], at: int, done: int) -> tuple[int, int, str] | None:
        """Numbers such as 2.5 million."""
        [numeral, *more] = words[at].numerals
        place = at - 1
        if more or numeral.kind not in ("hundred", "scale") or numeral.value < 100:
            return None
        if place > done and words[place].plain == "-":
            place -= 1
        if place < done or not _is_number(words[place].plain) or _is_after(words, place, DECIMAL_WORDS):
            return None
        return place, at + 1, scaled(words[place].plain, numeral.value)

    def _phrase(self, words: Sequence[_Word], at: int) -> tuple[int, int, str] | None:
        """Numbers that consist of words, possibly with hyphens between them."""
        if words[at].numerals[0].kind in ("article", "and") and not (
            at + 1 < len(words) and (words[at + 1].numerals or words[at + 1].plain == "-")
        ):
            return None
        if _is_after(words, at, DECIMAL_WORDS) or (
            words[at].numerals[0].kind == "article" and _is_after(words, at, PARTS)
        ):
            return None
        places = [at]
        while places[-1] + 1 < len(words):
            place = places[-1] + 1
            while place < len(words) and words[place].plain == "-":
                place += 1
            if place == len(words) or not words[place].numerals:
                break
            places.append(place)
        phrase = read_phrase([words[place].numerals for place in places], 0, self._language_of_words)
        if phrase is None:
            return None
        stop = places[phrase.stop - 1] + 1
        if phrase.value.endswith(".") and self._is_no_ordinal(words, at, stop):
            return None
        return at, stop, phrase.value

    def _is_no_ordinal(self, words: Sequence[_Word], start: int, stop: int) -> bool:
        """Whether it is no ordinal: one third, a fifth of the people, a twenty-second pause."""
        if self._language_of_words != "en":
            return False
        if words[stop - 1].plain.casefold() == "second":
            return _is_after(words, start, frozenset({"a"}))
        is_fraction = stop < len(words) and words[stop].plain.casefold() in FRACTION_AFTER
        is_first = words[stop - 1].plain.casefold() == "first"
        return not is_first and (
            _is_after(words, start, FRACTION_BEFORE)
            or (is_fraction and _is_after(words, start, frozenset({"a"})))
        )

    @cached_property
    def _known(self) -> MadeOnce[_Word]:
        return MadeOnce(self.word)

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        return _pattern(
            grouped_by_space=self.primary_language in languages_with("space"),
            names=self.names,
            ordinals=ordinal_pattern(self._language_of_words) if self.numbers else "",
        )

    @cached_property
    def primary_language(self) -> str:
        """The language without script or region."""
        return self.language.lower().replace("_", "-").split("-")[0]

    def word(self, raw: str) -> _Word:
        """Normalise a single token of a text."""
        text = raw
        if not (raw.isascii() and raw.isalnum()):
            text = "".join(c for c in raw.translate(_PUNCTUATION) if unicodedata.category(c) != "Cf")
            text = unicodedata.normalize("NFKC", text).translate(_PUNCTUATION)
        if self.names and len(text) > 1:
            text = text.rstrip("-·")
            if not raw[0].isdecimal():
                text = text.removesuffix(".")
        numerals = self._numerals(text) if self.numbers else ()
        month = month_of(text, self._language_of_words) if self.dates else 0
        if self.possessives and len(text) > 1:
            text = text.removesuffix("'s").removesuffix("'S") if text[-1] in "sS" else text.removesuffix("'")
        if raw[0].isdecimal():
            text = self._digits(raw, text)
        if self.case:
            text = lower(text, language=self.primary_language)
        if not self.diacritics or self.primary_language in MARKS_ARE_LETTERS:
            return _Word(text, text, numerals, month)
        return _Word(strip_marks(text), spell_out_marks(text), numerals, month)

    def _numerals(self, text: str) -> tuple[NumberWord, ...]:
        if self.primary_language in HAN_LANGUAGES:
            return _HAN if text in HAN_NUMERALS else ()
        return numerals_of(key_of(text), self._language_of_words)

    def _digits(self, raw: str, text: str) -> str:
        if not self.numbers:
            return "\u00a0".join(text.split())
        if _pattern_of_ordinals(self._language_of_words).fullmatch(raw.rstrip(_DASHES)):
            digits = "".join(str(unicodedata.decimal(c)) for c in raw if c.isdecimal())
            return ordinal(digits.lstrip("0") or "0")
        return canonical_number(text, language=self.language) or "\u00a0".join(text.split())

    @property
    def _language_of_words(self) -> str:
        return self.primary_language or "en"


def _is_number(token: str) -> bool:
    """Whether a normalised token is a plain number: 12 and 1.5, but not 12. and 12.05.2020."""
    return (
        token[:1].isdecimal()
        and token.count(".") <= 1
        and token.replace(".", "").isdecimal()
        and token[-1] != "."
    )


def _goes_on(words: Sequence[_Word], place: int) -> bool:
    """Whether a number in Chinese characters continues here: 2亿5000万 and 3万5000, but not 2亿90后."""
    following = words[place + 1].plain if place + 1 < len(words) else ""
    text, earlier = words[place].plain, words[place - 1].plain
    if text in MORE_THAN:
        return following in HAN_SCALES
    if _is_number(text):
        return following in HAN_SCALES or (earlier in TEN_THOUSAND and len(text) == 4 and text.isdecimal())
    return words[place].numerals is _HAN


def _is_after(words: Sequence[_Word], at: int, others: frozenset[str]) -> bool:
    return at > 0 and words[at - 1].plain.casefold() in others


@cache
def _pattern_of_ordinals(language: str) -> regex.Pattern[str]:
    # A token ends before the text that must follow it.
    import regex

    return regex.compile(regex.sub(r"\(\?[=!].*\)$", "", ordinal_pattern(language)) or r"(?!)")


@cache
def _pattern(*, grouped_by_space: bool, names: bool, ordinals: str) -> regex.Pattern[str]:
    spaces = r"[\u00a0\u202f\u2009 ]" if grouped_by_space else r"[\u00a0\u202f\u2009]"
    number = (
        rf"\p{{Nd}}{{1,3}}(?:{spaces}\p{{Nd}}{{3}})+(?!\p{{Nd}})(?:[.,٫]\p{{Nd}}+)?"
        r"|\p{Nd}+(?:[.,'’ʼ＇٫٬，．]\p{Nd}+)*"
    )
    word = (
        rf"[[\p{{L}}\p{{N}}\p{{M}}_]--[{_UNSPACED}ʼ]]"
        rf"[[\p{{L}}\p{{N}}\p{{M}}\p{{Cf}}_]--[{_UNSPACED}ʼ]]*"
    )
    decomposed_hangul = r"[\u1100-\u115f]+[\u1160-\u11a7]*[\u11a8-\u11ff]*"
    character = rf"[{_UNSPACED}][\p{{M}}\uff9e\uff9f]*"
    # A joint between the parts of a name belongs to the part before it, and is removed there.
    after_number = rf"(?:[{_DASHES}](?=\p{{L}}))?" if names else ""
    after_word = rf"(?:[{_DASHES}](?=[\p{{L}}\p{{Nd}}]))?" if names else ""
    after_character = rf"(?:[{_DOTS}](?=[{_UNSPACED}]))?" if names else ""
    abbreviation = (
        # Few words have a full stop after them, so checking for it first is faster.
        r"(?<![\p{L}\p{N}])(?=\p{L}{1,6}\.)"
        rf"(?:(?i:{word_table('abbreviations')['all']})|[\p{{Lu}}--[{_UNSPACED}]])\.(?![\p{{Ll}}\p{{N}}])|"
        if names
        else ""
    )
    ordinal = f"(?:{ordinals}){after_number}|" if ordinals else ""
    import regex

    return regex.compile(
        rf"(?V1){ordinal}(?:{number}){_POSSESSIVE}?{after_number}|{decomposed_hangul}"
        rf"|{character}{after_character}|{abbreviation}{word}{_POSSESSIVE}?{after_word}|\S"
    )
