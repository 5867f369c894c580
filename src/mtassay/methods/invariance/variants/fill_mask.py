"""Words from a masked language model, the way of He, Meister and Su 2020 (section 3.1): mask one, predict it.

All places of all sentences are masked at once and read in batches of like length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from mtassay.errors import UsageError
from mtassay.languages import parse_language
from mtassay.methods.invariance.variants.base import Candidate, Place, Substituter
from mtassay.methods.invariance.variants.predictions import gap_at, predict_words
from mtassay.systems.live import signature
from mtassay.tools.lm.hub import MaskedModel, choose_device, identity, open_masked
from mtassay.tools.lm.vocabulary import Words, read_words

__all__ = ["FillMask"]

ADAPTER = 1
_WHAT = "substitutes 'fill-mask'"


@dataclass(frozen=True)
class FillMask(Substituter):
    """Proposes what a masked model of the transformers library predicts in place of a word.

    `model` is a folder or a Hugging Face name (`bert-large-cased`, `xlm-roberta-base`), `language` the one of
    the sources. Words are single pieces of the model's vocabulary, so rare and long ones are never proposed.
    The score is the natural log-probability of the piece. `device` is a GPU if there is one, unless given.
    """

    model: str
    language: str
    device: str | None = field(default=None, kw_only=True)
    name: str = field(default="fill-mask", init=False, repr=False)
    about: ClassVar[str] = "what a masked language model predicts in the word's place, the paper's way"
    argument: ClassVar[str] = "MODEL"
    wants: ClassVar[str] = "a name or a folder"

    @classmethod
    def open(cls, rest: str, language: str) -> Substituter:
        return cls(rest, language)

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError(f"{_WHAT}: no model. Give a folder or a name, as fill-mask:bert-large-cased.")
        parse_language(self.language)

    @property
    def signature(self) -> str:
        """The model by name, a folder also by its content, the device and the library."""
        return signature(
            self.name,
            **identity(self.model, what=_WHAT),
            language=parse_language(self.language).tag,
            device=self.device or choose_device(what=_WHAT),
            adapter=ADAPTER,
        )

    def substitutes(self, places: Sequence[Place], *, count: int) -> list[list[Candidate]]:
        """For each place, in order, at most `count` words, best first; `[]` where the text is too long."""
        if not places or count < 1:
            return [[] for _ in places]
        rows = self._model.read([gap_at(place) for place in places])
        return predict_words(self._model, self._words, places, rows, count=count)

    @cached_property
    def _model(self) -> MaskedModel:
        return open_masked(self.model, what=_WHAT, device=self.device)

    @cached_property
    def _words(self) -> Words:
        return read_words(self._model.pieces)
