"""Checks for untranslated words of the source, and for outputs with too few or too many words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median
from typing import ClassVar, Literal

from mtassay.data.languages import parse_language
from mtassay.data.marks import plural
from mtassay.measures.check import Alarm, Check, CheckContext, Mark, Severity, Unit, code_of
from mtassay.measures.output_language import (
    is_foreign_word,
    is_international,
    is_loan,
    is_monolingual,
    is_same_text,
    without_quotes,
)
from mtassay.measures.word_sets import lost_word

# Addresses, tags, placeholders, options and code are not translated.
_NO_WORDS = re.compile(
    r"https?://\S++|www\.\S++|(?<!\S)\S{1,80}@\S++|<[^<>]{1,400}>|\{[^{}]{1,80}\}|`[^`]{1,200}`"
    r"|[^\s\w(\"'“„«][\w.:/=-]++|(?<!\w)\w++[_/\\=.(:|][\w(/'\"]\S*+"
    r"|(?<!\w)\w++=|(?<!\w)\w++(?:-\w++)+|\(\w++\)|(?<!\w)\w++:(?=\s)|\bgit(?: [a-z]++)+"
)
# Texts about commands contain their values and names: "  -z unique   Mark it".
_COMMAND = re.compile(
    r"(?:^|[\s(\['\"|=])--?[A-Za-z][\w-]*|\S {2,}\S|(?<!\w)[a-z]+\(\)|\w_\w|[$%\\]\w+ ?[=:]|\t"
)
_LONG = re.compile(r"[^\W\d_\u0e00-\uffff]{4,}+")
_LETTERS = 4
_RUN = 3


class UntranslatedWords(Check):
    """Words that source and output share and that are neither names nor loan words.

    A word of at least four lower-case letters counts if it is in the source language's dictionary, but not in
    the target language's, and is not a common loan word in programs (`socket`). Three lower-case words in a
    row also count. Words that a reference also has are right.
    """

    id: ClassVar[str] = "untranslated-words"
    group: ClassVar[str] = "meaning"
    severity: ClassVar[Severity] = "major"
    about: ClassVar[str] = "words of the source language are left in the output"
    scope: ClassVar[Literal["unit", "file"]] = "file"

    def applies(self, context: CheckContext) -> bool:
        """Whether the languages differ."""
        return context.source is not None and context.target is not None and not is_monolingual(context)

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Return alarms; outputs that equal their whole source are left to the check `untranslated`.

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
            # Most pairs have no such word in common, and this is cheap to check.
            words = [word for word in _long_words(source, has_nouns) if word in output]
            if (
                not words
                or not (words := list({*words}.intersection(_LONG.findall(output))))
                or not (
                    any(
                        is_foreign_word(w, *languages)
                        for w in words
                        if w not in _right_words(unit.references)
                    )
                    or (
                        any(map(str.islower, words))  # one word of a run is long
                        and len(set(source.split()).intersection(output.split())) >= _RUN
                    )
                )
            ):
                continue
            if is_same_text(source, output):
                continue
            if words := _left_words(source, output, *languages, _right_words(unit.references)):
                found[index] = words
                left.update(words)
        loans = _loans(units, left)
        for index, words in found.items():
            if words := [word for word in words if word not in loans]:
                marks = _marks("source", units[index].source or "", words)
                marks += _marks("output", units[index].output, words)
                yield Alarm(index, f"untranslated: {', '.join(words)}", marks)


def _words(text: str) -> list[str]:
    from mtassay.nlp.annotation import plain_words  # loads slowly

    return [word.text for word in plain_words(text)]


@lru_cache(maxsize=1 << 13)
def _right_words(references: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for text in references for word in _words(text))


@lru_cache(maxsize=1 << 14)
def _long_words(source: str, has_nouns: bool) -> frozenset[str]:
    """The long words of a source; without capitals, unless all nouns are capitalised."""
    return frozenset(
        word if has_nouns else word.lower()
        for word in _LONG.findall(source)
        if has_nouns or word[1:].islower()
    )


def _loans(units: Sequence[Unit], left: Counter[str]) -> set[str]:
    """Words that a file keeps more than once and in at least half of their occurrences."""
    there: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    wanted = frozenset(left)
    for unit in units if left else ():
        words = wanted & _long_words(unit.source or "", True)
        if not words:
            continue
        there.update(words)
        kept.update(word for word in words if word in unit.output and unit.source != unit.output)
    return {word for word in left if kept[word] > 1 and 2 * kept[word] >= there[word]}


@lru_cache(maxsize=1 << 13)
def _own_words(text: str) -> Sequence[str]:
    """The words of a text that need a translation."""
    return _words(_NO_WORDS.sub(" ", without_quotes(text)))


@lru_cache(maxsize=1 << 13)
def _left_words(
    source: str, output: str, source_language: str, target_language: str, right: frozenset[str]
) -> list[str]:
    there, here = _own_words(source), _own_words(output)
    known = set(there)
    known |= {word.lower() for word in there if word.istitle() and target_language in _NOT_LATIN}
    left = [w for w in here if w in known and _is_common(w) and w not in right and not is_loan(w)]
    if _COMMAND.search(source):
        left = []
    if source_language in _CAPITAL_NOUNS:
        nouns = [word for word in _AFTER_ARTICLE.findall(output) if word in known and word not in right]
        left += [word for word in nouns if word[0].isupper() and len(word) >= _LETTERS + 2]
    languages = source_language, target_language
    foreign = [
        word for word in left if is_foreign_word(word, *languages) and not is_international(word, *languages)
    ]
    return list(dict.fromkeys([*foreign, *_runs(there, here)]))


_NOT_LATIN = frozenset(("ru", "uk", "zh", "ja", "ko", "el", "bg"))


def _is_common(word: str) -> bool:
    return len(word) >= _LETTERS and word.isalpha() and word.islower()


_CAPITAL_NOUNS = frozenset(("de", "lb"))
# "The Hausmeister has": a noun with an article is usually not a name.
_AFTER_ARTICLE = re.compile(
    r"\b(?:the|an?|this|that|his|her|their|our|my|your|no|every) ([^\W\d_]+)(?= [a-z]|[.,!?])", re.IGNORECASE
)


def _runs(there: Sequence[str], here: Sequence[str]) -> list[str]:
    """Sequences of lower-case words that are in both texts, with at least one long word."""
    small = [word.isalpha() and word.islower() for word in here]
    text = f" {' '.join(there)} "
    runs = []
    for start in range(len(here) - _RUN + 1):
        if all(small[start : start + _RUN]):
            run = here[start : start + _RUN]
            if any(map(_is_common, run)) and f" {' '.join(run)} " in text:
                runs.append(" ".join(run))
    return runs


def _marks(side: str, text: str, words: Sequence[str]) -> tuple[Mark, ...]:
    places = ((text.find(word), word) for word in words)
    kind = "source" if side == "source" else "output"
    return tuple(Mark(kind, start, start + len(word)) for start, word in places if start >= 0)  # type: ignore[arg-type]


_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+")
# Added to both lengths, so that "No." for "Absolutely not." is not unusual.
_SLACK = 12
_SAMPLE = 2000
# Fewer translations are not enough to know the usual length in a file.
_FEWEST = 30


@lru_cache(maxsize=1 << 15)
def size_of(text: str) -> int:
    """The length in letters; a Chinese, Japanese or Korean character counts as three.

    >>> size_of("dog"), size_of("狗")
    (3, 3)
    """
    return len(text) if text.isascii() else len(text) + 2 * sum(map(len, _WIDE.findall(text)))


@lru_cache(maxsize=1 << 15)
def _log_size(text: str) -> float:
    return math.log(size_of(text) + _SLACK)


@dataclass(frozen=True, slots=True)
class Lengths:
    """The usual log ratio of output to source in a file: (size + 12) / (size + 12)."""

    usual: float = 0.0

    @classmethod
    def of(cls, units: Sequence[Unit]) -> Lengths:
        """Estimate the ratio from a sample of the units; 0 for fewer than 30 units."""
        some = units[:: len(units) // _SAMPLE + 1]
        texts = ((unit.output, unit.source) for unit in some if unit.source and unit.output)
        ratios = [_log_size(output) - _log_size(source) for output, source in texts]
        # A broken file must not define the usual length, so limit it to half or twice the length.
        return cls(max(-0.5, min(0.5, median(ratios)))) if len(ratios) >= _FEWEST else cls()

    def excess(self, unit: Unit) -> float:
        """The log of an output's length relative to the usual length: 0.69 means twice as long.

        If a reference's length is closer than the source's, it is used instead.

        >>> round(Lengths().excess(Unit("1", "x" * 76, "x" * 32)), 2)
        0.69
        """
        size = _log_size(unit.output)
        nearest = size - _log_size(unit.source) - self.usual if unit.source else math.inf
        for text in unit.references:
            if text and abs(excess := size - _log_size(text)) < abs(nearest):
                nearest = excess
        return 0.0 if nearest == math.inf else nearest


class _Shared:
    """A cache of the latest units' lengths, since the checks of a file run one after another."""

    def __init__(self, context: CheckContext) -> None:
        self._units: Sequence[Unit] | None = None
        self._lengths = Lengths()

    def of(self, units: Sequence[Unit]) -> Lengths:
        if self._units is not units:
            self._units, self._lengths = units, Lengths.of(units)
        return self._lengths


def lengths_of(units: Sequence[Unit], context: CheckContext) -> Lengths:
    """Return the lengths of a file, computed once for all checks."""
    return context.part(_Shared).of(units)


class Omission(Check):
    """Outputs that are much shorter than usual in the file, or lack a word that matters."""

    id = "omission"
    group = "meaning"
    severity = "major"
    about = "the output is much shorter than the source, or lacks a word such as except"
    scope = "file"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Find outputs below about 45 % of the usual length, if the source has at least a sentence."""
        lengths, codes = lengths_of(units, context), (code_of(context.source), code_of(context.target))
        for index, unit in enumerate(units):
            source = unit.source
            if source and not unit.references and (word := lost_word(source, unit.output, *codes)):
                yield Alarm(index, f"{word!r} is missing", _marks("source", source.lower(), [word]))
                continue
            missing, n = _fewer_sentences(source, unit.output) if source else (0, 0)
            # Half of the length of these sentences, if all have equal lengths.
            if missing and lengths.excess(unit) < 0.5 * math.log(1 - missing / n):
                yield Alarm(index, f"{plural(missing, 'sentence')} fewer than the source, and it is shorter")
                continue
            # The first comparisons are cheap and decide nearly all cases.
            if source and size_of(source) >= _LONG_SOURCE and 4 * size_of(unit.output) < 3 * size_of(source):
                # Chinese and Japanese use commas differently.
                is_wide = _WIDE.search(unit.output) is not None
                parts = len(_PART.findall(source)) - len(_PART.findall(unit.output))
                if parts > 0 and not is_wide and (excess := lengths.excess(unit)) < -0.32:
                    share = f"{math.exp(excess):.0%} of the usual length"
                    message = f"{plural(parts, 'part')} fewer than the source, {share}"
                    yield Alarm(index, message)
                    continue
            if (
                not source
                or 2 * len(unit.output) > len(source)
                or (len(source) < 40 and size_of(source) < 40)
            ):
                continue
            if unit.output.strip() and (excess := lengths.excess(unit)) < -0.8:
                yield Alarm(
                    index, f"only {math.exp(excess):.0%} of the usual length: something may be missing"
                )


class Addition(Check):
    """Outputs that are much longer than usual in the file, or add a word that matters."""

    id = "addition"
    group = "meaning"
    severity = "major"
    about = "the output is much longer than the source, or adds a word such as free"
    scope = "file"

    def find(self, units: Sequence[Unit], context: CheckContext) -> Iterator[Alarm]:
        """Find outputs of more than about twice the usual length, and at least 30 letters more."""
        lengths, codes = lengths_of(units, context), (code_of(context.target), code_of(context.source))
        for index, unit in enumerate(units):
            if unit.source and not unit.references and (word := lost_word(unit.output, unit.source, *codes)):
                where = _marks("output", unit.output.lower(), [word])
                yield Alarm(index, f"nothing in the source says {word!r}", where)
                continue
            if not unit.source or len(unit.output) < len(unit.source) + 15 < 30:
                continue
            if (more := _fewer_sentences(unit.output, unit.source)[0]) and lengths.excess(unit) > 0.35:
                why = f"{plural(more, 'sentence')} more than the source, and it is longer"
            elif is_far_longer(unit, lengths):
                why = f"{math.exp(lengths.excess(unit)):.1f} times the usual length: something may be added"
            else:
                continue
            if not has_contact(unit):
                yield Alarm(index, why)


_LONG_SOURCE = 50
# Punctuation that ends a part of a sentence.
_PART = re.compile(r"[,;:.!?](?=\s|$)|[、，；：。！？]|\s[–—-]\s")
# The end of a sentence, if there is a word before it; to search for its sign is far faster than for words.
_SENTENCE = re.compile(r"(?:[.;]|[!?]+)[\"”»)]?(?=\s+[¿¡(\"'“«„]*[^\W_]|\s*$)|[。！？]")
_WORD_BEFORE = re.compile(r"[^\W_][>)\]\"'”’“»]{0,3}(?:[\u00a0\u202f ]»)?\Z")
_SPACED_BEFORE = re.compile(rf"{_WORD_BEFORE.pattern[:-2]}[\u00a0\u202f ]?\Z")


def _fewer_sentences(one: str, other: str) -> tuple[int, int]:
    """How many sentences one text has fewer than the other, and how many it has; 0 if unclear."""
    if len(one) > 1_000 or (". " not in one and "! " not in one and "? " not in one and "。" not in one):
        return 0, 0
    own, theirs = _count_sentences(one), _count_sentences(other)
    return (own - theirs, own) if own > theirs > 0 else (0, 0)


@lru_cache(maxsize=1 << 14)
def _count_sentences(text: str) -> int:
    count = 0
    for match in _SENTENCE.finditer(text):
        sign, before = match[0][0], text[max(0, match.start() - 7) : match.start()]
        pattern = _SPACED_BEFORE if sign in "!?" else _WORD_BEFORE
        count += sign in "。！？" or before[-1:].isalnum() or pattern.search(before) is not None
    return count


_CONTACT = re.compile(r"\w@\w|https?://|www\.")


def has_contact(unit: Unit) -> bool:
    """Whether only the output has an address, for example for reporting translation errors."""
    return _CONTACT.search(unit.output) is not None and not _CONTACT.search(unit.source or "")


def is_far_longer(unit: Unit, lengths: Lengths) -> bool:
    """Whether an output has more than twice the usual length, and at least 30 letters more."""
    if unit.source is None or size_of(unit.output) < math.exp(lengths.usual) * size_of(unit.source) + 30:
        return False
    return lengths.excess(unit) > 0.69
