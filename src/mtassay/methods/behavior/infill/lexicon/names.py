"""Finds the names of people that both sides of a pair share, and names of the same kind for them."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from mtassay.methods.behavior.infill.lexicon.entries import Substitute, rows_of
from mtassay.methods.behavior.infill.lexicon.offers import Offer, keeps_genitive
from mtassay.methods.behavior.nouns import ReadPair
from mtassay.tools.annotate.annotation import Annotation, Token

__all__ = ["name_offers"]

_ROMAN = re.compile(r"[IVX]+")
_LATIN = frozenset(("en", "pt", "de"))
_TITLES = frozenset(
    ["mr", "mrs", "ms", "dr", "sr", "sra", "mr.", "mrs.", "ms.", "dr.", "sr.", "sra.", "herr", "frau"]
)
_PARTS = frozenset(["da", "de", "do", "das", "dos", "e", "van", "von", "der", "den", "di", "la", "le"])


@cache
def _names() -> dict[str, tuple[str, str]]:
    """The kind (`female`, `male`, `family`) and the origin of each name."""
    return {
        name: (row["kind"], row["origin"]) for _, row in rows_of("names") for name in row["names"].split()
    }


def name_offers(languages: tuple[str, str], pair: ReadPair) -> list[Offer]:
    """One offer for each given or family name that stands once on both sides, unchanged, in order.

    A family name is known by the given name or the title before it, so that no place or firm is taken for
    one. A given name is replaced by one of the same gender and, where that is known, of the same origin.
    """
    if not set(languages) <= _LATIN:
        return []
    counts = [Counter(token.text for token in side.tokens) for side in (pair.source, pair.reference)]
    offers = []
    for number, token in enumerate(pair.source.tokens):
        if counts[0][token.text] != 1 or counts[1][token.text] != 1:
            continue
        kind = _kind(pair.source, number)
        if kind is None:
            continue
        place = next(i for i, other in enumerate(pair.reference.tokens) if other.text == token.text)
        if _kind(pair.reference, place) is None:
            continue
        other = pair.reference.tokens[place]
        where = (token.start, token.end, other.start, other.end)
        taken = counts[0] + counts[1]
        free = [
            name
            for name, (its_kind, _) in _names().items()
            if its_kind == kind
            and not taken[name]
            and keeps_genitive(pair.source.text, *where[:2], name)
            and keeps_genitive(pair.reference.text, *where[2:], name)
        ]
        found = _nearest(token.text, free)
        if not found:
            continue
        offers.append(Offer(*where, number, f"{kind} name", ("PROPN", "PERSON"), found))
    return offers


def _kind(annotation: Annotation, number: int) -> str | None:
    tokens = annotation.tokens
    token = tokens[number]
    if (
        not token.text[:1].isupper()
        or _ROMAN.fullmatch(token.text)
        or _joined(annotation, token)
        or _in_firm(annotation, number)
    ):
        return None
    before = tokens[number - 1] if number else None
    after = tokens[number + 1] if number + 1 < len(tokens) else None
    listed = _names().get(token.text, ("", ""))[0]
    given_before = before is not None and _names().get(before.text, ("", ""))[0] in ("female", "male")
    if after is not None and _ROMAN.fullmatch(after.text):
        return None
    if given_before or (before is not None and before.text.lower() in _TITLES and listed in ("", "family")):
        last = after is None or not (after.text[:1].isupper() or after.text in _PARTS)
        return "family" if last and listed in ("", "family") and token.text.isalpha() else None
    if listed not in ("female", "male"):
        return None
    if before is not None and before.text[:1].isupper() and before.pos == "PROPN" and not _is_title(before):
        # `Santa Marta`, `Lake Charlotte`: the name of something else
        return listed if before.text.lower() in _KNOWN_BEFORE else None
    return listed


_KNOWN_BEFORE = frozenset([
    "mayor", "president", "queen", "king", "prince", "princess", "captain", "coach", "goalkeeper",
    "defender", "judge", "aunt", "uncle", "grandma", "grandpa", "dona", "seu", "dom", "sir", "lady",
    "professor", "doctor", "chef", "sister", "brother", "emperor", "senator", "minister",
])  # fmt: skip


def _is_title(token: Token) -> bool:
    return token.text.lower() in _TITLES | _KNOWN_BEFORE


def _in_firm(annotation: Annotation, number: int) -> bool:
    """Whether an annotator takes it for part of a firm, a building or a work."""
    kinds = {entity.label for entity in annotation.entities if entity.start <= number < entity.end}
    return bool(kinds & {"ORG", "FAC", "WORK_OF_ART", "PRODUCT", "LAW", "EVENT"})


def _joined(annotation: Annotation, token: Token) -> bool:
    return annotation.text[token.end : token.end + 1] in ("-", "@", "_", "/") or (
        token.start > 0 and annotation.text[token.start - 1] in "-@_/{"
    )


def _nearest(name: str, others: list[str]) -> tuple[Substitute, ...]:
    """Those of the same origin, or all where there are none."""
    origin = _names().get(name, ("", ""))[1]
    near = [other for other in others if _names()[other][1] == origin]
    return tuple(Substitute(other, other) for other in near or others)
