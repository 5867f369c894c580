"""Sets of words of which an output must not have another one than its source: Monday, Tuesday."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from mtassay.measures.check import Mark

_TABLE = Path(__file__).parent / "data" / "word_sets.tsv"
_TOKEN = re.compile(r"[^\W_]+(?:-[^\W\d_]+)*|[€£¥]|\$(?= ?\d)|(?<=\d)[ \u00a0\u202f]?\$")
_LONGEST = 600
_STEM = 3


class SwappedWord(NamedTuple):
    """A word of the source, and the one of the output that means another member of its set."""

    set: str
    word: str
    other: str
    is_polar: bool

    @property
    def message(self) -> str:
        """What is wrong, in plain words."""
        return f"'{self.word}' became '{self.other}'"

    def marks(self, source: str, output: str) -> tuple[Mark, ...]:
        """Where both are."""
        places = source.lower().find(self.word), output.lower().find(self.other)
        return (
            Mark("source", places[0], places[0] + len(self.word)),
            Mark("output", places[1], places[1] + len(self.other)),
        )


class _Form(NamedTuple):
    """A word or stem of a member; where `is_sure` is false, it only may mean the member."""

    set: str
    member: str
    is_sure: bool


class _Words:
    """All forms of one language of the sets that a check looks at."""

    def __init__(self, check: str, language: str) -> None:
        head, *rows = [line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines()]
        self.exact: dict[str, list[_Form]] = {}
        self.stems: dict[str, list[tuple[str, _Form]]] = {}
        self.phrases: list[tuple[str, _Form]] = []
        column = head.index(language) if language in head[3:] else -1
        for row in rows:
            for text in row[column].split() if column > 0 and row[0] == check else ():
                form = _Form(row[1], row[2], not text.startswith("~"))
                self._add(text.removeprefix("~").replace("_", " ").rstrip(), form, language)
        parts = sorted((text for text, _ in self.phrases), key=len, reverse=True)
        # Languages without spaces have no tokens; longer words come first, for 不可能 has 可能 in it.
        border = r"(?!)" if not parts else "|".join(map(re.escape, parts))
        self.phrase = re.compile(border if language == "ja" else rf"\b(?:{border})\b")
        self.by_phrase: dict[str, list[_Form]] = {}
        for text, form in self.phrases:
            self.by_phrase.setdefault(text, []).append(form)

    def _add(self, text: str, form: _Form, language: str) -> None:
        if language == "ja" or " " in text:
            self.phrases.append((text, form))
        elif text.endswith("*"):
            stem = text.removesuffix("*")
            self.stems.setdefault(stem[:_STEM], []).append((stem, form))
        else:
            self.exact.setdefault(text, []).append(form)

    def forms_in(self, text: str) -> Mapping[str, dict[str, str]]:
        """By set: each member that a text may have, with the word where it surely has it, else ""."""
        found: dict[str, dict[str, str]] = {}

        def add(word: str, form: _Form) -> None:
            members = found.setdefault(form.set, {})
            if form.is_sure or form.member not in members:
                members[form.member] = word if form.is_sure else ""

        small = text.lower()
        for token in _TOKEN.findall(small):
            word = token.strip()
            for form in self.exact.get(word, ()):
                add(word, form)
            for stem, form in self.stems.get(word[:_STEM], ()):
                if word.startswith(stem):
                    add(word, form)
        if self.by_phrase:
            for word in self.phrase.findall(small):
                for form in self.by_phrase[word]:
                    add(word, form)
        return found


@cache
def _words(check: str, language: str) -> _Words:
    return _Words(check, language)


@lru_cache(maxsize=1 << 14)
def _forms_in(text: str, check: str, language: str) -> Mapping[str, dict[str, str]]:
    return _words(check, language).forms_in(text)


def swapped_word(
    check: str, source: str, output: str, source_language: str, target_language: str
) -> SwappedWord | None:
    """The first word for which the output has another member of its set, and nothing that may mean the word.

    >>> swapped_word("numbers", "See you on Monday.", "Bis Dienstag.", "en", "de").message
    "'monday' became 'dienstag'"
    >>> swapped_word("numbers", "See you on Monday.", "Bis Montag oder Dienstag.", "en", "de")
    """
    if len(source) > _LONGEST or len(output) > _LONGEST:
        return None
    there = _forms_in(source, check, source_language)
    if not any(any(members.values()) for members in there.values()):
        return None
    here = _forms_in(output, check, target_language)
    for name, members in there.items():
        sure = [(member, word) for member, word in members.items() if word]
        others = here.get(name, {})
        if len(sure) != 1 or sure[0][0] in others:
            continue
        added = [(member, word) for member, word in others.items() if word and member not in members]
        if len(added) == 1:
            return SwappedWord(name, sure[0][1], added[0][1], sure[0][0] in "+-")
    return None
