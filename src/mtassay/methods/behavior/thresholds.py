"""When a translation is good enough and a difference is large, for each quality measure on its own.

A threshold means nothing without the measure it was found for, so there is no common default. Those that we
found ourselves follow one rule (`calibrate`). It reads qualities alone, but its two levels were settled with
the published rates of five capabilities in view, so agreement on these five is no independent test of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtassay.errors import UsageError

__all__ = [
    "BLIND",
    "FILTERS",
    "THRESHOLDS",
    "FilterThreshold",
    "Thresholds",
    "calibrate",
    "caution",
    "is_blind",
    "thresholds_for",
]

BAD, LARGE = 0.15, 0.05
"""The rule: the worst 15 % of the originals are bad, and the largest 5 % of the differences are large."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`alpha`: a translation of this quality is good; `beta`: a larger difference is not by chance.

    `origin` says how both were found. `targets` are the target languages that they hold for; none named
    means all.
    """

    alpha: float
    beta: float
    origin: str
    targets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FilterThreshold:
    """`filter_beta`: two pairs whose qualities differ by more are not equally good."""

    filter_beta: float
    origin: str


_RULE = "our rule on 3,496 en-zh cases of Wu, Liu, Yeung (2023) and five good systems"

THRESHOLDS = {
    "comet": Thresholds(0.8, 0.05, "Wu, Liu, Yeung (2023), section 4.1, for wmt22-comet-da"),
    "use": Thresholds(0.76, 0.15, _RULE),
    # Words of a language with spaces have many more characters in common.
    "chrf": Thresholds(0.22, 0.29, _RULE, frozenset({"zh"})),
    "use+chrf": Thresholds(0.50, 0.20, _RULE, frozenset({"zh"})),
}

FILTERS = {
    "comet:model=Unbabel/wmt20-comet-qe-da": FilterThreshold(0.05, "Wu, Liu, Yeung (2023), section 3.3"),
    "use:against=source": FilterThreshold(
        0.03, "keeps as large a share of the released cases of Wu, Liu, Yeung (2023) as their own filter did"
    ),
}

_SMALL_WORDS = frozenset({"negation", "number", "gender", "politeness"})
BLIND = {
    # An edit of one ending or one small word hardly moves a sentence vector, and is a few characters of many.
    "use": _SMALL_WORDS,
    "chrf": _SMALL_WORDS,
    # Amrhein & Sennrich (2022): COMET hardly sees a wrong number.
    "comet": frozenset({"number"}),
}
"""The capabilities whose failures a quality measure, by the metric's name, cannot see."""

_SPEED = re.compile(r":(?:batch_size|gpus)=[^:+]*")


def calibrate(originals: NDArray[Any], edited: NDArray[Any]) -> Thresholds:
    """Thresholds for a measure, from the qualities of translations by systems that are known to be good.

    Alpha is the quality that the worst 15 % of the originals do not reach; beta is the difference that only
    5 % of the cases exceed. Values that are nan do not count.

    >>> originals = np.linspace(0, 1, 101)
    >>> calibrate(originals, originals**2).alpha
    0.15
    """
    moved = np.abs(np.asarray(originals) - np.asarray(edited))
    alpha, beta = np.nanquantile(originals, BAD), np.nanquantile(moved, 1 - LARGE)
    return Thresholds(float(alpha), float(beta), "our rule")


def thresholds_for(
    quality: str, *, target: str = "", alpha: float | None = None, beta: float | None = None
) -> Thresholds:
    """Those that were given, else those known for this very measure; an error where there are none.

    `target` is the code of the target language.

    >>> thresholds_for("comet", beta=0.1).alpha
    0.8
    >>> thresholds_for("nee")
    Traceback (most recent call last):
    mtassay.errors.UsageError: No thresholds are known for the quality 'nee'. Give --alpha and --beta.
    """
    if alpha is not None and beta is not None:
        return Thresholds(alpha, beta, "given")
    known = THRESHOLDS.get(_SPEED.sub("", quality))
    if known is None:
        raise UsageError(f"No thresholds are known for the quality '{quality}'. Give --alpha and --beta.")
    if known.targets and target not in known.targets:
        where = ", ".join(sorted(known.targets))
        raise UsageError(
            f"The thresholds of the quality '{quality}' hold for translations into {where} only. "
            "Give --alpha and --beta."
        )
    if alpha is None and beta is None:
        return known
    return Thresholds(
        known.alpha if alpha is None else alpha,
        known.beta if beta is None else beta,
        f"one given, the other: {known.origin}",
    )


def caution(
    quality: str, pair: str, *, alpha: float | None = None, beta: float | None = None, direct: bool = True
) -> str:
    """What a reader of pass rates by this measure should know; empty where there is nothing to say.

    >>> caution("use", "en-zh").partition(": ")[2]
    'what it misses fails only where the direct check proves it. Its rates are upper bounds.'
    >>> caution("use", "en-pt").partition("bounds. ")[2], caution("comet", "en-pt")
    ('Its thresholds were found on en-zh, not on en-pt.', '')
    """
    if "use" not in [part.partition(":")[0] for part in quality.split("+")]:
        return ""
    misses = (
        "what it misses fails only where the direct check proves it" if direct else "what it misses passes"
    )
    text = f"{quality} hardly sees edits of one word or number: {misses}. Its rates are upper bounds."
    known = THRESHOLDS.get(_SPEED.sub("", quality))
    if known is None or known.origin != _RULE or None not in (alpha, beta) or pair.startswith("en-zh"):
        return text
    return f"{text} Its thresholds were found on en-zh, not on {pair}."


def is_blind(quality: str, capability: str) -> bool:
    """Whether any part of this quality measure cannot see failures of the capability.

    >>> is_blind("use+comet", "negation"), is_blind("comet", "negation")
    (True, False)
    """
    names = [part.partition(":")[0] for part in quality.split("+")]
    return any(capability in BLIND.get(name, frozenset()) for name in names)
