"""Figures of single outputs: their scores, and the accuracy of the judge's probabilities."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from statistics import fmean, quantiles

from mtassay.data.display import LIKELY, CaseView, Figure, Point, Series
from mtassay.data.marks import plural
from mtassay.data.nouns import Pair
from mtassay.stats.proportions import wilson

_PARTS = 4  # of all scores, the same number in each
_BINS = (0.0, 0.2, 0.4, 0.6, 0.8, math.inf)  # of probabilities
ANSWERED = f"{LIKELY}, of outputs with answers of people"


def distributions(views: Iterable[CaseView]) -> list[Figure]:
    """Draw the scores of each system's outputs, in ranges that have equal shares of all outputs."""
    measured: dict[str, dict[str, list[float]]] = {}
    for view in views:
        for answer in view.answers:
            for name, value in answer.values.items():
                measured.setdefault(name, {}).setdefault(answer.system, []).append(round(value, 4))
    measured.pop(ANSWERED, None)
    found = []
    for name, systems in measured.items():
        values = list(chain.from_iterable(systems.values()))
        if len(values) < _PARTS:
            continue
        ends = list(dict.fromkeys(round(end, 2) for end in quantiles(values, n=_PARTS)))
        labels = [f"below {ends[0]:g}", *(f"{a:g} to {b:g}" for a, b in pairwise(ends)), f"from {ends[-1]:g}"]
        counts = {s: Counter(bisect_right(ends, value) for value in values) for s, values in systems.items()}
        series = [
            Series(label, [Point(s, 100 * counts[s][place] / len(systems[s])) for s in systems])
            for place, label in enumerate(labels)
        ]
        limits = dict(zip(labels, pairwise([-math.inf, *ends, math.inf]), strict=True))
        title, axis = f"{name} of single outputs", f"% of outputs, by {name}"
        found.append(Figure("bars", series, title, axis, unit="%", measure=name, ends=limits))
    return found


def with_answered(views: Iterable[CaseView], said: Mapping[Pair, bool]) -> Iterable[CaseView]:
    """Add the value `ANSWERED` to judged outputs if people answered whether they have an error."""
    for view in views:
        answers = [
            replace(answer, values={**answer.values, ANSWERED: answer.values[LIKELY]})
            if LIKELY in answer.values and (view.id, answer.system) in said
            else answer
            for answer in view.answers
        ]
        yield replace(view, answers=answers)


def calibration(views: Iterable[CaseView], said: Mapping[Pair, bool], *, is_fitted: bool) -> Figure | None:
    """Compare the judge's probabilities with the share of outputs in which people found an error.

    `is_fitted` means that the judge was recalibrated by people's answers.
    """
    pairs = [
        (round(answer.values[ANSWERED], 4), said[view.id, answer.system])
        for view in views
        for answer in view.answers
        if ANSWERED in answer.values
    ]
    if not pairs:
        return None
    judged, people, ends = [], [], {}
    for low, high in pairwise(_BINS):
        some = [pair for pair in pairs if low <= pair[0] < high]
        if some:
            row = f"{100 * low:.0f} to {100 * min(high, 1):.0f} %, n = {plural(len(some), 'output')}"
            ends[row] = (low, high)
            judged.append(Point(row, 100 * fmean(p for p, _ in some)))
            people.append(Point(row, *_share(some)))
    share, least, most = _share(pairs)
    mean = 100 * fmean(p for p, _ in pairs)
    told = "too low" if mean < least else "too high" if mean > most else "right on average"
    note = (
        f"The judge expected an error in {mean:.0f} % of {len(pairs):,} outputs, and people found one in "
        f"{share:.0f} % [{least:.0f}–{most:.0f}]: its probabilities are {told}. Rows: what it said of an "
        "output; in brackets and as lines: Wilson's 95 % intervals."
    )
    note += " These answers recalibrated it, so on other outputs it may be less right." * is_fitted
    series = [Series("the judge said", judged, hollow=True), Series("people found an error", people)]
    title, axis = "How right the judge's probabilities are", "% of outputs with an error"
    return Figure("dots", series, title, axis, note=note, limits=(0, 100), measure=ANSWERED, ends=ends)


def _share(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float, float]:
    wrong = sum(is_wrong for _, is_wrong in pairs)
    low, high = wilson(wrong, len(pairs))
    return 100 * wrong / len(pairs), 100 * low, 100 * high
