"""A source and its translation as annotators read them, and what may be said about one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mtassay.nlp.annotation import Annotation


@dataclass(frozen=True, slots=True)
class AnnotatedAnswer:
    """One source and its translation, both as the annotators read them; a bare one has a text only.

    `references` are right translations, where there are any; `again` are the further answers of a system
    that was asked several times.
    """

    id: str
    source: Annotation
    output: Annotation
    references: tuple[str, ...] = ()
    again: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Suspicion:
    """One suspected error: `id` is the answer's it is in, `why` says it in words, `value` how strongly."""

    id: str
    why: str
    value: float
    evidence: Mapping[str, Any] = field(default_factory=dict)
