"""Pairs as read by annotators and aligner, and the places that can be edited on both sides.

Only such spans are edited (Wu, Liu, Yeung 2023, section 3.1), so that the rest keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mtassay.data.errors import UsageError
from mtassay.data.languages import Language, Pair
from mtassay.data.nouns import Segment
from mtassay.methods.behavior.edit_search import is_unspaced
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import Annotation, Annotator, Layer, Token, TokenSpan, with_phrases
from mtassay.nlp.annotators import open_annotator
from mtassay.nlp.links import Links, WordAligner, open_aligner

# Best first: phrases need dependencies, and named entities need the entity layer.
_WISHES: tuple[tuple[Layer, ...], ...] = (
    ("pos", "dependencies", "entities"),
    ("pos", "dependencies"),
    ("pos",),
)


class LeftOutSegment(NamedTuple):
    """A segment that is not a pair, and the reason."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class PairReading:
    """The readable pairs and the unreadable segments, both in order."""

    pairs: list[ReadPair]
    left_out: list[LeftOutSegment]


def read_pairs(
    segments: Sequence[Segment],
    pair: Pair,
    *,
    aligner: WordAligner | None = None,
    source_annotator: Annotator | None = None,
    reference_annotator: Annotator | None = None,
    links: Mapping[str, Links] | None = None,
) -> PairReading:
    """Annotate and align all segments at once, each with its first reference.

    `links` has links between the annotators' words, by segment id; its segments are not aligned again. For
    missing tools, the best installed tools for the languages are used.
    """
    entries = [(segment, _reference(segment)) for segment in segments]
    left_out = {
        number: reason
        for number, (segment, reference) in enumerate(entries)
        if (reason := _missing(segment.source, reference))
    }
    waiting = [number for number in range(len(entries)) if number not in left_out]
    if not waiting:
        return PairReading(
            [], [LeftOutSegment(entries[number][0].id, reason) for number, reason in left_out.items()]
        )
    readers = (
        source_annotator or best_annotator(pair.source),
        reference_annotator or best_annotator(pair.target),
    )
    sources = readers[0].annotate([entries[number][0].source or "" for number in waiting])
    references = readers[1].annotate([entries[number][1] or "" for number in waiting])
    read: dict[int, tuple[Annotation, Annotation]] = {}
    for number, source, reference in zip(waiting, sources, references, strict=True):
        reason = _failure(source, "source") or _failure(reference, "reference")
        if reason:
            left_out[number] = reason
        else:
            read[number] = (with_phrases(source), reference)
    links_by_number = _links(
        read, {number: entries[number][0].id for number in read}, pair, aligner, links or {}
    )
    pairs = []
    for number, (source, reference) in read.items():
        if all(
            0 <= i < len(source.tokens) and 0 <= j < len(reference.tokens) for i, j in links_by_number[number]
        ):
            pairs.append(ReadPair(entries[number][0].id, source, reference, links_by_number[number]))
        else:
            left_out[number] = "a link leads to a word that is not there: it counts other words"
    return PairReading(pairs, [LeftOutSegment(entries[n][0].id, left_out[n]) for n in sorted(left_out)])


def _reference(segment: Segment) -> str | None:
    return next((text for text in segment.references if text is not None), None)


def _missing(source: str | None, reference: str | None) -> str | None:
    if source is None or not source.strip():
        return "no source"
    return None if reference is not None and reference.strip() else "no reference"


def _failure(annotation: Annotation, side: str) -> str | None:
    if annotation.error is not None:
        return f"the annotator failed on the {side}: {annotation.error}"
    return None if annotation.tokens else f"no words in the {side}"


def _links(
    read: Mapping[int, tuple[Annotation, Annotation]],
    ids: Mapping[int, str],
    pair: Pair,
    aligner: WordAligner | None,
    links_by_id: Mapping[str, Links],
) -> dict[int, Links]:
    links_by_number = {number: links_by_id[ids[number]] for number in read if ids[number] in links_by_id}
    unaligned = [number for number in read if number not in links_by_number]
    if unaligned:
        sides = [
            tuple([token.text for token in side.tokens] for side in read[number]) for number in unaligned
        ]
        aligned = (aligner or open_aligner(pair)).align([(left, right) for left, right in sides])
        links_by_number.update(zip(unaligned, aligned, strict=True))
    return links_by_number


def best_annotator(language: Language) -> Annotator:
    """Return the installed annotator with most layers: entities and dependencies, dependencies, or words."""
    for needs in _WISHES[:-1]:
        try:
            return open_annotator(language.code, needs=needs)
        except UsageError:
            continue
    return open_annotator(language.code, needs=_WISHES[-1])


PARTS = frozenset(
    ("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "SCONJ",
     "VERB", "PUNCT", "SYM", "X", "SPACE")
)  # fmt: skip
"""The universal parts of speech: the labels of single words."""
PHRASES = frozenset(("NP", "VP", "PP", "AP", "ADVP", "QP"))
"""The labels of phrases; QP is a number of several words. Any other label is a kind of entity."""

_OTHER_NAMES = {"ADJP": "AP"}
_NO_WORDS = frozenset(("PUNCT", "SYM", "X", "SPACE", ""))
_LABELS = {
    "NOUN": "NP", "PROPN": "NP", "VERB": "VP", "AUX": "VP", "ADJ": "AP", "ADV": "ADVP", "NUM": "QP",
}  # fmt: skip
# Relations whose dependents are not a part of the word's phrase.
_OUTSIDE = frozenset(
    ("nsubj", "csubj", "nsubjpass", "csubjpass", "expl", "case", "mark", "cc", "conj", "punct", "parataxis",
     "discourse", "vocative", "dislocated", "list", "dep")
)  # fmt: skip
_VERBAL = frozenset(("cop", "aux", "auxpass", "advcl", "obl"))
_AUXILIARIES = frozenset(("aux", "auxpass", "cop"))


def candidates(annotation: Annotation) -> list[TokenSpan]:
    """All words, phrases (of at most `MOST_WORDS` words) and entities, from left to right, longer ones first.

    Spans are in token numbers. A phrase comes from the annotator, or is a head with its nearest dependents,
    each with its whole subtree: `new shops` in `all the new shops in Rio`, and `will be sent` in `will be
    sent to you`. Equal spans with different labels are separate candidates.
    """
    annotation = with_phrases(annotation)
    tokens = annotation.tokens
    spans = [
        TokenSpan(i, i + 1, token.pos)
        for i, token in enumerate(tokens)
        if token.pos not in _NO_WORDS and any(map(str.isalnum, token.text))
    ]
    phrases = {
        TokenSpan(span.start, span.end, label)
        for span in annotation.constituents or ()
        if (label := _OTHER_NAMES.get(span.label, span.label)) in PHRASES
    }
    phrases.update(_inner_phrases(tokens))
    spans += [span for span in phrases if 1 < span.end - span.start <= MOST_WORDS]
    spans += [span for span in annotation.entities if span.end - span.start <= MOST_WORDS]
    return sorted(
        spans, key=lambda s: (s.start, -s.end, s.label not in PHRASES, s.label not in PARTS, s.label)
    )


def head_of(tokens: Sequence[Token], span: TokenSpan) -> int:
    """The number of a span's head token; without a parse, the last token.

    The head of a verb phrase may be the copula or its noun, depending on the grammar.
    """
    inside = range(span.start, span.end)
    heads = [i for i in inside if tokens[i].head not in inside]
    if len(heads) == 1:
        return heads[0]
    wanted = [i for i in heads if _LABELS.get(tokens[i].pos) == span.label]
    return (wanted or heads or [span.start])[-1]


def relation_of(token: Token) -> str:
    """A relation without its subtype: `nsubj` for `nsubj:pass`."""
    return token.relation.partition(":")[0]


def is_auxiliary(token: Token) -> bool:
    """Whether a word only helps another verb."""
    return relation_of(token) in _AUXILIARIES


def _inner_phrases(tokens: Sequence[Token]) -> Iterator[TokenSpan]:
    """For each head, all spans with some of its nearest dependents on the left and on the right."""
    below = _below(tokens)
    children: list[list[int]] = [[] for _ in tokens]
    for i, token in enumerate(tokens):
        if token.head >= 0:
            children[token.head].append(i)
    for head, token in enumerate(tokens):
        label = _LABELS.get(token.pos)
        if label is None or is_auxiliary(token):
            continue
        outside = _OUTSIDE if label == "VP" else _OUTSIDE | _VERBAL
        near = [below[child] for child in children[head] if relation_of(tokens[child]) not in outside]
        starts = [head, *_steps(head, [part for part in reversed(near) if max(part) < head], -1)]
        ends = [head, *_steps(head, [part for part in near if min(part) > head], 1)]
        yield from (
            TokenSpan(start, end + 1, label) for start in starts for end in ends if end - start < MOST_WORDS
        )


def _steps(head: int, parts: Sequence[set[int]], step: int) -> Iterator[int]:
    """Possible ends of a phrase on one side: after one, two… whole parts, if each is next to the previous."""
    place = head
    for part in parts:
        near, far = (min(part), max(part)) if step > 0 else (max(part), min(part))
        if near != place + step or len(part) != abs(far - near) + 1:
            return
        place = far
        yield place


def _below(tokens: Sequence[Token]) -> list[set[int]]:
    """All tokens below each token, including the token itself."""
    below = [{i} for i in range(len(tokens))]
    for i, token in enumerate(tokens):
        above, seen = token.head, {i}
        while above >= 0 and above not in seen:
            seen.add(above)
            below[above].add(i)
            above = tokens[above].head
    return below


MOST_WORDS = 6
"""Longer phrases would be most of the sentence."""

# Words that often have no translation of their own; "" is an unknown part of speech.
_SMALL = frozenset(("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ", ""))
_MEASURE_WORDS = frozenset(("q", "M"))  # the tags of LAC and the Chinese Treebank
_JOINTS = frozenset("-–·.’'/&%")
_PLACEHOLDER = frozenset("#_<>{}")
_APOSTROPHES = frozenset("'’")


def aligned_spans(pair: ReadPair, *, start: bool = False) -> list[AlignedSpan]:
    """The spans of a pair that can be edited, from left to right, longer ones first.

    Such a span is a word, phrase or entity of the source. All its links lead to one span of the reference,
    and all links of that span lead back. The first and the last word of both spans have a link; function
    words between them may have no link. The first word of the text is not in a span, unless `start` is set. A
    span does not begin or end inside a written word (`do` in `don't`) or a placeholder (`#NAME#`).

    The same place is repeated for each label, since each capability chooses its own longest spans.
    """
    source, reference = pair.source, pair.reference
    first = next((i for i, token in enumerate(source.tokens) if any(map(str.isalnum, token.text))), 0)
    to_reference: dict[int, set[int]] = {}
    to_source: dict[int, set[int]] = {}
    for i, j in pair.links:
        to_reference.setdefault(i, set()).add(j)
        to_source.setdefault(j, set()).add(i)
    spans = []
    for span in candidates(source):
        if not start and span.start <= first < span.end:
            continue
        other = _partner(pair, range(span.start, span.end), to_reference, to_source)
        if other is None or _cuts_a_word(source, span.start, span.end):
            continue
        if _is_placeholder(source.tokens, span.start, span.end):
            continue
        if _cuts_a_word(reference, other.start, other.stop):
            continue
        spans.append(
            AlignedSpan(
                source.tokens[span.start].start,
                source.tokens[span.end - 1].end,
                reference.tokens[other.start].start,
                reference.tokens[other.stop - 1].end,
                span.label,
                head_of(source.tokens, span),
            )
        )
    return spans


def keep_longest(spans: Iterable[AlignedSpan]) -> list[AlignedSpan]:
    """Keep only the longest of overlapping spans in the source, in order; of equally long spans, the first.

    >>> new, shop, both = (AlignedSpan(*at, *at, "NOUN", 0) for at in ((0, 3), (4, 8), (0, 8)))
    >>> keep_longest([new, shop, both]) == [both]
    True
    """
    kept: list[AlignedSpan] = []
    for span in sorted(spans, key=lambda s: (s.start - s.end, s.start)):
        if all(span.end <= other.start or span.start >= other.end for other in kept):
            kept.append(span)
    return sorted(kept)


def _partner(
    pair: ReadPair, span: range, to_reference: dict[int, set[int]], to_source: dict[int, set[int]]
) -> range | None:
    """The tokens of the reference that are aligned only with these tokens of the source."""
    if span[0] not in to_reference or span[-1] not in to_reference:
        return None
    linked = set[int]().union(*(to_reference.get(i, ()) for i in span))
    others = range(min(linked), max(linked) + 1)
    if not all(i in span for j in others for i in to_source.get(j, ())):
        return None
    left_over = [pair.source.tokens[i] for i in span if i not in to_reference]
    left_over += [pair.reference.tokens[j] for j in others if j not in to_source]
    return others if all(map(_is_small, left_over)) else None


def _is_small(token: Token) -> bool:
    if token.pos in ("PUNCT", "SYM") or not any(map(str.isalnum, token.text)):
        return token.text in _JOINTS
    return token.pos in _SMALL or token.tag in _MEASURE_WORDS


def _is_placeholder(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a character of a placeholder or tag is in these tokens or next to them."""
    return any(not _PLACEHOLDER.isdisjoint(token.text) for token in tokens[max(start - 1, 0) : end + 1])


def _cuts_a_word(annotation: Annotation, start: int, end: int) -> bool:
    tokens = annotation.tokens
    if start > 0 and _is_inside_word(tokens, start):
        return True
    # A name can change before its possessive `'s`.
    return end < len(tokens) and tokens[end].tag != "POS" and _is_inside_word(tokens, end)


def _is_inside_word(tokens: Sequence[Token], place: int) -> bool:
    """Whether the token at this place is written together with the previous token."""
    left, right = tokens[place - 1], tokens[place]
    if left.end < right.start:
        return False
    before, after = left.text[-1], right.text[0]
    return _joins(before) and _joins(after) and not (before in _APOSTROPHES and after in _APOSTROPHES)


def _joins(character: str) -> bool:
    return character in _APOSTROPHES or (character.isalpha() and not is_unspaced(character))
