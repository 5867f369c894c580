"""What a detector looks at: sources and their translations as the annotators read them, set side by side."""

from __future__ import annotations

from dataclasses import dataclass, field

from mtassay.core import Case, Edit, Output
from mtassay.tools.annotate.annotation import Annotation

__all__ = ["AnnotatedAnswer", "AnsweredCase", "ComparedPair", "Unread"]


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
