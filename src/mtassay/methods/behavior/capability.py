"""The interface of a capability, and the search for one by its name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar, cast

from mtassay.data.errors import UsageError
from mtassay.data.nouns import Edit
from mtassay.data.registry import each, find, is_known, names
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import Annotation, Layer, Token


class Capability(ABC):
    """One thing that a system should be able to do."""

    name: ClassVar[str]
    about: ClassVar[str]
    """A description of the edited words in one line."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that people may write."""
    is_of_the_paper: ClassVar[bool] = False
    """Whether it is one of the nine of Wu, Liu, Yeung (2023), which are tested by default."""
    changes_form: ClassVar[bool] = False
    """Whether it asks for another form of the word or for more words, so a different word does not fit."""
    needs: ClassVar[frozenset[Layer]] = frozenset({"pos"})
    """Required layers of the source's annotation."""
    most_of_source: ClassVar[float] = 1.0
    """At most this share of the source's words may be edited."""
    spans_at_once: ClassVar[int] = 1
    """Largest number of spans in a sentence that are edited together."""

    @abstractmethod
    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The editable spans that belong to this capability, in order."""

    @abstractmethod
    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """The wanted replacement of the span, for a language model: `a noun other than "shop"`."""

    def objection(
        self, edited: Annotation, changes: Sequence[Edit], *, original: Annotation | None = None
    ) -> str | None:
        """Why an edited source does not test this capability; `None` if it does.

        `edited` is the annotation of the edited source. A change is at its start plus the length that earlier
        changes added. `original` is the annotation of the source before the edit. Some capabilities use it to
        check that the edit has the same kind; without it, they check less.
        """
        return None


def capability_names() -> list[str]:
    """All capabilities: first ours in the usual order, then those of other packages."""
    return names("capability")


def paper_capabilities() -> tuple[str, ...]:
    """The nine of the paper, in its order.

    >>> paper_capabilities()[:3]
    ('noun', 'verb', 'adjective')
    """
    return tuple(capability.name for capability in each("capability") if capability.is_of_the_paper)


def in_usual_order(capabilities: Iterable[str]) -> list[str]:
    """Names of capabilities, each once, in the order of the registry; unregistered ones come last.

    >>> in_usual_order(["sarcasm", "ner", "noun", "ner"])
    ['noun', 'ner', 'sarcasm']
    """
    rank = {name: number for number, name in enumerate(capability_names())}
    return sorted(dict.fromkeys(capabilities), key=lambda name: rank.get(name, len(rank)))


def capability_class(name: str) -> type[Capability] | None:
    """The class of this name or alias, in any case; `None` if unknown."""
    written = name.strip()
    for spelling in (written, written.lower()):
        if is_known("capability", spelling):
            return cast("type[Capability]", find("capability", spelling))
    return next((c for c in each("capability") if written.lower() in c.aliases), None)


def open_capability(name: str) -> Capability:
    """The capability of this name or alias, in any case; `UsageError` if unknown.

    >>> open_capability("adj").name, open_capability("NER").name
    ('adjective', 'ner')
    >>> open_capability("nouns")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No capability 'nouns'. Available: noun, verb, adjective, adverb, ...
    """
    capability = capability_class(name)
    if capability is None:
        raise UsageError(f"No capability '{name}'. Available: {', '.join(capability_names())}.")
    return capability()


Place = tuple[int, int]
"""Character offsets: the first character, and the one after the last."""


def edited_places(changes: Sequence[Edit]) -> list[Place]:
    """Where the changes are in the edited text, in order.

    >>> edited_places([Edit(2, 7, "small", "tiny"), Edit(8, 11, "dog", "cats")])
    [(2, 6), (7, 11)]
    """
    places, moved = [], 0
    for change in changes:
        start = change.start + moved
        places.append((start, start + len(change.after)))
        moved += len(change.after) - len(change.before)
    return places


def original_places(changes: Sequence[Edit]) -> list[Place]:
    """Where the changes are in the original text."""
    return [(change.start, change.end) for change in changes]


def tokens_at(annotation: Annotation, place: Place) -> list[int]:
    """The numbers of the tokens that these characters cover, wholly or in part."""
    return [i for i, token in enumerate(annotation.tokens) if token.start < place[1] and token.end > place[0]]


def heads_at(annotation: Annotation, place: Place) -> list[Token]:
    """The tokens of the span that depend on no other token in it; all of them if the text is not parsed."""
    inside = tokens_at(annotation, place)
    parsed = any(token.head >= 0 for token in annotation.tokens)
    return [annotation.tokens[i] for i in inside if not parsed or annotation.tokens[i].head not in inside]


def head_token(pair: ReadPair, span: AlignedSpan) -> Token | None:
    """The head of a span; `None` if it has no head."""
    return pair.source.tokens[span.head] if 0 <= span.head < len(pair.source.tokens) else None


def span_text(pair: ReadPair, span: AlignedSpan) -> str:
    """The source text of the span."""
    return pair.source.text[span.start : span.end]
