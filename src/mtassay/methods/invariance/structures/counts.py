"""The output as counts of phrases or relations (He, Meister, Su 2020, sections 3.4.2 and 3.4.3).

The distance is the sum, over all labels, of the absolute difference between the two counts. The labels are
the model's own, and all count, `root` and `punct` among them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from mtassay.detectors.answers import ComparedPair
from mtassay.languages import Pair
from mtassay.methods.invariance.structures.base import Structure
from mtassay.methods.invariance.structures.place import compare_words
from mtassay.tools.annotate.annotation import Annotation, Layer, with_phrases

__all__ = ["Constituency", "CountStructure", "Dependency"]

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
    `mtassay.tools.annotate.annotation`.
    """

    name: ClassVar[str] = "constituency"
    about: ClassVar[str] = "phrases, counted by type"
    thresholds: ClassVar[Mapping[str, float]] = {"wide": 2, "sure": 4}
    needs: ClassVar[frozenset[Layer]] = frozenset(("tokens", "pos", "dependencies"))

    def labels(self, output: Annotation, place: range) -> Iterable[str]:
        """The labels of the phrases, but for those that lie within the place as a whole."""
        spans = with_phrases(output).constituents or ()
        return (span.label for span in spans if not (span.start in place and span.end - 1 in place))
