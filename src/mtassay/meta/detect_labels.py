"""Which pairs are wrong, by people: from reviews, or from a file of labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from mtassay.core import Review, Run
from mtassay.errors import InputError, UsageError
from mtassay.formats.detections import is_review_file, read_labels
from mtassay.formats.reviews import read_reviews
from mtassay.formats.text import FilePath, shown
from mtassay.meta.detect import PairKey
from mtassay.reviews import UNSURE, Question, Subject, decide, find_question
from mtassay.reviews.pending import subjects_in

__all__ = ["Labels", "errors_of", "labels_from_file", "labels_from_reviews", "read_review_labels"]

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
