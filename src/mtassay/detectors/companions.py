"""The companion detectors of a method: opened by name, and run over what a system answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from mtassay.detectors.answers import AnsweredCase
from mtassay.detectors.base import (
    Detector,
    PairDetector,
    PhraseDetector,
    RelationDetector,
    Shared,
    Suspicion,
)
from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.registry import each, find, names
from mtassay.tools.annotate import open_annotator

__all__ = ["default_detectors", "find_suspicions", "installed_detectors", "known_detectors", "open_detectors"]


def default_detectors(pair: Pair) -> tuple[str, ...]:
    """The names of those that are used where nobody names any, if this machine has the tools for them."""
    return tuple(d.name for d in each("detector") if {"*", str(pair)} & d.defaults)


def installed_detectors(pair: Pair) -> tuple[str, ...]:
    """Those of them that it has the tools for."""
    return tuple(name for name in default_detectors(pair) if _can_run(name, pair))


def known_detectors(pair: Pair) -> tuple[str, ...]:
    """The names of all that can be opened for these languages, whatever tools they ask for then.

    >>> from mtassay.languages import parse_pair
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

    >>> from mtassay.languages import parse_pair
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
