"""The companion detectors by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from mtassay.errors import UsageError
from mtassay.languages import Pair
from mtassay.methods.invariance.detectors.base import Detector
from mtassay.methods.invariance.detectors.counterparts import Counterparts
from mtassay.methods.invariance.detectors.entities import Entities
from mtassay.methods.invariance.detectors.growth import Growth
from mtassay.methods.invariance.detectors.meanings import WordMeanings
from mtassay.methods.invariance.detectors.numbers import NumbersDetector
from mtassay.methods.invariance.detectors.over import OverTranslation
from mtassay.methods.invariance.detectors.referential import REFERENTIAL, Referential
from mtassay.methods.invariance.detectors.same_output import SameOutput
from mtassay.methods.invariance.detectors.trace import NoTrace
from mtassay.methods.invariance.detectors.under import UnderTranslation
from mtassay.methods.invariance.detectors.untranslated import Untranslated, Vocabularies
from mtassay.methods.invariance.detectors.untranslated_variant import UntranslatedVariant
from mtassay.tools.annotate import open_annotator
from mtassay.tools.encoder import is_installed

__all__ = ["DEFAULT", "DETECTORS", "default_detectors", "open_detectors"]

DETECTORS = {
    "under-translation": "a part of the source is missing in the output",
    "over-translation": "the output says something twice, or something that the source does not say",
    "untranslated": "words of the source language stand in the output",
    "numbers": "a number is missing or changed",
    "entities": "a name is missing",
    "no-trace": "the variant's new word left no trace in the output",
    "same-output": "the same output for a word of another meaning",
    "untranslated-variant": "the variant's new word stands untranslated, the old one did not",
    "growth": "one word changed and the output grew, or began to repeat itself",
    REFERENTIAL: "a noun phrase is translated otherwise alone; asks the engine for these phrases, too",
}
"""What each detector suspects, by name."""

DEFAULT = ("untranslated", "numbers", "same-output", "untranslated-variant", "growth")
"""Those that flag at most 2 % of ordinary outputs (`bench/detectors.py`) and ask little of language tools."""


class _Parts:
    """What several detectors share is opened once, and only where one is asked for."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair

    @cached_property
    def counterparts(self) -> Counterparts:
        return Counterparts(self.pair)

    @cached_property
    def vocabularies(self) -> Vocabularies:
        return Vocabularies.of(self.pair)


_OPEN: dict[str, Callable[[_Parts], Detector]] = {
    "under-translation": lambda parts: UnderTranslation(parts.counterparts),
    "over-translation": lambda parts: OverTranslation(parts.counterparts),
    "untranslated": lambda parts: Untranslated(parts.vocabularies),
    "numbers": lambda parts: NumbersDetector(),
    "entities": lambda parts: Entities(parts.pair, parts.counterparts),
    "no-trace": lambda parts: NoTrace(parts.counterparts),
    "same-output": lambda parts: SameOutput(WordMeanings()),
    "untranslated-variant": lambda parts: UntranslatedVariant(parts.vocabularies),
    "growth": lambda parts: Growth(),
    REFERENTIAL: lambda parts: Referential(),
}


def default_detectors(pair: Pair) -> tuple[str, ...]:
    """Those of `DEFAULT` that this machine has the tools for."""
    return tuple(name for name in DEFAULT if _can_run(name, pair))


def _can_run(name: str, pair: Pair) -> bool:
    try:
        (detector,) = open_detectors([name], pair)
        for language, needs in ((pair.target, detector.needs), (pair.source, detector.needs_source)):
            if needs:
                open_annotator(str(language), needs=sorted(needs))
    except UsageError:
        return False
    return name != "same-output" or is_installed()


def open_detectors(names: Sequence[str], pair: Pair) -> list[Detector]:
    """The detectors with these names, in the order given; `UsageError` for a name that is none.

    >>> from mtassay.languages import parse_pair
    >>> [detector.name for detector in open_detectors(["growth", "numbers"], parse_pair("en-pt"))]
    ['growth', 'numbers']
    """
    for name in names:
        if name not in DETECTORS:
            raise UsageError(f"No detector '{name}'. Available: {', '.join(DETECTORS)}.")
    parts = _Parts(pair)
    return [_OPEN[name](parts) for name in names]
