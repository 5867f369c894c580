"""What a language model is told: the prompts of Wu, Liu, Yeung (2023), tables 3 and 8, for any two languages.

Their templates are for English and Chinese, one masked place, and an answer after two labels. Several
places, the example, JSON answers and the objection to an earlier answer are ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from mtassay.data.languages import Pair
from mtassay.data.nouns import Edit
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
        # Not read: a model that has to say what is new before it writes the sentences leaves fewer masks.
        _WORDS_KEY: _TEXT,
        _TRANSLATED_KEY: _TEXT,
        SOURCE_KEY: _TEXT,
        TRANSLATION_KEY: _TEXT,
    },
    "required": [_WORDS_KEY, _TRANSLATED_KEY, SOURCE_KEY, TRANSLATION_KEY],
    "additionalProperties": False,
}
"""The JSON that a server is asked to hold the model to."""

_SYSTEM = "You are a helpful assistant that translates {source} to {target}."
_TASK = (
    "You are given {a_source} sentence and its {target} translation. In each sentence, {masked} with"
    " {tokens}. Your task is to first fill in {the_mask} in the {source} sentence using {instruction}"
    " without modifying any of the unmasked tokens. Then, use the filled {source} sentence to fill in"
    " {the_mask} in its corresponding {target} translation{in_target}. If necessary, make modifications to"
    " the filled {target} translation to ensure {aim} while preserving the meaning."
)
_LABELLED = (
    " Finally, please output the filled {source} sentence and its filled {target} translation in the format"
    " of '{source_label}: \\n {target_label}:'."
)
_AS_JSON = (
    " Finally, please output nothing but JSON with what you filled in, in {source} and in {target}, the"
    ' filled {source} sentence and its filled {target} translation: {{"{words_key}": …,'
    ' "{translated_key}": …, "{source_key}": …, "{translation_key}": …}}.'
)
_WRONG = " An earlier answer was wrong: {objection}"
_PAIR = "\n{source} Sentence: {masked_source}\n{target} Translation: {masked_reference}"

# One sentence in several languages, what could fill it, and what stood there: small models copy a mask unless
# they have seen one filled.
_SENTENCES = {
    "de": (f"Gestern haben wir einen {MASK} gekauft.", "Tisch", "Stuhl"),
    "en": (f"We bought a {MASK} yesterday.", "table", "chair"),
    "es": (f"Ayer compramos una {MASK}.", "mesa", "silla"),
    "fr": (f"Hier, nous avons acheté une {MASK}.", "table", "chaise"),
    "it": (f"Ieri abbiamo comprato un {MASK}.", "tavolo", "letto"),
    "ja": (f"昨日、{MASK}を買いました。", "机", "椅子"),
    "pt": (f"Ontem compramos uma {MASK}.", "mesa", "cadeira"),
    "ru": (f"Вчера мы купили {MASK}.", "стол", "стул"),
    "zh": (f"我们昨天买了一张{MASK}。", "桌子", "床"),
}

# What differs in table 8: the kind of segment, and what is asked of the translation.
_MASKED_AS = {"tense": "a verb or verb phrase"}
_IN_TARGET = {"tense": " in the past perfect tense"}
_AIMS = {"tense": "the correctness of tense"}

_BEGINS_WITH_VOWEL = re.compile(r"(?!Uk|Uy|Ew)[AEIOU]")


def labels(pair: Pair) -> tuple[str, str]:
    """What is before the two sentences of an answer that is not JSON.

    >>> from mtassay.data.languages import parse_pair
    >>> labels(parse_pair("en-zh"))
    ('Filled English', 'Filled Chinese')
    """
    source, target = pair.source.name, pair.target.name
    if source == target:
        source, target = "Source", "Translation"
    return f"Filled {source}", f"Filled {target}"


def messages(
    masked: Masked,
    pair: Pair,
    *,
    as_json: bool = True,
    example: bool = True,
    objections: Sequence[str] = (),
) -> list[Message]:
    """The conversation that asks for one masked pair to be filled.

    `example` shows one that was filled, where we have one in both languages. Objections are sentences about
    earlier answers; they are before the pair, since a small model takes what comes last for the text to
    work on.
    """
    shown = example and {pair.source.code, pair.target.code} <= _SENTENCES.keys()
    return [
        {"role": "system", "content": _SYSTEM.format(source=pair.source.name, target=pair.target.name)},
        *(_example(pair, as_json) if shown else ()),
        {"role": "user", "content": _task(masked, pair, as_json, objections)},
    ]


def _task(masked: Masked, pair: Pair, as_json: bool, objections: Sequence[str]) -> str:
    names = {"source": pair.source.name, "target": pair.target.name}
    several = len(masked.spans) > 1
    count = f"{len(masked.spans)} segments have" if several else f"{_kind(masked)} has"
    source_label, target_label = labels(pair)
    text = (_TASK + (_AS_JSON if as_json else _LABELLED)).format(
        **names,
        a_source=_with_article(names["source"]),
        masked=f"{count} been masked",
        tokens="the tokens '<mask1>', '<mask2>' and so on" if several else f"the '{MASK}' token",
        the_mask="the masked tokens" if several else "the masked token",
        instruction=_instruction(masked),
        in_target=_IN_TARGET.get(masked.capability, ""),
        aim=_AIMS.get(masked.capability, "fluency"),
        source_label=source_label,
        target_label=target_label,
        words_key=_WORDS_KEY,
        translated_key=_TRANSLATED_KEY,
        source_key=SOURCE_KEY,
        translation_key=TRANSLATION_KEY,
    )
    complaints = [_WRONG.format(objection=objection) for objection in dict.fromkeys(objections)]
    source, reference = _numbered(masked)
    sentences = _PAIR.format(**names, masked_source=source, masked_reference=reference)
    return "".join([text, *complaints, sentences])


def _example(pair: Pair, as_json: bool) -> list[Message]:
    """The same task with our own sentence, and its answer."""
    texts, words, filled, spans = [], [], [], list[tuple[int, int]]()
    for language in (pair.source, pair.target):
        masked, word, original = _SENTENCES[language.code]
        start = masked.index(MASK)
        spans.append((start, start + len(original)))
        texts.append(Annotation(masked.replace(MASK, original)))
        words.append(word)
        filled.append(masked.replace(MASK, word))
    read = ReadPair("example", texts[0], texts[1], frozenset())
    original = _SENTENCES[pair.source.code][2]
    one = Masked(
        read, "noun", (AlignedSpan(*spans[0], *spans[1], "NOUN", 0),), (f'a noun other than "{original}"',)
    )
    answer = (
        json.dumps(dict(zip(SCHEMA["required"], [*words, *filled], strict=True)), ensure_ascii=False)
        if as_json
        else "\n".join(f"{label}: {text}" for label, text in zip(labels(pair), filled, strict=True))
    )
    return [
        {"role": "user", "content": _task(one, pair, as_json, ())},
        {"role": "assistant", "content": answer},
    ]


def _instruction(masked: Masked) -> str:
    if len(masked.instructions) == 1:
        return masked.instructions[0]
    return "; ".join(f"for <mask{i}> {what}" for i, what in enumerate(masked.instructions, 1))


def _kind(masked: Masked) -> str:
    """What has been masked: an instruction says it before its `other than`.

    >>> pair = ReadPair("1", Annotation("A shop"), Annotation("Uma loja"), frozenset())
    >>> _kind(Masked(pair, "noun", (AlignedSpan(2, 6, 4, 8, "NOUN", 1),), ('a noun other than "shop"',)))
    'a noun'
    """
    kind, other_than, _ = masked.instructions[0].partition(" other than ")
    return _MASKED_AS.get(masked.capability, kind if other_than else "a segment")


def _numbered(masked: Masked) -> tuple[str, str]:
    """Both masked texts; several masks are numbered, since a translation may have another order."""
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
# A number of a mask is where no text can have one.
_GAP = "\0"


@dataclass(frozen=True, slots=True)
class Adapted:
    """The edit of a text in which more was changed; `share` of its unmasked words, 0 to 1, was."""

    changes: tuple[Edit, ...]
    share: float


def is_left(text: str, *, before: str = "") -> bool:
    """Whether a text still has a mask, in any usual spelling, that was not in it `before`.

    >>> is_left("A <mask> barks"), is_left("A [MASK 2] barks"), is_left("A dog barks")
    (True, True, False)
    """
    old_masks = {mask.group().casefold() for mask in _LEFT.finditer(before)}
    return any(mask.group().casefold() not in old_masks for mask in _LEFT.finditer(text))


def places_of(masked: str) -> list[Place]:
    """Where the masks of a text are."""
    return [mask.span() for mask in re.finditer(re.escape(MASK), masked)]


def exact_changes(text: str, places: Sequence[Place], filled: str) -> tuple[Edit, ...] | None:
    """The changes that make `filled` of `text`, one at each place; `None` if anything else changed.

    `places` are in order and do not overlap. All other characters must be the same; only spaces at the edges
    of a place may differ, where no two words run together, and those of `text` count. An empty filling is
    none. With several places a text can be read in more than one way: earlier ones are as short as can be.

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
        # At least one character is the filling.
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
    """The edits of a text in which the rest may have changed too, and how much of the rest did.

    The share counts unmasked words that are gone, and words that are new and not next to a place, against
    all unmasked words (characters of a script without spaces are words). Two places with nothing left
    between them share one change.

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
        if gone == j - i:  # no place is here
            moved += max(gone, m - k)
            continue
        moved += gone
        start, end = starts[i], ends[j - 1]
        put = filled[pieces[k][1] : pieces[m - 1][2]] if m > k else ""
        changes.append(Edit(start, end, text[start:end], put))
    words = sum(piece != _GAP for piece in before)
    return Adapted(tuple(changes), min(1.0, moved / words) if words else 0.0)


def _pieces(text: str, places: Sequence[Place]) -> tuple[list[str], list[int], list[int]]:
    """The words of a text with a mark at each place, and where each begins and ends."""
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
"""A longer reply is not read: no pair of sentences is that long."""

_QUOTES = ('""', "''", "“”", "‘’", "「」", "『』", "«»")


class Sentences(NamedTuple):
    """The filled source and the filled reference, as the model gave them."""

    source: str
    reference: str


def read_reply(text: str, pair: Pair) -> Sentences | None:
    """The two sentences of a reply; `None` unless there is exactly one pair of them.

    The reply is one JSON object, or both labels, in either order, with a sentence each; and nothing else.

    >>> from mtassay.data.languages import parse_pair
    >>> read_reply('{"filled_source": "A cat.", "filled_translation": "Um gato."}', parse_pair("en-pt"))
    Sentences(source='A cat.', reference='Um gato.')
    >>> read_reply("Filled Portuguese: Um gato.\\nFilled English: A cat.", parse_pair("en-pt")).source
    'A cat.'
    >>> read_reply("A cat. Um gato.", parse_pair("en-pt")) is None
    True
    """
    if len(text) > MOST_CHARACTERS:
        return None
    text = without_thoughts(text)
    candidates = set(_from_json(text, pair)) or set(_from_labels(text, pair))
    return candidates.pop() if len(candidates) == 1 else None


def unquoted(sentence: str) -> str:
    """A sentence without quotation marks around all of it.

    >>> unquoted('"A cat."'), unquoted('"No", he said, "not now"')
    ('A cat.', '"No", he said, "not now"')
    """
    inside = sentence[1:-1]
    if not inside or sentence[0] + sentence[-1] not in _QUOTES:
        return sentence
    return sentence if sentence[0] in inside or sentence[-1] in inside else inside.strip()


def _from_json(text: str, pair: Pair) -> Iterator[Sentences]:
    try:
        record = whole_object(text)
    except BadReplyError:
        return
    for source_key, reference_key in ((SOURCE_KEY, TRANSLATION_KEY), labels(pair)):
        source, reference = record.get(source_key), record.get(reference_key)
        if isinstance(source, str) and isinstance(reference, str) and source.strip() and reference.strip():
            yield Sentences(source.strip(), reference.strip())


def _from_labels(text: str, pair: Pair) -> Iterator[Sentences]:
    """The one line after each label; models like to set the label in bold."""
    pattern = "|".join(re.escape(label) for label in labels(pair))
    before, *parts = re.split(rf"({pattern})[*_ ]{{0,4}}[:：]", text, flags=re.IGNORECASE)
    by_label: dict[str, str] = {}
    for label, part in zip(parts[::2], parts[1::2], strict=True):
        lines = [line for line in (line.strip("*_# \t\r") for line in part.split("\n")) if line]
        if len(lines) == 1:
            by_label[label.casefold()] = lines[0]
    if len(parts) == 4 and len(by_label) == 2 and not before.strip("*_# \t\r\n"):
        yield Sentences(*(by_label[label.casefold()] for label in labels(pair)))
