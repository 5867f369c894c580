"""What a companion detector is: something that suspects one kind of error in a translation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

from mtassay.data.errors import UsageError
from mtassay.data.languages import Pair
from mtassay.data.nouns import Case, Edit, Output
from mtassay.data.registry import each, find, names
from mtassay.measures.detector_records import is_proven
from mtassay.nlp.annotation import Annotation, Layer
from mtassay.nlp.annotators import open_annotator

__all__ = [
    "AnnotatedAnswer",
    "AnsweredCase",
    "Clue",
    "ComparedPair",
    "Detector",
    "PairDetector",
    "PhraseDetector",
    "RelationDetector",
    "Shared",
    "Suspicion",
    "Unread",
    "default_detectors",
    "find_suspicions",
    "installed_detectors",
    "known_detectors",
    "open_detectors",
]


class Clue(NamedTuple):
    """A number that is the larger the more it speaks for an error, and why, in a line; empty: no words.

    `words` are those that it is about, in small letters.
    """

    value: float
    why: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnnotatedAnswer:
    """One source and its translation, both as the annotators read them; a bare one has a text only.

    `references` are right translations, `back` is the output translated back, where there is any.
    """

    id: str
    source: Annotation
    output: Annotation
    references: tuple[str, ...] = ()
    back: str | None = None


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """An original and one of its variants, with their translations."""

    original: AnnotatedAnswer
    variant: AnnotatedAnswer
    edit: Edit


@dataclass(frozen=True, slots=True)
class Unread:
    """A variant that cannot be compared, and why."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class AnsweredCase:
    """What a system made of one case.

    `original` is `None` where nothing can be compared; `problem` then says why, and `absent` is the output
    that is not there, if that is why. `phrases` are parts of the original that were translated alone.
    """

    case: Case
    original: AnnotatedAnswer | None
    compared: list[ComparedPair] = field(default_factory=list)
    phrases: list[AnnotatedAnswer] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    problem: str = ""
    absent: Output | None = None

    @property
    def answers(self) -> list[AnnotatedAnswer]:
        """The original and all variants that can be compared with it."""
        return [] if self.original is None else [self.original, *(pair.variant for pair in self.compared)]


Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One suspected error: `id` is the answer's it is in, `why` says it in words, `value` how strongly."""

    id: str
    why: str
    value: float
    evidence: Mapping[str, Any] = field(default_factory=dict)


class Shared:
    """The language pair, and what several detectors of it need: made once, where one asks for it."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self._parts: dict[Callable[[Pair], Any], Any] = {}

    def part(self, make: Callable[[Pair], Part]) -> Part:
        """What `make` makes of the pair; whoever asks with the same function gets the same part."""
        if make not in self._parts:
            self._parts[make] = make(self.pair)
        part: Part = self._parts[make]
        return part


class Detector(ABC):
    """Common to all kinds.

    `about` says what it suspects. Which of ours are on where nobody names any, their records decide
    (`detector_records`); `defaults` are the pairs for which another package puts its own on, `*` is all.
    `needs` and `needs_source` are layers of the annotations it reads.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    defaults: ClassVar[frozenset[str]] = frozenset()
    needs: ClassVar[frozenset[Layer]] = frozenset()
    needs_source: ClassVar[frozenset[Layer]] = frozenset()

    @classmethod
    def open(cls, shared: Shared) -> Detector:
        """The one for a language pair, with the parts that it shares with others."""
        return cls()

    @classmethod
    def is_ready(cls) -> bool:
        """Whether all that it needs besides language tools is installed."""
        return True

    def require(self) -> None:
        """An error that says what to install, where it is not ready."""
        return None


class PairDetector(Detector):
    """Looks at one source and its translation, so it needs neither variants nor an engine."""

    @abstractmethod
    def suspects(self, answers: Sequence[AnnotatedAnswer]) -> list[Suspicion]:
        """What is suspected, in the order of the answers; at most one for each answer."""


class RelationDetector(Detector):
    """Looks at an original and a variant together."""

    @abstractmethod
    def suspects(self, compared: Sequence[ComparedPair]) -> list[Suspicion]:
        """What is suspected, in the order given; at most one for each variant."""


class PhraseDetector(Detector):
    """Looks at a sentence and a phrase of it that was translated alone."""

    @abstractmethod
    def suspects(self, pairs: Sequence[tuple[AnnotatedAnswer, AnnotatedAnswer]]) -> list[Suspicion]:
        """What is suspected of each (sentence, phrase), in order; the suspicion has the sentence's id."""


def default_detectors(pair: Pair) -> tuple[str, ...]:
    """The names of those that are used where nobody names any, if this machine has the tools for them."""
    return tuple(
        d.name for d in each("detector") if is_proven(d.name, str(pair)) or {"*", str(pair)} & d.defaults
    )


def installed_detectors(pair: Pair) -> tuple[str, ...]:
    """Those of them that it has the tools for."""
    return tuple(name for name in default_detectors(pair) if _can_run(name, pair))


def known_detectors(pair: Pair) -> tuple[str, ...]:
    """The names of all that can be opened for these languages, whatever tools they ask for then.

    >>> from mtassay.data.languages import parse_pair
    >>> "polarity" in known_detectors(parse_pair("en-pt")), "polarity" in known_detectors(parse_pair("en-nl"))
    (True, False)
    """
    return tuple(name for name in names("detector") if _can_open(name, pair))


def _can_open(name: str, pair: Pair) -> bool:
    try:
        open_detectors([name], pair)
    except UsageError:
        return False
    return True


def _can_run(name: str, pair: Pair) -> bool:
    try:
        (detector,) = open_detectors([name], pair)
        for language, needs in ((pair.target, detector.needs), (pair.source, detector.needs_source)):
            if needs:
                open_annotator(str(language), needs=sorted(needs))
    except UsageError:
        return False
    return detector.is_ready()


def open_detectors(names: Sequence[str], pair: Pair) -> list[Detector]:
    """The detectors with these names, in the order given; `UsageError` for a name that is none.

    >>> from mtassay.data.languages import parse_pair
    >>> [detector.name for detector in open_detectors(["growth", "numbers"], parse_pair("en-pt"))]
    ['growth', 'numbers']
    """
    classes = [cast("type[Detector]", find("detector", name)) for name in names]
    shared = Shared(pair)
    return [detector.open(shared) for detector in classes]


def find_suspicions(detector: Detector, material: Sequence[AnsweredCase]) -> list[Suspicion]:
    """What the detector suspects; one for each answer at most."""
    if isinstance(detector, PairDetector):
        suspicions = detector.suspects([answer for case in material for answer in case.answers])
    elif isinstance(detector, RelationDetector):
        suspicions = detector.suspects([pair for case in material for pair in case.compared])
    elif isinstance(detector, PhraseDetector):
        suspicions = detector.suspects(
            [(case.original, phrase) for case in material if case.original for phrase in case.phrases]
        )
    else:
        raise TypeError(f"{detector.name} is no kind of detector that is known here")
    return list({suspicion.id: suspicion for suspicion in reversed(suspicions)}.values())[::-1]
