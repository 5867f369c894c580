"""Find outputs that say no where the source says yes, or the reverse.

Only a plain negation (*not*, *never*, *kein*, *não*) is suspected, and only if nothing at all on the other
side could mean it: a word that denies by its meaning or its affix (*without*, *fail*, *illegal*) is enough to
accept the pair, and so is a phrase that denies only in form (*not only*, *isn't it?*). In a language whose
word for no looks like another word, it is also suspected if the other word would fit far better (*não verão*
for *no verão*) and the output denies more often than the source.
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
from mtassay.data.words import read_table
from mtassay.nlp.annotation import Annotation, plain_words
from mtassay.nlp.normalisation import plain_marks


@dataclass(frozen=True, slots=True)
class Negations:
    """The negations of a language, as regular expressions over text in small letters.

    `formal` are phrases that contain a negation and deny nothing, `plain` the words that deny for certain,
    `hidden` everything else that another language may express by a negation, `witnessed` words that deny for
    certain if a right translation of the same text lacks them.
    """

    formal: str
    plain: str
    hidden: str
    witnessed: str = ""

    def plain_in(self, text: str) -> list[str]:
        """The words that deny, as written in small letters, each once.

        >>> all_negations()["pt"].plain_in("Ela não só canta; também nunca para no domingo.")
        ['nunca']
        """
        folded = fold_text(text)
        if not re.search(self.plain, folded):  # much faster than to look for phrases
            return []
        rest = re.sub(self.formal, " ", folded)
        return list(dict.fromkeys(match.group().strip() for match in re.finditer(self.plain, rest)))

    def witnessed_in(self, text: str) -> list[str]:
        """The words that deny in a text beside a right translation in the same language."""
        if words := self.plain_in(text):
            return words
        rest = re.sub(self.formal, " ", fold_text(text))
        return re.findall(self.witnessed, rest)[:1] if self.witnessed else []

    def count(self, text: str) -> int:
        """The number of plain negations in the text, including those that deny only in form."""
        return len(re.findall(self.plain, fold_text(text)))

    def may_deny(self, text: str, *, beside: str = "") -> bool:
        """Whether anything in the text could mean a negation that `beside` does not say, too."""
        found = re.finditer(f"{self.formal}|{self.plain}|{self.hidden}", fold_text(text))
        other = fold_text(beside)
        return any(not other or match.group() not in other for match in found)


# Program syntax that denies nothing: options, access keys within words, quotes as %'.
_OPTIONS = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
_ACCELERATORS = re.compile(r"[&_](?=[^\W_])|%(?=')")
_FIELDS = re.compile(r"%(?:\d+\$)?[sduqi](?![^\W_]*')")
_TRADITIONAL = str.maketrans("沒無別", "没无别")


@lru_cache(maxsize=1 << 13)
def fold_text(text: str) -> str:
    """The text in small letters and plain marks, without options and accelerators of programs.

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
    """The negations by language; a language pack may add others (`negations_of`)."""
    table = read_table(Path(__file__).parent / "data" / "negations.toml")
    return {code: Negations(**{"formal": "", **entry}) for code, entry in table.items()}


_CONFUSED = {"pt": ("não", "no")}
_LIKELIER = 1.0  # nats


class Contradiction(NamedTuple):
    """A negation on one side only: the reason, and the words that deny on either side."""

    why: str
    source: list[str]
    output: list[str]


@dataclass(frozen=True)
class Polarity:
    """Finds a plain negation on one side without anything on the other that could mean it.

    `words` and `confused`, a negation and a similar word, find a negation in place of that word.
    """

    source: Negations
    target: Negations
    words: TargetWords | None = None
    confused: tuple[str, str] | None = None

    def compare(self, source: str, output: str) -> Contradiction | None:
        """The contradiction between source and output; an empty side says neither yes nor no."""
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
        """The contradiction if an output says no and neither source nor reference does, or the reverse.

        A reference in the same language is better evidence, so only plain negations of the source count;
        without a reference nothing is reported.
        """
        if not source.strip() or not output.strip() or not references:
            return None
        there, here = self.source.plain_in(source), self.target.witnessed_in(output)
        if here and not there and not any(map(self.target.may_deny, references)):
            why = f"the output says {_quoted(here)}, and neither source nor reference says no"
            return Contradiction(why, [], here)
        # Words that output and reference share do not express the negation.
        denies = any(self.target.may_deny(output, beside=reference) for reference in references)
        if there and all(map(self.target.witnessed_in, references)) and not (here or denies):
            why = f"the source says {_quoted(there)}, and nothing in the output says no"
            return Contradiction(why, there, [])
        return None

    def contradictions(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """The contradictions in the answers with a reference, in order."""
        suspicions = []
        for answer in answers:
            found = self.contradict(answer.source.text, answer.output.text, answer.references)
            if found:
                evidence = {"source": found.source, "output": found.output}
                suspicions.append(Suspicion(answer.id, found.why, 1.0, evidence))
        return suspicions

    def mistaken(self, source: str, output: str) -> tuple[str, str] | None:
        """A negation with its next word, and the same with the word that fits far better there."""
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
    """The negations of a language from an installed language pack, else from our table; `None` if unknown.

    Raises:
        InputError: A line of the pack's table is not `formal`, `plain` or `hidden`, a tab, and an expression.
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
    # An expression that matches nothing, for a part without lines.
    return Negations(**{part: "|".join(found) or r"(?!)" for part, found in parts.items()})


def find_polarity(pair: Pair) -> Polarity | None:
    """The comparison of negations for a pair; `None` if those of a language are not listed."""
    languages = [str(language).partition("-")[0] for language in (pair.source, pair.target)]
    source, target = map(negations_of, languages)
    if source is None or target is None:
        return None
    return Polarity(source, target, target_words(pair), _CONFUSED.get(languages[1]))


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


@dataclass(frozen=True, slots=True)
class AnnotatedAnswer:
    """One source and its translation, both annotated, or with the text only.

    `references` are any right translations; `again` are further answers of a system asked several times.
    """

    id: str
    source: Annotation
    output: Annotation
    references: tuple[str, ...] = ()
    again: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One suspected error: the `id` of its answer, `why` in words, and `value`, its strength."""

    id: str
    why: str
    value: float
    evidence: Mapping[str, Any] = field(default_factory=dict)


STEP = 0.25
"""The step of the stored frequencies on the Zipf scale: 3 is once in a million words."""
EDGE = "|"
"""The mark before the first word of a sentence and after the last."""
_LEAN = 20.0  # the number of occurrences of a word that weigh as much as the counts of all words together


@dataclass(frozen=True, slots=True, eq=False)
class TargetWords:
    """A language's words: `frequencies` on the Zipf scale, and counts of words and neighbours in sentences.

    A word that is not there has the frequency 0. Words are in small letters.
    """

    frequencies: Mapping[str, float]
    counts: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]
    total: int

    def frequency(self, word: str) -> float:
        """The frequency on the Zipf scale; 0 for an unknown word."""
        return self.frequencies.get(word, 0.0)

    def surprise(self, before: str, word: str) -> float:
        """The surprise of a word after another, in nats."""
        alone = (self.counts.get(word, 0) + 0.1) / self.total
        seen = self.counts.get(before, 0)
        return -math.log((self.pairs.get((before, word), 0) + _LEAN * alone) / (seen + _LEAN))

    def prefers(self, other: str, words: Sequence[str], at: int) -> float:
        """The advantage, in nats, of another word over the one at this place, between its neighbours."""
        before, word, after = words[at - 1 : at + 2]
        there = self.surprise(before, word) + self.surprise(word, after)
        return there - self.surprise(before, other) - self.surprise(other, after)


def small_words(text: str) -> list[str]:
    """The words and marks of a text in small letters and plain marks, between two edges.

    >>> small_words("Não sei.")
    ['|', 'não', 'sei', '.', '|']
    """
    return [EDGE, *(word.text.lower() for word in plain_words(plain_marks(text))), EDGE]


def target_words(pair: Pair) -> TargetWords | None:
    """The words of a pair's target language; `None` if no installed pack has a list."""
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
