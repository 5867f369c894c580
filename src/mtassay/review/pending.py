"""Questions for people, and outputs that wait for an answer."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mtassay.data.display import Line
from mtassay.data.errors import UsageError
from mtassay.data.marks import plural
from mtassay.data.method import view_of
from mtassay.data.nouns import DISPUTED, OpenAnswer, Question, Run, RunContext
from mtassay.data.questions import COMMON_QUESTIONS
from mtassay.data.registry import named
from mtassay.data.subjects import Decision, Pending, Subject, subjects_in, told_answer

UNRATED = "unrated"
"""The status of an output without doubts that people should rate."""


def asked_in(run: Run) -> list[Question]:
    """All questions about the outputs of this run, the usual one first, and about its pairs."""
    return view_of(run).questions()


def question_of(run: Run) -> Question | None:
    """The usual question about the outputs of this run; `None` if there is no question."""
    return next((question for question in asked_in(run) if question.is_of_runs), None)


def questions_about(run: Run) -> list[Question]:
    """All questions about this run: those of its method, then those that fit any run."""
    own = [question for question in view_of(run).asks if question.is_of_runs]
    return [*own, *COMMON_QUESTIONS.values()]


def pending_in(
    run: Run, *, disputed: Collection[Subject] = (), question: Question | None = None
) -> list[Pending]:
    """Return the open outputs of a run in the order of its segments, equal outputs only once.

    Open outputs are disputed ones, and those that the method doubts, even if they are settled now. The
    question is the usual one of the run, unless another of its questions is given. For a question that fits
    any run, all outputs or references are open; for a question about pairs, all pairs.
    """
    if question is not None and question.name in COMMON_QUESTIONS:
        return _to_rate(run, question)
    question = question_of(run) if question is None else own_question(run, question.name)
    if question is not None and not question.is_of_runs:
        return pairs_in(run, question)
    entries = outputs_in(run, question, disputed=disputed) if question is not None else []
    return [entry for entry in entries if entry.status]


def asks(run: Run, question: Question | None) -> bool:
    """Whether a run asks this question; without `question`, whether it asks any."""
    own = [asked.name for asked in view_of(run).asks if question or asked.is_of_runs]
    return bool(own) if question is None else question.name in (*own, *COMMON_QUESTIONS)


def own_question(run: Run, name: str) -> Question:
    """Return the run's question of this name with its open answers; an error if the run lacks it."""
    questions = {question.name: question for question in asked_in(run)}
    if name not in questions:
        what = f"it asks {', '.join(questions)}" if questions else "it asks nothing by itself"
        raise UsageError(f"Run {run.id} of '{run.method}' does not ask '{name}': {what}.")
    return questions[name]


def pairs_in(run: Run, question: Question) -> list[Pending]:
    """Return pairs of a run that people rate separately, with only the lines for this question."""
    segments = {segment.id: segment for segment in run.segments}
    return [
        Pending(subject, question, run.id, (), UNRATED, segments[pair.segment_id], lines=pair.lines)
        for pair in view_of(run).pairs(question.name)
        for subject in [Subject(pair.case_id, (pair.source,), (pair.target,))]
    ]


def outputs_in(run: Run, question: Question, *, disputed: Collection[Subject] = ()) -> list[Pending]:
    """Return all outputs of a run that people can judge, in the order of its segments, equal ones once.

    `status` is empty if its method has no doubt and nobody disputes it. Within a segment, the most frequent
    output comes first. If a judge gives probabilities, its doubts come first of all, because these answers
    calibrate it fastest.
    """
    view, subjects = view_of(run), subjects_in(run)
    segments = {segment.id: (place, segment) for place, segment in enumerate(run.segments)}
    systems: dict[Subject, list[str]] = {}
    for (_, system), subject in subjects.items():
        systems.setdefault(subject, []).append(system)
    doubts: dict[Subject, OpenAnswer] = {}
    for doubt in question.open_answers:
        doubted = subjects.get((doubt.segment_id, doubt.system))
        if doubted is not None and (doubted not in doubts or not doubts[doubted].status):
            doubts[doubted] = doubt
    contested, entries = set(disputed), []

    def turn(subject: Subject) -> tuple[float, int, int]:
        doubt = doubts[subject].doubt if subject in doubts else 0.0
        return -doubt, segments[subject.case_id][0], -len(systems[subject])

    for subject in sorted(systems, key=turn):
        first = doubts.get(subject)
        status = DISPUTED if subject in contested else first.status if first else ""
        evidence = first.evidence if first and status and not question.is_blind else {}
        # Nobody reads the lines of an output that is not open, and a run can have 100,000 of them.
        texts = subject.outputs if status else ()
        lines = [line for text in texts for line in view.output_lines(text, evidence)]
        segment = segments[subject.case_id][1]
        entries.append(
            Pending(subject, question, run.id, tuple(systems[subject]), status, segment, evidence, lines)
        )
    return entries


def _to_rate(run: Run, question: Question) -> list[Pending]:
    """Every output of a run, or every reference if the question is about references."""
    if getattr(question, "marks", "output") == "reference":
        return [
            Pending(
                Subject(segment.id, (segment.source,), (text,)),
                question,
                run.id,
                (),
                UNRATED,
                segment,
                lines=[Line("reference", text)],
            )
            for segment in run.segments
            for text in dict.fromkeys(filter(None, segment.references))
        ]
    return [
        replace(
            entry, status=UNRATED, evidence={}, lines=[Line("output", text) for text in entry.subject.outputs]
        )
        for entry in outputs_in(run, question)
    ]


def merge_pending(parts: Iterable[Sequence[Pending]]) -> list[Pending]:
    """The open outputs of several runs, each one once; the first run's entry is kept."""
    merged: dict[Subject, Pending] = {}
    for pending in (pending for part in parts for pending in part):
        earlier = merged.get(pending.subject)
        if earlier is None:
            merged[pending.subject] = pending
        else:
            systems = tuple(dict.fromkeys((*earlier.systems, *pending.systems)))
            merged[pending.subject] = replace(earlier, systems=systems)
    return list(merged.values())


def waiting_for(
    reviewer: str,
    pending: Iterable[Pending],
    decisions: Mapping[tuple[str, str], Decision],
    *,
    double: bool = False,
) -> list[Pending]:
    """Select the outputs that this reviewer should look at, in the given order.

    The reviewer's own answers are left out. Outputs that others settled are included only with `double`.
    """
    mine = []
    for entry in pending:
        decision = decisions.get((entry.subject.id, entry.question.name))
        answered = decision is not None and (
            reviewer in decision.latest or reviewer in decision.adjudications
        )
        settled = decision is not None and decision.answer is not None
        if not answered and (double or not settled):
            mine.append(entry)
    return mine


Order = Literal["fair", "systems", "run"]


@dataclass(frozen=True, slots=True)
class PendingChoice:
    """Filters and order of a reviewer's open outputs. An empty field means all.

    Within one field any of the names matches; they may be shell patterns. In the order `fair`, cases that
    need the fewest answers come first, so that most of them are soon settled for all systems; in `systems`,
    the most frequent output comes first; `run` is the order of the run.
    """

    category: Sequence[str] = ()
    phenomenon: Sequence[str] = ()
    item: Sequence[str] = ()
    system: Sequence[str] = ()
    order: Order = "fair"


def chosen(waiting: Sequence[Pending], choice: PendingChoice) -> list[Pending]:
    """Select from the open outputs, in the chosen order. A name that matches nothing is a `UsageError`."""

    def tag(name: str) -> Callable[[Pending], list[str]]:
        return lambda entry: [str(entry.segment.tags.get(name, ""))]

    has = "such output has"
    entries = named(waiting, choice.category, "category", tag("category"), has=has)
    entries = named(entries, choice.phenomenon, "phenomenon", tag("phenomenon"), has=has)
    entries = named(entries, choice.item, "id", lambda entry: [entry.subject.case_id], has=has)
    entries = named(entries, choice.system, "system", lambda entry: entry.systems, has=has)
    if choice.order == "systems":
        return sorted(entries, key=lambda entry: -len(entry.systems))
    if choice.order == "fair":
        # Outputs outside the choice need answers, too, before the case is settled for all systems.
        needed = Counter(_case(entry) for entry in waiting)
        place = {case: number for number, case in enumerate(needed)}
        return sorted(entries, key=lambda e: (needed[_case(e)], place[_case(e)], -len(e.systems)))
    return entries


def _case(entry: Pending) -> tuple[str, str]:
    return entry.run, entry.subject.case_id


def sampled(entries: Sequence[Pending], count: int | None, *, seed: int) -> list[Pending]:
    """Draw at most this many outputs; the draw depends only on the seed and the subjects."""
    if count is None or count >= len(entries):
        return list(entries)

    def lot(entry: Pending) -> str:
        return hashlib.sha256(f"{seed}\t{entry.subject.id}".encode()).hexdigest()

    drawn = {entry.subject for entry in sorted(entries, key=lot)[:count]}
    return [entry for entry in entries if entry.subject in drawn]


def answers_about(run: Run, context: RunContext) -> dict[tuple[str, str], list[str]]:
    """What reviewers decided about the outputs of a run until now, by segment and system."""
    subjects: dict[tuple[str, str], Subject] = {}
    said: dict[tuple[str, str], list[str]] = {}
    for question in questions_about(run):
        if decisions := context.decisions(question.name):
            subjects = subjects or subjects_in(run)
            for place, subject in subjects.items():
                if answer := decisions.get(subject.id):
                    told = answer if answer == DISPUTED else told_answer(question, answer, subject)
                    said.setdefault(place, []).append(f"{question.name}: {told}")
    return said


def answers_note(run: Run, said: Mapping[tuple[str, str], Sequence[str]]) -> list[str]:
    """Return a note with the number of reviewed outputs, unless the run has this note already."""
    if len(said) <= run.result.basis.get("reviews", {}).get("settled", 0):
        return []
    own = {question.name for question in view_of(run).asks if question.is_of_runs}
    compared = [
        answer == claim.status
        for claim in view_of(run).decided()
        for question, _, answer in (told.partition(": ") for told in said.get(claim[:2], ()))
        if question in own and answer != DISPUTED
    ]
    agree = f", and agree with {sum(compared):,} of {len(compared):,} verdicts" if compared else ""
    return [
        f"Reviewers answered about {len(said):,} of {plural(len(subjects_in(run)), 'output')}{agree}. "
        "The report shows their answers with each output."
    ]


def settled_in(run: Run) -> list[Pending]:
    """Return outputs that the run settled without people, for a blind check; `status` is its finding.

    For a method without verdicts, these are the outputs without doubts. Equal outputs of several systems are
    one, in the order of the run's segments.
    """
    question = question_of(run)
    decided = view_of(run).decided()
    if question is None:
        raise UsageError(f"Run {run.id} asks people nothing, so it has no settled outputs.")
    blind = replace(question, is_blind=True)
    if not decided:
        doubted = {entry.subject for entry in pending_in(run)}
        return [entry for entry in _to_rate(run, blind) if entry.subject not in doubted]
    subjects = subjects_in(run)
    said: dict[Subject | None, str] = {}
    for claim in decided:
        said.setdefault(subjects.get((claim.segment_id, claim.system)), claim.status)
    return [
        replace(entry, status=said[entry.subject], evidence={}, lines=())
        for entry in outputs_in(run, blind)
        if entry.subject in said
    ]
