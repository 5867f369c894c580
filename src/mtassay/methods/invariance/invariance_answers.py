"""Reads originals, variants and their translations, and matches them.

A variant is a normal segment, so every command can translate, store and show it. Its tags say from which
original it comes and which word differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mtassay.data.errors import InputError
from mtassay.data.nouns import Case, Edit, Output, RunContext, Segment, original_of
from mtassay.measures.judge import Opinion
from mtassay.measures.polarity import AnnotatedAnswer
from mtassay.methods.invariance.relations import AnsweredCase, ComparedPair, Unread
from mtassay.methods.repeats import texts_of as all_answers
from mtassay.nlp.annotation import Annotation, Annotator, plain_words
from mtassay.nlp.annotators import SpreadAnnotator

_NUMBER = re.compile(r"(?<!\d)\d++(?:[.,:]\d++)+")


def variant_of(original: Segment, edit: Edit, place: int, facts: Mapping[str, Any] | None = None) -> Segment:
    """Return the variant as a segment; `place` is the number of the word, `facts` are stored with it.

    >>> variant_of(Segment("7", "A small dog"), Edit(2, 7, "small", "young", "ADJ"), 1).id
    '7/1-young'
    """
    assert original.source is not None
    tags = {"original": original.id, "edit": {**edit._asdict(), **(facts or {})}}
    return Segment(
        f"{original.id}/{place}-{edit.after}",
        edit.apply(original.source),
        document=original.document,
        tags=tags,
    )


def edit_of(tags: Mapping[str, Any]) -> Edit:
    """Return the edit that made the variant with these tags; `InputError` if it is not a variant.

    >>> edit_of({"edit": {"start": 2, "end": 7, "before": "small", "after": "young"}}).after
    'young'
    """
    edit = tags.get("edit")
    places, words = ("start", "end"), ("before", "after")
    if (
        not isinstance(edit, Mapping)
        or not all(type(edit.get(key)) is int for key in places)
        or not all(isinstance(edit.get(key), str) for key in words)
    ):
        raise InputError("'edit' must have start, end, before and after")
    pos = edit.get("pos")
    part_of_speech = pos if isinstance(pos, str) else ""
    return Edit(edit["start"], edit["end"], edit["before"], edit["after"], part_of_speech)


def is_made(segments: Sequence[Segment]) -> bool:
    """Whether no variants need to be made: there are some, or all originals say why they have none."""
    is_made = any("edit" in segment.tags or original_of(segment) is not None for segment in segments)
    return is_made or all(segment.tags.get("skip") for segment in segments)


def with_edits(segments: Sequence[Segment]) -> list[Segment]:
    """Return the segments of a run; a segment made from another gets the single edit between the two."""
    sources = {segment.id: segment.source or "" for segment in segments}
    edited = []
    for segment in segments:
        original = original_of(segment)
        if original in sources and not {"edit", "phrase"} & segment.tags.keys():
            edit = edit_between(sources[original], segment.source or "")
            segment = segment._replace(tags={**segment.tags, "edit": edit._asdict()})
        edited.append(segment)
    return edited


def edit_between(before: str, after: str) -> Edit:
    """Return the single edit between two texts, from the first to the last whole word that differs.

    >>> edit_between("A dog sees me.", "A cow sees you.")
    Edit(start=2, end=13, before='dog sees me', after='cow sees you', pos='')
    """
    inside = _inside(before), _inside(after)
    longest = min(len(before), len(after))
    start = next((n for n in range(longest) if before[n] != after[n]), longest)
    while start in inside[0] or start in inside[1]:
        start -= 1
    longest -= start
    same = next((n for n in range(longest) if before[-1 - n] != after[-1 - n]), longest)
    while len(before) - same in inside[0] or len(after) - same in inside[1]:
        same -= 1
    end = len(before) - same
    return Edit(start, end, before[start:end], after[start : len(after) - same])


def _inside(text: str) -> set[int]:
    """The positions inside a word or number; a word may end before an English `'s`."""
    spans = [number.span() for number in _NUMBER.finditer(text)]
    for word in plain_words(text):
        ends = (word.end - 2, word.end) if word.text.endswith(("'s", "’s")) else (word.end,)
        spans += zip((word.start, *ends), ends, strict=False)
    return {place for start, end in spans for place in range(start + 1, end)}


def cases_of(segments: Iterable[Segment]) -> list[Case]:
    """Return one case for each original; `expect["parts"]` has the tags of each source after the first.

    An original without a variant cannot be tested and is skipped, with the reason in its tag `skip`. If a
    variant differs from its original by more than one edit, an `InputError` is raised, since its distance
    would be meaningless.
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
            raise InputError(
                f"segment {segment.id} is a variant of {original}, which does not come before it"
            )
    return [_case(segment, parts[segment.id]) for segment in originals.values()]


def _check(part: Segment, original: Segment) -> None:
    """Raise an error if a segment is neither a variant nor a phrase of this original."""
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
        raise InputError(f"segment {part.id}: {edit.before[:40]!r} is not {where}")
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


def read_texts(
    texts: Iterable[str], annotator: Annotator, context: RunContext, *, step: str
) -> dict[str, Annotation]:
    """Annotate each text; a text that the annotator cannot read has an `error`."""
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, SpreadAnnotator(annotator, context, step=step).annotate(distinct), strict=True))


Read = Callable[[str], Annotation]


def texts_of(outputs: Iterable[Sequence[Output]]) -> list[str]:
    """All texts that systems gave."""
    return [text for answers in outputs for output in answers for text in all_answers(output)]


def answered(
    cases: Sequence[Case], outputs: Sequence[Output], *, read_source: Read, read_output: Read
) -> list[AnsweredCase]:
    """Match cases, in order, with their outputs; `outputs` has one for each source of the cases."""
    answered_cases = []
    start = 0
    for case in cases:
        if case.skip is not None:
            continue
        stop = start + len(case.sources)
        answered_cases.append(_answered(case, outputs[start:stop], read_source, read_output))
        start = stop
    return answered_cases


def _answered(case: Case, outputs: Sequence[Output], read_source: Read, read_output: Read) -> AnsweredCase:
    if outputs[0].text is None:
        return AnsweredCase(case, None, problem=outputs[0].error or "no output", absent=outputs[0])

    def read(key: str, source: str | None, output: Output) -> AnnotatedAnswer:
        texts = map(read_output, all_answers(output))
        readings = [reading for place, reading in enumerate(texts) if not (place and reading.error)]
        return AnnotatedAnswer(key, read_source(source or ""), readings[0], again=tuple(readings[1:]))

    original = read(case.id, case.sources[0], outputs[0])
    if error := original.output.error or original.source.error:
        return AnsweredCase(case, None, problem=f"its annotator failed: {error}")
    result = AnsweredCase(case, original)
    for source, output, tags in zip(case.sources[1:], outputs[1:], case.expect["parts"], strict=True):
        if output.text is None:
            result.unread.append(Unread(output.id, output.error or "no output"))
            continue
        answer = read(output.id, source, output)
        if error := answer.output.error or answer.source.error:
            result.unread.append(Unread(output.id, f"its annotator failed: {error}"))
        elif "edit" in tags:
            result.compared.append(ComparedPair(original, answer, edit_of(tags)))
        else:
            result.phrases.append(answer)
    if result.compared:
        return result
    return AnsweredCase(case, None, unread=result.unread, problem="none of its variants has an output")


_LIKELY = 0.6  # at this value, 9 of 10 pairs of the demo have an error (cross-validation)


def right_ones(compared: Sequence[ComparedPair], opinions: Mapping[str, Opinion]) -> list[str]:
    """Return the variants of pairs in which the judge finds no wrong output; `opinions` are by id.

    If the judge uses translation models, an output is wrong if the probability of an error is at least
    `_LIKELY`. Otherwise, an output is wrong unless the judge finds it right.
    """
    return [
        pair.variant.id
        for pair in compared
        if not any(_is_doubtful(opinions[side.id]) for side in (pair.original, pair.variant))
    ]


def _is_doubtful(opinion: Opinion) -> bool:
    if not opinion.kind.endswith("+models"):
        return opinion.verdict != "pass"  # the judge knows little without references and models
    return opinion.probability is None or opinion.probability >= _LIKELY
