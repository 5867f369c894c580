"""How one open output looks in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mtassay.cli.common import plural
from mtassay.cli.terminal import shows_bold, terminal_width
from mtassay.reviews import Question
from mtassay.reviews.cases import Answer
from mtassay.reviews.pending import Pending
from mtassay.reviews.subjects import SHORT
from mtassay.texts.marks import Span, find_words, marked, printable, wrapped

__all__ = ["Screen", "match_spans", "rule_lines"]


@dataclass(frozen=True, slots=True)
class Screen:
    """The width of the terminal, whether marks are colours or brackets, and the columns before the texts."""

    width: int
    color: bool
    label: int = 11

    @classmethod
    def here(cls) -> Screen:
        """The terminal that this process writes to."""
        return cls(min(terminal_width(), 120), shows_bold())

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

    def pending(self, pending: Pending, nearest: Sequence[Answer], *, show_systems: bool) -> str:
        """All that a person needs to judge one output."""
        tags = pending.segment.tags
        what = " · ".join(str(tags[key]) for key in ("category", "phenomenon") if key in tags)
        given = plural(len(pending.systems), "system")
        if show_systems:
            given += f": {', '.join(pending.systems)}"
        names = [what, pending.status, given, pending.subject.case_id]
        references = pending.segment.references
        if pending.question.is_blind:
            # The id of a case can tell a variant, and a reference what the output was held against.
            names, references = [what, given, pending.subject.id[:SHORT]], ()
        head = " · ".join(filter(None, names))
        lines = [wrapped(head, width=self.width), ""]
        lines += self.case(tags, pending.segment.source, references)
        for text in pending.subject.outputs:
            lines.append(self.line("output", text, match_spans(text, pending.evidence)))
        lines += [self.line("", line) for line in rule_lines(pending.evidence)]
        for answer in nearest:
            lines += self._nearest(answer)
        return "\n".join(lines)

    def _nearest(self, answer: Answer) -> list[str]:
        assert answer.subject is not None
        text = answer.subject.outputs[0]
        evidence: Mapping[str, Any] = answer.findings[0].evidence if answer.findings else {}
        if answer.decision is not None and answer.decision.answer is not None:
            return [self.line("settled", f"{answer.status} (by reviewers): {text}")]
        lines = [self.line("settled", f"{answer.status}: {text}")]
        return [*lines, *(self.line("", line) for line in rule_lines(evidence)[:1])]

    def keys(self, question: Question) -> str:
        """What can be pressed."""
        answers = [f"{key} {answer}" for key, answer in question.answers_by_key.items()]
        lines = [answers[0]]
        for key in [*answers[1:], "n note", "s skip", "b back", "q quit"]:
            if len(lines[-1]) + 3 + len(key) > self.width:
                lines.append(key)
            else:
                lines[-1] += f"   {key}"
        return "\n".join([wrapped(question.text, width=self.width), *lines])


def match_spans(text: str, evidence: Mapping[str, Any]) -> list[Span]:
    """Where rules matched in this output.

    Rules see the text normalised. Where that moved a match it is looked for; if it is not to be found as
    it stands, it is not marked.
    """
    spans = []
    for match in evidence.get("matches", ()):
        if str(match.get("kind")).endswith("tokens"):
            continue  # a token is the whole output
        start, end = match.get("span", (0, 0))
        found = str(match.get("match", ""))
        if found and text[start:end] != found:
            start = text.find(found)
            end = start + len(found)
        if start >= 0:
            spans.append((start, end))
    return spans


def rule_lines(evidence: Mapping[str, Any]) -> list[str]:
    """One line for each rule that matched: which one, what it matched, and what its author said."""
    lines = []
    for match in evidence.get("matches", ()):
        kind = str(match.get("kind", "rule")).replace("_", " ")
        rule, found = str(match.get("rule", "")), str(match.get("match", ""))
        if kind.endswith("tokens"):
            line = f"{kind.removesuffix('s')}: this very output"
        else:
            line = f"{kind}: {marked(rule, limit=200)} matches '{marked(found, limit=100)}'"
        about = [printable(str(match[key])) for key in ("note", "author", "date") if match.get(key)]
        lines.append(f"{line} ({', '.join(about)})" if about else line)
    lines += [f"too slow: {marked(str(rule), limit=200)}" for rule in evidence.get("timed_out", ())]
    return lines
