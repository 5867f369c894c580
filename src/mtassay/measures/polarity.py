"""Finds outputs with a negation that the source does not have, or the reverse.

Only a plain negation (*not*, *never*, *kein*, *não*) is suspected, and only if nothing in the other text
could express it. So a word with a negative meaning or affix (*without*, *fail*, *illegal*) is enough to
accept the pair, and so is a phrase that is negative only in form (*not only*, *isn't it?*). In some
languages, a negation looks like another word. It is then also suspected if the other word fits much better
(*não verão* for *no verão*) and the output has more negations than the source.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.errors import InputError
from mtassay.data.formats.textfiles import read_bytes, split_lines
from mtassay.data.language_packs import pack_file
from mtassay.data.languages import Pair
from mtassay.data.words import plain_marks, read_table
from mtassay.nlp.annotation import Annotation, plain_words


@dataclass(frozen=True, slots=True)
class Negations:
    """The negations of a language, as regular expressions for lower-case text.

    `formal` matches phrases that contain a negation but negate nothing, and `plain` certain negations.
    `hidden` matches everything else that another language may express by a negation. `witnessed` matches
    words that certainly negate if a right translation of the same text lacks them.
    """

    formal: str
    plain: str
    hidden: str
    witnessed: str = ""

    def plain_in(self, text: str) -> list[str]:
        """The negations in a text in lower case, each once.

        >>> all_negations()["pt"].plain_in("Ela não só canta; também nunca para no domingo.")
        ['nunca']
        """
        folded = fold_text(text)
        if not re.search(self.plain, folded):  # much faster than searching for phrases
            return []
        rest = re.sub(self.formal, " ", folded)
        return list(dict.fromkeys(match.group().strip() for match in re.finditer(self.plain, rest)))

    def witnessed_in(self, text: str) -> list[str]:
        """The negations in a text, given a right translation in the same language."""
        if words := self.plain_in(text):
            return words
        rest = re.sub(self.formal, " ", fold_text(text))
        return re.findall(self.witnessed, rest)[:1] if self.witnessed else []

    def count(self, text: str) -> int:
        """Count the plain negations in a text, including formal ones."""
        return len(re.findall(self.plain, fold_text(text)))

    def may_deny(self, text: str, *, beside: str = "") -> bool:
        """Whether anything in the text could mean a negation that `beside` does not have."""
        found = re.finditer(f"{self.formal}|{self.plain}|{self.hidden}", fold_text(text))
        other = fold_text(beside)
        return any(not other or match.group() not in other for match in found)

    def affixes(self, text: str) -> int:
        """The number of long words that may mean a negation (undone, deshacer); 0 if there are short ones."""
        rest = re.sub(self.plain, " ", fold_text(text))
        lengths = [len(match.group()) for match in re.finditer(self.hidden, rest)]
        return len(lengths) if min(lengths, default=0) > 5 else 0


# Program syntax that is not a negation: options, access keys within words, quotes as %'.
_OPTIONS = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
_ACCELERATORS = re.compile(r"[&_](?=[^\W_])|%(?=')")
_FIELDS = re.compile(r"%(?:\d+\$)?[sduqi](?![^\W_]*')")
_TRADITIONAL = str.maketrans("沒無別", "没无别")


@lru_cache(maxsize=1 << 13)
def fold_text(text: str) -> str:
    """The text in lower case with plain marks, without options and access keys of programs.

    >>> fold_text("D&o not use --no-delay")
    'do not use  '
    """
    folded = plain_marks(text).casefold()
    if not folded.isascii():
        folded = folded.translate(_TRADITIONAL)
    if "-" in folded:
        folded = _OPTIONS.sub(" ", folded)
    if "%" in folded:
        folded = _FIELDS.sub(" ", folded)
    if "&" in folded or "_" in folded or "%'" in folded:
        folded = _ACCELERATORS.sub("", folded)
    return folded


@cache
def all_negations() -> Mapping[str, Negations]:
    """Return negations by language; a language pack may add others (`negations_of`)."""
    table = read_table(Path(__file__).parent / "data" / "negations.toml")
    return {code: Negations(**{"formal": "", **entry}) for code, entry in table.items()}


_CONFUSED = {"pt": ("não", "no")}
_LIKELIER = 1.0  # nats


class Contradiction(NamedTuple):
    """A negation in only one text: the reason, and the negations of each side."""

    why: str
    source: list[str]
    output: list[str]


@dataclass(frozen=True)
class Polarity:
    """Finds a plain negation in one text without anything in the other that could mean it.

    `words` and `confused` (a negation and a similar word) find a negation used in place of that word.
    """

    source: Negations
    target: Negations
    words: TargetWords | None = None
    confused: tuple[str, str] | None = None

    def compare(self, source: str, output: str) -> Contradiction | None:
        """Return the contradiction between source and output, if any; empty texts never contradict."""
        if not source.strip() or not output.strip():
            return None
        if (words := self.target.plain_in(output)) and not self.source.may_deny(source):
            return Contradiction(
                f"the output says {_quoted(words)}, and nothing in the source says no", [], words
            )
        if (words := self.source.plain_in(source)) and not self.target.may_deny(output):
            return Contradiction(
                f"the source says {_quoted(words)}, and nothing in the output says no", words, []
            )
        if phrase := self.mistaken(source, output):
            why = f"{phrase[0]!r} says no where {phrase[1]!r} would fit, and the source denies less often"
            return Contradiction(why, [], [phrase[0]])
        return None

    def contradict(self, source: str, output: str, references: Sequence[str]) -> Contradiction | None:
        """Return the contradiction if only the output has a negation, or only source and reference.

        A reference in the same language is better evidence, so only plain negations of the source count.
        Without a reference, nothing is reported.
        """
        if not source.strip() or not output.strip() or not references:
            return None
        there, here = self.source.plain_in(source), self.target.witnessed_in(output)
        if here and not there and not any(map(self.target.may_deny, references)):
            why = f"the output says {_quoted(here)}, and neither source nor reference says no"
            return Contradiction(why, [], here)
        # Words that output and reference share are not the negation.
        denies = any(self.target.may_deny(output, beside=reference) for reference in references)
        if there and all(map(self.target.witnessed_in, references)) and not (here or denies):
            why = f"the source says {_quoted(there)}, and nothing in the output says no"
            return Contradiction(why, there, [])
        return None

    def contradictions(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """Return the contradictions in answers that have a reference, in order."""
        suspicions = []
        for answer in answers:
            found = self.contradict(answer.source.text, answer.output.text, answer.references)
            if found:
                evidence = {"source": found.source, "output": found.output}
                suspicions.append(Suspicion(answer.id, found.why, 1.0, evidence))
        return suspicions

    def mistaken(self, source: str, output: str) -> tuple[str, str] | None:
        """A negation with its next word, and the same with the word that fits much better."""
        if self.words is None or self.confused is None:
            return None
        if self.target.count(output) <= self.source.count(source):
            return None
        negation, other = self.confused
        words = small_words(output)
        for at in range(1, len(words) - 1):
            if words[at] == negation and self.words.prefers(other, words, at) > _LIKELIER:
                return f"{negation} {words[at + 1]}", f"{other} {words[at + 1]}"
        return None


@cache
def negations_of(language: str) -> Negations | None:
    """Return a language's negations from an installed pack or our table; `None` if unknown.

    Raises:
        InputError: A line of the pack's table must be `formal`, `plain` or `hidden`, a tab, and an
            expression.
    """
    path = pack_file("negations", language)
    if path is None:
        return all_negations().get(language)
    parts: dict[str, list[str]] = {"formal": [], "plain": [], "hidden": []}
    for number, line in enumerate(split_lines(read_bytes(path), str(path)), 1):
        part, tab, expression = line.partition("\t")
        if not tab or part not in parts or not expression:
            raise InputError(f"write {', '.join(parts)}, a tab and an expression", path=path, line=number)
        parts[part].append(expression)
    # matches nothing; for a part without lines
    return Negations(**{part: "|".join(found) or r"(?!)" for part, found in parts.items()})


def find_polarity(pair: Pair) -> Polarity | None:
    """Return the comparison of negations for a pair; `None` if a language's negations are not listed."""
    languages = [str(language).partition("-")[0] for language in (pair.source, pair.target)]
    source, target = map(negations_of, languages)
    if source is None or target is None:
        return None
    return Polarity(source, target, target_words(pair), _CONFUSED.get(languages[1]))


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


@dataclass(frozen=True, slots=True)
class AnnotatedAnswer:
    """A source and its translation, both annotated or only as texts.

    `references` are right translations, if any; `again` has further answers if the system repeated.
    """

    id: str
    source: Annotation
    output: Annotation
    references: tuple[str, ...] = ()
    again: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A suspected error: the `id` of its answer, `why` in words, and `value`, its strength."""

    id: str
    why: str
    value: float
    evidence: Mapping[str, Any] = field(default_factory=dict)


STEP = 0.25
"""The step of stored frequencies on the Zipf scale, where 3 means once in a million words."""
EDGE = "|"
"""The mark before the first word of a sentence and after the last."""
_LEAN = 20.0  # occurrences of a word that have the same weight as the counts of all words together


@dataclass(frozen=True, slots=True, eq=False)
class TargetWords:
    """A language's words: `frequencies` on the Zipf scale, and counts of words and word pairs in sentences.

    Unknown words have the frequency 0. Words are in lower case.
    """

    frequencies: Mapping[str, float]
    counts: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]
    total: int

    def frequency(self, word: str) -> float:
        """The frequency on the Zipf scale; 0 for an unknown word."""
        return self.frequencies.get(word, 0.0)

    def surprise(self, before: str, word: str) -> float:
        """The surprise (in nats) of a word after another."""
        alone = (self.counts.get(word, 0) + 0.1) / self.total
        seen = self.counts.get(before, 0)
        return -math.log((self.pairs.get((before, word), 0) + _LEAN * alone) / (seen + _LEAN))

    def prefers(self, other: str, words: Sequence[str], at: int) -> float:
        """The advantage (in nats) of another word at this place, between the same neighbours."""
        before, word, after = words[at - 1 : at + 2]
        there = self.surprise(before, word) + self.surprise(word, after)
        return there - self.surprise(before, other) - self.surprise(other, after)


def small_words(text: str) -> list[str]:
    """The words and marks of a text in lower case with plain marks, between two edge symbols.

    >>> small_words("Não sei.")
    ['|', 'não', 'sei', '.', '|']
    """
    return [EDGE, *(word.text.lower() for word in plain_words(plain_marks(text))), EDGE]


def target_words(pair: Pair) -> TargetWords | None:
    """Return the words of a pair's target language; `None` if no installed pack has a list."""
    return _read(pair.target.code.partition("-")[0])


@cache
def _read(language: str) -> TargetWords | None:
    path, neighbours = pack_file("words", language), pack_file("neighbours", language)
    if path is None:
        return None
    frequencies: dict[str, float] = {}
    for line in _lines(path):
        step, *words = line.split(" ")
        frequencies |= dict.fromkeys(words, int(step) * STEP)
    counts: dict[str, int] = {}
    pairs: dict[tuple[str, str], int] = {}
    for line in _lines(neighbours) if neighbours else ():
        word, count, *after = line.split(" ")
        counts[word] = int(count)
        pairs |= {(word, other): int(n) for other, n in zip(after[::2], after[1::2], strict=True)}
    return TargetWords(frequencies, counts, pairs, max(sum(counts.values()), 1))


def _lines(path: Path) -> list[str]:
    return split_lines(read_bytes(path), str(path))
