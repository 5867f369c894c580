"""Companion detectors: cheap checks of the same translations, each for one kind of error."""

from mtassay.methods.invariance.detectors.base import Detector, Suspicion
from mtassay.methods.invariance.detectors.choose import DEFAULT, DETECTORS, default_detectors, open_detectors
from mtassay.methods.invariance.detectors.referential import REFERENTIAL, phrase_segments
from mtassay.methods.invariance.detectors.running import find_suspicions

__all__ = [
    "DEFAULT",
    "DETECTORS",
    "REFERENTIAL",
    "Detector",
    "Suspicion",
    "default_detectors",
    "find_suspicions",
    "open_detectors",
    "phrase_segments",
]
