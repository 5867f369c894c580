"""What a representation of structure can do: measure how far two translations are apart, and say why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from mtassay.detectors.answers import ComparedPair
from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.registry import find, is_known, names
from mtassay.tools.annotate.annotation import Layer

__all__ = ["Structure", "open_structure"]


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

    >>> from mtassay.languages import parse_pair
    >>> open_structure("trees", parse_pair("en-pt"))
    Traceback (most recent call last):
    mtassay.errors.UsageError: No structure 'trees'. Available: closure, constituency, dependency, raw, tokens, tree, triples.
    """  # noqa: E501
    if not is_known("structure", name):
        raise UsageError(f"No structure '{name}'. Available: {', '.join(sorted(names('structure')))}.")
    return cast("type[Structure]", find("structure", name)).open(pair, discount=discount)
