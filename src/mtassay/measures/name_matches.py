"""Finds names of the reference in an output, with the same or a similar spelling."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import PurePath
from typing import Any, NamedTuple

from mtassay.data.errors import InputError
from mtassay.data.formats.entity_markup import Entity
from mtassay.data.formats.glossaries import read_concepts
from mtassay.data.formats.textfiles import read_bytes, split_lines
from mtassay.data.languages import parse_language
from mtassay.data.nouns import Segment
from mtassay.data.words import edit_distance
from mtassay.nlp.normalisation import NormalisedToken, Normaliser


class NameGlossary:
    """All texts that are accepted in place of a normalised name."""

    def __init__(self, rows: Iterable[tuple[str, ...]], normaliser: Normaliser) -> None:
        self._variants: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for row in rows:
            for text in row:
                self._variants.setdefault(tuple(normaliser.words(text)), []).append(row)

    def variants(self, tokens: tuple[str, ...]) -> list[str]:
        """Texts that may mean the name with these tokens; empty if the glossary does not have the name."""
        return [text for row in dict.fromkeys(self._variants.get(tokens, ())) for text in row]


def read_glossary(path: str, *, language: str = "") -> list[tuple[str, ...]]:
    """Read tuples of interchangeable names, one per line of a TSV or entry of a TBX file.

    In a TSV, all names are in the target language. In TBX, only terms of `language` count (all terms if it is
    ""). Blank lines are skipped.
    """
    data = read_bytes(path)
    if PurePath(path).suffix.lower() in (".tbx", ".xml") or data.lstrip()[:5] == b"<?xml":
        concepts = (terms for _, terms in read_concepts(data, path))
        return [tuple(term.text for term in terms if _is_in(term.language, language)) for terms in concepts]
    rows = []
    for number, line in enumerate(split_lines(data, path), start=1):
        if line.strip():
            names = tuple(name.strip() for name in line.split("\t") if name.strip())
            if len(names) < 2:
                raise InputError("expected an entity, a tab and a variant", path=path, line=number)
            rows.append(names)
    return rows


def fingerprint(path: str) -> str:
    """The name of a file with the start of its SHA-256, which changes with the glossary."""
    return f"{PurePath(path).name}({hashlib.sha256(read_bytes(path)).hexdigest()[:8]})"


def _is_in(tag: str, language: str) -> bool:
    return not language or parse_language(tag).matches(parse_language(language))


@dataclass(frozen=True)
class Form:
    """One acceptable spelling, as normalised tokens.

    `anchors` are the tokens that can identify the name; in "Bank of Peru", these do not include "of".
    """

    tokens: tuple[str, ...]
    anchors: frozenset[str]

    @cached_property
    def needle(self) -> str:
        """The text to search for in space-joined tokens."""
        return f" {' '.join(self.tokens)} "


@dataclass
class Name:
    """A unique entity of a unit; `text` is its first spelling in the reference."""

    text: str
    segment_id: str
    types: set[str] = field(default_factory=set)
    forms: dict[tuple[str, ...], Form] = field(default_factory=dict)

    def accept(self, forms: Iterable[Form]) -> None:
        """Add spellings that are also accepted."""
        for form in forms:
            self.forms.setdefault(form.tokens, form)


@dataclass
class NameUnit:
    """A unit of comparison: the segments at `rows`, and the names in their references."""

    id: str
    rows: list[int] = field(default_factory=list)
    names: dict[tuple[str, ...], Name] = field(default_factory=dict)


def collect_units(
    segments: Sequence[Segment], *, unit: str, normaliser: Normaliser, glossary: NameGlossary
) -> list[NameUnit]:
    """Collect units in order of their first segment, with their unique names in order of appearance."""
    units: dict[tuple[str, ...], NameUnit] = {}
    used_ids: set[str] = set()
    for row, segment in enumerate(segments):
        key = _unit_key(segment, unit)
        if key not in units:
            units[key] = NameUnit(_distinct("/".join(key[1:]), used_ids))
            used_ids.add(units[key].id)
        units[key].rows.append(row)
        _add_names(units[key], segment, normaliser)
    for own in units.values():
        for name in own.names.values():
            variants = [text for tokens in [*name.forms] for text in glossary.variants(tokens)]
            for text in variants:
                name.accept(forms_of(normaliser.tokens(text), text))
    return list(units.values())


def _unit_key(segment: Segment, unit: str) -> tuple[str, ...]:
    paragraph = segment.tags.get("paragraph")
    if unit == "document" and segment.document is not None:
        return ("document", segment.document)
    if unit == "paragraph" and paragraph is not None:
        return ("paragraph", *([] if segment.document is None else [segment.document]), str(paragraph))
    return ("segment", segment.id)


def _distinct(name: str, used_ids: set[str]) -> str:
    """Make the name of a unit unique, since a segment may have the name of a document."""
    number = 2
    distinct = name
    while distinct in used_ids:
        distinct, number = f"{name} ({number})", number + 1
    return distinct


def _add_names(unit: NameUnit, segment: Segment, normaliser: Normaliser) -> None:
    """Add the names of a segment, if it is annotated.

    A name is accepted both in its own form and in its form in the sentence. The two differ if annotation cuts
    a token ("Putin" of "Putins", "twenty" of "twenty-three"). With both forms, an annotated reference always
    has all of its own names.
    """
    index = int(segment.tags.get("entities_reference", 0))
    reference = segment.references[index] if index < len(segment.references) else None
    entities = [_as_entity(entity) for entity in segment.tags.get("entities", ())]
    tokens = normaliser.tokens(reference) if entities and reference else []
    dated_tokens = normaliser.with_dates(tokens)
    for entity in entities:
        if reference is None or reference[entity.start : entity.end] != entity.text:
            raise InputError(
                f"segment {segment.id!r}: reference {index} (counted from 0) does not have"
                f" {entity.text!r} at characters {entity.start}–{entity.end}"
            )
        covering = _covering(entity, tokens)
        if covering:
            alone = normaliser.tokens(entity.text)
            dated = normaliser.with_dates(alone)
            key = tuple(token.text for token in dated or covering)
            name = unit.names.setdefault(key, Name(entity.text, segment.id))
            name.types.add(entity.type)
            for text, rows in (
                (entity.text, (alone, dated)),
                (reference, (covering, _covering(entity, dated_tokens))),
            ):
                for row in rows:
                    name.accept(forms_of(row, text))


def _covering(entity: Entity, tokens: Iterable[NormalisedToken]) -> list[NormalisedToken]:
    return [token for token in tokens if token.start < entity.end and token.end > entity.start]


def _as_entity(entity: Any) -> Entity:
    """Read an entity, which is a plain list or object in stored runs."""
    return Entity(**entity) if isinstance(entity, Mapping) else Entity(*entity)


def forms_of(tokens: Sequence[NormalisedToken], text: str) -> list[Form]:
    """The plain form, and the form with letters such as ä spelled out; empty without tokens."""
    if not tokens:
        return []
    written = [text[token.start : token.end] for token in tokens]
    capital = [any(map(_identifies, word)) for word in written]
    anchoring = capital if any(capital) else [any(map(str.isalnum, word)) for word in written]
    forms = []
    for spelling in ([token.text for token in tokens], [token.spelled_out for token in tokens]):
        anchors = {word for word, anchors in zip(spelling, anchoring, strict=True) if anchors}
        forms.append(Form(tuple(spelling), frozenset(anchors or spelling)))
    return forms


def _identifies(character: str) -> bool:
    return character.isupper() or character.isdecimal()


LEAST_SIMILARITY = 0.5
"""Words that share fewer letters are not variants of one name."""


class Near(NamedTuple):
    """The most similar place in an output: `width` tokens of sentence `sentence` from token `start`."""

    similarity: float
    sentence: int
    start: int
    width: int


class _Window(NamedTuple):
    letters: int
    sentence: int
    start: int


class Haystack:
    """One system's output for one unit; a name must be within one sentence."""

    def __init__(self, texts: Iterable[str], normaliser: Normaliser) -> None:
        renderings = [normaliser.renderings(text) for text in texts]
        self.sentences = [rendering[0] for rendering in renderings]
        # A form has no line break, so it cannot match across sentences.
        self._text = "\n".join(f" {' '.join(words)} " for rendering in renderings for words in rendering)
        self._windows: dict[tuple[int, str], dict[str, _Window]] = {}

    def holds(self, forms: Iterable[Form]) -> bool:
        """Whether the tokens of any form occur in a row."""
        return any(form.needle in self._text for form in forms)

    def overlap(self, form: Form) -> float:
        """The best token F1 (0 to 1) between the form and any window of tokens.

        A window without an anchor scores 0. If anchors are single characters, as in scripts without spaces,
        two must be shared, because a single character identifies nothing.
        """
        wanted, size = Counter(form.tokens), len(form.tokens)
        least = 2 if size > 1 and all(map(_is_character, form.anchors)) else 1
        best = 0.0
        for words in self.sentences:
            hits = [at for at, word in enumerate(words) if word in wanted]
            for number, first in enumerate(hits):
                best = max(
                    best, _overlap_from(first, hits[number:], words, wanted, form.anchors, least, best)
                )
        return best

    def nearest(self, form: Form) -> Near | None:
        """The most similar window of about the same length, by edit distance; `None` below one half."""
        joiner = "" if all(map(_is_character, form.tokens)) else " "
        text, size = joiner.join(form.tokens), len(form.tokens)
        letters, slack = _letters(text), max(1, size // 4)
        best: Near | None = None
        for width in range(max(1, size - slack), size + slack + 1):
            for window, place in self._windows_of(width, joiner).items():
                longest = max(len(text), len(window))
                # Every kind of letter that is only on one side costs at least one edit.
                least_distance = max(
                    abs(len(text) - len(window)),
                    (letters & ~place.letters).bit_count(),
                    (place.letters & ~letters).bit_count(),
                )
                reached = best.similarity if best else LEAST_SIMILARITY - 1e-9
                if 1 - least_distance / longest > reached:
                    similarity = 1 - _distance(text, window) / longest
                    if similarity > reached:
                        best = Near(similarity, place.sentence, place.start, width)
        return best

    def _windows_of(self, width: int, joiner: str) -> dict[str, _Window]:
        """All distinct windows of this length, with their kinds of letters and their first place."""
        if (width, joiner) not in self._windows:
            windows: dict[str, _Window] = {}
            for sentence, words in enumerate(self.sentences):
                for start in range(len(words) - width + 1):
                    window = joiner.join(words[start : start + width])
                    if window not in windows:
                        windows[window] = _Window(_letters(window), sentence, start)
            self._windows[width, joiner] = windows
        return self._windows[width, joiner]


def _overlap_from(
    first: int,
    hits: Sequence[int],
    words: Sequence[str],
    wanted: Counter[str],
    anchors: frozenset[str],
    least: int,
    best: float,
) -> float:
    """The best token F1 of windows that start at `first` and end at one of `hits`, if above `best`."""
    left, size = Counter(wanted), wanted.total()
    shared, anchored = 0, False
    for last in hits:
        width = last - first + 1
        if 2 * size <= best * (size + width):
            break
        word = words[last]
        if left[word] > 0:
            left[word] -= 1
            shared += 1
            anchored = anchored or word in anchors
        if anchored and shared >= least:
            best = max(best, 2 * shared / (size + width))
    return best


def _is_character(token: str) -> bool:
    """Whether a token is a single character with its marks, as in scripts without spaces."""
    return all(unicodedata.category(mark).startswith("M") for mark in token[1:])


def _letters(text: str) -> int:
    """The kinds of letters in a text as bits; some kinds share a bit."""
    bits = 0
    for character in text:
        bits |= 1 << (ord(character) & 127)
    return bits


# The same names and words are compared again and again.
_distance = lru_cache(maxsize=1 << 18)(edit_distance)
