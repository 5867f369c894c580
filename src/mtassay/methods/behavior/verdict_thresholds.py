"""Thresholds for a good translation and for a large difference, and the verdict on a case by these.

A threshold applies only to the quality measure for which it was found, so there is no common default. Our own
thresholds follow one rule (`bench/behavior.py`), which uses only qualities. But we chose its two levels after
we saw the published rates of five capabilities, so agreement on these five is no independent test.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from mtassay.data.errors import UsageError
from mtassay.data.formats.evaluation_files import read_thresholds
from mtassay.data.formats.textfiles import FilePath, shown
from mtassay.data.languages import parse_pair
from mtassay.data.nouns import Run, Verdict
from mtassay.measures.judge import OURS


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`alpha`: a translation of at least this quality is good; `beta`: a larger difference is not chance.

    `origin` says how both were found. They apply to the target languages in `targets`; empty means all.
    """

    alpha: float
    beta: float
    origin: str
    targets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FilterThreshold:
    """`filter_beta`: two pairs are not equally good if their qualities differ by more than this value."""

    filter_beta: float
    origin: str


_RULE = "our rule on 3,496 en-zh cases of Wu, Liu, Yeung (2023) and five good systems"

THRESHOLDS = {
    "comet": Thresholds(0.8, 0.05, "Wu, Liu, Yeung (2023), section 4.1, for wmt22-comet-da"),
    "use": Thresholds(0.76, 0.15, _RULE),
    # Texts in a language with spaces have many more characters in common.
    "chrf": Thresholds(0.22, 0.29, _RULE, frozenset({"zh"})),
    "use+chrf": Thresholds(0.50, 0.20, _RULE, frozenset({"zh"})),
}

FILTERS = {
    "comet:model=Unbabel/wmt20-comet-qe-da": FilterThreshold(0.05, "Wu, Liu, Yeung (2023), section 3.3"),
    "use:against=source": FilterThreshold(
        0.03, "keeps as large a share of the released cases of Wu, Liu, Yeung (2023) as their own filter did"
    ),
}

_SPEED = re.compile(r":(?:batch_size|gpus)=[^:+]*")


def thresholds_for(
    quality: str, *, target: str = "", alpha: float | None = None, beta: float | None = None
) -> Thresholds:
    """Return the given thresholds, else the known thresholds of this measure; raise an error without either.

    `target` is the code of the target language.

    >>> thresholds_for("comet", beta=0.1).alpha
    0.8
    >>> thresholds_for("nee")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    mtassay.data.errors.UsageError: No thresholds are known for the quality 'nee'. Give `min_quality` and ...
    """
    if alpha is not None and beta is not None:
        return Thresholds(alpha, beta, "given")
    defaults = THRESHOLDS.get(_SPEED.sub("", quality))
    if defaults is None:
        raise UsageError(
            f"No thresholds are known for the quality '{quality}'. Give `min_quality` and `max_change`."
        )
    if defaults.targets and target not in defaults.targets:
        where = ", ".join(sorted(defaults.targets))
        raise UsageError(
            f"The thresholds of the quality '{quality}' are valid for translations into {where} only. "
            "Give `min_quality` and `max_change`."
        )
    if alpha is None and beta is None:
        return defaults
    return Thresholds(
        defaults.alpha if alpha is None else alpha,
        defaults.beta if beta is None else beta,
        f"one given, the other: {defaults.origin}",
    )


PAPER = "paper"
"""The judge that compares two qualities, as Wu et al. do."""


def calibrated_thresholds(file: FilePath, wanted: Sequence[str]) -> dict[str, Any]:
    """Return the parameters from a file of calibrated thresholds, for its first judge.

    A judge is a quality measure, or "ours".
    """
    found = read_thresholds(file).values()
    for name in wanted:
        needed = "fail" if name == OURS else "alpha"
        fitting = [entry for entry in found if entry.quality == name and needed in entry.parameters]
        if fitting:
            # Thresholds that were found on a run of this method include beta.
            entry = max(fitting, key=lambda entry: "beta" in entry.parameters)
            fields = {"alpha": "min_quality", "beta": "max_change"}
            own = {} if name == OURS else {fields[key]: n for key, n in entry.parameters.items()}
            judge = OURS if name == OURS else PAPER
            return {**own, "judge_by": judge, "calibrated": asdict(entry)}
    others = ", ".join(dict.fromkeys(entry.quality or entry.judge for entry in found))
    raise UsageError(
        f"{shown(file)} has no thresholds for {' or '.join(map(repr, wanted))}. It has some for: {others}."
    )


def thresholds_of(run: Run) -> Thresholds:
    """Return the thresholds that were used to judge the run."""
    parameters = run.parameters
    return thresholds_for(
        "+".join(parameters["quality"]),
        target=parse_pair(str(parameters["pair"])).target.code,
        alpha=parameters.get("min_quality"),
        beta=parameters.get("max_change"),
    )


def caution(
    quality: str, pair: str, *, alpha: float | None = None, beta: float | None = None, direct: bool = True
) -> str:
    """A note for readers of pass rates by this measure; may be empty.

    >>> caution("use", "en-zh").partition(": ")[2]
    'such errors count only if the direct check proves them. Its rates are upper bounds.'
    >>> caution("use", "en-pt").partition("bounds. ")[2], caution("comet", "en-pt")
    ('Its thresholds were found on en-zh, not on en-pt.', '')
    """
    if "use" not in [part.partition(":")[0] for part in quality.split("+")]:
        return ""
    misses = "such errors count only if the direct check proves them" if direct else "such cases pass"
    text = f"{quality} often misses errors in one word or number: {misses}. Its rates are upper bounds."
    defaults = THRESHOLDS.get(_SPEED.sub("", quality))
    if defaults is None or defaults.origin != _RULE or None not in (alpha, beta) or pair.startswith("en-zh"):
        return text
    return f"{text} Its thresholds were found on en-zh, not on {pair}."


def compared(quality: float, edited: float, limits: Thresholds, *, signed: bool = False) -> str:
    """Describe the qualities of a case compared with alpha and beta.

    >>> compared(0.9, 0.7, Thresholds(0.8, 0.05, "given"))
    "the original's quality 0.900 is at least alpha 0.8; the edit moves it by -0.200, beyond beta 0.05"
    """
    moved = edited - quality
    original = "below" if quality < limits.alpha - TINY else "at least"
    edit = "beyond" if (-moved if signed else abs(moved)) > limits.beta + TINY else "within"
    # With only two decimals, many qualities below the threshold would look equal to it.
    parts = [
        f"the original's quality {quality:.3f} is {original} alpha {limits.alpha:g}",
        f"the edit moves it by {moved:+.3f}, {edit} beta {limits.beta:g}"
        + (" (only a loss counts)" if signed else ""),
    ]
    return "; ".join(parts)


Status = Literal[
    "passed", "original is bad", "edit broke it", "edit ignored", "edit improved it", "undecided"
]
Where = Literal["at the edit", "elsewhere", "unknown"]

STATUSES: dict[Status, Verdict] = {
    "passed": "pass",
    "original is bad": "fail",
    "edit broke it": "fail",
    "edit ignored": "fail",
    "edit improved it": "fail",
    "undecided": "undecided",
}
"""All statuses of a case, with the verdict."""
MOVED: frozenset[Status] = frozenset(("edit broke it", "edit ignored", "edit improved it"))
"""The statuses of a case that fails because of its edit, not of its original."""

TINY = 1e-9
"""Smaller differences from a threshold are rounding errors: 0.9 - 0.85 is not above 0.05."""


class JudgedPair(NamedTuple):
    """The status of a case, and the reason if it is undecided."""

    status: Status
    why: str = ""


def judge_pair(
    quality: float, edited: float, *, alpha: float, beta: float, signed: bool = False
) -> JudgedPair:
    """Pass if the original is good (at least alpha) and the edit changes the quality by at most beta.

    With `signed`, only a loss of quality counts. If a quality is unknown, the case is undecided.

    >>> [judge_pair(0.9, edited, alpha=0.8, beta=0.05).status for edited in (0.85, 0.8, 0.97)]
    ['passed', 'edit broke it', 'edit improved it']
    >>> judge_pair(0.9, 0.97, alpha=0.8, beta=0.05, signed=True).status
    'passed'
    """
    if math.isnan(quality) or math.isnan(edited):
        return JudgedPair("undecided", "the quality measure says nothing about it")
    if quality < alpha - TINY:
        return JudgedPair("original is bad")
    if quality - edited > beta + TINY:
        return JudgedPair("edit broke it")
    if edited - quality > beta + TINY and not signed:
        return JudgedPair("edit improved it")
    return JudgedPair("passed")


def position(edit_found: bool | None) -> Where:
    """Where the error of a failed case is; it is elsewhere if the edit was translated.

    >>> position(True), position(False), position(None)
    ('elsewhere', 'at the edit', 'unknown')
    """
    if edit_found is None:
        return "unknown"
    return "elsewhere" if edit_found else "at the edit"
