"""Suspects outputs that lost or changed a number of the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mtassay.core import Segment
from mtassay.methods.invariance.detectors.base import PairDetector, Suspicion
from mtassay.methods.invariance.nouns import Answer
from mtassay.metrics.guards.numbers import Numbers

__all__ = ["NumbersDetector"]


class NumbersDetector(PairDetector):
    """The guard that `score` has, without references: a number is found regrouped, rounded or in words, too.

    The value is how many numbers are missing.
    """

    name: ClassVar[str] = "numbers"
    about: ClassVar[str] = "a number is missing or changed"
    is_default: ClassVar[bool] = True

    def suspects(self, answers: Sequence[Answer]) -> list[Suspicion]:
        """In the order of the answers; an empty output is left to the detector of under-translation."""
        read = [answer for answer in answers if answer.output.text.strip()]
        guard = Numbers([Segment(answer.id, answer.source.text) for answer in read])
        hits = guard.hits([answer.output.text for answer in read])
        return [
            Suspicion(read[index].id, f"{why['why']}{_instead(why)}", len(why["missing"]), dict(why))
            for index, why in sorted(hits.items())
        ]


def _instead(why: dict[str, list[str]]) -> str:
    return f"; new: {', '.join(why['instead'])}" if why["instead"] else ""
