"""Words of the source that were left in an output as they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import ClassVar, Literal

from mtassay.data.languages import parse_language
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit
from mtassay.measures.output_language import (
    is_foreign_word,
    is_loan,
    is_monolingual,
    is_same_text,
    without_quotes,
)
from mtassay.nlp.annotation import plain_words

# Addresses, tags, placeholders, options and code are no words to translate.
_NO_WORDS = re.compile(
    r"https?://\S++|www\.\S++|(?<!\S)\S{1,80}@\S++|<[^<>]{1,400}>|\{[^{}]{1,80}\}|`[^`]{1,200}`"
    r"|[^\s\w(\"'“„«][\w.:/=-]++|(?<!\w)\w++[_/\\=.(:|][\w(/'\"]\S*+"
    r"|(?<!\w)\w++(?:-\w++)+|\(\w++\)|(?<!\w)\w++:(?=\s)|\bgit(?: [a-z]++)+"
)
# Texts about commands have values and names of theirs in them: "  -z unique   Mark it".
_COMMAND = re.compile(
    r"(?:^|[\s(\['\"|=])--?[A-Za-z][\w-]*|\S {2,}\S|(?<!\w)[a-z]+\(\)|\w+_\w+|[$%\\]\w+ ?[=:]|\t"
)
_LONG = re.compile(r"[^\W\d_\u0e00-\uffff]{4,}+")
_LETTERS = 4
_RUN = 3


class UntranslatedWords(Check):
    """Words that are in source and output alike, and are neither names nor loans.

    A word of four or more small letters counts if dictionaries have it in the source language and not in the
    target language, and programs do not usually leave it as it is (`socket`); else three small words in a
    row. What a reference has, too, is right.
    """

    id: ClassVar[str] = "untranslated-words"
    group: ClassVar[str] = "meaning"
    severity: ClassVar[Severity] = "major"
    about: ClassVar[str] = "words of the source language are left in the output"
    scope: ClassVar[Literal["unit", "file"]] = "file"

    def applies(self, context: CheckContext) -> bool:
        """Where there are two languages."""
        return context.source is not None and context.target is not None and not is_monolingual(context)

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """An output that is its source as a whole is for `untranslated`.

        >>> unit = Unit("1", "Klicken Sie auf den Button, um zu continue.", "Click the Button to continue.")
        >>> [alarm.message for alarm in UntranslatedWords().find([unit], CheckContext("en", "de"))]
        ['untranslated: continue']
        """
        languages = [parse_language(tag or "").code for tag in (context.source, context.target)]
        has_nouns = languages[0] in _CAPITAL_NOUNS
        found: dict[int, list[str]] = {}
        left: Counter[str] = Counter()
        for index, unit in enumerate(units):
            source, output = unit.source or "", unit.output
            # Nearly always both have no such word in common, which is cheap to see.
            words = [word for word in _long_words(source, has_nouns) if word in output]
            if (
                not words
                or not (words := list({*words}.intersection(_LONG.findall(output))))
                or not (
                    any(is_foreign_word(word, *languages) for word in words)
                    or len(set(source.split()).intersection(output.split())) >= _RUN
                )
            ):
                continue
            if is_same_text(source, output):
                continue
            right = {word.text for text in unit.references for word in plain_words(text)}
            words = [word for word in _left_words(source, output, *languages) if word not in right]
            if words:
                found[index] = words
                left.update(words)
        loans = _loans(units, left)
        for index, words in found.items():
            if words := [word for word in words if word not in loans]:
                marks = _marks("source", units[index].source or "", words)
                marks += _marks("output", units[index].output, words)
                yield Alarm(index, f"untranslated: {', '.join(words)}", marks)


@lru_cache(maxsize=1 << 14)
def _long_words(source: str, has_nouns: bool) -> frozenset[str]:
    """The long words of a source, in small letters but where all nouns have a capital."""
    return frozenset(word for word in _LONG.findall(source) if has_nouns or word.islower())


def _loans(units: Sequence[Unit], left: Counter[str]) -> set[str]:
    """Words that a file leaves as they are as often as not, and more than once."""
    often = {word for word, n in left.items() if n > 1}
    if not often:
        return often
    there: Counter[str] = Counter()
    for unit in units:
        there.update(often.intersection(_LONG.findall(unit.source or "")))
    return {word for word in often if 2 * left[word] >= there[word]}


def _left_words(source: str, output: str, source_language: str, target_language: str) -> list[str]:
    there = [word.text for word in plain_words(_NO_WORDS.sub(" ", without_quotes(source)))]
    here = [word.text for word in plain_words(_NO_WORDS.sub(" ", without_quotes(output)))]
    known = set(there)
    left = [word for word in here if word in known and _is_common(word) and not is_loan(word)]
    if _COMMAND.search(source):
        left = []
    if source_language in _CAPITAL_NOUNS:
        nouns = {word for word in _AFTER_ARTICLE.findall(output) if word in known}
        left += [word for word in nouns if word[0].isupper() and len(word) >= _LETTERS + 2]
    foreign = [word for word in left if is_foreign_word(word, source_language, target_language)]
    return list(dict.fromkeys([*foreign, *_runs(there, here)]))


def _is_common(word: str) -> bool:
    return len(word) >= _LETTERS and word.isalpha() and word.islower()


_CAPITAL_NOUNS = frozenset(("de", "lb"))
# "The Hausmeister has": a noun with an article is no name, as a rule.
_AFTER_ARTICLE = re.compile(
    r"\b(?:the|an?|this|that|his|her|their|our|my|your|no|every) ([^\W\d_]+)(?= [a-z]|[.,!?])", re.IGNORECASE
)


def _runs(there: Sequence[str], here: Sequence[str]) -> list[str]:
    """Runs of words that both have, all in small letters and one of them long."""
    text = f" {' '.join(there)} "
    runs = []
    for start in range(len(here) - _RUN + 1):
        run = here[start : start + _RUN]
        is_plain = all(word.isalpha() and word.islower() for word in run)
        if is_plain and any(map(_is_common, run)) and f" {' '.join(run)} " in text:
            runs.append(" ".join(run))
    return runs


def _marks(side: str, text: str, words: Sequence[str]) -> tuple[Mark, ...]:
    places = ((text.find(word), word) for word in words)
    kind = "source" if side == "source" else "output"
    return tuple(Mark(kind, start, start + len(word)) for start, word in places if start >= 0)  # type: ignore[arg-type]
