"""What a representation of structure can do: measure how far two translations are apart, and say why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self, cast

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.registry import find, is_known, names
from mtassay.data.words import edit_distance
from mtassay.methods.invariance.places_of_edits import (
    SideBySide,
    agree,
    align,
    changed_wording,
    compare_words,
    gone_and_new,
    head_name,
    universal,
)
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.nlp.annotation import Annotation, Layer, Words, with_phrases, words_of_both


class Structure(ABC):
    """One way to represent the structure of a translation."""

    name: ClassVar[str]
    about: ClassVar[str]
    """What is compared, in a few words."""
    thresholds: ClassVar[Mapping[str, float]]
    """Those that serve, by preset: `wide` finds most issues, `sure` fewer and surer ones.

    Those of `dependency` are from He, Meister, Su 2020, section 4; the others were found on our own labelled
    translations from English to Portuguese, see docs/studies/invariance.md.
    """
    needs: ClassVar[frozenset[Layer]] = frozenset()
    """What the annotation of an output must have; nothing where the text is enough."""
    needs_source: ClassVar[frozenset[Layer]] = frozenset()
    """The same for the source."""

    @classmethod
    def open(cls, pair: Pair, *, discount: bool) -> Structure:
        """The one for outputs of a language pair.

        `discount` leaves the place of the edit out of the distance; to a structure that does so anyway it
        says nothing.
        """
        return cls()

    @property
    @abstractmethod
    def signature(self) -> str:
        """Equal signatures, with equal annotators, mean equal distances."""

    @abstractmethod
    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """How far each variant's translation is from the original's, in order; 0 is no difference."""

    @abstractmethod
    def differences(self, compared: ComparedPair) -> list[str]:
        """What differs, most telling first, in words that a person can read."""


def open_structure(name: str, pair: Pair, *, discount: bool = False) -> Structure:
    """The structure with this name for outputs of a language pair.

    >>> from mtassay.data.languages import parse_pair
    >>> open_structure("trees", parse_pair("en-pt"))
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No structure 'trees'. Available: closure, constituency, dependency, raw, tokens, tree, triples.
    """  # noqa: E501
    if not is_known("structure", name):
        raise UsageError(f"No structure '{name}'. Available: {', '.join(sorted(names('structure')))}.")
    return cast("type[Structure]", find("structure", name)).open(pair, discount=discount)


class Remainder(NamedTuple):
    """What is left of one output: its words as they are compared, and its text with these words."""

    words: Sequence[str]
    text: str


def remainders(compared: ComparedPair) -> tuple[Remainder, Remainder]:
    """What is left of the original's output and of the variant's."""
    both = compare_words(compared)
    place = both.place
    forms = {number: token.text for number, token in enumerate(both.original)}
    others = {number: token.text for number, token in enumerate(both.variant)} | _agreed(both)
    return (
        _remainder(compared.original.output.text, both.original, place.original, forms),
        _remainder(compared.variant.output.text, both.variant, place.variant, others),
    )


def _agreed(both: SideBySide) -> dict[int, str]:
    return {
        other: both.original[one].text
        for one, other in both.pairs
        if agree(both.original[one], both.variant[other])
    }


def _remainder(text: str, words: Words, place: range, forms: dict[int, str]) -> Remainder:
    pieces, kept, end = [], [], 0
    for number, token in enumerate(words):
        if number not in place:
            kept.append(forms[number])
            pieces.append(text[end : token.start] + forms[number])
        end = token.end
    return Remainder(kept, "".join((*pieces, text[end:])).strip())


@dataclass(frozen=True)
class _Sequence(Structure):
    """Edit distance of two sequences; `discount` leaves the place of the edit out."""

    discount: bool = False

    @classmethod
    def open(cls, pair: Pair, *, discount: bool) -> Self:
        return cls(discount=discount)

    @property
    def signature(self) -> str:
        """The name, and whether the edit is discounted."""
        return f"{self.name}|discount" if self.discount else self.name

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """How much must be added, dropped or replaced, for each pair, in order."""
        return [self._distance(pair) for pair in compared]

    def differences(self, compared: ComparedPair) -> list[str]:
        """The stretches of words that differ, longest first."""
        return changed_words(compared, discount=self.discount)

    @abstractmethod
    def _distance(self, compared: ComparedPair) -> float: ...


@dataclass(frozen=True)
class Tokens(_Sequence):
    """Levenshtein distance in words, which are compared as written; `discount` leaves out the edit's place.

    The words are the tokens of the annotations, else plain words; in unspaced scripts, characters.
    """

    name: ClassVar[str] = "tokens"
    about: ClassVar[str] = "words that differ"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 3, "sure": 7}

    def _distance(self, compared: ComparedPair) -> float:
        if self.discount:
            original, variant = remainders(compared)
            return edit_distance(original.words, variant.words)
        words, others = words_of_both(compared.original.output, compared.variant.output)
        return edit_distance([token.text for token in words], [token.text for token in others])


def changed_words(compared: ComparedPair, *, discount: bool) -> list[str]:
    """The stretches of words that differ, longest first; with `discount` without the place of the edit."""
    text, other_text = compared.original.output.text, compared.variant.output.text
    if discount:
        both = compare_words(compared)
        return changed_wording(text, both.original, other_text, both.variant, both.elsewhere)
    words, others = words_of_both(compared.original.output, compared.variant.output)
    _, changed = align([token.text for token in words], [token.text for token in others])
    return changed_wording(text, words, other_text, others, changed)


@dataclass(frozen=True)
class Raw(_Sequence):
    """Levenshtein distance in characters; `discount` leaves the place of the edit out."""

    name: ClassVar[str] = "raw"
    about: ClassVar[str] = "characters that differ"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 14, "sure": 29}

    def _distance(self, compared: ComparedPair) -> float:
        if self.discount:
            original, variant = remainders(compared)
            return edit_distance(original.text, variant.text)
        return edit_distance(compared.original.output.text, compared.variant.output.text)


_NO_PLACE = range(0)
_Cache = dict[tuple[int, range], Counter[str]]


@dataclass(frozen=True)
class CountStructure(Structure):
    """What the two have in common; `discount` leaves out what lies within the place of the edit."""

    discount: bool = False

    @classmethod
    def open(cls, pair: Pair, *, discount: bool) -> CountStructure:
        return cls(discount=discount)

    @abstractmethod
    def labels(self, output: Annotation, place: range) -> Iterable[str]:
        """The labels of an output, but for those of the words in `place`."""

    @property
    def signature(self) -> str:
        """The name, and whether the edit is discounted."""
        return f"{self.name}|discount" if self.discount else self.name

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """The sum of the absolute differences in counts, for each pair, in order."""
        cache: _Cache = {}
        counts = [self._count(pair, cache) for pair in compared]
        return [(before - after).total() + (after - before).total() for before, after in counts]

    def differences(self, compared: ComparedPair) -> list[str]:
        """One line for each label whose count differs, by how much it does: `nsubj: 2, was 1`."""
        before, after = self._count(compared, {})
        labels = sorted(
            before.keys() | after.keys(), key=lambda name: (-abs(after[name] - before[name]), name)
        )
        return [
            f"{name}: {after[name]}, was {before[name]}" for name in labels if after[name] != before[name]
        ]

    def _count(self, compared: ComparedPair, cache: _Cache) -> tuple[Counter[str], Counter[str]]:
        places = compare_words(compared).place if self.discount else (_NO_PLACE, _NO_PLACE)
        before, after = (
            self._count_one(answer.output, place, cache)
            for answer, place in zip((compared.original, compared.variant), places, strict=True)
        )
        return before, after

    def _count_one(self, output: Annotation, place: range, cache: _Cache) -> Counter[str]:
        # An original is compared with many variants, and counted once.
        key = id(output), place
        if key not in cache:
            cache[key] = Counter(self.labels(output, place))
        return cache[key]


class Dependency(CountStructure):
    """Counts of dependency relations, one for each word."""

    name: ClassVar[str] = "dependency"
    about: ClassVar[str] = "dependency relations, counted by type"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 4, "sure": 15}
    needs: ClassVar[frozenset[Layer]] = frozenset(("tokens", "dependencies"))

    def labels(self, output: Annotation, place: range) -> Iterable[str]:
        """The relations of the words outside the place."""
        if not place:
            return (token.relation for token in output.tokens)
        return (token.relation for number, token in enumerate(output.tokens) if number not in place)


class Constituency(CountStructure):
    """Counts of phrases.

    Where the annotator finds no constituents, they are read off the dependencies, an approximation: see
    `mtassay.nlp.annotation`.
    """

    name: ClassVar[str] = "constituency"
    about: ClassVar[str] = "phrases, counted by type"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 2, "sure": 4}
    needs: ClassVar[frozenset[Layer]] = frozenset(("tokens", "pos", "dependencies"))

    def labels(self, output: Annotation, place: range) -> Iterable[str]:
        """The labels of the phrases, but for those that lie within the place as a whole."""
        spans = with_phrases(output).constituents or ()
        return (span.label for span in spans if not (span.start in place and span.end - 1 in place))


_ROOT = "root"
_EDIT = "edit"


class _Triple(NamedTuple):
    head: Hashable
    relation: str
    dependent: Hashable


@dataclass(frozen=True)
class Triples(Structure):
    """How many triples of a head, a relation and a dependent only one of the outputs has.

    Words are compared without gender and number (see `same`), relations without their subtypes; punctuation
    is left out. The words in the place of the edit are one word, the same in both outputs, and what hangs
    together within it is left out; where nothing else differs, the distance is 0. A word that hangs elsewhere
    costs 2, since one triple is gone and one is new. So does a word that another one replaces; but if both
    are of one part of speech, what hangs on them hangs on the same word.
    """

    name: ClassVar[str] = "triples"
    about: ClassVar[str] = "which word hangs on which, by which relation"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 4, "sure": 14}
    needs: ClassVar[frozenset[Layer]] = frozenset(("tokens", "lemma", "pos", "dependencies"))

    @property
    def signature(self) -> str:
        """The name."""
        return "triples"

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """How many triples are in one output alone, for each pair, in order."""
        return [_distance(pair) for pair in compared]

    def differences(self, compared: ComparedPair) -> list[str]:
        """What is gone, then what is new, then words that hang elsewhere or otherwise."""
        both = compare_words(compared)
        before, after = _both_triples(both)
        gone, new = _only(before, after), _only(after, before)
        lines = []
        for number in list(new):
            old = next((n for n in gone if before[n].dependent == after[number].dependent), None)
            if old is not None:
                lines.append(_moved(both.original, old, both.variant, number, before[old], after[number]))
                gone.remove(old)
                new.remove(number)
        text, other_text = compared.original.output.text, compared.variant.output.text
        return gone_and_new(text, both.original, gone, other_text, both.variant, new) + lines


def _distance(compared: ComparedPair) -> float:
    before, after = (Counter(triples.values()) for triples in _both_triples(compare_words(compared)))
    return (before - after).total() + (after - before).total()


def _both_triples(both: SideBySide) -> tuple[dict[int, _Triple], dict[int, _Triple]]:
    """The triples of the original's output and of the variant's, by the number of the dependent."""
    if both.alike:
        return {}, {}
    heads = list(both.other_keys)
    for number, stands_for in both.replaced.items():
        heads[number] = both.keys[stands_for]
    return (
        _triples(both.original, both.keys, both.keys, both.place.original),
        _triples(both.variant, both.other_keys, heads, both.place.variant),
    )


def _triples(
    words: Words, keys: Sequence[Hashable], heads: Sequence[Hashable], place: range
) -> dict[int, _Triple]:
    """`keys` are the names of words as dependents, `heads` those as heads."""

    def name(number: int, names: Sequence[Hashable]) -> Hashable:
        if number < 0:
            return _ROOT
        return _EDIT if number in place else names[number]

    return {
        number: _Triple(name(word.head, heads), universal(word.relation), name(number, keys))
        for number, word in enumerate(words)
        if word.pos != "PUNCT" and not (number in place and word.head in place)
    }


def _only(these: dict[int, _Triple], others: dict[int, _Triple]) -> list[int]:
    """The numbers of those triples that the others lack; of equal ones, the last."""
    left = Counter(these.values()) - Counter(others.values())
    numbers = []
    for number, triple in reversed(these.items()):
        if left[triple] > 0:
            left[triple] -= 1
            numbers.append(number)
    return numbers[::-1]


def _moved(words: Words, old: int, others: Words, new: int, before: _Triple, after: _Triple) -> str:
    name, head, old_head = f'"{others[new].text}"', head_name(others, new), head_name(words, old)
    if before.relation == after.relation:
        return f"{name} moved under {head}, was under {old_head}"
    work = after.relation if after.head == _ROOT else f"{after.relation} of {head}"
    if before.head in (after.head, _ROOT):
        return f"{name}: {work}, was {before.relation}"
    return f"{name}: {work}, was {before.relation} of {old_head}"
