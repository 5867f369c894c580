"""What other thresholds would have said, and where the errors are, from findings that are there already.

Tables 9 to 11 and 7 of Wu, Liu, Yeung (2023). Nothing is measured again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np

from mtassay import stats
from mtassay.core import Finding, Score
from mtassay.methods.behavior.capabilities.choose import in_usual_order
from mtassay.methods.behavior.judging import TINY
from mtassay.methods.behavior.rates import ALL

__all__ = ["AT_THE_EDIT", "error_positions", "sweep"]

AT_THE_EDIT = "at the edit"


def sweep(
    findings: Iterable[Finding],
    alphas: Sequence[float],
    betas: Sequence[float],
    *,
    signed: bool = False,
    capability: str | None = None,
) -> list[Score]:
    """The pass rate of every system for every alpha and beta, in percent, with Wilson's interval.

    The group of a score is `alpha=0.8|beta=0.05`. A case whose edit was provably ignored fails everywhere.
    Else only the quality counts, so a case whose verdict came from finding the edit is judged as if the
    measure could see it. Cases without a quality are left out of `n`.
    """
    rows: dict[str, list[tuple[float, float]]] = {}
    for finding in findings:
        evidence = finding.evidence
        if capability is None or evidence.get("capability") == capability:
            pair = (evidence.get("quality"), evidence.get("edited_quality"))
            pairs = rows.setdefault(finding.system, [])
            if None not in pair:
                is_ignored = evidence.get("status") == "edit ignored"
                pairs.append((-math.inf, 0.0) if is_ignored else pair)  # type: ignore[arg-type]
    scores = []
    for system, pairs in rows.items():
        table = np.array(pairs, dtype=np.float64).reshape(-1, 2)
        moved = table[:, 0] - table[:, 1]
        moved = moved if signed else np.abs(moved)
        for alpha in alphas:
            good = table[:, 0] >= alpha - TINY
            for beta in betas:
                passed = int((good & (moved <= beta + TINY)).sum())
                scores.append(_share(f"alpha={alpha:g}|beta={beta:g}", system, passed, len(table)))
    return scores


def error_positions(findings: Iterable[Finding]) -> list[Score]:
    """The share of failed cases whose error is at the edit, by system and capability, in percent.

    All of them together come first, then capabilities in the usual order.
    `n` are the failed cases of which that is known. Cases whose original is bad are not counted: their error
    was there before the edit.
    """
    places: dict[tuple[str, str], Counter[str]] = {}
    for finding in findings:
        evidence = finding.evidence
        if finding.verdict == "fail" and evidence.get("status") != "original is bad":
            for group in (ALL, str(evidence.get("capability"))):
                places.setdefault((finding.system, group), Counter())[str(evidence.get("where"))] += 1
    scores = []
    systems = dict.fromkeys(system for system, _ in places)
    groups = in_usual_order(group for _, group in places if group != ALL)
    for group, system in product((ALL, *groups), systems):
        if counts := places.get((system, group)):
            known = counts["at the edit"] + counts["elsewhere"]
            scores.append(_share(group, system, counts["at the edit"], known, name=AT_THE_EDIT))
    return scores


def _share(group: str, system: str, hits: int, n: int, *, name: str = "pass rate") -> Score:
    if n == 0:
        return Score(name, system, group, None, 0)
    low, high = stats.wilson(hits, n)
    return Score(name, system, group, 100 * hits / n, n, 100 * low, 100 * high)
