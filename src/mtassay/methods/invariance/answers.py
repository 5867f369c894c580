"""Cases from segments, and a system's answers to them, read by annotators and set side by side."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from mtassay.core import Case, Output, Segment, Tools, original_of
from mtassay.errors import InputError
from mtassay.methods.invariance.nouns import Answer, Compared, edit_of
from mtassay.tools.annotate import Annotation, Annotator, Span, Token

__all__ = ["Answered", "Unread", "answered", "cases_of", "read_texts", "texts_of"]


def cases_of(segments: Iterable[Segment]) -> list[Case]:
    """One case for each original, in order; `expect["parts"]` has the tags of each source after the first.

    An original without a variant cannot be tested and is skipped, for the reason in its tag `skip`. A variant
    that is not its original with one edit is an `InputError`: distances would mean nothing.
    """
    originals: dict[str, Segment] = {}
    parts: dict[str, list[Segment]] = {}
    for segment in segments:
        original = original_of(segment)
        if original is None:
            if "edit" in segment.tags:
                raise InputError(f"segment {segment.id}: it has an 'edit', but no 'original'")
            originals[segment.id] = segment
            parts[segment.id] = []
        elif original in parts:
            _check(segment, originals[original])
            parts[original].append(segment)
        else:
            raise InputError(f"segment {segment.id} is a variant of {original}, which is not before it")
    return [_case(segment, parts[segment.id]) for segment in originals.values()]


def _check(part: Segment, original: Segment) -> None:
    """Refuse what is neither a variant nor a phrase of this original."""
    if "edit" not in part.tags:
        if "phrase" in part.tags:
            return
        raise InputError(f"segment {part.id}: it has an 'original', but no 'edit'")
    try:
        edit = edit_of(part.tags)
    except InputError as error:
        raise InputError(f"segment {part.id}: {error}") from None
    source = original.source or ""
    if not 0 <= edit.start <= edit.end <= len(source) or source[edit.start : edit.end] != edit.before:
        where = f"at {edit.start}-{edit.end} of {original.id}"
        raise InputError(f"segment {part.id}: {edit.before[:40]!r} does not stand {where}")
    if not (part.source or "").strip() or part.source != edit.apply(source):
        change = f"{edit.before[:40]!r} changed to {edit.after[:40]!r}"
        raise InputError(f"segment {part.id}: its source is not that of {original.id} with {change}")


def _case(original: Segment, parts: Sequence[Segment]) -> Case:
    has_variant = any("edit" in part.tags for part in parts)
    return Case(
        original.id,
        original.id,
        (original.source, *(part.source for part in parts)),
        expect={"parts": [dict(part.tags) for part in parts]},
        tags=original.tags,
        skip=None if has_variant else str(original.tags.get("skip") or "it has no variants"),
        source_ids=(original.id, *(part.id for part in parts)),
    )


_AT_ONCE = 256


def read_texts(
    texts: Iterable[str], annotator: Annotator, tools: Tools, *, step: str
) -> dict[str, Annotation]:
    """The annotation of each text; one that the annotator chokes on has an `error`, and is not kept."""
    distinct = list(dict.fromkeys(texts))
    found: dict[str, Annotation] = {}
    for text in distinct:
        if kept := tools.recall(_key(annotator, text)):
            found[text] = _unpack(text, kept)
    waiting = [text for text in distinct if text not in found]
    for start in range(0, len(waiting), _AT_ONCE):
        tools.progress(step, len(found), len(distinct))
        part = waiting[start : start + _AT_ONCE]
        for text, annotation in zip(part, annotator.annotate(part), strict=True):
            found[text] = annotation
            if annotation.error is None:
                tools.remember(_key(annotator, text), _pack(annotation))
    return found


def _key(annotator: Annotator, text: str) -> str:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"annotation|{annotator.signature}|{digest}"


def _pack(annotation: Annotation) -> bytes:
    content = [annotation.tokens, annotation.entities, annotation.constituents]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _unpack(text: str, kept: bytes) -> Annotation:
    tokens, entities, constituents = json.loads(kept.decode("utf-8", "surrogatepass"))
    return Annotation(
        text,
        tuple(Token(*token) for token in tokens),
        tuple(Span(*span) for span in entities),
        None if constituents is None else tuple(Span(*span) for span in constituents),
    )


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
