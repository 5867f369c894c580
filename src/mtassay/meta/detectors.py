"""Detectors to be judged by labels: those of a saved run, and lists of flagged pairs made elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from mtassay.core import Finding, Run
from mtassay.errors import UsageError
from mtassay.formats.detections import FlagRow
from mtassay.meta.detect import Detector, PairKey
from mtassay.meta.detect_labels import Labels
from mtassay.methods.behavior.judging import MOVED
from mtassay.methods.behavior.nouns import EDITED, edited_id

__all__ = ["detector_of_rows", "detectors_of_run"]

_SILENT = ("undecided", "skipped", "error")
_OUTPUT = "output"  # who reports that there is no output to judge


def detectors_of_run(
    run: Run, labels: Labels, ids: Collection[str], *, systems: Collection[str] = (), prefix: str = ""
) -> list[Detector]:
    """Each detector of a run apart. It flags the cases that it finds to fail, before people had their say.

    A finding that shows variants flags these; any other one its case. `ids` are those of the segments of the
    run: only labels about them count. `systems` chooses among its systems.
    """
    chosen = [system for system in run.systems if not systems or system in systems]
    findings = [finding for finding in run.findings if finding.system in chosen]
    by_detector: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.verdict is not None and finding.detector != _OUTPUT:
            by_detector.setdefault(finding.detector, []).append(finding)
    missing = Counter(str(f.verdict) for f in findings if f.detector == _OUTPUT and f.verdict in _SILENT)
    cases = set(ids) | {finding.case_id for finding in findings}
    return [
        _of_findings(prefix + name, found, missing, labels, chosen, cases)
        for name, found in by_detector.items()
    ]


def detector_of_rows(
    name: str,
    rows: Sequence[FlagRow],
    labels: Labels,
    *,
    systems: Collection[str] = (),
    threshold: float | None = None,
    low_is_error: bool = False,
) -> Detector:
    """A list of pairs as a detector. All of them are flagged, unless the list or a threshold says otherwise.

    `threshold` flags the pairs with at least this score, or at most if a low score means an error.
    """
    chosen = [row for row in rows if not systems or not row.system or row.system in systems]
    if threshold is not None and all(row.score is None for row in chosen):
        raise UsageError(f"'{name}' has no scores, so no --threshold can be set.")
    scores, flagged = {}, set()
    for row in chosen:
        key = PairKey(row.id, row.system)
        if row.score is not None:
            scores[key] = row.score
        if _is_flagged(row, threshold, low_is_error):
            flagged.add(key)
    # Whoever scores a pair without a score among others said nothing about it.
    unscored = sum(row.score is None for row in chosen) if scores else 0
    named = list(dict.fromkeys(row.system for row in chosen if row.system))
    joined = _joined(name, flagged, scores, labels, named, None, {"unscored": unscored})
    return replace(joined, low_is_error=low_is_error)


def _is_flagged(row: FlagRow, threshold: float | None, low_is_error: bool) -> bool:
    if threshold is None:
        return row.is_flagged is not False
    if row.score is None:
        return False
    return row.score <= threshold if low_is_error else row.score >= threshold


def _of_findings(
    name: str,
    findings: Sequence[Finding],
    missing: Mapping[str, int],
    labels: Labels,
    systems: Sequence[str],
    ids: Collection[str],
) -> Detector:
    flagged: set[PairKey] = set()
    scores: dict[PairKey, float] = {}
    silent = Counter(missing)
    is_of_variants = any("distances" in f.evidence or f.evidence.get("variants") for f in findings)
    for finding in findings:
        said = _said(finding)
        if said in _SILENT:
            silent[said] += 1
        shown = {str(each["id"]): each.get("distance", 0.0) for each in finding.evidence.get("variants", ())}
        for variant, distance in {**shown, **finding.evidence.get("distances", {})}.items():
            scores[PairKey(variant, finding.system)] = float(distance)
        names = shown if is_of_variants else [finding.case_id]
        if said == "fail":
            flagged |= {PairKey(str(each), finding.system) for each in names}
        score = None if is_of_variants else _score(finding)
        if score is not None:
            scores[PairKey(finding.case_id, finding.system)] = score
    found = _joined(name, flagged, scores, labels, systems, ids, silent)
    is_behavior = any(finding.detector == "behavior" for finding in findings)
    return replace(found, one_less="alpha") if is_behavior else found


def _score(finding: Finding) -> float | None:
    """The value of a finding. Of a behavioural case, how bad the original is, or 1 where the edit moved it.

    So the curve of a behavioural run shows what other alphas would do with its beta.
    """
    quality = finding.evidence.get("quality") if finding.detector == "behavior" else None
    if quality is None:
        return finding.value
    return 1.0 if finding.evidence.get("status") in MOVED else 1.0 - float(quality)


def _said(finding: Finding) -> str:
    """The verdict before people had their say, which must not be held against their own words."""
    if "rules_say" in finding.evidence:
        return "undecided"
    return "fail" if finding.evidence.get("status") == "cleared" else str(finding.verdict)


def _joined(
    name: str,
    flagged: Iterable[PairKey],
    scores: Mapping[PairKey, float],
    labels: Labels,
    systems: Sequence[str],
    ids: Collection[str] | None,
    silent: Mapping[str, int],
) -> Detector:
    """A detector with the labels that are about its pairs, both under the same names.

    The labels decide how a pair is called. They may name a behavioural case or its edit, each as it likes; of
    a run where both are labelled, the edit counts, which is what is judged. Where either side does not name
    systems, there may be only one.
    """
    known = _fitted(labels, systems, name)
    if ids is not None:
        mine = {*ids, *map(edited_id, ids), *(each.removesuffix(EDITED) for each in ids)}
        known = {
            key: wrong
            for key, wrong in known.items()
            if key.id in mine and PairKey(edited_id(key.id), key.system) not in known
        }

    def named(key: PairKey) -> PairKey:
        # Without systems among the labels there is but one, and its name does not matter.
        same = PairKey(key.id, key.system or (systems[0] if len(systems) == 1 else ""))
        is_edit = key.id.endswith(EDITED)
        other = same._replace(id=key.id.removesuffix(EDITED) if is_edit else edited_id(key.id))
        return other if same not in known and other in known else same

    return Detector(
        name,
        frozenset(map(named, flagged)),
        known,
        {named(key): score for key, score in scores.items()},
        {why: count for why, count in silent.items() if count},
    )


def _fitted(labels: Labels, systems: Sequence[str], name: str) -> dict[PairKey, bool]:
    """The labels about these systems. An empty name on one side means the only system of the other."""
    given = list(dict.fromkeys(key.system for key in labels.pairs))
    if "" in given and len(systems) > 1:
        raise UsageError(
            f"The labels of {labels.origin or 'these pairs'} do not say of which system they are, and "
            f"'{name}' is about {', '.join(systems)}: choose one with --system, or add a column 'system'."
        )
    if not systems:
        if len(given) > 1:
            raise UsageError(
                f"The labels are about {', '.join(filter(None, given))}, and '{name}' does not say which "
                "system it is about: choose one with --system, or add a column 'system'."
            )
        return {PairKey(key.id): wrong for key, wrong in labels.pairs.items()}
    return {
        PairKey(key.id, key.system or systems[0]): wrong
        for key, wrong in labels.pairs.items()
        if not key.system or key.system in systems
    }
