"""Runs a companion detector over what a system answered, whatever kind of detector it is."""

from __future__ import annotations

from collections.abc import Sequence

from mtassay.methods.invariance.answering import Answered
from mtassay.methods.invariance.detectors.base import (
    Detector,
    PairDetector,
    PhraseDetector,
    RelationDetector,
    Suspicion,
)

__all__ = ["find_suspicions"]


def find_suspicions(detector: Detector, material: Sequence[Answered]) -> list[Suspicion]:
    """What the detector suspects; one for each answer at most."""
    if isinstance(detector, PairDetector):
        found = detector.suspects([answer for each in material for answer in each.answers])
    elif isinstance(detector, RelationDetector):
        found = detector.suspects([pair for each in material for pair in each.compared])
    elif isinstance(detector, PhraseDetector):
        found = detector.suspects(
            [(each.original, phrase) for each in material if each.original for phrase in each.phrases]
        )
    else:
        raise TypeError(f"{detector.name} is no kind of detector that is known here")
    return list({suspicion.id: suspicion for suspicion in reversed(found)}.values())[::-1]
