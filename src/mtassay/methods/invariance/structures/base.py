"""What a representation of structure can do: measure how far two translations are apart, and say why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from mtassay.methods.invariance.nouns import Compared
from mtassay.tools.annotate.nouns import Layer

__all__ = ["Structure"]


class Structure(ABC):
    """One way to represent the structure of a translation."""

    name: ClassVar[str]
    needs: ClassVar[frozenset[Layer]] = frozenset()
    """What the annotation of an output must have; nothing where the text is enough."""
    needs_source: ClassVar[frozenset[Layer]] = frozenset()
    """The same for the source."""

    @property
    @abstractmethod
    def signature(self) -> str:
        """Equal signatures, with equal annotators, mean equal distances."""

    @abstractmethod
    def distances(self, compared: Sequence[Compared]) -> list[float]:
        """How far each variant's translation is from the original's, in order; 0 is no difference."""

    @abstractmethod
    def differences(self, compared: Compared) -> list[str]:
        """What differs, most telling first, in words that a person can read."""
