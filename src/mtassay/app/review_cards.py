"""Cards to answer, one at a time: the model behind the page, its API, campaigns and the terminal.

Every function takes an open workspace, since a server keeps several open.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from unicodedata import east_asian_width

from mtassay.app.rulebook import Rulebook, RulesToday, open_rulebook
from mtassay.data.display import Block, Line
from mtassay.data.errors import MtassayError, UsageError
from mtassay.data.formats.suite_items import Item
from mtassay.data.languages import parse_pair
from mtassay.data.method import view_of
from mtassay.data.nouns import Question, Review, Run, Segment
from mtassay.data.questions import COMMON_QUESTIONS, find_question
from mtassay.data.subjects import CORRECT, Pending, Subject, fix_in, told_answer
from mtassay.methods.suite.acceptance import RuleTrial, TriedOutput
from mtassay.review.campaign_store import KeptAnswer, frozen_reviews, keep_answer, nameless, visible_reviews
from mtassay.review.campaigns import Campaign
from mtassay.review.case_history import settled_beside
from mtassay.review.pending import asked_in, outputs_in, pairs_in
from mtassay.review.queue import AbsentError, QueueChoice, QueueEntry, ReviewQueue, prepare_once
from mtassay.review.reviewer_agreement import AgreementCoefficient, agreements_of
from mtassay.runtime.workspace import Workspace

_NEAR = 6  # segments of a document before and behind
_SETTLED = 8  # settled outputs that are shown beside an open one
_LONGEST_NOTE = 4000  # characters
_SYNTAX = re.compile(r"\\[A-Za-z]|\(\?[a-z]*")  # letters of an expression that match no letter
_CHOOSE = "Choose correct or incorrect first."


@dataclass(frozen=True, slots=True)
class SettledText:
    """An output to the same case whose status is known, and whether people settled it."""

    text: str
    status: str
    is_by_people: bool
    hint: str = ""


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A segment of the document around a card: its source, the same system's output, and one's own answer.

    `is_here` marks the segment of the card.
    """

    source: str
    output: str
    is_here: bool = False
    answer: str = ""


@dataclass(frozen=True)
class Card:
    """One output with all that a person may see to judge it.

    `entry` is its place in the queue, without the run's finding for a blind question. `lines` are the output
    and help to judge it, `given` the answers that the viewer may see. `related_blocks` are related sentences,
    `settled` other outputs to the same case. `rules` are the results of today's rules, and `rulebook` is
    their file, for a run that rules judged. `beside` are other systems' outputs for the same sentence, if a
    campaign shows them.
    """

    run: str
    question: Question
    entry: QueueEntry
    subject: Subject
    segment: Segment
    lines: Sequence[Line]
    given: ShownReviews
    languages: tuple[str, str] = ("", "")
    related_blocks: Sequence[Block] = ()
    settled: Sequence[SettledText] = ()
    rules: RulesToday | None = None
    rulebook: Rulebook | None = None
    document: Sequence[DocumentLine] = ()
    beside: Sequence[DocumentLine] = ()
    campaign: Campaign | None = None

    @property
    def mine(self) -> Review | None:
        """Return the viewer's own newest answer."""
        return self.given.mine

    @property
    def answers(self) -> dict[str, Review]:
        """Return the newest answers of others, by the names that may be shown."""
        return self.given.others

    @property
    def pending(self) -> Pending:
        """Return the same as an open output with the answers of others, for screens and sheets."""
        lines = list(self.lines)
        for name, review in sorted(self.answers.items()):
            label = "answers" if len(lines) == len(self.lines) else ""
            said = told_answer(self.question, review.answer, self.subject)
            lines.append(Line(label, f"{name}: {said}{f' ({review.note})' if review.note else ''}"))
        systems = self.entry.systems
        return Pending(self.subject, self.question, self.run, systems, "", self.segment, lines=lines)

    @property
    def my_correction(self) -> str:
        """Return the correction in the viewer's newest answer."""
        return (fix_in(self.mine.note) if self.mine else None) or ""

    @property
    def my_note(self) -> str:
        """Return the rest of their note."""
        lines = self.mine.note.splitlines() if self.mine else []
        return " ".join(line for line in lines if fix_in(line) is None)

    @property
    def rule_answers(self) -> tuple[str, ...]:
        """Return the possible meanings of a rule: `correct`, and the first other answer."""
        return (CORRECT, next((answer for answer in self.question.keys.values() if answer != CORRECT), ""))

    @property
    def is_contradicted(self) -> bool:
        """Whether today's rules contradict the viewer's answer."""
        mine, rules = self.entry.mine, self.rules
        return rules is not None and {mine, rules.status} == set(self.rule_answers)


def open_queue(store: Workspace, run_id: str, question: str) -> ReviewQueue:
    """Return the queue of a run and question; make it if nobody has asked for it before."""
    try:
        return ReviewQueue(store, run_id, question)
    except AbsentError:
        run = next((run for run in store.runs() if run.id == run_id), None)
        if run is None:
            raise
    prepare_once(store, run)
    return ReviewQueue(store, run_id, question)


@dataclass(frozen=True, kw_only=True)
class Cards(ABC):
    """The questions to one person, a card at a time: of a run, of a campaign, or of its disputes.

    Each kind has `question`, `left` (how many wait), `next`, `card` (of one subject), and `latest`.
    """

    store: Workspace
    who: str
    adjudicates: bool = False

    @abstractmethod
    def asked(self, subject: str) -> tuple[Subject, Question]:
        """Return a subject and its question, if this person may answer it; else raise a `UsageError`."""

    def answer(
        self,
        subject: str,
        text: str,
        *,
        note: str = "",
        correction: str = "",
        receipt: str | None = None,
        along: Callable[[], object] | None = None,
    ) -> KeptAnswer:
        """Keep this person's answer about a subject; when this returns, it is in the workspace.

        A `correction` is the right output, for the note. An answer with a `receipt`, an id chosen by the
        sender, is stored only once. `along` is done only if the answer is kept, and if it fails, the answer
        is not kept.
        """
        about, question = self.asked(subject)
        kept = keep_answer(
            self.store,
            about,
            question,
            text,
            self.who,
            note=_with_correction(note, correction, about.outputs[-1]),
            receipt=receipt,
            is_adjudication=self.adjudicates,
            along=along,
        )
        return replace(kept, answers=reviews_shown(self.store, about.id, question, self.who).others)


@dataclass(frozen=True, kw_only=True)
class RunCards(Cards):
    """The cards of a run: those that match `choice`, after a position, or with `double` all."""

    run_queue: ReviewQueue
    is_admin: bool = False
    after: int = -1
    choice: QueueChoice | None = None
    double: bool = False

    @property
    def question(self) -> Question:
        """Return the question of the queue."""
        return find_question(self.run_queue.question)

    @property
    def left(self) -> int:
        """Count the outputs that wait for this person."""
        return self.run_queue.waiting(self.who, double=self.double)

    def next(self) -> Card | None:
        """Return the next card after the position. Before answering, an admin sees no more than others."""
        entry = self.run_queue.next_for(self.who, after=self.after, choice=self.choice, double=self.double)
        return None if entry is None else replace(self, is_admin=False).card(entry.subject)

    def behind(self, subject: str) -> RunCards:
        """Return the next card after a subject."""
        return replace(self, after=self.run_queue.entry(subject).position)

    def latest(self, before: str = "") -> str | None:
        """Return the subject that this person answered last, or last before another one."""
        return self.run_queue.latest_of(self.who, before=before)

    def card(self, subject: str) -> Card:
        """Return the card of a subject; only the data of its case are read."""
        store, who = self.store, self.who
        entry = self.run_queue.entry(subject, reviewer=who)
        run = store.run(self.run_queue.run, case=entry.segment_id)
        question = _question(run, self.run_queue.question)
        if question.is_blind:
            entry = replace(entry, status="", found="")
        given = reviews_shown(store, subject, question, who, is_admin=self.is_admin)
        pair, pending = languages(run), _pending(run, question, subject)
        chosen, segment = pending.subject, pending.segment
        if not question.is_of_runs:
            segment = Segment(chosen.case_id, None)
            return Card(run.id, question, entry, chosen, segment, pending.lines, given, pair)
        lines = list(pending.lines) or [Line("output", text) for text in chosen.outputs]
        rulebook = None if question.is_blind else open_rulebook(store, run)
        item = rulebook.item(chosen.case_id, segment.source) if rulebook else None
        # A rule may come from another person's answer.
        is_told = bool(entry.mine or not (entry.answer or entry.is_disputed) or self.is_admin)
        rules = rulebook.today(item, chosen.outputs[-1]) if rulebook and item and is_told else None
        if rules and item:
            # The rules are marked separately, and may have changed since the run.
            lines = [line._replace(marks=rules.spans) for line in lines if line.label == "output"]
            pair = _pair(item.langpair)
        return Card(
            *(run.id, question, entry, chosen, segment, lines, given, pair),
            related_blocks=view_of(run).related_blocks(chosen.case_id, entry.systems[0]),
            settled=[
                SettledText(
                    answer.subject.outputs[0],
                    answer.status,
                    answer.is_settled_by_people,
                    answer.hints[0].text if answer.hints else "",
                )
                for answer in settled_beside(store, run, question, chosen, who, count=_SETTLED)
                if answer.subject is not None
            ],
            rules=rules,
            rulebook=rulebook if rules else None,
            document=document_around(store, run.id, segment, chosen, entry.systems, question, who),
        )

    def asked(self, subject: str) -> tuple[Subject, Question]:
        """Return a subject of the run and its question."""
        entry = self.run_queue.entry(subject)
        run = self.store.run(self.run_queue.run, case=entry.segment_id)
        question = _question(run, self.run_queue.question)
        return _pending(run, question, subject).subject, question


class ShownReviews(NamedTuple):
    """The answers about a subject that a person may see, in their order, with their own newest one.

    `changed` are answers that were changed after others were visible.
    """

    reviews: Sequence[Review] = ()
    mine: Review | None = None
    changed: Sequence[Review] = ()

    @property
    def others(self) -> dict[str, Review]:
        """Return the newest answer of everybody else, without adjudications."""
        own = self.mine.reviewer if self.mine else None
        return {r.reviewer: r for r in self.reviews if r.reviewer != own and not r.is_adjudication}


def reviews_shown(
    store: Workspace, subject: str, question: Question, who: str, *, is_admin: bool = False
) -> ShownReviews:
    """Return the visible answers about a subject: see `campaign_store.visible_reviews`.

    Only an admin sees the names of others.
    """
    given = store.reviews_about([subject], question.name)
    reviews = visible_reviews(store, given, who, is_admin=is_admin)
    own = [review for review in reviews if review.reviewer == who]
    later = frozen_reviews(store, question.name, [subject]).changed if len(reviews) > 1 else []
    told = reviews if is_admin else nameless(reviews, who)
    changed = [shown for shown, review in zip(told, reviews, strict=True) if review in later]
    return ShownReviews(told, own[-1] if own else None, changed)


def document_around(
    store: Workspace,
    run: str,
    segment: Segment,
    subject: Subject,
    systems: Sequence[str],
    question: Question,
    reviewer: str,
) -> list[DocumentLine]:
    """Return the document around a segment, as one system translated it; empty for questions without it."""
    if not segment.document or question.name not in COMMON_QUESTIONS or not store.named(run):
        return []
    near = store.near(run, segment, reach=_NEAR)
    system = next(iter(systems), "")
    texts = {o.id: o.text or "" for o in store.outputs(run, some=[s.id for s in near]).get(system, ())}
    subjects = {s.id: Subject(s.id, (s.source,), (texts.get(s.id, ""),)) for s in near}
    subjects[segment.id] = subject
    mine = {
        review.subject: review.answer
        for review in store.reviews_about({about.id for about in subjects.values()}, question.name)
        if review.reviewer == reviewer
    }
    return [
        DocumentLine(
            s.source or "",
            subject.outputs[-1] if s.id == segment.id else texts.get(s.id, ""),
            s.id == segment.id,
            told_answer(question, mine[about.id], about) if (about := subjects[s.id]).id in mine else "",
        )
        for s in near
    ]


def _question(run: Run, name: str) -> Question:
    question = next((q for q in asked_in(run) if q.name == name), None)
    if question is None:
        raise AbsentError(f"No question is called '{name[:40]}' in run {run.id}.")
    return question


def _pending(run: Run, question: Question, subject_id: str) -> Pending:
    """Return what may be shown of an output, or of a pair that people rate separately."""
    entries = outputs_in(run, question) if question.is_of_runs else pairs_in(run, question)
    found = next((entry for entry in entries if entry.subject.id == subject_id), None)
    if found is None:
        raise AbsentError(f"No output '{subject_id[:40]}' in run {run.id}.")
    return found


def languages(run: Run) -> tuple[str, str]:
    """Return the codes of source and target language, empty where the run does not name them."""
    pair = run.parameters.get("pair")
    told = ["-".join(map(str, pair)) if isinstance(pair, list) else str(pair or "")]
    told += str(run.parameters.get("facts", "")).split(" · ")[::-1]  # of a suite; a name may look like a pair
    return next(filter(any, map(_pair, told)), ("", ""))


def _pair(text: str) -> tuple[str, str]:
    try:
        pair = parse_pair(text)
    except MtassayError:
        return ("", "")
    return (str(pair.source), str(pair.target))


# Agreement -----------------------------------------------------------------------------------------------


def agreement_so_far(run_queue: ReviewQueue, *, seed: int = 12345) -> dict[str, AgreementCoefficient]:
    """Return agreement of reviewers by measure; empty before two of them answered about the same output."""
    rated = run_queue.ratings()
    subjects = run_queue.workspace.subjects(rated)
    found = agreements_of(rated, run_queue.question, seed=seed, subjects=subjects, with_pairs=False)
    return {entry.measure: entry for entry in found if entry.n}


# Rules ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """An expression that somebody may add for an output, with its effect; `problem` is why it is refused.

    `answer` is the meaning of the expression, empty before that is chosen. If `is_short`, it has so few
    letters that it matches nearly every output. `told` says in words what the expression finds.
    """

    pattern: str
    answer: str
    trial: RuleTrial | None
    problem: str = ""
    told: str = ""

    @property
    def is_short(self) -> bool:
        """Whether the expression names one or two letters; a character of Chinese or Japanese is a word."""
        letters = [letter for letter in _SYNTAX.sub("", self.pattern) if letter.isalnum()]
        return 0 < len(letters) <= 2 and not any(east_asian_width(letter) in "WF" for letter in letters)


def draft_rule(
    store: Workspace, card: Card, *, pattern: str | None, words: str = "", verdict: str | None = None
) -> RuleDraft:
    """Try an expression for the output of a card, or propose one: for words, or for its unique part.

    Without a `verdict` it means the reviewer's answer about this output, which also counts as known.
    """
    rulebook, item = _writable(card)
    text = card.subject.outputs[-1]
    chosen = card.entry.mine if verdict is None else verdict
    if chosen not in card.rule_answers:
        chosen = ""
    if pattern is None:
        tried = [chosen] if chosen else card.rule_answers
        proposals = (rulebook.propose(store, item, text, words, correct=said == CORRECT) for said in tried)
        pattern = next(filter(None, proposals), "")
    told = rulebook.told(pattern, text)
    if not chosen:
        return RuleDraft(pattern, "", None, _CHOOSE, told)
    try:
        trial = rulebook.try_out(store, item, text, pattern, correct=chosen == CORRECT)
    except UsageError as error:
        return RuleDraft(pattern, chosen, None, str(error))
    if _contradicts(card, chosen):
        mine = TriedOutput(text, card.entry.mine, chosen, by="your answer")
        settles = [entry for entry in trial.settles if entry.text != text]
        trial = replace(trial, settles=settles, contradicts=[mine, *trial.contradicts])
    return RuleDraft(pattern, chosen, trial, told=told)


def add_rule(cards: Cards, card: Card, pattern: str, *, verdict: str, receipt: str | None = None) -> str:
    """Write an expression for a card's output into the suite, and answer the card; return a summary.

    It must match the output and contradict no known verdict, including the reviewer's answer about this
    output, else it is a `UsageError` and nothing is kept.
    """
    rulebook, item = _writable(card)
    if verdict not in card.rule_answers:
        raise UsageError(_CHOOSE)
    if _contradicts(card, verdict):
        raise UsageError(f"You answered {card.entry.mine} here. To change your mind, answer it again first.")
    text, correct = card.subject.outputs[-1], verdict == CORRECT
    cards.answer(
        card.subject.id,
        verdict,
        note=card.my_note,
        correction=card.my_correction,
        receipt=receipt,
        along=lambda: rulebook.accept(cards.store, item, text, pattern, correct=correct, reviewer=cards.who),
    )
    where = Path(rulebook.path).name
    told = rulebook.told(pattern, text)
    about = f"{verdict} if {pattern} (it looks for {told})"
    return f"Written to {where}: {about}. To take it out, edit the file."


def _contradicts(card: Card, verdict: str) -> bool:
    return card.entry.mine in card.rule_answers and card.entry.mine != verdict


def _writable(card: Card) -> tuple[Rulebook, Item]:
    rulebook = card.rulebook
    item = rulebook.item(card.subject.case_id, card.segment.source) if rulebook else None
    if rulebook is None or item is None:
        raise UsageError("The suite of this output cannot be read, or does not have its item any more.")
    if rulebook.why_closed:
        raise UsageError(rulebook.why_closed)
    return rulebook, item


def _with_correction(note: str, correction: str, output: str) -> str:
    """Return the note, and below it the correction, unless that is equal to the output."""
    lines = [note.strip()]
    fixed = " ".join(correction.split())
    if fixed and fixed != " ".join(output.split()):
        lines.append(f"fix: {fixed}")
    text = "\n".join(filter(None, lines))
    if len(text) > _LONGEST_NOTE:
        raise UsageError(f"Note and correction have {len(text):,} characters, at most {_LONGEST_NOTE:,}.")
    return text
