"""What a language tool says about a text: tokens, entities, phrases; and what such a tool is.

Tokens are the words as written. Where Universal Dependencies split a written word (`do` = `de` + `o`),
the part nearest to the root speaks for it, lemmas are joined by a blank and features are united; so tokens
never overlap, and each stands in the text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

__all__ = ["LAYERS", "Advice", "Annotation", "Annotator", "Layer", "Span", "Token"]

Layer = Literal["tokens", "lemma", "pos", "features", "dependencies", "entities", "constituents"]
LAYERS: frozenset[Layer] = frozenset(
    ("tokens", "lemma", "pos", "features", "dependencies", "entities", "constituents")
)
_NOTHING: Mapping[str, str] = {}


class Token(NamedTuple):
    """One written word; `start` and `end` count characters, and `text` is exactly what stands there.

    `pos` is a universal part of speech (`NOUN`), `tag` the model's own one (`NNS`), `features` the universal
    morphology (`{"Number": "Plur"}`; several values are joined by commas). `head` is the index of the token
    it depends on, -1 for the root of a sentence. `relation` is the model's label, universal but for spaCy's
    English and German pipelines; a root's is `root`. What the tool does not give is empty, and `head` -1.
    """

    text: str
    start: int
    end: int
    lemma: str = ""
    pos: str = ""
    tag: str = ""
    features: Mapping[str, str] = _NOTHING
    head: int = -1
    relation: str = ""


class Span(NamedTuple):
    """Some neighbouring tokens, `start` to `end` (not included), with a label: `PER`, `NP`."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """All that was found in one text.

    `entities` do not overlap and are in order. `constituents` nest, longer before shorter; `None` means that
    nobody looked for any. With an `error`, which says what went wrong, there are no tokens.

    >>> found = Annotation("Ana saw Rio.", (Token("Ana", 0, 3), Token("saw", 4, 7)), (Span(0, 1, "PER"),))
    >>> found.covered(found.entities[0]), found.characters(Span(0, 2, "S"))
    ('Ana', (0, 7))
    """

    text: str
    tokens: tuple[Token, ...] = ()
    entities: tuple[Span, ...] = ()
    constituents: tuple[Span, ...] | None = None
    error: str | None = None

    def characters(self, span: Span) -> tuple[int, int]:
        """Where a span begins and ends in the text; a span of no tokens is nowhere, `(0, 0)`."""
        tokens = self.tokens[span.start : span.end]
        return (tokens[0].start, tokens[-1].end) if tokens else (0, 0)

    def covered(self, span: Span) -> str:
        """The text of a span, with its spaces."""
        start, end = self.characters(span)
        return self.text[start:end]


class Advice(NamedTuple):
    """What a person types to get a tool; a small one is named beside a better one, others are not."""

    command: str
    is_small: bool = False


class Annotator(ABC):
    """A tool that reads texts in one language.

    `gives` says which layers it fills; the others stay empty. `language` is a normal code, as `pt`.
    """

    name: str
    language: str
    gives: frozenset[Layer]

    @property
    @abstractmethod
    def signature(self) -> str:
        """Package, model and version: equal signatures mean equal annotations."""

    @abstractmethod
    def annotate(self, texts: Sequence[str]) -> list[Annotation]:
        """One annotation per text, in order.

        An empty or blank text has an empty annotation. A text that the tool chokes on has one with `error`,
        and the others are read all the same.
        """
