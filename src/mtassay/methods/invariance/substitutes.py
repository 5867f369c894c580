"""What proposes words for a place in a sentence, and how it is asked for: `lexicon`, `fill-mask:MODEL` …"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, cast

from mtassay.data.errors import UsageError
from mtassay.data.languages import parse_language
from mtassay.data.nouns import RunContext
from mtassay.data.registry import each, find, is_known
from mtassay.nlp.annotation import Annotation


class WordPlace(NamedTuple):
    """One word of a source that may be replaced: the token of this number."""

    sentence: Annotation
    token: int


class Candidate(NamedTuple):
    """A word to put there, written as it should stand; a higher score is better, on the proposer's scale."""

    word: str
    score: float


class Substituter(ABC):
    """Proposes words. What they must agree with is checked afterwards, for all proposers alike.

    `argument` says what is written after the name and a colon, and `wants` what that is; both are empty where
    nothing is. `has_matched` is false where it knew none of the places that it was asked about.
    """

    name: str
    about: ClassVar[str]
    argument: ClassVar[str] = ""
    wants: ClassVar[str] = ""
    asks_models: ClassVar[bool] = False
    """Whether it asks live models, whose answers are paid for and must be kept."""
    has_matched: bool = True

    @classmethod
    def open(cls, rest: str, language: str) -> Substituter:
        """The one for sources in a language; `rest` is what is written after the colon."""
        return cls()

    def lent(self, context: RunContext) -> Substituter:
        """The same with what the engine lends, for one that asks live models; by default as it is."""
        return self

    @property
    @abstractmethod
    def signature(self) -> str:
        """Equal signatures mean equal proposals."""

    @abstractmethod
    def substitutes(self, places: Sequence[WordPlace], *, count: int) -> list[list[Candidate]]:
        """For each place, in order, at most `count` words, best first; `[]` where nothing is known."""


def substituter_names() -> list[str]:
    """All names, each with what it takes: `fill-mask:MODEL`."""
    return [f"{kind.name}:{kind.argument}" if kind.argument else kind.name for kind in each("substitutes")]


def asks_models(text: str) -> bool:
    """Whether what a person asked for asks live models.

    >>> asks_models("llm:openai:gpt-5-mini"), asks_models("lexicon")
    (True, False)
    """
    name = text.partition(":")[0]
    return is_known("substitutes", name) and bool(getattr(find("substitutes", name), "asks_models", False))


def open_substituter(text: str, language: str) -> Substituter:
    """What a person asked for, for sources in a language.

    >>> open_substituter("lexicon", "en").name
    'lexicon'
    >>> open_substituter("thesaurus", "en")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No substituter 'thesaurus'. Available: lexicon, fill-mask:MODEL, ...
    """
    code = parse_language(language).code
    name, colon, rest = text.partition(":")
    kind = cast("type[Substituter]", find("substitutes", name)) if is_known("substitutes", name) else None
    if kind is None or (colon and not kind.argument):
        raise UsageError(f"No substituter '{text}'. Available: {', '.join(substituter_names())}.")
    if kind.argument and not rest:
        raise UsageError(f"Substituter '{text}' needs more: {name}:{kind.argument}, {kind.wants}.")
    return kind.open(rest, code)
