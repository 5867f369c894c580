"""The interface of an infiller, which gets pairs with masked aligned spans and returns edited pairs.

An infiller is written `NAME` or `NAME:REST`, as `lexicon` or `llm:openai:gpt-5-mini`; it reads `REST` itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, cast

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import Edit, RunContext
from mtassay.data.registry import each_named, find, in_pack, is_known
from mtassay.methods.behavior.capability import Capability
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import Annotator

MASK = "<mask>"


@dataclass(frozen=True, slots=True)
class Masked:
    """An edit to make in these spans of a pair, for a capability. `number` distinguishes repetitions.

    `instructions` describes the wanted text for each span.
    """

    pair: ReadPair
    capability: str
    spans: tuple[AlignedSpan, ...]
    instructions: tuple[str, ...]
    number: int = 0

    @property
    def source(self) -> str:
        """The source with each span masked."""
        return _masked(self.pair.source.text, [(span.start, span.end) for span in self.spans])

    @property
    def reference(self) -> str:
        """The reference with each span masked."""
        return _masked(
            self.pair.reference.text, sorted((s.reference_start, s.reference_end) for s in self.spans)
        )


@dataclass(frozen=True, slots=True)
class Filled:
    """The result of an infiller. `changes` are in the source; `reference` is the whole pseudo-reference.

    `reference_changes` has the edit of the reference if it is known. `facts` go into the provenance.
    """

    masked: Masked
    source: str
    reference: str
    changes: tuple[Edit, ...]
    reference_changes: tuple[Edit, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rejected:
    """The reason why a masked pair has no result; `reply` is the exact reply of a model.

    `is_final` says that trying this place again will never give a result.
    """

    masked: Masked
    reason: str
    reply: str = ""
    is_final: bool = False


class Distinct(NamedTuple):
    """Whether some or all edits of a case are known to change the meaning."""

    some: bool
    all: bool


class Infiller(ABC):
    """Fills masked pairs.

    `argument` describes the text after `NAME:`; it is empty if no text is allowed. `is_exact` marks an
    infiller whose edits have the same meaning in both languages, so no measure has to filter them.
    """

    name: str
    argument: ClassVar[str] = ""
    is_exact: ClassVar[bool] = False

    @classmethod
    def open(cls, pair: Pair, rest: str, context: RunContext) -> Infiller:
        """Open the infiller for a pair; `rest` is the text after the colon. `context.ask` asks models."""
        return cls()

    @classmethod
    def never_edits(cls, capability: type[Capability]) -> bool:
        """Whether a capability can never have a result in any text."""
        return False

    @classmethod
    def serves(cls, pair: Pair) -> bool:
        """Whether the infiller knows these two languages."""
        return True

    def reader(self, language: str) -> Annotator | None:
        """The infiller's own annotator if it needs no other tools; `None` to use the best installed tools."""
        return None

    def lacks(self, capability: type[Capability]) -> bool:
        """Whether a capability has no possible result in the infiller's languages."""
        return self.never_edits(capability)

    @classmethod
    def distinct(cls, provenance: Mapping[str, Any]) -> Distinct:
        """What is known about the edits of its case: edits by a language model may be synonyms."""
        return Distinct(False, False)

    @property
    @abstractmethod
    def signature(self) -> str:
        """The signature; equal signatures mean equal fillings."""

    @abstractmethod
    def fill(self, masked: Sequence[Masked]) -> list[Filled | Rejected]:
        """Return one answer for each masked pair, in order."""

    def spans(self, pair: ReadPair, *, start: bool = False, forms: bool = False) -> list[AlignedSpan] | None:
        """The places of a pair that the infiller can fill; `None` if it can fill all aligned spans.

        `start` allows the first word of the source. `forms` asks for places where the form of a word is
        changed, instead of places where a word is replaced.
        """
        return None


def _masked(text: str, places: Sequence[tuple[int, int]]) -> str:
    parts, done = [], 0
    for start, end in places:
        parts += [text[done:start], MASK]
        done = end
    return "".join([*parts, text[done:]])


def infiller_names() -> list[str]:
    """All infillers, as a user writes them.

    >>> infiller_names()[:2]
    ['llm:SYSTEM', 'models:SOURCE_MODEL,TARGET_MODEL']
    """
    return [f"{name}:{kind.argument}" if kind.argument else name for name, kind in each_named("infiller")]


def infiller_class(text: str) -> type[Infiller]:
    """Return the class of the infiller with this name; `UsageError` if there is none.

    >>> infiller_class("thesaurus")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No infiller 'thesaurus'. Available: llm:SYSTEM, models:...
    """
    name, colon, _ = text.partition(":")
    infiller = cast("type[Infiller]", find("infiller", name)) if is_known("infiller", name) else None
    if infiller is None or (colon and not infiller.argument):
        available = (
            f"Available: {', '.join(infiller_names())}.{'' if infiller else in_pack('infiller', name)}"
        )
        raise UsageError(f"No infiller '{text}'. {available}")
    return infiller


def open_infiller(text: str, pair: Pair, context: RunContext) -> Infiller:
    """Open the infiller that the user named."""
    return infiller_class(text).open(pair, text.partition(":")[2], context)


def distinct_edits(provenance: Mapping[str, Any]) -> Distinct:
    """What is known about the edits of a case, which depends on its infiller.

    >>> distinct_edits({"infiller": "lexicon:en-pt:1a", "lexicon": ["month", "departure"]})
    Distinct(some=True, all=False)
    >>> distinct_edits({"infiller": "llm:openai:gpt-5-mini"})
    Distinct(some=False, all=False)
    """
    made_by = str(provenance.get("infiller", "")).partition(":")[0]
    if not is_known("infiller", made_by):
        return Distinct(False, False)
    return cast("type[Infiller]", find("infiller", made_by)).distinct(provenance)
