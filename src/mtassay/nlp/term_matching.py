"""Finds terms in texts: as written, inflected, in compounds, or with different spaces and hyphens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import regex

from mtassay.nlp.annotation import Annotator
from mtassay.nlp.word_forms import MadeOnce, WordForms, fold

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
_WORD = regex.compile(rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]+", regex.V1)
_PLAIN_WORD = re.compile(r"[^\W_]+")
_SIGNS = regex.compile(r"[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]")
_IS_UNSPACED = regex.compile(rf"[{_UNSPACED}]")
_INVISIBLE = frozenset("\u00ad\u200b\u2060\ufeff")
_ODD = regex.compile(r"[\u00ad\u200b\u2060\ufeff\p{M}]")
_SPECIAL = regex.compile(rf"[\u00ad\u200b\u2060\ufeff\p{{M}}{_UNSPACED}]")
"""Characters that the simple (and much faster) expression for words cannot handle."""
_GAPS = frozenset(("", "-", "‐", "‑", "–", "/", "'", "’", "&", "·", "_"))
_SHORTEST_INSIDE = 3
_SAFE_INSIDE = 5
"""Under lenient rules, terms of at least this length are accepted in compounds with unknown parts."""
_ABBREVIATION = 5


class TermMatch(NamedTuple):
    """The number of a term, and the character offsets where it is."""

    term: int
    start: int
    end: int


class Lemmas:
    """Dictionary forms from an annotator, which reads whole sentences: slow, but right for more words."""

    def __init__(self, annotator: Annotator) -> None:
        self.signature = annotator.signature
        self._annotator = annotator
        self._known: dict[str, dict[int, str]] = {}

    def read(self, texts: Iterable[str]) -> None:
        """Read many texts at once, which is faster."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        for text, annotation in zip(fresh, self._annotator.annotate(fresh), strict=True):
            lemmas = {token.start: fold(token.lemma) for token in annotation.tokens if token.lemma}
            self._known[text] = lemmas

    def of(self, text: str) -> Mapping[int, str]:
        """The folded lemma of each word, by its start."""
        self.read([text])
        return self._known[text]


class TermText:
    """A text split into words once for all terms; places refer to the text as written.

    >>> [word for word, _, _ in TermText("E-Mails an 顧客").words]
    ['E', 'Mails', 'an']
    """

    __slots__ = ("_places", "lemmas", "text", "words")

    def __init__(self, text: str, lemmas: Lemmas | None = None) -> None:
        self._places: list[int] | None = None
        self.lemmas: Mapping[int, str] = lemmas.of(text) if lemmas else {}
        word = _PLAIN_WORD
        if not text.isascii() and _SPECIAL.search(text):
            word = _WORD
            if _ODD.search(text):
                text, self._places = _composed(text)
                self.lemmas = {}  # offsets
        self.text = text
        self.words = [(match[0], *match.span()) for match in word.finditer(text)]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of a span of `text` that is not empty."""
        if self._places is None:
            return start, end
        return self._places[start], self._places[end]


def _composed(text: str) -> tuple[str, list[int]]:
    """The text in NFC without invisible characters, and the origin of each character and of the end."""
    clusters: list[tuple[int, str]] = []
    for place, character in enumerate(text):
        if character in _INVISIBLE:
            continue
        if clusters and unicodedata.combining(character):
            start, before = clusters[-1]
            clusters[-1] = (start, before + character)
        else:
            clusters.append((place, character))
    composed = [(place, unicodedata.normalize("NFC", cluster)) for place, cluster in clusters]
    places = [place for place, cluster in composed for _ in cluster]
    return "".join(cluster for _, cluster in composed), [*places, len(text)]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A way to write a term, as the keys of each word."""

    term: int
    words: tuple[frozenset[str], ...]
    gaps: tuple[str, ...]
    before: str
    after: str
    exact: str
    """Characters that must match exactly; empty if case and form may vary."""
    is_beginning: bool = False
    """Whether a place only has to begin with `exact`."""


class _Entry(NamedTuple):
    """The roles of a written word: the first word of terms, a compound with a term in it, and so on."""

    patterns: tuple[_Pattern, ...] = ()
    inside: tuple[_Pattern, ...] = ()
    cut: tuple[_Pattern, ...] = ()
    begins: str = ""
    """The word's key, if a term may continue in the next word: Team Mitglied."""


_NOTHING = _Entry()


class TermIndex:
    """Finds any number of terms of one language in one pass over a text.

    Args:
        terms: The terms; a match has the position of its term.
        forms: The forms of words in the language.
        exact: Positions of terms whose case and form must be as written.
        is_strict: Use this if a wrong match does harm (source terms, forbidden terms). Abbreviations must be
            in capitals, and a compound must consist of known words.
        in_compounds: Whether a part of a longer word counts, in languages that write compounds as one word.
        lemmas: Lemmas from an annotator, which count besides the forms; texts must be read with them too.

    >>> from mtassay.nlp.word_forms import word_forms
    >>> index = TermIndex(["Regel", "offener Posten"], word_forms("de"))
    >>> [index.terms[match.term] for match in index.find(TermText("Die Preisregeln offener Posten"))]
    ['Regel', 'offener Posten']
    """

    def __init__(
        self,
        terms: Sequence[str],
        forms: WordForms,
        *,
        exact: frozenset[int] = frozenset(),
        is_strict: bool = False,
        in_compounds: bool = True,
        lemmas: Lemmas | None = None,
    ) -> None:
        self.terms = list(terms)
        self._forms = forms
        self._is_strict = is_strict
        self._lemmas = lemmas
        self._in_compounds = in_compounds and forms.links is not None
        self._keys = forms.keys if is_strict else forms.loose_keys
        self._first: dict[str, list[_Pattern]] = {}
        self._joined: dict[str, list[_Pattern]] = {}
        self._inside: dict[str, list[_Pattern]] = {}
        self._unspaced: dict[str, list[tuple[str, int, str]]] = {}
        self._entries = MadeOnce(self._entry)
        for number, term in enumerate(self.terms):
            self._add(number, term, is_exact=number in exact)
        self._lengths = sorted({len(key) for key in self._inside})
        self._beginnings = {key[:cut] for key in self._joined for cut in range(1, len(key))}

    def find(self, text: TermText) -> list[TermMatch]:
        """Find all places of all terms, in order; they may overlap."""
        places = {
            TermMatch(pattern.term, start, end)
            for pattern, start, end in self._candidates(text)
            if self._agrees(pattern, text.text, start, end)
        }
        if self._unspaced:
            places.update(self._substrings(text.text))
        return sorted(
            (TermMatch(term, *text.original(start, end)) for term, start, end in places),
            key=lambda match: (match.start, -match.end, match.term),
        )

    def _add(self, number: int, term: str, *, is_exact: bool) -> None:
        read = TermText(" ".join(term.split()), self._lemmas)
        text, words = read.text, read.words
        if not text:
            return
        if not words or _IS_UNSPACED.search(text):
            folded = fold(text)
            self._unspaced.setdefault(folded[0], []).append((folded, number, text if is_exact else ""))
            return
        is_abbreviation = self._is_strict and text.isupper() and len(text) <= _ABBREVIATION
        pattern = _Pattern(
            number,
            tuple(
                frozenset((*self._forms.term_keys(word), read.lemmas.get(start, fold(word))))
                for word, start, _ in words
            ),
            tuple(text[one[2] : other[1]].strip() for one, other in pairwise(words)),
            text[: words[0][1]].strip("\"'()[]«»“”„ "),
            text[words[-1][2] :].strip("\"'()[]«»“”„ "),
            text if is_exact or is_abbreviation else "",
            is_abbreviation and not is_exact,
        )
        for key in pattern.words[0]:
            self._first.setdefault(key, []).append(pattern)
        if is_exact:
            return
        whole = "".join(word for word, _, _ in words)
        single = pattern
        if len(words) > 1:
            # Written as one word: E-Mail, Email.
            keys = frozenset(self._forms.term_keys(whole if whole.isupper() else whole.capitalize()))
            single = _Pattern(
                number, (keys | {fold(whole)},), (), pattern.before, pattern.after, pattern.exact
            )
            for key in single.words[0]:
                self._first.setdefault(key, []).append(single)
        elif len(whole) >= _SAFE_INSIDE:
            for key in pattern.words[0]:
                self._joined.setdefault(key, []).append(pattern)
        if self._in_compounds and len(whole) >= _SHORTEST_INSIDE and not is_abbreviation:
            for key in single.words[0]:
                if len(key) >= _SHORTEST_INSIDE:
                    self._inside.setdefault(key, []).append(single)

    def _candidates(self, text: TermText) -> Iterator[tuple[_Pattern, int, int]]:
        words, entries = text.words, self._entries
        for place, (word, start, end) in enumerate(words):
            entry = entries[word]
            lemma = text.lemmas.get(start)
            if entry is _NOTHING and lemma is None:
                continue
            for pattern in (*entry.patterns, *self._first.get(lemma, ())) if lemma else entry.patterns:
                last = self._end(pattern, text, place) if pattern.gaps else place
                if last is not None:
                    yield pattern, start, words[last][2]
            for pattern in entry.inside:
                yield pattern, start, end
            if entry.cut and text.text[end : end + 1] == "-":
                for pattern in entry.cut:
                    yield pattern, start, end
            if entry.begins and place + 1 < len(words):
                following, begin, until = words[place + 1]
                if text.text[end:begin] in (" ", "-", "‑"):
                    for key in self._keys(following):
                        for pattern in self._joined.get(entry.begins + key, ()):
                            yield pattern, start, until

    def _entry(self, word: str) -> _Entry:
        """All terms that may begin with a word, so that most words of a text need only one look-up."""
        keys = self._keys(word)
        patterns = dict.fromkeys(pattern for key in keys for pattern in self._first.get(key, ()))
        inside: dict[_Pattern, None] = {}
        cut: dict[_Pattern, None] = {}
        if self._inside and len(word) > _SHORTEST_INSIDE:
            inside = dict.fromkeys(self._parts(keys))
            # The part before a hyphen: Erneuerungs- und Kündigungsklausel.
            stems = (key.removesuffix(link) for key in keys for link in self._forms.links or ())
            cut = dict.fromkeys(pattern for stem in stems for pattern in self._inside.get(stem, ()))
        begins = keys[0] if keys[0] in self._beginnings else ""
        if not (patterns or inside or cut or begins):
            return _NOTHING
        return _Entry(tuple(patterns), tuple(inside), tuple(cut), begins)

    def _end(self, pattern: _Pattern, text: TermText, place: int) -> int | None:
        """The last word of a pattern that begins here; `None` if it does not match."""
        words = text.words
        for own, gap in zip(pattern.words[1:], pattern.gaps, strict=True):
            place += 1
            if place == len(words):
                return None
            word, start, _ = words[place]
            if own.isdisjoint(self._keys(word)) and text.lemmas.get(start) not in own:
                return None
            between = text.text[words[place - 1][2] : start].strip()
            if between != gap and between not in _GAPS:
                return None
        return place

    def _agrees(self, pattern: _Pattern, text: str, start: int, end: int) -> bool:
        if pattern.before and not text.endswith(pattern.before, 0, start):
            return False
        if pattern.after and not text.startswith(pattern.after, end):
            return False
        if not pattern.exact:
            return True
        words = pattern.exact[len(pattern.before) : len(pattern.exact) - len(pattern.after)]
        return text.startswith(words, start) and (pattern.is_beginning or end - start == len(words))

    def _parts(self, keys: Sequence[str]) -> Iterator[_Pattern]:
        """The terms inside a longer word."""
        for whole in keys:
            for length in self._lengths:
                if length >= len(whole):
                    break
                for start in range(len(whole) - length + 1):
                    patterns = self._inside.get(whole[start : start + length])
                    if patterns and self._forms.can_join(
                        whole[:start],
                        whole[start + length :],
                        is_strict=self._is_strict or length < _SAFE_INSIDE,
                    ):
                        yield from patterns

    def _substrings(self, text: str) -> Iterator[TermMatch]:
        folded = fold(text)
        if len(folded) != len(text):  # a letter such as ß became two letters, so keep it
            folded = "".join(own if len(own := fold(letter)) == 1 else letter for letter in text)
        for start, character in enumerate(folded):
            for term, number, exact in self._unspaced.get(character, ()):
                if folded.startswith(term, start) and (not exact or text.startswith(exact, start)):
                    yield TermMatch(number, start, start + len(term))


def longest(matches: Sequence[TermMatch]) -> list[TermMatch]:
    """Keep matches that are not inside a longer match; several terms may have the same place.

    >>> longest([TermMatch(0, 0, 9), TermMatch(1, 5, 9), TermMatch(2, 12, 15)])
    [TermMatch(term=0, start=0, end=9), TermMatch(term=2, start=12, end=15)]
    """
    kept: list[TermMatch] = []
    reach, begin = -1, -1
    for match in sorted(matches, key=lambda match: (match.start, -match.end)):
        if match.end > reach or (match.start, match.end) == (begin, reach):
            kept.append(match)
            begin, reach = match.start, match.end
    return kept


def stands_anywhere(term: str, text: str, forms: WordForms) -> bool:
    """Whether a text contains a term as any run of letters, as written or in dictionary forms.

    This is the rule of WMT25's terminology task, which finds `use` in `because`.

    >>> from mtassay.nlp.word_forms import word_forms
    >>> forms = word_forms("en")
    >>> stands_anywhere("use", "because", forms), stands_anywhere("mice", "a mouse", forms)
    (True, True)
    """
    if fold(term) in fold(text):
        return True
    wanted = "|".join(forms.term_lemma(word) for word in _SIGNS.findall(term))
    return wanted in "|".join(forms.lemma(word) for word in _SIGNS.findall(text))
