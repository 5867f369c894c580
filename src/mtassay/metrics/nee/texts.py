"""Outputs and glossaries as the matching of entities wants them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import PurePath
from typing import NamedTuple

import regex

from mtassay.errors import InputError, UsageError
from mtassay.formats.text import decode, read_bytes, split_lines
from mtassay.languages import parse_language
from mtassay.metrics.nee.numbers import (
    GROUPED_BY_SPACE,
    MARKS_ARE_LETTERS,
    Trie,
    canonical_number,
    lower,
    number_trie,
    spell_out_marks,
    strip_marks,
)

# Scripts that put no spaces between words, and Hangul, which glues particles to names: every
# character is a token, so that a name is found wherever its characters stand together.
_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\u30fc\uff70"
)
_APOSTROPHES = "'’ʼ＇´`‘"
_POSSESSIVE = rf"(?:[{_APOSTROPHES}][sS](?![\p{{L}}\p{{N}}])|(?<=[sS])[{_APOSTROPHES}](?![\p{{L}}\p{{N}}]))"
_PUNCTUATION = str.maketrans(
    dict.fromkeys(_APOSTROPHES + "‚‛′", "'")
    | dict.fromkeys('"“”„‟«»″＂〝〞', '"')
    | dict.fromkeys("‐‑‒–—―−﹣－", "-")
    | dict.fromkeys("·・•‧･", "·")
)


class NormalisedToken(NamedTuple):
    """A normalised token, the same with marked letters spelled out, and which characters it covers."""

    text: str
    spelled_out: str
    start: int
    end: int


class _Word(NamedTuple):
    plain: str
    spelled_out: str
    key: str
    """What it is called in the tables of number words; " " for a word that is not there."""


@dataclass(frozen=True)
class Normaliser:
    """Splits and normalises; two texts name the same thing when their tokens are equal.

    >>> Normaliser().words("Brazil’s Twenty-three São Paulo clubs: 1,234.50!")
    ['brazil', '23', 'sao', 'paulo', 'clubs', ':', '1234.5', '!']
    """

    diacritics: bool = True
    case: bool = True
    numbers: bool = True
    possessives: bool = True
    language: str = ""

    def words(self, text: str) -> list[str]:
        """The tokens of a text, in order."""
        return self.renderings(text)[0]

    def renderings(self, text: str) -> list[list[str]]:
        """The tokens, and once more with marked letters spelled out (ae, oe, ue, aa) where that differs."""
        words = list(map(self._known.__getitem__, self._pattern.findall(text)))
        renderings = [[word.plain for word in words], [word.spelled_out for word in words]]
        for start, stop, value in reversed(list(self._number_phrases(words))):
            for rendering in renderings:
                rendering[start:stop] = [value]
        plain, spelled_out = ([word for word in rendering if word] for rendering in renderings)
        return [plain] if plain == spelled_out else [plain, spelled_out]

    def tokens(self, text: str) -> list[NormalisedToken]:
        """The tokens with the place of each."""
        matches = list(self._pattern.finditer(text))
        words = [self._known[match.group()] for match in matches]
        tokens = [
            NormalisedToken(word.plain, word.spelled_out, *match.span())
            for word, match in zip(words, matches, strict=True)
        ]
        for start, stop, value in reversed(list(self._number_phrases(words))):
            tokens[start:stop] = [NormalisedToken(value, value, tokens[start].start, tokens[stop - 1].end)]
        return [token for token in tokens if token.text]

    def _number_phrases(self, words: Sequence[_Word]) -> Iterator[tuple[int, int, str]]:
        """Where numbers stand in words, longest first: from, up to, value."""
        if not any(word.key in self._trie for word in words):
            return
        at = 0
        while at < len(words):
            node = self._trie.get(words[at].key)
            stop, value, ahead = at + 1, None, at + 1
            while node is not None:
                if "" in node:
                    stop, value = ahead, str(node[""])
                while ahead < len(words) and words[ahead].plain == "-":
                    ahead += 1
                node = node.get(words[ahead].key) if ahead < len(words) else None
                ahead += 1
            if value is not None:
                yield at, stop, value
            at = stop

    @cached_property
    def _known(self) -> _Known:
        return _Known(self)

    @cached_property
    def _trie(self) -> Trie:
        return number_trie(self.primary_language or "en") if self.numbers else {}

    @cached_property
    def _pattern(self) -> regex.Pattern[str]:
        return _pattern(grouped_by_space=self.primary_language in GROUPED_BY_SPACE)

    @property
    def primary_language(self) -> str:
        """The language without script or region."""
        return self.language.lower().replace("_", "-").split("-")[0]

    def word(self, raw: str) -> _Word:
        """One token of a text, normalised by itself."""
        text = "".join(c for c in raw.translate(_PUNCTUATION) if unicodedata.category(c) != "Cf")
        text = unicodedata.normalize("NFKC", text).translate(_PUNCTUATION)
        key = strip_marks(text.casefold())
        key = key if key in _vocabulary(self._language_of_words) else " "
        if self.possessives and len(text) > 1:
            text = text.removesuffix("'s").removesuffix("'S") if text[-1] in "sS" else text.removesuffix("'")
        if raw[0].isdecimal():
            number = canonical_number(text, language=self.language) if self.numbers else None
            text = number or "\u00a0".join(text.split())
        if self.case:
            text = lower(text, language=self.primary_language)
        if not self.diacritics or self.primary_language in MARKS_ARE_LETTERS:
            return _Word(text, text, key)
        return _Word(strip_marks(text), spell_out_marks(text), key)

    @property
    def _language_of_words(self) -> str:
        return (self.primary_language or "en") if self.numbers else ""


class _Known(dict[str, _Word]):
    """Every distinct token is normalised once."""

    def __init__(self, normaliser: Normaliser) -> None:
        self._normaliser = normaliser

    def __missing__(self, raw: str) -> _Word:
        word = self[raw] = self._normaliser.word(raw)
        return word


@cache
def _vocabulary(language: str) -> frozenset[str]:
    words: set[str] = set()
    tries = [number_trie(language)]
    while tries:
        for word, trie in tries.pop().items():
            if word:
                words.add(word)
                tries.append(trie)
    return frozenset(words)


@cache
def _pattern(*, grouped_by_space: bool) -> regex.Pattern[str]:
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
    return regex.compile(
        rf"(?V1)(?:{number}){_POSSESSIVE}?|{decomposed_hangul}|{character}|{word}{_POSSESSIVE}?|\S"
    )


_ENTRIES = {"termEntry", "conceptEntry"}
_LANGUAGES = {"langSet", "langSec"}
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class NameGlossary:
    """For a normalised name, all texts that are accepted in its place."""

    def __init__(self, rows: Iterable[tuple[str, ...]], normaliser: Normaliser) -> None:
        self._variants: dict[tuple[str, ...], list[str]] = {}
        for row in rows:
            for text in row:
                self._variants.setdefault(tuple(normaliser.words(text)), []).extend(row)

    def variants(self, tokens: tuple[str, ...]) -> list[str]:
        """Texts that may stand for the name with these tokens; none where the glossary does not have it."""
        return self._variants.get(tokens, [])


def read_glossary(path: str, *, language: str = "") -> list[tuple[str, ...]]:
    """One tuple of interchangeable names per line of a TSV, or per entry of a TBX file.

    In a TSV, all names are in the target language. In TBX, only terms of `language` count, and all
    terms where it is "". Blank lines are passed over.
    """
    data = read_bytes(path)
    if PurePath(path).suffix.lower() in (".tbx", ".xml") or data.lstrip()[:5] == b"<?xml":
        return list(_read_tbx(data, path, language))
    rows = []
    for number, line in enumerate(split_lines(data, path), start=1):
        if line.strip():
            names = tuple(name.strip() for name in line.split("\t") if name.strip())
            if len(names) < 2:
                raise InputError("expected an entity, a tab and a variant", path=path, line=number)
            rows.append(names)
    return rows


def fingerprint(path: str) -> str:
    """The name of a file with the start of its SHA-256, so that a changed glossary shows."""
    return f"{PurePath(path).name}({hashlib.sha256(read_bytes(path)).hexdigest()[:8]})"


def _read_tbx(data: bytes, path: str, language: str) -> Iterator[tuple[str, ...]]:
    from lxml import etree

    decode(data, path)
    # A termbase has no business with entities, other files or the network.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"not XML: {error.msg}", path=path, line=error.lineno) from None
    entries = [node for node in root.iter(etree.Element) if _name(node) in _ENTRIES]
    if not entries:
        raise InputError("no termEntry or conceptEntry: this is not TBX", path=path)
    for entry in entries:
        terms = [
            " ".join("".join(term.itertext()).split())
            for part in entry.iter(etree.Element)
            if _name(part) in _LANGUAGES and _is_in(part.get(_XML_LANG), language)
            for term in part.iter(etree.Element)
            if _name(term) == "term"
        ]
        yield tuple(term for term in terms if term)


def _name(node: object) -> str:
    tag: str = node.tag  # type: ignore[attr-defined]
    return tag.rpartition("}")[2]


def _is_in(tag: str | None, language: str) -> bool:
    if not language or tag is None:
        return not language
    try:
        return parse_language(tag).matches(parse_language(language))
    except UsageError:
        return False
