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

__all__ = ["check_detectors", "detector_of_rows", "detectors_of_run", "detectors_of_runs"]

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


def detectors_of_runs(
    runs: Sequence[Run], labels: Labels, *, systems: Collection[str] = ()
) -> list[Detector]:
    """The detectors of several runs, each with its run in its name where there is more than one."""
    detectors: list[Detector] = []
    for run in runs:
        if systems and not set(systems) & set(run.systems):
            raise UsageError(f"Run {run.id} has none of these systems. It has: {', '.join(run.systems)}.")
        prefix = f"{run.id[-6:]} " if len(runs) > 1 else ""
        detectors += detectors_of_run(run, labels.of_run(run), systems=systems, prefix=prefix)
        if not detectors:
            raise UsageError(f"Run {run.id} is of the method {run.method}, which flags nothing.")
    return detectors


def check_detectors(detectors: Sequence[Detector], labels: Labels, systems: Collection[str]) -> None:
    """An error where two detectors share a name, or no label is about what any of them judged."""
    names = [detector.name for detector in detectors]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(f"Two detectors are called '{twice}'. Name a list otherwise: --flagged NAME=FILE.")
    if any(detector.labels for detector in detectors):
        return
    count = len(labels.pairs) or len(labels.subjects)
    if not count:
        raise UsageError(
            f"There are no settled labels in {labels.origin}. Review the run (mtassay review next, or a sheet"
            " of 'mtassay invariance sample' or 'mtassay behavior sample'), or add --labels FILE."
        )
    none = f"None of the {count:,} labels" if count > 1 else "Not even the one label"
    theirs = {key.system for key in labels.pairs} - {""}
    ours = set(systems) or {key.system for d in detectors for key in (*d.flagged, *d.scores)} - {""}
    if theirs and ours and not theirs & ours:
        raise UsageError(
            f"{none} of {labels.origin} is about {' or '.join(sorted(ours))}: the labels are about "
            f"{', '.join(sorted(theirs))}. The names of the systems must be the same."
        )
    raise UsageError(f"{none} of {labels.origin} is about these pairs: their ids must be the same.")


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
