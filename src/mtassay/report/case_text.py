"""One open output at the terminal, with all that a reviewer needs to judge it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from mtassay.data.display import Block, Line, Span, Table
from mtassay.data.marks import find_words, marked, printable, wrapped
from mtassay.data.method import view_of
from mtassay.data.nouns import Review
from mtassay.data.subjects import SHORT, count_reviewers
from mtassay.report.run_text import block_text, to_text
from mtassay.review.case_history import AnswerHistory, CaseHistory

if TYPE_CHECKING:
    from mtassay.data.nouns import Question
    from mtassay.data.subjects import Pending


@dataclass(frozen=True, slots=True)
class Screen:
    """The width of the terminal, whether marks are colours or brackets, and the columns before the texts."""

    width: int
    color: bool
    label: int = 11

    def line(self, label: str, text: str, spans: Iterable[Span] = ()) -> str:
        """Wrap a text after its label."""
        indent = " " * self.label
        return wrapped(
            text, spans, width=self.width, indent=indent, first=label.ljust(self.label), color=self.color
        )

    def rule(self, title: str) -> str:
        """A line across the screen with a title in it."""
        return f"── {title} ".ljust(self.width, "─")

    def case(
        self, tags: Mapping[str, Any], source: str | None, references: Sequence[str | None]
    ) -> list[str]:
        """Return the parts of the case that do not depend on the system."""
        lines = []
        if context := tags.get("context"):
            lines.append(self.line("context", str(context)))
        if source is not None:
            lines.append(self.line("source", source, find_words(source, tags.get("focus", ()))))
        lines += [self.line("reference", text) for text in references if text is not None]
        if note := tags.get("note"):
            lines.append(self.line("note", str(note)))
        return lines

    def pending(self, pending: Pending, nearest: Sequence[AnswerHistory], *, show_systems: bool) -> str:
        """Return all that a person needs to judge one output."""
        if not pending.question.is_of_runs and not pending.question.how:  # a pair: the rest would sway
            return "\n".join(self.line(line.label or "", line.text) for line in pending.lines)
        tags = pending.segment.tags
        what = " · ".join(str(tags[key]) for key in ("category", "phenomenon") if key in tags)
        count = len(pending.systems)
        systems = f"{count:,} system{'s' * (count != 1)}"
        if show_systems:
            systems += f": {', '.join(pending.systems)}"
        names = [what, pending.status, systems, pending.subject.case_id]
        references = pending.segment.references
        if pending.question.is_blind:
            # The id of a case can reveal a variant, and a reference what the output was compared with.
            names, references = [what, systems, pending.subject.id[:SHORT]], ()
        head = " · ".join(filter(None, names))
        lines = [wrapped(head, width=self.width), ""]
        lines += self.case(tags, pending.segment.source, references)
        shown = pending.lines or [Line("output", text) for text in pending.subject.outputs]
        lines += [self.line(line.label or "", line.text, line.marks) for line in shown]
        for answer in nearest:
            lines += self._nearest(answer)
        return "\n".join(lines)

    def _nearest(self, answer: AnswerHistory) -> list[str]:
        assert answer.subject is not None
        text = answer.subject.outputs[0]
        if answer.is_settled_by_people:
            return [self.line("settled", f"{answer.status} (by reviewers): {text}")]
        lines = [self.line("settled", f"{answer.status}: {text}")]
        return [*lines, *(self.line("", hint.text) for hint in answer.hints[:1])]

    def keys(self, question: Question) -> str:
        """List the keys that can be pressed."""
        if question.how:
            texts = (question.text, f"Write {question.how}", "u unsure   s skip   b back   q quit")
            return "\n".join(wrapped(text, width=self.width) for text in texts)
        answers = [f"{key} {answer}" for key, answer in question.answers_by_key.items()]
        lines = [answers[0]]
        for key in [*answers[1:], "n note", "s skip", "b back", "q quit"]:
            if len(lines[-1]) + 3 + len(key) > self.width:
                lines.append(key)
            else:
                lines[-1] += f"   {key}"
        return "\n".join([wrapped(question.text, width=self.width), *lines])


def case_text(story: CaseHistory, screen: Screen, *, width: int) -> str:
    """Return all of it for a terminal; tables may be this wide."""
    view = view_of(story.run)
    blocks = [view.block(story.case_id, answer.systems[0]) for answer in story.answers]
    tags = story.segment.tags if story.segment else {}
    names = [story.case_id, *(str(tags[key]) for key in ("category", "phenomenon") if key in tags)]
    if "original" in tags:
        edit = tags.get("edit") or {}
        changed = f": {edit.get('before')} → {edit.get('after')}" if edit else ""
        names.append(f"from {tags['original']}{changed}")
    parts = [wrapped(" · ".join(names), width=screen.width), f"run {story.run.id} · {story.run.method}", ""]
    if story.segment and not all(block.title for block in blocks):
        parts += screen.case(tags, story.segment.source, story.segment.references)
    for number, (answer, block) in enumerate(zip(story.answers, blocks, strict=True)):
        if number or not block.title:
            parts.append("")
        parts.append(_told(answer, block, screen))
    if len(story.history) > 1:
        parts += ["", to_text(_history_table(story), width=width, color=screen.color)]
    return "\n".join(parts)


def case_tables(story: CaseHistory) -> list[Table]:
    """Return tables of the answers, and of all runs' findings on them."""
    return [_answer_table(story), _history_table(story)]


def _told(answer: AnswerHistory, block: Block, screen: Screen) -> str:
    """Return one answer: its block, the id of its subject, and its reviews."""
    screen = replace(screen, label=block.label)
    subject = answer.asked.subject.id[:SHORT] if answer.asked else ""
    if block.title:
        head = block.title.replace(f" · {answer.systems[0]} · ", f" · {', '.join(answer.systems)} · ", 1)
        lines = [block_text(replace(block, title=head), width=screen.width, color=screen.color)]
        if answer.asked:
            about = f", {answer.asked.about}" if answer.asked.about else ""
            lines.append(screen.line("  subject", f"{subject}{about}"))
    else:
        head = (
            f"{_standing(answer)} · {', '.join(answer.systems)}{f' · subject {subject}' if subject else ''}"
        )
        lines = [wrapped(head, width=screen.width, indent="  ", first="")]
        if block.lines:
            lines.append(block_text(block, width=screen.width, color=screen.color))
    return "\n".join([*lines, *_review_lines(answer, screen)])


def _review_lines(answer: AnswerHistory, screen: Screen) -> list[str]:
    lines = [screen.line("  review", _review(review)) for review in answer.reviews]
    if answer.decision is not None:
        lines.append(screen.line("  holds", _holds(answer)))
    return lines


def _standing(answer: AnswerHistory) -> str:
    """Return the current status and the run's; for an issue, also those of the original's output."""
    if answer.joint_decision:
        before = f" (the run said {answer.found})" if answer.found != answer.joint_decision else ""
        output = f" · its output: {answer.status} by reviewers" if answer.is_settled_by_people else ""
        return f"issue {answer.joint_decision}{before}{output}"
    if answer.is_settled_by_people and answer.status != answer.found:
        return f"{answer.status} by reviewers (the run said {answer.found or 'nothing'})"
    return answer.status or "no finding"


def _review(review: Review) -> str:
    note = f" ({review.note})" if review.note else ""
    return f"{review.at[:16].replace('T', ' ')} {review.reviewer}: {review.answer}{note}"


def _holds(answer: AnswerHistory) -> str:
    decision = answer.decision
    assert decision is not None
    ratings = decision.ratings
    if decision.answer is not None:
        votes = sum(rating == decision.answer for rating in ratings.values())
        return f"{decision.answer} ({votes} of {count_reviewers(ratings.keys())})"
    return "nothing: reviewers disagree" if ratings else "nothing: nobody was sure"


def _answer_table(story: CaseHistory) -> Table:
    findings = [replace(f, system=", ".join(a.systems)) for a in story.answers for f in a.findings]
    view = view_of(replace(story.run, findings=findings))
    title = printable(story.case_id)
    if (table := view.findings_table(everything=True)) is not None:
        return replace(table, title=title)
    rows = [
        [
            ", ".join(answer.systems),
            _standing(answer) if answer.joint_decision else answer.status,
            "; ".join(view.why(finding) for finding in answer.findings),
            " | ".join(map(printable, answer.subject.outputs)) if answer.subject else "",
        ]
        for answer in story.answers
    ]
    header = ["systems", "status", "why", "output"]
    scores = [story.run.result.scores_text(_scores(answer, story)) for answer in story.answers]
    if any(scores):
        header.insert(3, "scores")
        rows = [[*row[:3], text, row[3]] for row, text in zip(rows, scores, strict=True)]
    return Table(header, rows, title=title)


def _scores(answer: AnswerHistory, story: CaseHistory) -> dict[str, float]:
    return view_of(story.run).unit_scores(story.case_id, answer.systems[0])


def _history_table(story: CaseHistory) -> Table:
    """Return the verdicts of all runs, newest first; a dash if a system was not in a run."""
    systems = dict.fromkeys(name for past in story.history for name in past.statuses)
    rows = [
        [marked(name, limit=40), *(past.statuses.get(name, "–") or "no finding" for past in story.history)]
        for name in systems
    ]
    header = ["system", *(past.run for past in story.history)]
    return Table(header, rows, title="All runs, newest first, as judged then")


def case_record(story: CaseHistory) -> dict[str, Any]:
    """Return all of it for a program."""
    segment = story.segment
    return {
        "case_id": story.case_id,
        "run": story.run.id,
        "method": story.run.method,
        "source": segment.source if segment else None,
        "references": list(segment.references) if segment else [],
        "tags": dict(segment.tags) if segment else {},
        "answers": [_answer_record(answer, story) for answer in story.answers],
        "history": [asdict(past) for past in story.history],
    }


def _answer_record(answer: AnswerHistory, story: CaseHistory) -> dict[str, Any]:
    view = view_of(story.run)
    told_with = [s.id for s in story.run.segments if view.case_of(s) == story.case_id != s.id]
    others = [text for id_ in told_with if (text := story.run.text(id_, answer.systems[0])) is not None]
    return {
        "systems": list(answer.systems),
        "status": answer.status or None,
        "found": answer.found or None,
        "issue": answer.joint_decision or None,
        "subject": answer.asked.subject.id if answer.asked else None,
        "outputs": [*answer.subject.outputs, *others] if answer.subject else None,
        "scores": _scores(answer, story),
        "findings": [asdict(finding) for finding in answer.findings],
        "reviews": [asdict(review) for review in answer.reviews],
        "disputed": answer.decision is not None and answer.decision.is_disputed,
    }
