"""What a wrong output should have been, who says so, and where such corrections come from.

An output is wrong where the reviews of it come to an error. Its correction is, in this order, one that
somebody gave, a line `fix: …` in a reviewer's note, or what a stronger engine says, marked as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mtassay.core import Output, Request, Review, Tools
from mtassay.engine import EngineTools
from mtassay.errors import InputError, UsageError
from mtassay.formats import read_stream
from mtassay.formats.reviews import read_reviews
from mtassay.formats.text import FilePath
from mtassay.languages import Pair
from mtassay.options import is_live, open_system
from mtassay.reviews import UNSURE, Decision, Subject, decide, find_question
from mtassay.store import Workspace
from mtassay.systems.roster import name_and_rest

__all__ = [
    "ENGINE",
    "Confirmed",
    "Corrected",
    "Correction",
    "Gathered",
    "WrongOutput",
    "by_engine",
    "confirm",
    "correct",
    "fix_in",
    "gather",
]

CORRECT = "correct"
"""The answer that finds no error; a question without it says nothing about errors."""

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


@dataclass(frozen=True, slots=True)
class Gathered:
    """All corrections that could be found, and what they were found from.

    `wrong` are the outputs that reviews confirm, then those that somebody corrected without a review.
    `outputs` are those of a stronger engine that was asked, by its name, with what it did not translate.
    """

    confirmed: Confirmed
    wrong: list[WrongOutput]
    corrected: Corrected
    outputs: Mapping[str, Sequence[Output]]

    @property
    def corrections(self) -> list[Correction]:
        """One for each wrong output that has one."""
        return self.corrected.corrections

    @property
    def left(self) -> list[WrongOutput]:
        """What has no correction."""
        return [*self.corrected.without, *self.corrected.same]

    @property
    def is_whole(self) -> bool:
        """Whether the stronger engine, if there is one, translated everything it was asked for."""
        return all(output.error is None for outputs in self.outputs.values() for output in outputs)


def gather(
    reviews: FilePath | Workspace | None,
    *,
    question: str,
    corrections: Sequence[Correction] = (),
    stronger: str | None = None,
    pair: Pair | None = None,
    tools: Tools | None = None,
) -> Gathered:
    """Corrections of what reviews, in a file or a workspace, confirm to be wrong.

    `question` is the one that the reviews answer, `corrections` are those that come first. `stronger` names
    an engine as `NAME=scheme:rest`, or a file of its outputs; it is for what nobody has corrected. `tools`
    ask the engine: those of a workspace ask for nothing twice.

    >>> fix = Correction("1", "Hi.", "Alô.", "Olá.", "anna")
    >>> gather(None, question="suite", corrections=[fix]).corrections
    [Correction(id='1', source='Hi.', output='Alô.', correction='Olá.', by='anna', error='')]
    """
    if CORRECT not in find_question(question).keys.values():
        raise UsageError(f"The question '{question}' does not say which outputs are {CORRECT}.")
    confirmed = _confirmed(reviews, question, is_needed=not corrections)
    # Who corrects an output says that it is wrong, so it needs no review.
    confirmed_texts = {(wrong_output.source, wrong_output.output) for wrong_output in confirmed.wrong}
    more = [c for c in corrections if (c.source, c.output) not in confirmed_texts]
    wrong = [*confirmed.wrong, *(WrongOutput(c.id, c.source, c.output, c.error) for c in more)]
    first = Gathered(confirmed, wrong, correct(wrong, corrections, confirmed.fixes), {})
    if stronger is None or not first.left:
        return first
    name, what = name_and_rest(stronger)
    outputs: dict[str, Sequence[Output]] = {}
    if is_live(what):
        helpers = tools or EngineTools(None, lambda step, done, total: None)
        asked = helpers.ask(open_system(name, what, pair), [Request(e.id, e.source) for e in first.left])
        outputs = {name: asked}
        texts = {output.id: output.text for output in asked}
    else:
        texts = _stored(what, first.left, name, pair)
    proposed = by_engine(first.left, texts, name)
    return Gathered(confirmed, wrong, correct(wrong, corrections, confirmed.fixes, proposed), outputs)


def _confirmed(reviews: FilePath | Workspace | None, question: str, *, is_needed: bool) -> Confirmed:
    if reviews is None:
        return Confirmed([], [])
    if not isinstance(reviews, Workspace):
        rows = read_reviews(reviews).rows
        subjects = {row.subject.id: row.subject for row in rows}
        return confirm([row.review for row in rows], subjects, question=question)
    confirmed = confirm(reviews.reviews(question), reviews.subjects(), question=question)
    if is_needed and not confirmed.wrong:
        raise UsageError(f"No review in {reviews.path} finds an error: mtassay review next")
    return confirmed


def _stored(path: str, wrong: Sequence[WrongOutput], name: str, pair: Pair | None) -> dict[str, str | None]:
    """Outputs by id. A file of lines cannot say which is which, so it must have one line for each."""
    stream = read_stream(path, role="output", pair=pair, system=name)
    ids = stream.ids or [wrong_output.id for wrong_output in wrong]
    if len(ids) != len(stream.texts):
        what = f"{len(stream.texts)} lines for {len(ids)} wrong outputs. Give a .jsonl or .tsv file with ids"
        raise InputError(what, path=path)
    return dict(zip(ids, stream.texts, strict=True))


def confirm(reviews: Sequence[Review], subjects: Mapping[str, Subject], *, question: str) -> Confirmed:
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
            wrong_output = WrongOutput(
                subject.case_id, subject.sources[0] or "", subject.outputs[0], decision.answer
            )
            wrong.append(wrong_output)
            if fix := _newest_fix(decision):
                fixes.append(Correction(*wrong_output[:3], fix[0], fix[1], wrong_output.error))
    return Confirmed(wrong, fixes, right, unsettled)


def fix_in(note: str) -> str | None:
    r"""The correction that a note holds, or `None`.

    >>> fix_in("the adjective is lost\nfix: Ela comprou um vaso azul.")
    'Ela comprou um vaso azul.'
    >>> fix_in("I would fix: nothing") is None
    True
    """
    fixes = _FIX.findall(note)
    return fixes[-1] if fixes else None


def correct(wrong: Iterable[WrongOutput], *proposals: Iterable[Correction]) -> Corrected:
    """For each wrong output the first proposal for it that is not the wrong output itself.

    A proposal is for an output with the same source and text, whatever its id.
    """
    by_texts: dict[tuple[str, str], list[Correction]] = {}
    for correction in (proposal for part in proposals for proposal in part):
        by_texts.setdefault((correction.source, correction.output), []).append(correction)
    corrected = Corrected([], [], [])
    for wrong_output in wrong:
        candidates = by_texts.get((wrong_output.source, wrong_output.output), [])
        real = [c for c in candidates if _plain(c.correction) != _plain(wrong_output.output)]
        if real:
            best = real[0]
            corrected.corrections.append(
                Correction(*wrong_output[:3], best.correction, best.by, wrong_output.error)
            )
        else:
            (corrected.same if candidates else corrected.without).append(wrong_output)
    return corrected


def by_engine(wrong: Iterable[WrongOutput], outputs: Mapping[str, str | None], name: str) -> list[Correction]:
    """What a stronger engine makes of the sources, by the ids of the wrong outputs, marked as such.

    A source without an output, or with a blank one, has no correction.
    """
    return [
        Correction(*wrong_output[:3], text, f"{ENGINE}{name}", wrong_output.error)
        for wrong_output in wrong
        if (text := outputs.get(wrong_output.id)) and text.strip()
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
