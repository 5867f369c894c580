"""A session at the terminal: open outputs one by one, and every answer kept before the next is shown."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mtassay.app.campaign_work import CampaignCards
from mtassay.app.cli.frame import echo, screen_here
from mtassay.app.cli.interruption import CTRL_C
from mtassay.data.nouns import Review
from mtassay.data.subjects import Pending, answer_about, decide, told_answer
from mtassay.report.case_text import Screen
from mtassay.review.campaign_store import counted_reviews, keep_answer
from mtassay.review.case_history import AnswerHistory, settled_beside
from mtassay.review.pending import waiting_for
from mtassay.runtime.workspace import Workspace

END = "\x04"
"""The value of Ctrl-D, and of the end of the input."""
_DONE, _BACK, _QUIT = "done", "back", "quit"


@dataclass
class Session:
    """One session of one reviewer at one queue. Keys, lines and the screen are passed in.

    With the `cards` of a campaign, the next output is requested from it after each answer.
    """

    store: Workspace
    reviewer: str
    queue: list[Pending]
    screen: Screen
    read_key: Callable[[], str]
    read_line: Callable[[str], str]
    write: Callable[[str], None]
    double: bool = False
    show_systems: bool = False
    cards: CampaignCards | None = None
    answers: dict[tuple[str, str], str] = field(default_factory=dict)
    """The answers of this session, by subject and question."""
    notes: dict[tuple[str, str], str] = field(default_factory=dict)
    """Notes that wait for their answer, by subject and question."""
    explained: set[str] = field(default_factory=set)
    """Questions already explained in this session; long explanations are shown once."""

    def run(self) -> str:
        """Ask about the queue until its end or until the reviewer stops; return a summary."""
        try:
            self._go()
        except KeyboardInterrupt:
            CTRL_C.settle()
            self.write("")
        return self._summary()

    def _go(self) -> None:
        place, again = 0, False
        trail: list[int] = []
        while place < len(self.queue) or self._draw():
            pending = self.queue[place]
            if not again and not self._is_waiting(pending):
                place += 1  # somebody else was faster, or it was answered before going back
                continue
            self._show(pending, place)
            step = self._ask(pending)
            if step == _QUIT:
                return
            again = step == _BACK
            if step == _DONE:
                trail.append(place)
                place += 1
            elif trail:
                place = trail.pop()
            else:
                self.write("This is the first one.")

    def _draw(self) -> bool:
        """Put the next output of the campaign behind the others; skipped ones do not come again."""
        card = self.cards.next() if self.cards else None
        if self.cards is None or card is None:
            return False
        self.cards = replace(self.cards, skip=(*self.cards.skip, card.subject.id))
        self.queue.append(card.pending)
        return True

    def _is_waiting(self, pending: Pending) -> bool:
        if self.cards is not None:
            return True
        reviews = self.store.reviews(pending.question.name)
        decisions = decide(counted_reviews(self.store, reviews, self.reviewer))
        return bool(waiting_for(self.reviewer, [pending], decisions, double=self.double))

    def _show(self, pending: Pending, place: int) -> None:
        nearest: list[AnswerHistory] = []
        question = pending.question
        # Pairs that are rated on their own are no outputs.
        if not question.how and question.is_of_runs and pending.run and self.cards is None:
            run = self.store.run(pending.run, case=pending.subject.case_id)
            nearest = settled_beside(self.store, run, pending.question, pending.subject, self.reviewer)
        total = place + self.cards.left if self.cards else len(self.queue)
        self.write("\n" + self.screen.rule(f"{place + 1} of {max(total, place + 1)}"))
        self.write(self.screen.pending(pending, nearest, show_systems=self.show_systems))
        if before := self._answer_before(pending):
            note = f" ({before.note})" if before.note else ""
            said = told_answer(pending.question, before.answer, pending.subject)
            self.write("\n" + self.screen.line("you said", f"{said}{note}"))
        self._show_keys(pending)

    def _answer_before(self, pending: Pending) -> Review | None:
        decision = decide(self.store.reviews(pending.question.name)).get(
            (pending.subject.id, pending.question.name)
        )
        return decision.latest.get(self.reviewer) if decision else None

    def _ask(self, pending: Pending) -> str:
        asked = (pending.subject.id, pending.question.name)
        answers = pending.question.answers_by_key
        if pending.question.how:
            return self._ask_line(pending)
        while True:
            key = self.read_key()
            if key in answers:
                note = self.notes.pop(asked, "")
                self._keep(pending, answers[key], note)
                return _DONE
            if key == "n":
                self.notes[asked] = self._note()
                self._show_keys(pending)
            elif key == "s":
                self.write("→ skipped")
                return _DONE
            elif key == "b":
                return _BACK
            elif key in ("q", END):
                return _QUIT
            else:
                self._show_keys(pending)

    def _ask_line(self, pending: Pending) -> str:
        """Read a typed answer: a number, spans, a text."""
        steps = {"b": _BACK, "q": _QUIT, END: _QUIT}
        while True:
            line = self.read_line("> ").strip()
            if line in steps:
                return steps[line]
            if line == "s":
                self.write("→ skipped")
                return _DONE
            if line == "?":
                self.explained.discard(pending.question.name)
                self._show_keys(pending)
                continue
            try:
                answer = answer_about(pending.question, line, pending.subject)
            except ValueError as error:
                self.write(f"{error}.")
                continue
            self._keep(pending, answer, "")
            return _DONE

    def _show_keys(self, pending: Pending) -> None:
        question = pending.question
        if question.kind == "spans" and question.name in self.explained:
            self.write("\nWrite as before   ? how   u unsure   s skip   b back   q quit")
            return
        self.explained.add(question.name)
        self.write("\n" + self.screen.keys(question))

    def _note(self) -> str:
        note = self.read_line("note (goes with your answer): ")
        return "" if note == END else note.strip()

    def _keep(self, pending: Pending, answer: str, note: str) -> None:
        others: Mapping[str, Review] = {}
        if self.cards is None:
            keep_answer(self.store, pending.subject, pending.question, answer, self.reviewer, note=note)
        else:
            others = self.cards.answer(pending.subject.id, answer, note=note).answers
        self.answers[pending.subject.id, pending.question.name] = answer
        self.write(f"→ {told_answer(pending.question, answer, pending.subject)}")
        for name, review in sorted(others.items()):
            said = told_answer(pending.question, review.answer, pending.subject)
            self.write(
                self.screen.line("  others", f"{name}: {said}{f' ({review.note})' if review.note else ''}")
            )

    def _summary(self) -> str:
        choices = any(not pending.question.how for pending in self.queue)
        counts = Counter(self.answers.values()) if choices else Counter[str]()
        tally = ", ".join(f"{count} {answer}" for answer, count in counts.items())
        left = self.cards.left if self.cards else len(self.queue) - len(self.answers)
        lines = [f"{len(self.answers)} answered{f' ({tally})' if tally else ''}, {left} left."]
        if lost := [note for note in self.notes.values() if note]:
            lines.append(f"Not kept, because an answer is missing: the note '{lost[0]}'.")
        return "\n".join(lines)


def ask_here(store: Workspace, reviewer: str, queue: list[Pending], **how: Any) -> None:
    """Hold a session at the terminal of this process, and print its summary."""
    session = Session(store, reviewer, queue, screen_here(), read_key, read_line, echo, **how)
    echo(f"\n{session.run()}")


def read_key() -> str:
    """Return the next key in lower case; `END` when there is no more input.

    Earlier input is dropped: nobody can mean it for a case they have not seen. Of a longer piece (an arrow
    key, a paste) only the beginning counts.
    """
    try:
        import termios
        import tty
    except ImportError:  # no such terminal, as on Windows
        return read_line("")[:1].lower()
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSAFLUSH)
        data = os.read(descriptor, 1024)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    return data.decode("utf-8", "ignore")[:1].lower() or END


def read_line(prompt: str) -> str:
    """Return a line that ends with Enter; `END` when there is no more input."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else END
