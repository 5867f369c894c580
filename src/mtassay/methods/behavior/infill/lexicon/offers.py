"""What the lexicon offers for a pair: each place that it can edit, with all that may stand there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mtassay.methods.behavior.infill.lexicon.entries import Substitute
from mtassay.methods.behavior.nouns import AlignedSpan
from mtassay.tools.annotate.annotation import Annotation

__all__ = ["Offer", "fitted", "head_of", "keeps_genitive"]

_GENITIVE = re.compile(r"['’](s\b)?")
_SIBILANTS = ("s", "x", "z", "ß")


@dataclass(frozen=True, slots=True)
class Offer:
    """One place on both sides, in characters, and what may stand there instead, in no special order.

    `labels` say what it is: a part of speech first, then the kind of entity where it is one. `kind` is the
    group of the lexicon, or what sort of number.
    """

    start: int
    end: int
    reference_start: int
    reference_end: int
    head: int
    kind: str
    labels: tuple[str, ...]
    substitutes: tuple[Substitute, ...]

    def spans(self) -> list[AlignedSpan]:
        """The place as aligned spans, one for each label."""
        place = (self.start, self.end, self.reference_start, self.reference_end)
        return [AlignedSpan(*place, label, self.head) for label in self.labels]


def head_of(annotation: Annotation, start: int, end: int) -> int:
    """The number of the token that heads the ones in these characters; -1 where there is none."""
    inside = [i for i, token in enumerate(annotation.tokens) if token.start < end and token.end > start]
    for i in inside:
        if annotation.tokens[i].head not in inside:
            return i
    return inside[0] if inside else -1


def fitted(form: str, written: str) -> str:
    """A form with the capital that the word in its place has at the start of a sentence.

    >>> fitted("slowly", "Quickly"), fitted("slowly", "quickly")
    ('Slowly', 'slowly')
    """
    return form[:1].upper() + form[1:] if written[:1].isupper() else form


def keeps_genitive(text: str, start: int, end: int, after: str) -> bool:
    """Whether an apostrophe behind these characters, if there is one, stays right with another word there.

    >>> [keeps_genitive("Hans' bicycle", 0, 4, name) for name in ("Lars", "Peter")]
    [True, False]
    >>> [keeps_genitive("Anna's bicycle", 0, 4, name) for name in ("Lars", "Peter")]
    [False, True]
    """
    mark = _GENITIVE.match(text, end)
    if mark is None:
        return True
    if mark[1]:
        return not after.endswith("s") or text[start:end].endswith("s")
    # Behind any other word it closes a quotation.
    return after.endswith(_SIBILANTS) or not text[start:end].endswith(_SIBILANTS)
