"""Reads detectors, and the labels to judge them by."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mtassay.data.errors import InputError, UsageError
from mtassay.data.formats.evaluation_files import FlagRow, is_review_file, read_labels
from mtassay.data.formats.review_files import read_reviews
from mtassay.data.formats.textfiles import FilePath, shown
from mtassay.data.method import view_of
from mtassay.data.nouns import EDITED, UNSURE, Question, Review, Run
from mtassay.data.questions import find_question
from mtassay.data.subjects import Subject, decide, subjects_in
from mtassay.meta.detect import JudgedDetector, PairKey
from mtassay.review.pending import question_of
from mtassay.runtime.workspace import Workspace

_WRONG = frozenset({"err", "error", "wrong", "incorrect", "bad", "fail", "1", "true", "yes"})
_RIGHT = frozenset({"not", "none", "ok", "correct", "right", "good", "pass", "0", "false", "no"})
_OPEN = frozenset({"", UNSURE})


@dataclass(frozen=True, slots=True)
class Labels:
    """People's labels (True is wrong): `pairs` by id and system, `subjects` by the hash of the exact texts.

    `unsettled` counts labels without a result: disputed, unsure, or different for several outputs if the
    system is unknown. `origin` is for messages; `reviewers` has the people who answered, if known.
    """

    pairs: Mapping[PairKey, bool]
    subjects: Mapping[str, bool] = field(default_factory=dict)
    unsettled: int = 0
    origin: str = ""
    reviewers: Collection[str] = ()

    def only(self, systems: Collection[str]) -> Labels:
        """Return labels of these systems and labels without a system; all labels if no system is given."""
        pairs = {key: wrong for key, wrong in self.pairs.items() if key.system in {"", *systems}}
        return replace(self, pairs=pairs) if systems else self

    def of_run(self, run: Run) -> Labels:
        """Return labels that match a run: by its exact outputs for reviews, else by id and system."""
        if not self.subjects:
            return self
        pairs = {
            PairKey(*place): self.subjects[subject.id]
            for place, subject in subjects_in(run).items()
            if subject.id in self.subjects
        }
        return replace(self, pairs=pairs, subjects={})


def errors_of(question: Question, chosen: Collection[str] = ()) -> frozenset[str]:
    """The answers that mean an error: the given ones, else all but `correct`, or the lowest rating.

    >>> sorted(errors_of(find_question("suite"))), sorted(errors_of(find_question("ta")))
    (['incorrect'], ['unsatisfied'])
    """
    answers = list(question.keys.values())
    if chosen:
        if unknown := [answer for answer in chosen if answer not in answers]:
            raise UsageError(
                f"'{unknown[0]}' is no answer to '{question.name}'. Available: {', '.join(answers)}."
            )
        return frozenset(chosen)
    return frozenset(answers) - {"correct"} if "correct" in answers else frozenset(answers[:1])


def labels_from_file(path: FilePath, *, question: str | None = None, errors: Collection[str] = ()) -> Labels:
    """Read labels from a file: reviews of one question, or rows of id and label; see `formats.detections`.

    `errors` has the labels that mean an error; then all other labels mean no error. By default, common words
    are recognised, such as ERR and NOT, correct and incorrect, 1 and 0.
    """
    if is_review_file(path):
        return read_review_labels(path, question=question, errors=errors)
    words = {word.lower() for word in errors}
    pairs = {}
    unsettled = 0
    for row in read_labels(path):
        word = row.label.lower()
        if word in _OPEN:
            unsettled += 1
            continue
        if not words and word not in _WRONG | _RIGHT:
            what = f"label {row.label[:40]!r} is not known. Say which labels mean an error with --error"
            raise InputError(what, path=shown(path), line=row.line)
        pairs[PairKey(row.id, row.system)] = word in (words or _WRONG)
    return Labels(pairs, unsettled=unsettled, origin=shown(path))


def labels_from_workspace(
    store: Workspace, run: Run | None = None, *, question: str | None = None, errors: Collection[str] = ()
) -> Labels:
    """Read labels from a workspace's reviews of this question, or else of the run's question."""
    asked = question_of(run) if run else None
    name = question or (asked.name if asked else None)
    if name is None and run is not None:
        raise UsageError(
            f"There are no labels: a run of '{run.method}' is not reviewed. Write a file of id, system and "
            "label (ERR or NOT) about what its systems made of the cases, and add `labels='FILE'`."
        )
    if name is None:
        raise UsageError(
            "There are no labels: add `labels='FILE'`, or choose reviews with `question='NAME'`."
        )
    chosen = find_question(name)
    if not chosen.is_of_runs:
        raise UsageError(
            f"The reviews of '{name}' are about generated pairs, not about outputs of systems: see 'mtassay "
            "behavior rate --show'. For outputs, add `labels='FILE'`."
        )
    reviews = store.reviews(name)
    others = sorted({r.question for r in store.reviews() if find_question(r.question).is_of_runs})
    if not reviews and others:
        raise UsageError(
            f"There are no answers to the question '{name}' in {store.path}. There are some to "
            f"{' and '.join(others)}: choose with `question`."
        )
    return labels_from_reviews(reviews, store.subjects(), chosen, errors=errors, origin=str(store.path))


def labels_of(labels: Mapping[Any, bool | str], *, errors: Collection[str] = ()) -> Labels:
    """Make labels from a mapping by id, or by id and system; true or a common word means an error.

    >>> labels_of({"1": True, ("2", "nmt"): "correct"}).pairs
    {PairKey(id='1', system=''): True, PairKey(id='2', system='nmt'): False}
    """
    words = {word.lower() for word in errors}
    pairs = {}
    unsettled = 0
    for key, label in labels.items():
        word = str(label).lower()
        if word in _OPEN:
            unsettled += 1
            continue
        if not words and word not in _WRONG | _RIGHT:
            raise UsageError(f"label {str(label)[:40]!r} is not known. Say which labels mean an error.")
        pairs[PairKey(*([key] if isinstance(key, str) else key))] = word in (words or _WRONG)
    return Labels(pairs, unsettled=unsettled, origin="the labels")


def read_review_labels(
    path: FilePath, *, question: str | None = None, errors: Collection[str] = ()
) -> Labels:
    """Read labels from a file of reviews; if no question is given, it must have only one."""
    rows = read_reviews(path, reviewer="unknown").rows
    asked = list(dict.fromkeys(row.review.question for row in rows))
    if question is None and len(asked) > 1:
        raise UsageError(f"{shown(path)} answers several questions: choose `question` {' or '.join(asked)}.")
    name = question or (asked[0] if asked else "suite")
    return labels_from_reviews(
        [row.review for row in rows],
        {row.subject.id: row.subject for row in rows},
        find_question(name),
        errors=errors,
        origin=shown(path),
    )


def labels_from_reviews(
    reviews: Iterable[Review],
    subjects: Mapping[str, Subject],
    question: Question,
    *,
    errors: Collection[str] = (),
    origin: str = "",
) -> Labels:
    """Make labels from reviewers' decisions; disputed or open decisions count as unsettled."""
    wrong = errors_of(question, errors)
    by_subject: dict[str, bool] = {}
    by_id: dict[str, set[bool]] = {}
    unsettled = 0
    reviewers: set[str] = set()
    for (subject, _), decision in decide(r for r in reviews if r.question == question.name).items():
        if decision.answer is None:
            unsettled += 1
            continue
        reviewers |= set(decision.voices)
        by_subject[subject] = decision.answer in wrong
        by_id.setdefault(subjects[subject].case_id, set()).add(by_subject[subject])
    # Two outputs of a case may have different labels, and the id does not say which one is meant.
    clear = {PairKey(name): values.pop() for name, values in by_id.items() if len(values) == 1}
    return Labels(clear, by_subject, unsettled, origin, sorted(reviewers))


_SILENT = ("undecided", "skipped", "error")


def detectors_of_run(
    run: Run, labels: Labels, *, systems: Collection[str] = (), prefix: str = ""
) -> list[JudgedDetector]:
    """Return each detector of a run; the method says what its flags mean.

    Only labels about segments of the run count. `systems` selects some of its systems.
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
            complement=flags.complement,
        )
        for flags in view_of(some).flags()
    ]


def detectors_of_runs(
    runs: Sequence[Run], labels: Labels, *, systems: Collection[str] = ()
) -> list[JudgedDetector]:
    """Return the detectors of runs; with several runs, names have the run."""
    detectors: list[JudgedDetector] = []
    for run in runs:
        if systems and not set(systems) & set(run.systems):
            raise UsageError(f"Run {run.id} has none of these systems. It has: {', '.join(run.systems)}.")
        prefix = f"{run.id[-6:]} " if len(runs) > 1 else ""
        detectors += detectors_of_run(run, labels.of_run(run), systems=systems, prefix=prefix)
        if not detectors:
            raise UsageError(f"Run {run.id} is of the method {run.method}, which flags nothing.")
    return detectors


def check_detectors(detectors: Sequence[JudgedDetector], labels: Labels, systems: Collection[str]) -> None:
    """Raise an error if two detectors share a name, or no label is about a pair that a detector judged."""
    names = [detector.name for detector in detectors]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(
            f"Two detectors are called '{twice}'. Give one of them another name: `flagged='NAME=FILE'`."
        )
    if any(detector.labels for detector in detectors):
        return
    count = len(labels.pairs) or len(labels.subjects)
    if not count:
        raise UsageError(
            f"There are no settled labels in {labels.origin}. Review the run (mtassay review next), or add "
            "--labels FILE."
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
) -> JudgedDetector:
    """Make a detector from a list of pairs; all are flagged unless the list or a threshold says otherwise.

    `threshold` flags pairs with at least this score, or at most this score if low scores mean errors.
    """
    chosen = [row for row in rows if not systems or not row.system or row.system in systems]
    if threshold is not None and all(row.score is None for row in chosen):
        raise UsageError(f"'{name}' has no scores, so no `threshold` can be set.")
    scores, flagged = {}, set()
    for row in chosen:
        key = PairKey(row.id, row.system)
        if row.score is not None:
            scores[key] = row.score
        if _is_flagged(row, threshold, low_is_error):
            flagged.add(key)
    # If other pairs have scores, a pair without one was not judged.
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
) -> JudgedDetector:
    """Join a detector with the labels about its pairs, so that both use the same names.

    Pairs get the names that the labels use. A label may name a behavioural case or its edit; if both are
    labelled, the edit counts, since it is judged. If one side names no systems, there may be only one.
    """
    labelled_pairs = _fitted(labels, systems, name)
    if ids is not None:
        mine = {
            *ids,
            *(f"{pair_id}{EDITED}" for pair_id in ids),
            *(pair_id.removesuffix(EDITED) for pair_id in ids),
        }
        labelled_pairs = {
            key: wrong
            for key, wrong in labelled_pairs.items()
            if key.id in mine and PairKey(f"{key.id}{EDITED}", key.system) not in labelled_pairs
        }

    def named(key: PairKey) -> PairKey:
        # If labels name no systems, there is only one system, and its name does not matter.
        same = PairKey(key.id, key.system or (systems[0] if len(systems) == 1 else ""))
        is_edit = key.id.endswith(EDITED)
        other = same._replace(id=key.id.removesuffix(EDITED) if is_edit else f"{key.id}{EDITED}")
        return other if same not in labelled_pairs and other in labelled_pairs else same

    return JudgedDetector(
        name,
        frozenset(map(named, flagged)),
        labelled_pairs,
        {named(key): score for key, score in scores.items()},
        {why: count for why, count in silent.items() if count},
    )


def _fitted(labels: Labels, systems: Sequence[str], name: str) -> dict[PairKey, bool]:
    """Return labels about these systems; an empty name on one side means the other side's only system."""
    names = list(dict.fromkeys(key.system for key in labels.pairs))
    if "" in names and len(systems) > 1:
        raise UsageError(
            f"The labels of {labels.origin or 'these pairs'} do not say which system they are about, and "
            f"'{name}' is about {', '.join(systems)}: choose one with --system, or add a column 'system'."
        )
    if not systems:
        if len(names) > 1:
            raise UsageError(
                f"The labels are about {', '.join(filter(None, names))}, and '{name}' does not say which "
                "system it is about: choose one with --system, or add a column 'system'."
            )
        return {PairKey(key.id): wrong for key, wrong in labels.pairs.items()}
    return {
        PairKey(key.id, key.system or systems[0]): wrong
        for key, wrong in labels.pairs.items()
        if not key.system or key.system in systems
    }
