"""Tables for many languages of what assistants say about a translation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.words import read_table

_DATA = Path(__file__).parent / "data"


class Talk(NamedTuple):
    """A language's expressions about translating, in lower case.

    `translate` has beginnings of words for translating, and `refuse` is an expression for declining. `notes`
    has labels of notes, `assents` beginnings of answers to a request, and `close` is an expression for their
    ends. `names` has the language's names for itself and English, as in the label `Czech:`.
    """

    translate: tuple[str, ...]
    refuse: str
    notes: tuple[str, ...] = ()
    assents: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    close: str = ""


@cache
def talk_tables() -> Mapping[str, Talk]:
    """Return the tables by language."""
    table = read_table(_DATA / "talk.toml", lists=("translate", "notes", "assents", "names"))
    return {code: Talk(**entry) for code, entry in table.items()}


@cache
def sign(name: str) -> re.Pattern[str]:
    """Compile an expression of `data/talk_signs.toml`, which ignores case."""
    return re.compile(_signs()[name], re.IGNORECASE)


@cache
def small_sign(name: str) -> re.Pattern[str]:
    """The same for texts in small letters, which is several times faster."""
    return re.compile(_signs()[name])


@cache
def expression(name: str) -> re.Pattern[str]:
    """Compile an expression of `data/small_words.toml`, which ignores case."""
    return re.compile(small_words("expressions")[name], re.IGNORECASE)


def small_words(table: str) -> Mapping[str, Any]:
    """Return a table of `data/small_words.toml`: usually words by language, separated by spaces."""
    words: Mapping[str, Any] = read_table(_DATA / "small_words.toml")[table]
    return words


def _signs() -> Mapping[str, str]:
    return read_table(_DATA / "talk_signs.toml")


def _of(languages: Collection[str]) -> list[Talk]:
    tables = talk_tables()
    chosen = [tables[code] for code in languages if code in tables]
    return chosen if languages else list(tables.values())


@cache
def stems_of(*languages: str, only_ascii: bool = False) -> tuple[str, ...]:
    """Return beginnings of words for translating in these languages (default: all).

    For a text in ASCII, only ASCII beginnings are needed. Entries that contain a shorter entry are left out.
    """
    stems = sorted({stem for talk in _of(languages) for stem in talk.translate}, key=len)
    return tuple(
        stem
        for place, stem in enumerate(stems)
        if stem.isascii() >= only_ascii and not any(short in stem for short in stems[:place])
    )


def speaks_of_translation(text: str, languages: Iterable[str] = ()) -> bool:
    """Whether a text in lower case has a word for translating in one of these (default: all) languages.

    >>> speaks_of_translation("eine wörtliche übersetzung wäre"), speaks_of_translation("guten tag")
    (True, False)
    """
    return any(map(text.__contains__, stems_of(*languages, only_ascii=text.isascii())))


def _parts(expression: str) -> list[str]:
    """Split an expression at the bars outside brackets."""
    bars = [match.start() for match in re.finditer(r"\|", expression)]
    outside = [bar for bar in bars if expression.count("(", 0, bar) == expression.count(")", 0, bar)]
    return [expression[start + 1 : end] for start, end in pairwise([-1, *outside, len(expression)])]


@cache
def _refusals(is_ascii: bool) -> re.Pattern[str]:
    """All expressions for declining, or only those that can match a text in ASCII."""
    return _joined((talk.refuse for talk in _of(())), is_ascii)


def _joined(expressions: Iterable[str], is_ascii: bool) -> re.Pattern[str]:
    parts = [part for expression in expressions for part in _parts(expression) if part]
    if is_ascii:
        parts = [part for part in parts if re.search("[a-z]", re.sub(r"\\.", "", part))]
    # Searching for the beginning of a word once is much faster than once per expression.
    words = "|".join(part[2:] for part in parts if part.startswith(r"\b"))
    return re.compile("|".join([rf"\b(?:{words})", *(part for part in parts if part[:2] != r"\b")]))


def refusal_in(text: str) -> re.Match[str] | None:
    """Where a lower-case text declines to translate or asks for the text, in any language.

    >>> refusal_in("es tut mir leid, aber ich kann diesen text nicht übersetzen.")[0]
    'kann diesen text nicht übersetz'
    """
    return _refusals(text.isascii()).search(text)


@cache
def _assents(end: str) -> re.Pattern[str]:
    words = {assent for talk in talk_tables().values() for assent in talk.assents}
    parts = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"\W{{0,4}}(?:{parts}){end}", re.IGNORECASE)


def says_yes_itself(source: str) -> bool:
    """Whether a source begins with an assent, with or without a mark: "Ja die liebe Haut"."""
    return _assents(r"(?!\w)").match(source) is not None


@cache
def closings(is_ascii: bool) -> re.Pattern[str]:
    """Phrases that end an assistant's answer, in lower case: "I hope this helps!"."""
    return _joined((talk.close for talk in talk_tables().values()), is_ascii)


def begins_with_assent(text: str) -> bool:
    """Whether a text begins like an answer to a request.

    >>> begins_with_assent("Gerne! Hier ist sie."), begins_with_assent("Sure enough")
    (True, False)
    """
    return _assents(r"(?:\s?[,.!:：、。，！]|\s[-–—]\s)").match(text) is not None


@cache
def note_labels(*languages: str) -> re.Pattern[str]:
    """A pattern for a note's label with its colon, at the start of a line, a sentence or a bracket."""
    words = sorted({note for talk in _of(languages) for note in talk.notes}, key=len, reverse=True)
    return re.compile(
        rf"(?:^|[\n(（\[*`.!?。])[\s*_`]{{0,4}}(?:{'|'.join(map(re.escape, words))})[*_]{{0,2}}\s?[:：]"
    )
