"""Pass rates per capability and system, and where the errors are.

Tables 4, 5 and 7 of Wu, Liu, Yeung (2023).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from mtassay.data.nouns import Cluster, Comparison, Finding, Ledger, Result, Score
from mtassay.methods.behavior.behavior_evidence import CaseEvidence
from mtassay.methods.behavior.capability import in_usual_order
from mtassay.stats import proportions
from mtassay.stats.comparisons import Settled, rank_shares
from mtassay.stats.family import compare_rows

PASS_RATE, UNDECIDED, ALL = "pass rate", "undecided", "all"
AT_THE_EDIT = "at the edit"
SURVIVED = "survives the edit"


def pass_rates(
    findings: Sequence[Finding],
    systems: Sequence[str],
    counts: Mapping[str, Mapping[str, int]],
    *,
    level: float = 0.05,
    trials: int = 10000,
    signature: str = "",
) -> Result:
    """Return pass rates in percent with Wilson's 95 % intervals, for all cases and then for each capability.

    A rate counts only cases that passed or failed. The share of undecided cases among all judged cases is an
    extra score with the name `undecided`. Two systems are compared on the cases that are settled for both,
    with a two-sided randomization test that is corrected for all pairs of systems in all groups. Cases made
    from one sentence are swapped together.
    """
    settled = _settled(findings, systems)
    return replace(_rated(PASS_RATE, settled, findings, systems, level, trials, signature), counts=counts)


def edit_survival(
    findings: Sequence[Finding], systems: Sequence[str], *, level: float = 0.05, trials: int = 10000
) -> Result:
    """Return the percentage of translations that survive the edit, by capability: the edit's own effect.

    Only cases whose original is good for every system count. A sentence that is hard without the edit says
    nothing about the capability, and systems are compared on the same cases. Undecided cases are not broken.
    """
    good = Counter(f.case_id for f in findings if CaseEvidence.of(f).is_original_good)
    shared = np.array([good[case] == len(systems) for case in _cases(findings)], dtype=bool)
    settled = _settled(findings, systems)
    survived = np.where(np.isnan(settled) | ~shared, np.nan, np.where(settled == 0, 0.0, 1.0))
    return _rated(SURVIVED, survived, findings, systems, level, trials)


def _rated(
    name: str,
    settled: Settled,
    findings: Sequence[Finding],
    systems: Sequence[str],
    level: float,
    trials: int,
    signature: str = "",
) -> Result:
    """Compute scores, comparisons and clusters of all cases and of each capability."""
    scores: list[Score] = []
    comparisons: list[Comparison] = []
    clusters: list[Cluster] = []
    row = {case: number for number, case in enumerate(_cases(findings))}
    places = {
        group: np.array([row[case] for case in cases], dtype=np.int64)
        for group, cases in {ALL: list(row), **_groups(findings)}.items()
    }
    decided = np.where(settled >= 0, settled, np.nan)
    compared = compare_rows(
        decided.T,
        [[part] for part in places.values()],
        units=_sentences(findings),
        trials=trials,
        alpha=level,
    )
    for number, (group, part) in enumerate(places.items()):
        for system, values in zip(systems, settled[:, part], strict=True):
            passed = values[values >= 0]
            scores.append(
                proportions.share_score(name, system, group, int(passed.sum()), len(passed), signature)
            )
            if undecided := int((values == _NEITHER).sum()):
                judged = len(passed) + undecided
                scores.append(proportions.share_score(UNDECIDED, system, group, undecided, judged, signature))
        comparisons += [
            Comparison(name, group, a, b, _percent(delta), _defined(p))
            for (a, b), delta, p in zip(
                combinations(systems, 2), compared.delta[number], compared.p[number], strict=True
            )
        ]
        if len(systems) > 1:
            pairs = compared.delta[number], compared.p[number]
            clusters += [
                Cluster(name, group, rank, tuple(systems[i] for i in members))
                for rank, members in rank_shares(decided[:, part], *pairs, alpha=level)
            ]
    return Result(scores, comparisons, clusters)


def pass_rate_ledgers(findings: Sequence[Finding], system: str) -> list[Ledger]:
    """The counts behind the pass rates of a system, from all its findings."""
    passed = {f.case_id: f.verdict == "pass" for f in findings if f.verdict in ("pass", "fail")}
    groups = {group: [cases] for group, cases in {ALL: _cases(findings), **_groups(findings)}.items()}
    clusters = dict(zip(_cases(findings), _sentences(findings), strict=True))
    return [Ledger.of_shares(PASS_RATE, system, passed, groups, part="capability", clusters=clusters)]


_NEITHER = -1.0
_VALUES = {"pass": 1.0, "fail": 0.0, "undecided": _NEITHER}


def _cases(findings: Sequence[Finding]) -> list[str]:
    return list(dict.fromkeys(finding.case_id for finding in findings))


def _sentences(findings: Sequence[Finding]) -> list[str]:
    """The original of each case, in the order of `_cases`; a case that was not judged is its own original."""
    sources = {case: case for case in _cases(findings)}
    for finding in findings:
        if source := CaseEvidence.of(finding).source:
            sources[finding.case_id] = source
    return list(sources.values())


def _groups(findings: Sequence[Finding]) -> dict[str, list[str]]:
    groups: dict[str, dict[str, None]] = {}
    for finding in findings:
        groups.setdefault(CaseEvidence.of(finding).capability, {})[finding.case_id] = None
    return {group: list(groups[group]) for group in in_usual_order(groups)}


def _settled(findings: Sequence[Finding], systems: Sequence[str]) -> Settled:
    """(systems, cases): 1 passed, 0 failed, -1 undecided, nan not judged."""
    column = {case: number for number, case in enumerate(_cases(findings))}
    row = {system: number for number, system in enumerate(systems)}
    table = np.full((len(row), len(column)), np.nan)
    for finding in findings:
        table[row[finding.system], column[finding.case_id]] = _VALUES.get(finding.verdict or "", np.nan)
    return table


def _percent(share: float) -> float | None:
    return 100 * float(share) if math.isfinite(share) else None


def _defined(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def error_positions(findings: Iterable[Finding]) -> list[Score]:
    """Return the percentage of failed cases whose error is at the edit, by system and capability.

    All capabilities together come first, then each in the usual order. `n` counts the failed cases whose
    place of error is known. Cases with a bad original do not count, since they had the error before the edit.
    """
    places: dict[tuple[str, str], Counter[str]] = {}
    for finding in findings:
        if finding.verdict != "fail":
            continue
        evidence = CaseEvidence.of(finding)
        if evidence.status != "original is bad":
            for group in (ALL, evidence.capability):
                places.setdefault((finding.system, group), Counter())[evidence.where] += 1
    scores = []
    systems = dict.fromkeys(system for system, _ in places)
    groups = in_usual_order(group for _, group in places if group != ALL)
    for group, system in product((ALL, *groups), systems):
        if counts := places.get((system, group)):
            total = counts["at the edit"] + counts["elsewhere"]
            scores.append(proportions.share_score(AT_THE_EDIT, system, group, counts["at the edit"], total))
    return scores
