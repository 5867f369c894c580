"""Whether an edit is known to change the meaning, so that the old translation cannot be right any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["NEAR", "Distinct", "distinct_edits"]

NEAR = frozenset(
    [
        *("adult", "amount", "any vehicle", "app", "area", "assembly", "beat", "bigger", "biggest", "blame"),
        *("body corporate", "bottle", "cancel", "certainty", "clothing", "completeness", "container"),
        *("contest", "country noun", "couple", "cup", "customer", "delivery", "departure", "device"),
        *("difficulty", "dosage", "extent", "file", "game", "head", "home", "illness"),
        *("in this", "landscape", "letter", "lodging", "looks", "love", "meat", "memory", "mood", "nature"),
        *("of this", "openers", "owner", "pact", "parcel", "part of day", "plant", "plant site", "pot"),
        *("preference", "press", "prize", "quality", "quantity", "repair", "shoe", "show", "simply", "size"),
        *("soon", "speech", "speed", "study", "temperature", "text", "these", "this", "town", "trainer"),
        *("transport", "trial", "truth", "water vehicle", "way", "worker"),
    ]
)
"""Groups of the lexicon with words that one translation may serve: leave and depart, these and those."""


class Distinct(NamedTuple):
    """Whether some edit of a case is known to change the meaning, and whether all are."""

    some: bool
    all: bool


def distinct_edits(provenance: Mapping[str, Any]) -> Distinct:
    """What is known of the edits of a case, by who made it.

    Those that the lexicon made from groups whose words exclude each other change the meaning. A language
    model's edit, or one of unknown origin, may be a synonym.

    >>> distinct_edits({"infiller": "lexicon:en-pt:1a", "lexicon": ["month", "departure"]})
    Distinct(some=True, all=False)
    >>> distinct_edits({"infiller": "llm:openai:gpt-5-mini"})
    Distinct(some=False, all=False)
    """
    kinds = provenance.get("lexicon")
    made_by = str(provenance.get("infiller", "")).partition(":")[0]
    if made_by != "lexicon" or not isinstance(kinds, list | tuple) or not kinds:
        return Distinct(False, False)
    known = [str(kind) not in NEAR for kind in kinds]
    return Distinct(any(known), all(known))
