"""Translations of the same source words, by word alignment.

Xie, Jin, Chen, Cheung 2024, "Word Closure-Based Metamorphic Testing for Machine Translation". Words of a
source and its output are linked by a word aligner, words of the two sources where they are the same word in
the same place; all that is linked, however indirectly, is one closure.

Xie, Jin, Chen, Cheung 2024: see `closures`. Theirs decides on each closure; ours counts the words that differ
within it, so that one link too many, which makes two closures one, changes little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, NamedTuple

from mtassay.data.languages import Pair
from mtassay.data.nouns import Edit
from mtassay.measures.answers import AnnotatedAnswer
from mtassay.methods.invariance.places_of_edits import Groups, SideBySide, compare_words, gone_and_new
from mtassay.methods.invariance.relations import ComparedPair
from mtassay.methods.invariance.structures import Structure
from mtassay.nlp.aligners import Links, WordAligner, open_aligner
from mtassay.nlp.annotation import Layer, Words, words_of
from mtassay.nlp.encoder import Encoder, encoder_version, is_installed, open_encoder, unit

LANGUAGES = frozenset(
    ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
)
"""Those that the encoder has learned, as normal codes."""

SIMILAR = 0.75
"""The cosine from which two fragments say the same."""


@dataclass(frozen=True)
class Paraphrase:
    """An encoder, with the name of its release, and the cosine that is enough."""

    encoder: Encoder
    release: str
    similar: float = SIMILAR

    @property
    def signature(self) -> str:
        """Which encoder, and from which cosine on."""
        return f"{self.release}>={self.similar:g}"

    def same(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Whether the two fragments of each pair say the same, in order. Each text is encoded once."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        if not texts:
            return []
        vectors = unit(self.encoder(texts))
        numbers = {text: number for number, text in enumerate(texts)}
        return [float(vectors[numbers[a]] @ vectors[numbers[b]]) >= self.similar for a, b in pairs]


_EDIT = -1


class Linked(NamedTuple):
    """One source and its output: the words of the source, how many the output has, and their links."""

    source: Words
    size: int
    links: Links


@dataclass(slots=True)
class Closure:
    """The numbers of the output words, in order. `edited` if the edited word belongs to it.

    The words that no link reaches are together in one closure, which is `loose`.
    """

    original: list[int] = field(default_factory=list)
    variant: list[int] = field(default_factory=list)
    edited: bool = False
    loose: bool = False


def find_closures(original: Linked, variant: Linked, edit: Edit) -> list[Closure]:
    """All closures with output words, in the order of these; those of the original first."""
    names = _names(original.source, edit.start, edit.end, 0)
    moved = len(edit.after) - len(edit.before)
    other_names = _names(variant.source, edit.start, edit.start + len(edit.after), moved)
    shared = set(names) & set(other_names)
    groups = Groups()
    linked: set[tuple[str, int]] = set()
    for side, source_names, links in (
        ("original", names, original.links),
        ("variant", other_names, variant.links),
    ):
        for source, target in sorted(links):
            name = source_names[source] if source_names[source] in shared else _EDIT
            groups.join(("source", name), (side, target))
            linked.add((side, target))
    edited = groups.find(("source", _EDIT))
    closures: dict[object, Closure] = {}
    for side, size in (("original", original.size), ("variant", variant.size)):
        for number in range(size):
            loose = (side, number) not in linked
            group = None if loose else groups.find((side, number))
            closure = closures.setdefault(group, Closure(edited=group == edited, loose=loose))
            (closure.original if side == "original" else closure.variant).append(number)
    return list(closures.values())


def _names(words: Words, start: int, end: int, moved: int) -> list[int]:
    """Where each source word begins in the original; the edited ones share a name.

    A word behind the edit begins `moved` characters later in this source than in the original.
    """
    names = []
    for word in words:
        if word.end <= start:
            names.append(word.start)
        elif word.start >= end:
            names.append(word.start - moved)
        else:
            names.append(_EDIT)
    return names


# Function words follow from those they belong to, and aligners place them badly.
_FUNCTION = {"ADP", "AUX", "CCONJ", "DET", "PART", "PUNCT", "SCONJ"}


class Difference(NamedTuple):
    """Words of one closure: the numbers of those that are gone, and of those that are new."""

    gone: Sequence[int]
    new: Sequence[int]

    @property
    def size(self) -> int:
        """How many words these are."""
        return len(self.gone) + len(self.new)

    @property
    def replaced(self) -> bool:
        """Whether something new stands for what is gone."""
        return bool(self.gone and self.new)


class _Left(NamedTuple):
    """A word without a counterpart in its closure."""

    key: Hashable
    number: int
    closure: int


def content_differences(closures: Sequence[Closure], both: SideBySide) -> list[Difference]:
    """The differences of the closures, in order, but for those with the edited word.

    A word that an aligner links in one output and not in the other, or links to the edited word, is gone from
    its closure and new elsewhere; such a word is no difference. Nor is an unlinked word in the place of the
    edit, unless the edited word is linked to another place.
    """
    gone: list[_Left] = []
    new: list[_Left] = []
    for index, closure in enumerate(closures):
        before = [_Left(both.keys[number], number, index) for number in closure.original]
        after = [_Left(both.other_keys[number], number, index) for number in closure.variant]
        gone += _without(before, after)
        new += _without(after, before)
    soft = {index for index, closure in enumerate(closures) if closure.edited or closure.loose}
    for left in list(gone):
        match = next((n for n in new if n.key == left.key and {n.closure, left.closure} & soft), None)
        if match:
            gone.remove(left)
            new.remove(match)
    edited = next((closure for closure in closures if closure.edited), Closure())
    place = _unless_elsewhere(both.place.original, edited.original)
    other_place = _unless_elsewhere(both.place.variant, edited.variant)
    differences = []
    for index, closure in enumerate(closures):
        numbers = _counted(gone, index, closure, both.original, place)
        others = _counted(new, index, closure, both.variant, other_place)
        if numbers or others:
            differences.append(Difference(numbers, others))
    return differences


def _unless_elsewhere(place: range, linked: Sequence[int]) -> range:
    """The place, unless the edited word is linked to other words alone."""
    return range(0) if linked and not any(number in place for number in linked) else place


def _counted(left: Sequence[_Left], index: int, closure: Closure, words: Words, place: range) -> list[int]:
    """The numbers of the content words left over in a closure, but for those of the edit."""
    if closure.edited:
        return []
    numbers = [word.number for word in left if word.closure == index]
    return [n for n in numbers if words[n].pos not in _FUNCTION and not (closure.loose and n in place)]


def _without(these: Sequence[_Left], others: Sequence[_Left]) -> list[_Left]:
    """Those that have no counterpart among the others."""
    matches = Counter(other.key for other in others)
    left = []
    for word in these:
        matches[word.key] -= 1
        if matches[word.key] < 0:
            left.append(word)
    return left


class _Comparison(NamedTuple):
    """The words of two outputs and how their closures differ."""

    original: Words
    variant: Words
    differences: Sequence[Difference]


@dataclass(frozen=True)
class WordClosures(Structure):
    """How many content words of two outputs have no counterpart in the closure they belong to.

    Closures with the edited word are set aside. Words are compared without gender and number (see `same`);
    function words and punctuation do not count. With a `paraphrase`, fragments that say the same in other
    words are no difference.
    """

    aligner: WordAligner
    paraphrase: Paraphrase | None = None
    name: ClassVar[str] = "closure"
    about: ClassVar[str] = "translations of the same source words, by word alignment"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 1, "sure": 4}
    needs: ClassVar[frozenset[Layer]] = frozenset(("tokens", "lemma", "pos"))
    needs_source: ClassVar[frozenset[Layer]] = frozenset(("tokens",))

    @classmethod
    def open(cls, pair: Pair, *, discount: bool) -> WordClosures:
        paraphrase = None
        if is_installed() and pair.target.code in LANGUAGES:
            paraphrase = Paraphrase(open_encoder("structure 'closure'"), f"use-{encoder_version()}")
        return cls(open_aligner(pair), paraphrase)

    @property
    def signature(self) -> str:
        """The name, the aligner and what tells paraphrases."""
        parts = ["closure", self.aligner.signature]
        return "|".join([*parts, self.paraphrase.signature] if self.paraphrase else parts)

    def distances(self, compared: Sequence[ComparedPair]) -> list[float]:
        """How many content words differ, in both outputs together, for each pair, in order."""
        return [sum(d.size for d in comparison.differences) for comparison in self._comparisons(compared)]

    def differences(self, compared: ComparedPair) -> list[str]:
        """What became of which fragment, longest first; then what is gone or new altogether."""
        [comparison] = self._comparisons([compared])
        text, other_text = compared.original.output.text, compared.variant.output.text
        both = [difference for difference in comparison.differences if difference.replaced]
        lines = [
            f'"{_fragment(comparison.original, difference.gone)}" became '
            f'"{_fragment(comparison.variant, difference.new)}"'
            for difference in sorted(both, key=lambda difference: -difference.size)
        ]
        gone = [
            number
            for difference in comparison.differences
            if not difference.new
            for number in difference.gone
        ]
        new = [
            number
            for difference in comparison.differences
            if not difference.gone
            for number in difference.new
        ]
        return lines + gone_and_new(text, comparison.original, gone, other_text, comparison.variant, new)

    def _comparisons(self, compared: Sequence[ComparedPair]) -> list[_Comparison]:
        links = self._links([answer for pair in compared for answer in (pair.original, pair.variant)])
        comparisons = []
        for pair in compared:
            both = compare_words(pair)
            closures = find_closures(
                Linked(words_of(pair.original.source), len(both.original), links[_texts(pair.original)]),
                Linked(words_of(pair.variant.source), len(both.variant), links[_texts(pair.variant)]),
                pair.edit,
            )
            comparisons.append(_Comparison(both.original, both.variant, content_differences(closures, both)))
        return comparisons if self.paraphrase is None else _without_paraphrases(comparisons, self.paraphrase)

    def _links(self, answers: Sequence[AnnotatedAnswer]) -> dict[tuple[str, str], Links]:
        """The links by texts; an original is compared with many variants, and aligned once."""
        unique = {_texts(answer): answer for answer in answers}
        pairs = [
            ([word.text for word in words_of(answer.source)], [word.text for word in words_of(answer.output)])
            for answer in unique.values()
        ]
        return dict(zip(unique, self.aligner.align(pairs), strict=True))


def _without_paraphrases(comparisons: Sequence[_Comparison], paraphrase: Paraphrase) -> list[_Comparison]:
    fragments = [
        (_fragment(comparison.original, difference.gone), _fragment(comparison.variant, difference.new))
        for comparison in comparisons
        for difference in comparison.differences
        if difference.replaced
    ]
    same = iter(paraphrase.same(fragments))
    kept = []
    for comparison in comparisons:
        others = [
            difference for difference in comparison.differences if not (difference.replaced and next(same))
        ]
        kept.append(comparison._replace(differences=others))
    return kept


def _texts(answer: AnnotatedAnswer) -> tuple[str, str]:
    return answer.source.text, answer.output.text


def _fragment(words: Words, numbers: Sequence[int]) -> str:
    """Some words of an output; dots stand for what lies between them."""
    text = words[numbers[0]].text
    for before, number in pairwise(numbers):
        text += (" " if number == before + 1 else " … ") + words[number].text
    return text
