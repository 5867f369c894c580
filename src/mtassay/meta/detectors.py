"""Detectors to be judged by labels: those of a saved run, and lists of flagged pairs made elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from mtassay.core import EDITED, Run
from mtassay.errors import UsageError
from mtassay.formats.detections import FlagRow
from mtassay.meta.detect import Detector, PairKey
from mtassay.meta.detect_labels import Labels
from mtassay.method import method_of

__all__ = ["detector_of_rows", "detectors_of_run"]

_SILENT = ("undecided", "skipped", "error")


def detectors_of_run(
    run: Run, labels: Labels, *, systems: Collection[str] = (), prefix: str = ""
) -> list[Detector]:
    """Each detector of a run apart, with what its method says that it flags.

    Only labels about segments of the run count. `systems` chooses among its systems.
    """
    chosen = [system for system in run.systems if not systems or system in systems]
    some = replace(run, findings=[finding for finding in run.findings if finding.system in chosen])
    ids = {segment.id for segment in run.segments} | {finding.case_id for finding in some.findings}
    return [
        replace(
            _joined(
                prefix + flags.detector,
                {PairKey(*pair) for pair in flags.flagged},
                {PairKey(*pair): score for pair, score in flags.scores.items()},
                labels,
                chosen,
                ids,
                {verdict: flags.silent.get(verdict, 0) for verdict in _SILENT},
            ),
            one_less=flags.one_less,
        )
        for flags in method_of(run).flags(some)
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
        mine = {*ids, *(f"{each}{EDITED}" for each in ids), *(each.removesuffix(EDITED) for each in ids)}
        known = {
            key: wrong
            for key, wrong in known.items()
            if key.id in mine and PairKey(f"{key.id}{EDITED}", key.system) not in known
        }

    def named(key: PairKey) -> PairKey:
        # Without systems among the labels there is but one, and its name does not matter.
        same = PairKey(key.id, key.system or (systems[0] if len(systems) == 1 else ""))
        is_edit = key.id.endswith(EDITED)
        other = same._replace(id=key.id.removesuffix(EDITED) if is_edit else f"{key.id}{EDITED}")
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
