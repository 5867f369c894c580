"""The capability to translate gender: the one person that a sentence speaks of is of the other gender."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.methods.behavior.capabilities.base import Capability
from mtassay.methods.behavior.capabilities.places import (
    edited_places,
    head_token,
    original_places,
    span_text,
    tokens_at,
)
from mtassay.methods.behavior.nouns import AlignedSpan, Change, ReadPair
from mtassay.tools.annotate.nouns import Annotation, Token

__all__ = ["Gender"]

# English nouns have no gender that an annotator could tell.
_PAIRS = (
    "man woman, men women, boy girl, boys girls, father mother, fathers mothers, son daughter, sons daughters"
    ", brother sister, brothers sisters, husband wife, husbands wives, uncle aunt, king queen, sir madam"
    ", prince princess, actor actress, actors actresses, waiter waitress, grandfather grandmother"
    ", nephew niece, gentleman lady, gentlemen ladies, boyfriend girlfriend, spokesman spokeswoman"
)
_WORDS = {
    word: gender
    for pair in _PAIRS.split(", ")
    for word, gender in zip(pair.split(), ("Masc", "Fem"), strict=True)
}
_OTHER = {"Masc": "female", "Fem": "male"}
_PEOPLE = frozenset(("PER", "PERSON"))


class Gender(Capability):
    """Third-person pronouns, and English nouns with a counterpart.

    Only where nothing else in the source shows a person's gender, and nobody is named: else the sentence
    would contradict itself.
    """

    name = "gender"
    needs = frozenset({"pos", "features"})

    def spans(self, pair: ReadPair, aligned: Sequence[AlignedSpan]) -> list[AlignedSpan]:
        """The word, where there is exactly one."""
        shown = [token for token in pair.source.tokens if _gender(token)]
        if len(shown) != 1 or any(entity.label in _PEOPLE for entity in pair.source.entities):
            return []
        place = shown[0].start, shown[0].end
        return [
            span for span in aligned if (span.start, span.end) == place and span.label in ("PRON", "NOUN")
        ]

    def instruction(self, pair: ReadPair, span: AlignedSpan) -> str:
        """The counterpart."""
        head = head_token(pair, span)
        other = _OTHER.get(_gender(head) or "", "other-gender") if head else "other-gender"
        return f'the {other} counterpart of "{span_text(pair, span)}"'

    def objection(
        self, edited: Annotation, changes: Sequence[Change], *, original: Annotation | None = None
    ) -> str | None:
        """The edit must show a gender, and another one than before; without the original, any."""
        places = zip(changes, edited_places(changes), original_places(changes), strict=True)
        for change, place, before in places:
            found = _genders_at(edited, place)
            if not found or (original and found & _genders_at(original, before)):
                return f'"{change.after}" is not of another gender than "{change.before}"'
        return None


def _gender(token: Token) -> str | None:
    """`Masc` or `Fem`, of a person; `None` where it shows none."""
    if token.pos == "PRON" and token.features.get("Person") == "3":
        gender = token.features.get("Gender")
        return gender if gender in _OTHER else None
    return _WORDS.get(token.text.lower()) if token.pos == "NOUN" else None


def _genders_at(annotation: Annotation, place: tuple[int, int]) -> set[str]:
    shown = (_gender(annotation.tokens[i]) for i in tokens_at(annotation, place))
    return {gender for gender in shown if gender}
