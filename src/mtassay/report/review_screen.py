"""What a reviewer sees at the terminal: one open output, with all that is needed to judge it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mtassay.display import Line, Span
from mtassay.reviews.subjects import SHORT
from mtassay.texts.marks import find_words, wrapped

if TYPE_CHECKING:
    from mtassay.reviews import Question
    from mtassay.reviews.queue import Pending
    from mtassay.story import StoryAnswer

__all__ = ["Screen"]


@dataclass(frozen=True, slots=True)
class Screen:
    """The width of the terminal, whether marks are colours or brackets, and the columns before the texts."""

    width: int
    color: bool
    label: int = 11

    def line(self, label: str, text: str, spans: Iterable[Span] = ()) -> str:
        """A text after its label, in as many lines as it takes."""
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
        """What belongs to the case, whoever translated it."""
        lines = []
        if context := tags.get("context"):
            lines.append(self.line("context", str(context)))
        if source is not None:
            lines.append(self.line("source", source, find_words(source, tags.get("focus", ()))))
        lines += [self.line("reference", text) for text in references if text is not None]
        if note := tags.get("note"):
            lines.append(self.line("note", str(note)))
        return lines

    def pending(self, pending: Pending, nearest: Sequence[StoryAnswer], *, show_systems: bool) -> str:
        """All that a person needs to judge one output."""
        tags = pending.segment.tags
        what = " · ".join(str(tags[key]) for key in ("category", "phenomenon") if key in tags)
        count = len(pending.systems)
        systems = f"{count:,} system{'s' * (count != 1)}"
        if show_systems:
            systems += f": {', '.join(pending.systems)}"
        names = [what, pending.status, systems, pending.subject.case_id]
        references = pending.segment.references
        if pending.question.is_blind:
            # The id of a case can tell a variant, and a reference what the output was held against.
            names, references = [what, systems, pending.subject.id[:SHORT]], ()
        head = " · ".join(filter(None, names))
        lines = [wrapped(head, width=self.width), ""]
        lines += self.case(tags, pending.segment.source, references)
        shown = pending.lines or [Line("output", text) for text in pending.subject.outputs]
        lines += [self.line(line.label or "", line.text, line.marks) for line in shown]
        for answer in nearest:
            lines += self._nearest(answer)
        return "\n".join(lines)

    def _nearest(self, answer: StoryAnswer) -> list[str]:
        assert answer.subject is not None
        text = answer.subject.outputs[0]
        if answer.is_settled_by_people:
            return [self.line("settled", f"{answer.status} (by reviewers): {text}")]
        lines = [self.line("settled", f"{answer.status}: {text}")]
        return [*lines, *(self.line("", hint.text) for hint in answer.hints[:1])]

    def keys(self, question: Question, more: Mapping[str, str] | None = None) -> str:
        """What can be pressed; `more` are keys with what they do, besides the usual ones."""
        others = [f"{key} {what}" for key, what in (more or {}).items()]
        if question.how:
            texts = (question.text, f"Write {question.how}", "u unsure   s skip   b back   q quit")
            return "\n".join(wrapped(text, width=self.width) for text in texts)
        answers = [f"{key} {answer}" for key, answer in question.answers_by_key.items()]
        lines = [answers[0]]
        for key in [*answers[1:], *others, "n note", "s skip", "b back", "q quit"]:
            if len(lines[-1]) + 3 + len(key) > self.width:
                lines.append(key)
            else:
                lines[-1] += f"   {key}"
        return "\n".join([wrapped(question.text, width=self.width), *lines])
