"""What a wrong output should have been, who says so, and where such corrections come from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mtassay.core import Review
from mtassay.methods.invariance.labels import CORRECT, QUESTION
from mtassay.reviews import UNSURE, Decision, Subject, decide

__all__ = [
    "ENGINE",
    "Confirmed",
    "Corrected",
    "Correction",
    "WrongOutput",
    "by_engine",
    "confirm",
    "correct",
    "fix_in",
]

ENGINE = "engine "
"""What the name of an engine stands behind, so that nobody takes its translation for a person's."""

_FIX = re.compile(r"^\s*fix\s*:\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)


class WrongOutput(NamedTuple):
    """An output that people decided is wrong; `error` is the kind of error they found in it."""

    id: str
    source: str
    output: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Correction:
    """A wrong output and what it should have been.

    `by` is the name of a person, or "engine NAME". `error` is the kind of error, empty where nobody said.
    """

    id: str
    source: str
    output: str
    correction: str
    by: str
    error: str = ""

    @property
    def is_by_engine(self) -> bool:
        """Whether an engine wrote it, and no person."""
        return self.by.startswith(ENGINE)


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The wrong outputs among those reviewed, in the order of their first review, and what reviewers wrote.

    `fixes` are the corrections in their notes. Of the rest, `right` outputs are correct, and for `unsettled`
    ones reviewers disagree or are unsure.
    """

    wrong: list[WrongOutput]
    fixes: list[Correction]
    right: int = 0
    unsettled: int = 0


@dataclass(frozen=True, slots=True)
class Corrected:
    """One correction for each wrong output that has one, in their order.

    `without` are those that have none; for `same` ones every proposal is the wrong output itself.
    """

    corrections: list[Correction]
    without: list[WrongOutput]
    same: list[WrongOutput]


def confirm(
    reviews: Sequence[Review], subjects: Mapping[str, Subject], *, question: str = QUESTION
) -> Confirmed:
    """What holds of the reviews that answer this question. Wrong is what was decided and is not correct.

    A correction is a line `fix: …` in the note of somebody who found an error; the newest one counts.
    """
    wrong: list[WrongOutput] = []
    fixes: list[Correction] = []
    right = unsettled = 0
    answering = [review for review in reviews if review.question == question]
    for (subject_id, _), decision in decide(answering).items():
        if decision.answer is None:
            unsettled += 1
        elif decision.answer == CORRECT:
            right += 1
        else:
            subject = subjects[subject_id]
            each = WrongOutput(subject.case_id, subject.sources[0] or "", subject.outputs[0], decision.answer)
            wrong.append(each)
            if fix := _newest_fix(decision):
                fixes.append(Correction(*each[:3], fix[0], fix[1], each.error))
    return Confirmed(wrong, fixes, right, unsettled)


def fix_in(note: str) -> str | None:
    r"""The correction that a note holds, or `None`.

    >>> fix_in("the adjective is lost\nfix: Ela comprou um vaso azul.")
    'Ela comprou um vaso azul.'
    >>> fix_in("I would fix: nothing") is None
    True
    """
    found = _FIX.findall(note)
    return found[-1] if found else None


def correct(wrong: Iterable[WrongOutput], *proposals: Iterable[Correction]) -> Corrected:
    """For each wrong output the first proposal for it that is not the wrong output itself.

    A proposal is for an output with the same source and text, whatever its id.
    """
    by_texts: dict[tuple[str, str], list[Correction]] = {}
    for correction in (each for part in proposals for each in part):
        by_texts.setdefault((correction.source, correction.output), []).append(correction)
    corrected = Corrected([], [], [])
    for each in wrong:
        known = by_texts.get((each.source, each.output), [])
        real = [c for c in known if _plain(c.correction) != _plain(each.output)]
        if real:
            best = real[0]
            corrected.corrections.append(Correction(*each[:3], best.correction, best.by, each.error))
        else:
            (corrected.same if known else corrected.without).append(each)
    return corrected


def by_engine(wrong: Iterable[WrongOutput], outputs: Mapping[str, str | None], name: str) -> list[Correction]:
    """What a stronger engine makes of the sources, by the ids of the wrong outputs, marked as such.

    A source without an output, or with a blank one, has no correction.
    """
    return [
        Correction(*each[:3], text, f"{ENGINE}{name}", each.error)
        for each in wrong
        if (text := outputs.get(each.id)) and text.strip()
    ]


def _newest_fix(decision: Decision) -> tuple[str, str] | None:
    """The correction and who wrote it."""
    newest_first = sorted(decision.latest.values(), key=lambda review: review.at, reverse=True)
    for review in newest_first:
        if review.answer not in (CORRECT, UNSURE) and (fix := fix_in(review.note)):
            return fix, review.reviewer
    return None


def _plain(text: str) -> str:
    return " ".join(text.split())
