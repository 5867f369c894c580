"""One system's answers to the cases, read by the annotators and set side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from mtassay.core import Case, Output
from mtassay.methods.invariance.nouns import Answer, Compared, edit_of
from mtassay.tools.annotate import Annotation

__all__ = ["Answered", "Unread", "answered", "texts_of"]

Read = Callable[[str], Annotation]


@dataclass(frozen=True, slots=True)
class Unread:
    """A variant that cannot be compared, and why."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What a system made of one case.

    `original` is `None` where nothing can be compared; `problem` then says why, and `absent` is the output
    that is not there, if that is why. `phrases` are parts of the original that were translated alone.
    """

    case: Case
    original: Answer | None
    compared: list[Compared] = field(default_factory=list)
    phrases: list[Answer] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    problem: str = ""
    absent: Output | None = None

    @property
    def answers(self) -> list[Answer]:
        """The original and all variants that can be compared with it."""
        return [] if self.original is None else [self.original, *(pair.variant for pair in self.compared)]


def texts_of(outputs: Iterable[Sequence[Output]]) -> list[str]:
    """All texts that systems gave."""
    return [output.text for answers in outputs for output in answers if output.text is not None]


def answered(
    cases: Sequence[Case], outputs: Sequence[Output], *, read_source: Read, read_output: Read
) -> list[Answered]:
    """The cases that were asked, in order. `outputs` has one output for each of their sources, in order."""
    found = []
    start = 0
    for case in cases:
        if case.skip is not None:
            continue
        stop = start + len(case.sources)
        found.append(_answered(case, outputs[start:stop], read_source, read_output))
        start = stop
    return found


def _answered(case: Case, outputs: Sequence[Output], read_source: Read, read_output: Read) -> Answered:
    if outputs[0].text is None:
        return Answered(case, None, problem=outputs[0].error or "no output", absent=outputs[0])
    original = Answer(case.id, read_source(case.sources[0] or ""), read_output(outputs[0].text))
    if error := original.output.error or original.source.error:
        return Answered(case, None, problem=f"its annotator failed: {error}")
    result = Answered(case, original)
    for source, output, tags in zip(case.sources[1:], outputs[1:], case.expect["parts"], strict=True):
        if output.text is None:
            result.unread.append(Unread(output.id, output.error or "no output"))
            continue
        answer = Answer(output.id, read_source(source or ""), read_output(output.text))
        if error := answer.output.error or answer.source.error:
            result.unread.append(Unread(output.id, f"its annotator failed: {error}"))
        elif "edit" in tags:
            result.compared.append(Compared(original, answer, edit_of(tags)))
        else:
            result.phrases.append(answer)
    if result.compared:
        return result
    return Answered(case, None, unread=result.unread, problem="none of its variants has an output")
