"""What a capability is, and how one is found by its name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, cast

from mtassay.core import Edit
from mtassay.errors import UsageError
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.registry import each, find, is_known, names
from mtassay.tools.annotate.annotation import Annotation, Layer

__all__ = [
    "HARDLY_SEEN",
    "Capability",
    "capability_class",
    "capability_names",
    "in_usual_order",
    "open_capability",
    "paper_capabilities",
]

HARDLY_SEEN = frozenset({"use", "chrf"})
"""What hardly sees one ending or one small word: it barely moves a sentence vector, and is a few letters."""


class Capability(ABC):
    """One thing that a system should be able to do."""

    name: ClassVar[str]
    about: ClassVar[str]
    """What is edited, in a line."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that people may write."""
    is_of_the_paper: ClassVar[bool] = False
    """Whether it is one of the nine of Wu, Liu, Yeung (2023), which are tested unless others are named."""
    changes_form: ClassVar[bool] = False
    """Whether it asks for another form of a word, or for more words; other words do not serve it."""
    unseen_by: ClassVar[frozenset[str]] = frozenset()
    """The metrics, by name, that hardly see its failures, so that the edit itself must be looked for."""
    needs: ClassVar[frozenset[Layer]] = frozenset({"pos"})
    """What the annotation of the source must have."""
    most_of_source: ClassVar[float] = 1.0
    """At most this share of the source's words may be edited."""
    spans_at_once: ClassVar[int] = 1
    """How many spans of a sentence are edited together, at most."""

    @abstractmethod
    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """Those of the editable spans that belong to this capability, in order."""

    @abstractmethod
    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """What to put in the place of the span, for a language model: `a noun other than "shop"`."""

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """Why an edited source does not test this capability; `None` if it does.

        `edited` is the annotation of the edited source; a change's place in it is the change's start, moved
        by what the changes before it added. `original` is that of the source before, which some need to tell
        whether the edit is of the same kind; without it they ask less.
        """
        return None


def capability_names() -> list[str]:
    """All capabilities, ours in the usual order and then those of other packages."""
    return names("capability")


def paper_capabilities() -> tuple[str, ...]:
    """The nine of the paper, in its order.

    >>> paper_capabilities()[:3]
    ('noun', 'verb', 'adjective')
    """
    return tuple(capability.name for capability in each("capability") if capability.is_of_the_paper)


def in_usual_order(capabilities: Iterable[str]) -> list[str]:
    """Names of capabilities, each once, in the order of the registry; those that it lacks come last.

    >>> in_usual_order(["sarcasm", "ner", "noun", "ner"])
    ['noun', 'ner', 'sarcasm']
    """
    rank = {name: number for number, name in enumerate(capability_names())}
    return sorted(dict.fromkeys(capabilities), key=lambda name: rank.get(name, len(rank)))


def capability_class(name: str) -> type[Capability] | None:
    """The class of this name or alias, in any case; `None` where there is none."""
    written = name.strip()
    for spelling in (written, written.lower()):
        if is_known("capability", spelling):
            return cast("type[Capability]", find("capability", spelling))
    return next(
        (capability for capability in each("capability") if written.lower() in capability.aliases), None
    )


def open_capability(name: str) -> Capability:
    """The capability of this name or alias, in any case; `UsageError` where there is none.

    >>> open_capability("adj").name, open_capability("NER").name
    ('adjective', 'ner')
    >>> open_capability("nouns")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mtassay.errors.UsageError: No capability 'nouns'. Available: noun, verb, adjective, adverb, ...
    """
    capability = capability_class(name)
    if capability is None:
        raise UsageError(f"No capability '{name}'. Available: {', '.join(capability_names())}.")
    return capability()
