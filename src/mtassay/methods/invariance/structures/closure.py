"""The output as fragments that translate the same source words: which of them say something else.

Xie, Jin, Chen, Cheung 2024: see `closures`. Theirs decides on each closure; ours counts the words that differ
within it, so that one link too many, which makes two closures one, changes little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

from mtassay.languages import Pair
from mtassay.methods.invariance.nouns import Answer, Compared
from mtassay.methods.invariance.structures.base import Structure
from mtassay.methods.invariance.structures.closures import (
    Difference,
    Linked,
    content_differences,
    find_closures,
)
from mtassay.methods.invariance.structures.paraphrase import LANGUAGES, Paraphrase
from mtassay.methods.invariance.structures.place import compare_words
from mtassay.methods.invariance.structures.words import Words, gone_and_new, words_of
from mtassay.tools.align import Links, WordAligner, open_aligner
from mtassay.tools.annotate.annotation import Layer
from mtassay.tools.encoder import encoder_version, is_installed, open_encoder

__all__ = ["WordClosures"]


class _Found(NamedTuple):
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

    def distances(self, compared: Sequence[Compared]) -> list[float]:
        """How many content words differ, in both outputs together, for each pair, in order."""
        return [sum(d.size for d in found.differences) for found in self._find(compared)]

    def differences(self, compared: Compared) -> list[str]:
        """What became of which fragment, longest first; then what is gone or new altogether."""
        [found] = self._find([compared])
        text, other_text = compared.original.output.text, compared.variant.output.text
        both = [each for each in found.differences if each.replaced]
        lines = [
            f'"{_fragment(found.original, each.gone)}" became "{_fragment(found.variant, each.new)}"'
            for each in sorted(both, key=lambda each: -each.size)
        ]
        gone = [number for each in found.differences if not each.new for number in each.gone]
        new = [number for each in found.differences if not each.gone for number in each.new]
        return lines + gone_and_new(text, found.original, gone, other_text, found.variant, new)

    def _find(self, compared: Sequence[Compared]) -> list[_Found]:
        links = self._links([answer for one in compared for answer in (one.original, one.variant)])
        found = []
        for one in compared:
            both = compare_words(one)
            closures = find_closures(
                Linked(words_of(one.original.source), len(both.original), links[_texts(one.original)]),
                Linked(words_of(one.variant.source), len(both.variant), links[_texts(one.variant)]),
                one.edit,
            )
            found.append(_Found(both.original, both.variant, content_differences(closures, both)))
        return found if self.paraphrase is None else _without_paraphrases(found, self.paraphrase)

    def _links(self, answers: Sequence[Answer]) -> dict[tuple[str, str], Links]:
        """The links by texts; an original is compared with many variants, and aligned once."""
        unique = {_texts(answer): answer for answer in answers}
        pairs = [
            ([word.text for word in words_of(answer.source)], [word.text for word in words_of(answer.output)])
            for answer in unique.values()
        ]
        return dict(zip(unique, self.aligner.align(pairs), strict=True))


def _without_paraphrases(found: Sequence[_Found], paraphrase: Paraphrase) -> list[_Found]:
    fragments = [
        (_fragment(one.original, each.gone), _fragment(one.variant, each.new))
        for one in found
        for each in one.differences
        if each.replaced
    ]
    same = iter(paraphrase.same(fragments))
    kept = []
    for one in found:
        others = [each for each in one.differences if not (each.replaced and next(same))]
        kept.append(one._replace(differences=others))
    return kept


def _texts(answer: Answer) -> tuple[str, str]:
    return answer.source.text, answer.output.text


def _fragment(words: Words, numbers: Sequence[int]) -> str:
    """Some words of an output; dots stand for what lies between them."""
    text = words[numbers[0]].text
    for before, number in pairwise(numbers):
        text += (" " if number == before + 1 else " … ") + words[number].text
    return text
