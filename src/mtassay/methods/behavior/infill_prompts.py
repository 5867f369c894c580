"""The prompts of Wu, Liu, Yeung (2023), tables 3 and 8, for a language model and any two languages.

Their templates are for English and Chinese, for one masked place, and for an answer after two labels. We
added several places, the example, JSON answers and the objection to an earlier answer. The wording is in
`infill_prompts.toml`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mtassay.data.languages import Pair
from mtassay.data.nouns import Edit
from mtassay.data.words import read_table
from mtassay.methods.behavior.infiller import MASK, Masked
from mtassay.methods.behavior.pairs import AlignedSpan, ReadPair
from mtassay.nlp.annotation import Annotation
from mtassay.nlp.chat_models import Message
from mtassay.systems.conversations import BadReplyError, whole_object, without_thoughts

SOURCE_KEY, TRANSLATION_KEY = "filled_source", "filled_translation"

_WORDS_KEY, _TRANSLATED_KEY = "new_words", "new_words_translated"
_TEXT = {"type": "string"}

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        # We do not read it: a model that must first write the new words leaves fewer masks in the sentences.
        _WORDS_KEY: _TEXT,
        _TRANSLATED_KEY: _TEXT,
        SOURCE_KEY: _TEXT,
        TRANSLATION_KEY: _TEXT,
    },
    "required": [_WORDS_KEY, _TRANSLATED_KEY, SOURCE_KEY, TRANSLATION_KEY],
    "additionalProperties": False,
}
"""The JSON schema that a server is asked to enforce on the model."""


@cache
def _prompts() -> Mapping[str, Any]:
    """The sentences of `infill_prompts.toml`."""
    return read_table(Path(__file__).with_suffix(".toml"))


_BEGINS_WITH_VOWEL = re.compile(r"(?!Uk|Uy|Ew)[AEIOU]")


def messages(masked: Masked, pair: Pair, *, objections: Sequence[str] = ()) -> list[Message]:
    """Return the conversation that asks a model to fill one masked pair.

    A filled example comes first if we have it in both languages, since small models without an example copy
    the masks. Objections are sentences about earlier answers. They come before the pair, since a small model
    works on the text that comes last.
    """
    is_shown = {pair.source.code, pair.target.code} <= _prompts()["examples"].keys()
    system = _prompts()["system"].format(source=pair.source.name, target=pair.target.name)
    return [
        {"role": "system", "content": system},
        *(_example(pair) if is_shown else ()),
        {"role": "user", "content": _task(masked, pair, objections)},
    ]


def _task(masked: Masked, pair: Pair, objections: Sequence[str]) -> str:
    names = {"source": pair.source.name, "target": pair.target.name}
    several = len(masked.spans) > 1
    count = f"{len(masked.spans)} segments have" if several else f"{_kind(masked)} has"
    prompts = _prompts()
    text = prompts["task"].format(
        **names,
        a_source=_with_article(names["source"]),
        masked=f"{count} been masked",
        tokens="the tokens '<mask1>', '<mask2>' and so on" if several else f"the '{MASK}' token",
        the_mask="the masked tokens" if several else "the masked token",
        instruction=_instruction(masked),
        in_target=prompts["in_target"].get(masked.capability, ""),
        aim=prompts["aims"].get(masked.capability, prompts["aims"]["other"]),
        keys=", ".join(f'"{key}": …' for key in SCHEMA["required"]),
    )
    complaints = [prompts["wrong"].format(objection=objection) for objection in dict.fromkeys(objections)]
    source, reference = _numbered(masked)
    sentences = prompts["pair"].format(**names, masked_source=source, masked_reference=reference)
    return "".join([text, *complaints, sentences])


def _example(pair: Pair) -> list[Message]:
    """The same task with our own sentence, and its answer."""
    texts, filled, spans = [], [], list[tuple[int, int]]()
    examples = [_prompts()["examples"][language.code] for language in (pair.source, pair.target)]
    for example in examples:
        masked, start = example["masked"], example["masked"].index(MASK)
        spans.append((start, start + len(example["original"])))
        texts.append(Annotation(masked.replace(MASK, example["original"])))
        filled.append(masked.replace(MASK, example["word"]))
    read = ReadPair("example", texts[0], texts[1], frozenset())
    instruction = f'a noun other than "{examples[0]["original"]}"'
    one = Masked(read, "noun", (AlignedSpan(*spans[0], *spans[1], "NOUN", 0),), (instruction,))
    words = [example["word"] for example in examples]
    answer = dict(zip(SCHEMA["required"], [*words, *filled], strict=True))
    return [
        {"role": "user", "content": _task(one, pair, ())},
        {"role": "assistant", "content": json.dumps(answer, ensure_ascii=False)},
    ]


def _instruction(masked: Masked) -> str:
    if len(masked.instructions) == 1:
        return masked.instructions[0]
    return "; ".join(f"for <mask{i}> {what}" for i, what in enumerate(masked.instructions, 1))


def _kind(masked: Masked) -> str:
    """The kind of the masked word or phrase, which an instruction names before `other than`.

    >>> pair = ReadPair("1", Annotation("A shop"), Annotation("Uma loja"), frozenset())
    >>> _kind(Masked(pair, "noun", (AlignedSpan(2, 6, 4, 8, "NOUN", 1),), ('a noun other than "shop"',)))
    'a noun'
    """
    kind, other_than, _ = masked.instructions[0].partition(" other than ")
    return str(_prompts()["masked_as"].get(masked.capability, kind if other_than else "a segment"))


def _numbered(masked: Masked) -> tuple[str, str]:
    """Both masked texts; several masks are numbered, since their order may differ in the translation."""
    if len(masked.spans) == 1:
        return masked.source, masked.reference
    both = []
    for text, places in (
        (masked.pair.source.text, [(span.start, span.end) for span in masked.spans]),
        (masked.pair.reference.text, [(s.reference_start, s.reference_end) for s in masked.spans]),
    ):
        for number, (start, end) in sorted(enumerate(places, 1), key=lambda one: one[1], reverse=True):
            text = f"{text[:start]}<mask{number}>{text[end:]}"
        both.append(text)
    return both[0], both[1]


def _with_article(name: str) -> str:
    return f"{'an' if _BEGINS_WITH_VOWEL.match(name) else 'a'} {name}"


Place = tuple[int, int]

_LEFT = re.compile(
    r"<\s*+(?:/\s*+)?mask\s*+\d*+\s*+(?:/\s*+)?>|\[\s*+mask\s*+\d*+\s*+\]|<extra_id_\d+>|_{3,}", re.IGNORECASE
)
_UNSPACED = "⺀-鿿豈-﫿぀-ヿ가-힯฀-๿"
_PIECE = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]")
_SPACED_LETTER = re.compile(rf"[^\W{_UNSPACED}]")
# A mask number may be where no text can have a mask.
_GAP = "\0"


@dataclass(frozen=True, slots=True)
class Adapted:
    """The edit of a text with other changes; `share` is the changed share of its unmasked words, 0 to 1."""

    changes: tuple[Edit, ...]
    share: float


def is_left(text: str, *, before: str = "") -> bool:
    """Whether a text still has a mask (in any usual spelling) that was not in the text `before`.

    >>> is_left("A <mask> barks"), is_left("A [MASK 2] barks"), is_left("A dog barks")
    (True, True, False)
    """
    old_masks = {mask.group().casefold() for mask in _LEFT.finditer(before)}
    return any(mask.group().casefold() not in old_masks for mask in _LEFT.finditer(text))


def exact_changes(text: str, places: Sequence[Place], filled: str) -> tuple[Edit, ...] | None:
    """Return the changes that turn `text` into `filled`, one per place; `None` if anything else changed.

    `places` are in order and do not overlap. All other characters must be the same. Only spaces at the edges
    of a place may differ if no two words run together; then the spaces of `text` are used. No change is
    empty. If several places allow more than one reading, the earlier changes are as short as possible.

    >>> exact_changes("A small dog barks", [(2, 7)], "A very young dog barks")
    (Edit(start=2, end=7, before='small', after='very young', pos=''),)
    >>> exact_changes("A small dog barks", [(2, 7)], "A young cat barks") is None
    True
    """
    edges = [0, *(edge for place in places for edge in place), len(text)]
    kept = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    first, last = kept[0].lstrip().rstrip(), kept[-1].strip()
    filled = filled.strip()
    if not places or not filled.startswith(first) or not filled.endswith(last):
        return None
    stop = len(filled) - len(last)
    at, fills, glued = len(first), [], [first]
    for piece in kept[1:-1]:
        middle = piece.strip()
        # A filling has at least one character.
        fill_end = filled.find(middle, at + 1, stop) if middle else _next_space(filled, at, stop)
        if fill_end < 0:
            return None
        fills.append(filled[at:fill_end])
        at = fill_end + len(middle)
        glued.append(middle)
    fills.append(filled[at:stop] if at <= stop else "")
    for before, fill, after in zip(glued, fills, [*glued[1:], last], strict=True):
        if not fill.strip() or _run_together(before, fill) or _run_together(fill, after):
            return None
    return tuple(
        Edit(start, end, text[start:end], fill.strip())
        for (start, end), fill in zip(places, fills, strict=True)
    )


def adapted_changes(text: str, places: Sequence[Place], filled: str) -> Adapted:
    """Return the edits of a text whose other words may have changed, and the changed share of these.

    The share counts lost unmasked words and new words that are not next to a place, relative to all unmasked
    words (in a script without spaces, characters are words). If nothing is left between two places, they
    share one change.

    >>> adapted = adapted_changes("o gato preto dorme bem", [(2, 6)], "a gata preta dorme bem")
    >>> adapted.changes[0].after, adapted.share
    ('a gata preta', 0.5)
    """
    before, starts, ends = _pieces(text, places)
    pieces = [(match.group(), *match.span()) for match in _PIECE.finditer(filled)]
    after = [word for word, _, _ in pieces]
    changes, moved = [], 0
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        gone = sum(piece != _GAP for piece in before[i:j])
        if gone == j - i:  # not a place
            moved += max(gone, m - k)
            continue
        moved += gone
        start, end = starts[i], ends[j - 1]
        put = filled[pieces[k][1] : pieces[m - 1][2]] if m > k else ""
        changes.append(Edit(start, end, text[start:end], put))
    words = sum(piece != _GAP for piece in before)
    return Adapted(tuple(changes), min(1.0, moved / words) if words else 0.0)


def _pieces(text: str, places: Sequence[Place]) -> tuple[list[str], list[int], list[int]]:
    """The words of a text with a marker for each place, and where each word begins and ends."""
    pieces, done = [], 0
    for start, end in places:
        pieces += [(m.group(), *m.span()) for m in _PIECE.finditer(text, done, start)]
        pieces.append((_GAP, start, end))
        done = end
    pieces += [(m.group(), *m.span()) for m in _PIECE.finditer(text, done)]
    return [w for w, _, _ in pieces], [s for _, s, _ in pieces], [e for _, _, e in pieces]


def _next_space(text: str, start: int, stop: int) -> int:
    """Where the first word after `start` ends; -1 if nothing follows it."""
    begin = start + len(text[start:stop]) - len(text[start:stop].lstrip())
    return next((i for i in range(begin + 1, stop) if text[i].isspace()), -1)


def _run_together(left: str, right: str) -> bool:
    """Whether two words of a script with spaces meet without one."""
    return bool(_SPACED_LETTER.match(left[-1:]) and _SPACED_LETTER.match(right[:1]))


MOST_CHARACTERS = 20_000
"""Longer replies are not read, since no pair of sentences is so long."""

_QUOTES = ('""', "''", "“”", "‘’", "「」", "『』", "«»")


class Sentences(NamedTuple):
    """The filled source and the filled reference of the model's reply."""

    source: str
    reference: str


def read_reply(text: str) -> Sentences | None:
    """Read the two sentences of a reply; `None` if the reply is not exactly one JSON object.

    >>> read_reply('{"filled_source": "A cat.", "filled_translation": "Um gato."}')
    Sentences(source='A cat.', reference='Um gato.')
    >>> read_reply("A cat. Um gato.") is None
    True
    """
    if len(text) > MOST_CHARACTERS:
        return None
    try:
        record = whole_object(without_thoughts(text))
    except BadReplyError:
        return None
    source, reference = record.get(SOURCE_KEY), record.get(TRANSLATION_KEY)
    if isinstance(source, str) and isinstance(reference, str) and source.strip() and reference.strip():
        return Sentences(source.strip(), reference.strip())
    return None


def unquoted(sentence: str) -> str:
    """Remove quotation marks that enclose the whole sentence.

    >>> unquoted('"A cat."'), unquoted('"No", he said, "not now"')
    ('A cat.', '"No", he said, "not now"')
    """
    inside = sentence[1:-1]
    if not inside or sentence[0] + sentence[-1] not in _QUOTES:
        return sentence
    return sentence if sentence[0] in inside or sentence[-1] in inside else inside.strip()
