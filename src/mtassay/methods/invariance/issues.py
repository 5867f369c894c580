"""Makes issues from distances, and applies people's labels to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from mtassay.data.nouns import DISPUTED, Cluster, Comparison, Finding, Ledger, Result, Run, percent
from mtassay.data.subjects import Subject
from mtassay.measures.polarity import AnnotatedAnswer
from mtassay.methods.invariance.invariance_evidence import IssueEvidence
from mtassay.methods.invariance.relations import AnsweredCase
from mtassay.stats import proportions
from mtassay.stats.comparisons import rank_shares
from mtassay.stats.family import compare_rows

QUESTION = "invariance"
"""The review question about a source and its output: which kind of error does the output have, if any?"""
CORRECT = "correct"

Standing = Literal["suspicious", "confirmed", "cleared"]


def subject_of(answer: AnnotatedAnswer) -> str:
    """The review id of this answer, for exactly this source and output."""
    return Subject(answer.id, (answer.source.text,), (answer.output.text,)).id


def labels_of(answers: Sequence[AnnotatedAnswer], decisions: Mapping[str, str]) -> dict[str, str]:
    """Return labels by the ids of the answers, without unlabelled answers."""
    labels = {answer.id: decisions.get(subject_of(answer)) for answer in answers} if decisions else {}
    return {key: label for key, label in labels.items() if label is not None and label != DISPUTED}


def standing(shown: Sequence[str], labels: Mapping[str, str]) -> Standing:
    """The status of an issue by the labels of its pairs: one error confirms it, all correct clear it.

    >>> standing(["7", "7/1-young"], {"7": "correct", "7/1-young": "under"})
    'confirmed'
    >>> standing(["7", "7/1-young"], {"7": "correct"})
    'suspicious'
    """
    shown_labels = [labels.get(pair) for pair in shown]
    if any(label not in (None, CORRECT) for label in shown_labels):
        return "confirmed"
    return "cleared" if all(label == CORRECT for label in shown_labels) else "suspicious"


class Far(NamedTuple):
    """A variant and the distance of its translation from the original's."""

    variant: str
    distance: float


class VariantRanking(NamedTuple):
    """All compared variants of an original, farthest first; equally far variants in the order of creation."""

    original: str
    variants: tuple[Far, ...]


class Issue(NamedTuple):
    """An original with its variants beyond the threshold, farthest first."""

    original: str
    variants: tuple[Far, ...]

    def pairs(self, top: int) -> tuple[str, ...]:
        """The pairs to show people: the original and its `top` farthest variants."""
        return (self.original, *(far.variant for far in self.variants[:top]))


def rank(original: str, distances: Sequence[Far]) -> VariantRanking:
    """Sort the variants by distance; ties keep their order, so the result is the same on any machine."""
    return VariantRanking(original, tuple(sorted(distances, key=lambda far: -far.distance)))


def find_issues(rankings: Sequence[VariantRanking], threshold: float) -> list[Issue]:
    """Return issues in the order of the originals; as in the paper, a distance must exceed the threshold.

    >>> found = [VariantRanking("1", (Far("1/a", 5), Far("1/b", 4))), VariantRanking("2", (Far("2/a", 4),))]
    >>> find_issues(found, 4)
    [Issue(original='1', variants=(Far(variant='1/a', distance=5),))]
    """
    issues = []
    for ranking in rankings:
        far = tuple(far for far in ranking.variants if far.distance > threshold)
        if far:
            issues.append(Issue(ranking.original, far))
    return issues


STABLE, FLAGGED = "stable", "flagged"


def stability(
    findings: Sequence[Finding],
    counts: Mapping[str, Mapping[str, int]],
    *,
    detector: str,
    companions: Sequence[str],
    phrase_companions: Sequence[str] = (),
    alpha: float,
    signature: str,
    trials: int = 10000,
) -> Result:
    """Return the scores of a run in percent, with Wilson's 95 % intervals.

    `stable` is a share of the compared originals. `flagged` is a share of all pairs of source and output,
    with a group for each check and relation; it has no value if one of `phrase_companions` had no phrases.
    Two systems are compared on the originals that both have, with a two-sided randomization test that is
    corrected for all pairs.
    """
    verdicts: dict[str, dict[str, bool]] = {system: {} for system in counts}
    for finding in findings:
        if finding.detector == detector and finding.verdict in ("pass", "fail"):
            verdicts[finding.system][finding.case_id] = finding.verdict == "pass"
    scores = [
        proportions.share_score(STABLE, system, "all", sum(by_case.values()), len(by_case), signature)
        for system, by_case in verdicts.items()
    ]
    flagged: dict[tuple[str, str], set[str]] = {}
    for finding in findings:
        if finding.detector in companions and finding.verdict == "fail":
            flagged.setdefault((finding.system, finding.detector), set()).add(finding.case_id)
    for companion in companions:
        for system, count in counts.items():
            hits = len(flagged.get((system, companion), ()))
            n = 0 if companion in phrase_companions and not count["phrases"] else count["pairs"]
            scores.append(proportions.share_score(FLAGGED, system, companion, hits, n, signature))
    comparisons, clusters = _compared(verdicts, alpha, trials)
    return Result(scores, comparisons, clusters, counts)


def companions_of(run: Run) -> list[str]:
    """The names of a run's checks and relations in its findings."""
    return list(dict.fromkeys(score.group for score in run.result.scores if score.name == FLAGGED))


def stability_ledgers(findings: Sequence[Finding], system: str, companions: Sequence[str]) -> list[Ledger]:
    """The counts behind the scores of a system, from all its findings.

    Only pairs of compared originals count; the pairs of one original are a cluster.
    """
    compared = [f for f in findings if f.detector not in companions and f.verdict in ("pass", "fail")]
    stable = {f.case_id: f.verdict == "pass" for f in compared}
    ledgers = [Ledger.of_shares(STABLE, system, stable, {"all": [list(stable)]})]
    pairs = {p: f.case_id for f in compared for p in (f.case_id, *(IssueEvidence.of(f).distances or {}))}
    if companions:
        rows = {pair: row for row, pair in enumerate(pairs)}
        values = np.tile(np.array([0, 1]), (len(pairs), len(companions)))
        for finding in findings:
            if finding.detector in companions and finding.verdict == "fail" and finding.case_id in rows:
                values[rows[finding.case_id], 2 * companions.index(finding.detector)] = 1
        ledgers.append(
            Ledger(
                FLAGGED,
                system,
                list(pairs),
                values,
                percent,
                {name: [list(pairs)] for name in companions},
                {name: (2 * place, 2 * place + 1) for place, name in enumerate(companions)},
                part="check",
                is_share=True,
                higher_is_better=False,
                clusters=pairs,
            )
        )
    return ledgers


def _compared(
    verdicts: Mapping[str, Mapping[str, bool]], alpha: float, trials: int
) -> tuple[list[Comparison], list[Cluster]]:
    names = list(verdicts)
    cases = list(dict.fromkeys(case for by_case in verdicts.values() for case in by_case))
    passed = np.array([[verdicts[name].get(case, np.nan) for case in cases] for name in names], dtype=float)
    passed = passed.reshape(len(names), len(cases))
    compared = compare_rows(passed.T, [[np.arange(len(cases))]], trials=trials, alpha=alpha)
    comparisons = [
        Comparison(STABLE, "all", a, b, 100 * float(delta), float(p))
        if n
        else Comparison(STABLE, "all", a, b, None, None)
        for (a, b), delta, p, n in zip(
            combinations(names, 2), compared.delta[0], compared.p[0], compared.n[0], strict=True
        )
    ]
    if len(names) < 2:
        return comparisons, []
    ranked = rank_shares(passed, compared.delta[0], compared.p[0], alpha=alpha)
    clusters = [Cluster(STABLE, "all", rank, tuple(names[i] for i in part)) for rank, part in ranked]
    return comparisons, clusters


def count_findings(
    findings: Sequence[Finding], material: Sequence[AnsweredCase], issues: int
) -> dict[str, int]:
    """Count the originals by status (each has one finding), and the compared variants."""
    verdicts = Counter(finding.verdict for finding in findings)
    return {
        "originals": len(findings),
        "variants": sum(len(case.compared) for case in material),
        "pairs": sum(len(case.answers) for case in material),
        "phrases": sum(len(case.phrases) for case in material),
        "issues": issues,
        "pass": verdicts["pass"],
        "fail": verdicts["fail"],
        "skipped": verdicts["skipped"],
        "error": verdicts["error"],
        "unread": sum(len(case.unread) for case in material),
        "filtered": sum(len(IssueEvidence.of(finding).filtered) for finding in findings),
    }
