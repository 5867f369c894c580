"""One case with every output, all evidence, all decisions and its history: as text, tables or a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from mtassay.core import Review
from mtassay.display import Block, Table
from mtassay.method import method_of
from mtassay.report.blocks import block_text
from mtassay.report.review_screen import Screen
from mtassay.report.table import to_text
from mtassay.reviews.subjects import SHORT, count_reviewers
from mtassay.story import CaseStory, StoryAnswer
from mtassay.texts.marks import marked, printable, wrapped

__all__ = ["story_record", "story_tables", "story_text"]


def story_text(story: CaseStory, screen: Screen, *, width: int) -> str:
    """All of it for a terminal; tables may be this wide."""
    method = method_of(story.run)
    blocks = [method.block(story.run, story.case_id, answer.systems[0]) for answer in story.answers]
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


def story_tables(story: CaseStory) -> list[Table]:
    """The answers, and what all runs said."""
    return [_answer_table(story), _history_table(story)]


def _told(answer: StoryAnswer, block: Block, screen: Screen) -> str:
    """One answer: its block, what people can decide about, and what they said."""
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


def _review_lines(answer: StoryAnswer, screen: Screen) -> list[str]:
    lines = [screen.line("  review", _review(review)) for review in answer.reviews]
    if answer.decision is not None:
        lines.append(screen.line("  holds", _holds(answer)))
    return lines


def _standing(answer: StoryAnswer) -> str:
    """What holds now and what the run said; of an issue both for the issue and for the original's output."""
    if answer.holds:
        before = f" (the run said {answer.found})" if answer.found != answer.holds else ""
        output = f" · its output: {answer.status} by reviewers" if answer.is_settled_by_people else ""
        return f"issue {answer.holds}{before}{output}"
    if answer.is_settled_by_people and answer.status != answer.found:
        return f"{answer.status} by reviewers (the run said {answer.found or 'nothing'})"
    return answer.status or "no finding"


def _review(review: Review) -> str:
    note = f" ({review.note})" if review.note else ""
    return f"{review.at[:16].replace('T', ' ')} {review.reviewer}: {review.answer}{note}"


def _holds(answer: StoryAnswer) -> str:
    decision = answer.decision
    assert decision is not None
    ratings = decision.ratings
    if decision.answer is not None:
        votes = sum(rating == decision.answer for rating in ratings.values())
        return f"{decision.answer} ({votes} of {count_reviewers(ratings.keys())})"
    return "nothing: reviewers disagree" if ratings else "nothing: nobody was sure"


def _answer_table(story: CaseStory) -> Table:
    method = method_of(story.run)
    findings = [replace(f, system=", ".join(a.systems)) for a in story.answers for f in a.findings]
    title = printable(story.case_id)
    if (table := method.findings_table(replace(story.run, findings=findings), everything=True)) is not None:
        return replace(table, title=title)
    rows = [
        [
            ", ".join(answer.systems),
            _standing(answer) if answer.holds else answer.status,
            "; ".join(method.why(finding) for finding in answer.findings),
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


def _scores(answer: StoryAnswer, story: CaseStory) -> dict[str, float]:
    return method_of(story.run).unit_scores(story.run, story.case_id, answer.systems[0])


def _history_table(story: CaseStory) -> Table:
    """The verdicts of all runs, newest first; a dash where a system was not in a run."""
    systems = dict.fromkeys(name for past in story.history for name in past.statuses)
    rows = [
        [marked(name, limit=40), *(_past(past.statuses, name) for past in story.history)] for name in systems
    ]
    header = ["system", *(past.run for past in story.history)]
    return Table(header, rows, title="All runs, newest first, as judged then")


def _past(statuses: Mapping[str, str], system: str) -> str:
    return statuses[system] or "no finding" if system in statuses else "–"


def story_record(story: CaseStory) -> dict[str, Any]:
    """All of it for a program."""
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


def _answer_record(answer: StoryAnswer, story: CaseStory) -> dict[str, Any]:
    told_with = [s.id for s in story.run.segments if method_of(story.run).case_of(s) == story.case_id != s.id]
    others = [text for id_ in told_with if (text := story.run.text(id_, answer.systems[0])) is not None]
    return {
        "systems": list(answer.systems),
        "status": answer.status or None,
        "found": answer.found or None,
        "issue": answer.holds or None,
        "subject": answer.asked.subject.id if answer.asked else None,
        "outputs": [*answer.subject.outputs, *others] if answer.subject else None,
        "scores": _scores(answer, story),
        "findings": [asdict(finding) for finding in answer.findings],
        "reviews": [asdict(review) for review in answer.reviews],
        "disputed": answer.decision is not None and answer.decision.is_disputed,
    }
