"""Distances between two translations, by characters, words, phrases or dependency relations.

They are the structures of He, Meister, Su (2020), section 3.4, and words for languages without a parser.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import ClassVar, cast

from mtassay.data.errors import UsageError
from mtassay.data.registry import find, is_known, names
from mtassay.data.words import common_ends, edit_distance
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.nlp.annotation import Annotation, Layer, Words, with_phrases, words_of_both


class Structure(ABC):
    """A representation of the structure of a translation."""

    name: ClassVar[str]
    about: ClassVar[str]
    """A short description of what is compared."""
    thresholds: ClassVar[Mapping[str, float]]
    """Default thresholds by preset: `wide` finds most issues, `sure` finds fewer but more certain ones.

    The thresholds of `dependency` come from He, Meister, Su 2020, section 4. We found the others on our own
    labelled translations from English to Portuguese, see docs/studies/invariance.md.
    """
    needs: ClassVar[frozenset[Layer]] = frozenset()
    """Required layers of an output's annotation; empty if the text is enough."""

    @property
    def signature(self) -> str:
        """The signature; equal signatures and equal annotators mean equal distances."""
        return self.name

    @abstractmethod
    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """The distance of each variant's translation from the original's, in order; 0 is no difference."""

    @abstractmethod
    def differences(self, compared: ComparedPair) -> list[str]:
        """Describe the differences for a reader, most important first."""


def open_structure(name: str) -> Structure:
    """The structure with this name.

    >>> open_structure("trees")
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No structure 'trees'. Available: constituency, dependency, raw, tokens.
    """
    if not is_known("structure", name):
        raise UsageError(f"No structure '{name}'. Available: {', '.join(sorted(names('structure')))}.")
    return cast("type[Structure]", find("structure", name))()


class Tokens(Structure):
    """Levenshtein distance in words, compared exactly as written.

    The words are the tokens of the annotations, or else plain words; characters in unspaced scripts.
    """

    name: ClassVar[str] = "tokens"
    about: ClassVar[str] = "words that differ"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 3, "sure": 7}

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """Count the words to add, drop or replace, for each pair, in order."""
        both = (words_of_both(pair.original.output, pair.variant.output) for pair in compared)
        return [edit_distance(*([token.text for token in words] for words in sides)) for sides in both]

    def differences(self, compared: ComparedPair) -> list[str]:
        """The spans of words that differ, longest first."""
        return changed_words(compared)


class Raw(Structure):
    """Levenshtein distance in characters."""

    name: ClassVar[str] = "raw"
    about: ClassVar[str] = "characters that differ"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 14, "sure": 29}

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """Count the characters to add, drop or replace, for each pair, in order."""
        return [edit_distance(pair.original.output.text, pair.variant.output.text) for pair in compared]

    def differences(self, compared: ComparedPair) -> list[str]:
        """The spans of words that differ, longest first."""
        return changed_words(compared)


def changed_words(compared: ComparedPair) -> list[str]:
    """The spans of words that differ, longest first: `"now" became "then"`."""
    text, other_text = compared.original.output.text, compared.variant.output.text
    words, others = words_of_both(compared.original.output, compared.variant.output)
    changed = _changed([token.text for token in words], [token.text for token in others])
    lines = []
    for one, other in sorted(changed, key=lambda stretch: -len(stretch[0]) - len(stretch[1])):
        if not other:
            lines.append(f"gone: {_quote(text, words, one)}")
        elif not one:
            lines.append(f"new: {_quote(other_text, others, other)}")
        else:
            lines.append(f"{_quote(text, words, one)} became {_quote(other_text, others, other)}")
    return lines


def _changed(words: Sequence[str], others: Sequence[str]) -> list[tuple[range, range]]:
    """The differing spans between the words that two sequences share, as positions in both."""
    start, end = common_ends(words, others)
    inner, other_inner = words[start : len(words) - end], others[start : len(others) - end]
    return [
        (range(start + first, start + until), range(start + other_first, start + other_until))
        for kind, first, until, other_first, other_until in SequenceMatcher(
            None, inner, other_inner, autojunk=False
        ).get_opcodes()
        if kind != "equal"
    ]


def _quote(text: str, words: Words, numbers: range) -> str:
    """Quote the text from the first to the last of these words."""
    return f'"{text[words[numbers[0]].start : words[numbers[-1]].end]}"'


class CountStructure(Structure):
    """Counts of each label in both outputs; the distance is the sum of the differences."""

    @abstractmethod
    def labels(self, output: Annotation) -> Iterable[str]:
        """The labels of an output."""

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """The sum of the absolute differences in counts, for each pair, in order."""
        counts: dict[int, Counter[str]] = {}  # counts each original only once
        for pair in compared:
            for output in (pair.original.output, pair.variant.output):
                if id(output) not in counts:
                    counts[id(output)] = Counter(self.labels(output))
        both = ((counts[id(pair.original.output)], counts[id(pair.variant.output)]) for pair in compared)
        return [(before - after).total() + (after - before).total() for before, after in both]

    def differences(self, compared: ComparedPair) -> list[str]:
        """One line for each label with a different count: `nsubj: 2, was 1`."""
        before, after = (Counter(self.labels(a.output)) for a in (compared.original, compared.variant))
        labels = sorted(
            before.keys() | after.keys(), key=lambda name: (-abs(after[name] - before[name]), name)
        )
        return [
            f"{name}: {after[name]}, was {before[name]}" for name in labels if after[name] != before[name]
        ]


class Dependency(CountStructure):
    """Counts of dependency relations, one for each word."""

    name: ClassVar[str] = "dependency"
    about: ClassVar[str] = "dependency relations, counted by type"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 4, "sure": 15}
    needs: ClassVar[frozenset[Layer]] = frozenset(("tokens", "dependencies"))

    def labels(self, output: Annotation) -> Iterable[str]:
        """The relations of the words."""
        return (token.relation for token in output.tokens)


class Constituency(CountStructure):
    """Counts of phrases.

    If the annotator finds no constituents, they are approximated from the dependencies: see
    `mtassay.nlp.annotation`.
    """

    name: ClassVar[str] = "constituency"
    about: ClassVar[str] = "phrases, counted by type"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 2, "sure": 4}
    needs: ClassVar[frozenset[Layer]] = frozenset(("tokens", "pos", "dependencies"))

    def labels(self, output: Annotation) -> Iterable[str]:
        """The labels of the phrases."""
        return (span.label for span in with_phrases(output).constituents or ())
