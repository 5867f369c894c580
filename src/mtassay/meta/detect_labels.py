"""Which pairs are wrong, by people: from reviews, or from a file of labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mtassay.core import Review, Run
from mtassay.errors import InputError, UsageError
from mtassay.formats.detections import is_review_file, read_labels
from mtassay.formats.reviews import read_reviews
from mtassay.formats.text import FilePath, shown
from mtassay.meta.detect import PairKey
from mtassay.reviews import UNSURE, Question, Subject, decide, find_question, question_of
from mtassay.reviews.pending import subjects_in
from mtassay.store import Workspace

__all__ = [
    "Labels",
    "errors_of",
    "labels_from_file",
    "labels_from_reviews",
    "labels_from_workspace",
    "labels_of",
    "read_review_labels",
]

_WRONG = frozenset({"err", "error", "wrong", "incorrect", "bad", "fail", "1", "true", "yes"})
_RIGHT = frozenset({"not", "none", "ok", "correct", "right", "good", "pass", "0", "false", "no"})
_OPEN = frozenset({"", UNSURE})


@dataclass(frozen=True, slots=True)
class Labels:
    """What people said: True is wrong. `pairs` by id and system, `subjects` by the hash of the very texts.

    `unsettled` is how many were looked at without a result: disputed, unsure, or differing by output where
    the system is not known. `origin` is for messages.
    """

    pairs: Mapping[PairKey, bool]
    subjects: Mapping[str, bool] = field(default_factory=dict)
    unsettled: int = 0
    origin: str = ""

    def only(self, systems: Collection[str]) -> Labels:
        """The labels of these systems, and those that name none; of all systems without any."""
        pairs = {key: wrong for key, wrong in self.pairs.items() if key.system in {"", *systems}}
        return replace(self, pairs=pairs) if systems else self

    def of_run(self, run: Run) -> Labels:
        """The labels that fit a run: of its very outputs if they come from reviews, else by id and system."""
        if not self.subjects:
            return self
        found = {
            PairKey(*place): self.subjects[subject.id]
            for place, subject in subjects_in(run).items()
            if subject.id in self.subjects
        }
        return replace(self, pairs=found, subjects={})


def errors_of(question: Question, chosen: Collection[str] = ()) -> frozenset[str]:
    """The answers that mean an error: the chosen ones, else all but `correct`, or the lowest rating.

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
    """Labels from a file: reviews (of one question), or rows of id and label; see `formats.detections`.

    `errors` are the labels that mean an error, all others then mean none. Without them the usual words are
    known, such as ERR and NOT, correct and incorrect, 1 and 0.
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
    """Labels from the reviews of a workspace that answer this question, or else the one of the run."""
    asked = question_of(run) if run else None
    name = question or (asked.name if asked else None)
    if name is None and run is not None:
        raise UsageError(
            f"There are no labels: a run of '{run.method}' is not reviewed. Write a file of id, system and "
            "label (ERR or NOT) about what its systems made of the cases, and add --labels FILE."
        )
    if name is None:
        raise UsageError("There are no labels: add --labels FILE, or choose reviews with --question NAME.")
    chosen = find_question(name)
    if not chosen.is_of_runs:
        raise UsageError(
            f"The reviews of '{name}' are about generated pairs, not about outputs of systems: see 'mtassay "
            "behavior quality'. For outputs, add --labels FILE."
        )
    reviews = store.reviews(name)
    others = sorted(
        {review.question for review in store.reviews() if find_question(review.question).is_of_runs}
    )
    if not reviews and others:
        raise UsageError(
            f"There are no answers to the question '{name}' in {store.path}. There are some to "
            f"{' and '.join(others)}: choose with --question."
        )
    return labels_from_reviews(reviews, store.subjects(), chosen, errors=errors, origin=str(store.path))


def labels_of(given: Mapping[Any, bool | str], *, errors: Collection[str] = ()) -> Labels:
    """Labels that are no file: by id, or by id and system; true or one of the usual words means an error.

    >>> labels_of({"1": True, ("2", "nmt"): "correct"}).pairs
    {PairKey(id='1', system=''): True, PairKey(id='2', system='nmt'): False}
    """
    words = {word.lower() for word in errors}
    pairs = {}
    unsettled = 0
    for key, label in given.items():
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
    """Labels from a file of reviews. Without a question it must be about one only."""
    rows = read_reviews(path, reviewer="unknown").rows
    asked = list(dict.fromkeys(row.review.question for row in rows))
    if question is None and len(asked) > 1:
        raise UsageError(f"{shown(path)} answers several questions: choose --question {' or '.join(asked)}.")
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
    """Labels from what reviewers decided; what is disputed or left open is counted as unsettled."""
    wrong = errors_of(question, errors)
    by_subject: dict[str, bool] = {}
    by_id: dict[str, set[bool]] = {}
    unsettled = 0
    for (subject, _), decision in decide(r for r in reviews if r.question == question.name).items():
        if decision.answer is None:
            unsettled += 1
            continue
        by_subject[subject] = decision.answer in wrong
        by_id.setdefault(subjects[subject].case_id, set()).add(by_subject[subject])
    # Two outputs of one case may be labelled differently, and an id alone does not tell which is meant.
    clear = {PairKey(name): values.pop() for name, values in by_id.items() if len(values) == 1}
    return Labels(clear, by_subject, unsettled, origin)
